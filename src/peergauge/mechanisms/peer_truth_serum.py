"""Pay graders for agreeing on what is rarely said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from peergauge.acceleration import accelerated
from peergauge.grouping import Bounds, Floats, Ints
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.mechanisms.output_agreement import share_of_peers_agreeing
from peergauge.tables import Reports, Rewards


@mechanism(
    "pts",
    label="PTS",
    source="Faltings, Jurca & Radanovic 2017",
    family="peer truth serum",
    steps=True,
    equilibrium=Equilibrium.HELPFUL,
    assumption="self-predicting",
    published="PTS: 0",
)
@dataclass(frozen=True)
class PeerTruthSerum(Mechanism):
    """A match with a co-grader earns 1 / R[report], R being how often reports were given so far.

    R begins uniform. After an assignment is paid, its reports are added to a histogram, and R is
    the histogram with add-one (Laplace) smoothing, normalised. Each report earns the mean over all
    pairings with another grader of the submission; without a co-grader it is not paid.

    Parameters
    ----------
    counting
        ``once`` adds every report to the histogram once, as the text says; ``per-peer`` adds it
        once for each co-grader, as the authors' published numbers were computed.
    """

    counting: Literal["once", "per-peer"] = "once"

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        agreement = share_of_peers_agreeing(reports.grade, reports.submission_bounds)
        part = over_frequency_so_far(
            agreement,
            reports.level,
            reports.scale.levels,
            reports.assignment_bounds,
            reports.submission,
            reports.submission_bounds,
            self.counting == "per-peer",
        )
        return Rewards.from_parts(reports, part)


@accelerated
def over_frequency_so_far(
    agreement: Floats,
    level: Ints,
    levels: int,
    assignment_bounds: Bounds,
    submission: Ints,
    submission_bounds: Bounds,
    per_peer: bool,
) -> Floats:
    """Divide each report's agreement by the smoothed frequency of its level before it."""
    part = np.empty(len(agreement))
    histogram = np.zeros(levels)
    for begin, end in zip(assignment_bounds[:-1], assignment_bounds[1:], strict=True):
        frequency = (histogram + 1) / (histogram.sum() + levels)
        now = level[begin:end]
        part[begin:end] = agreement[begin:end] / frequency[now]
        times = np.diff(submission_bounds)[submission[begin:end]] - 1.0 if per_peer else None
        histogram += np.bincount(now, weights=times, minlength=levels)
    return part
