"""Pay graders for agreeing on grades that are rare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Bounds, Floats, Ints
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.mechanisms.paper.output_agreement import share_of_peers_agreeing
from peergauge.tables import Reports, Rewards, frozen


@mechanism(
    "pts",
    label="PTS",
    source="Faltings, Jurca & Radanovic 2017",
    family="peer truth serum",
    steps=True,
    labels="any",
    equilibrium=Equilibrium.HELPFUL,
    assumption="self-predicting",
    in_paper=True,
)
@dataclass(frozen=True)
class PeerTruthSerum(Mechanism):
    """1 / R[report] for a match with a co-grader, where R is the frequency of a grade so far.

    R begins uniform. After an assignment is paid, its reports are added to a histogram, and R is
    the normalised histogram with add-one (Laplace) smoothing. Each report earns the mean over all
    pairings with another grader of the submission; a report without a second grader is not paid.

    Helpful reporting is an equilibrium if signals are self-predicting. Known attack: all graders
    agree on a grade that was rare so far.

    **Source.** Boi Faltings, Radu Jurca and Goran Radanovic (2017). *Peer Truth Serum: Incentives
    for Crowdsourcing Measurements and Opinions*. arXiv:1704.05269.

    Parameters
    ----------
    counting
        ``once`` adds every report to the histogram once, as the paper says; ``per-peer`` adds it
        once for each co-grader, as the authors' published numbers were computed.
    """

    counting: Literal["once", "per-peer"] = "once"

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        part = agreement_over_frequency(
            reports.grade,
            reports.scale.lowest,
            reports.scale.steps_needed(),
            reports.scale.levels,
            reports.submission_bounds,
            reports.submission,
            reports.assignment_bounds,
            self.counting == "per-peer",
        )
        return Rewards.from_parts(reports, frozen(part))


@accelerated
def agreement_over_frequency(
    grade: Floats,
    lowest: float,
    step: float,
    levels: int,
    submission_bounds: Bounds,
    submission: Ints,
    assignment_bounds: Bounds,
    per_peer: bool,
) -> Floats:
    """The share of peers who agree, divided by the smoothed frequency of the grade so far."""
    part = share_of_peers_agreeing.plain(grade, submission_bounds)
    level = np.rint((grade - lowest) / step).astype(np.int64)
    histogram = np.zeros(levels)
    for begin, end in zip(assignment_bounds[:-1], assignment_bounds[1:], strict=True):
        frequency = (histogram + 1) / (histogram.sum() + levels)
        now = level[begin:end]
        part[begin:end] /= frequency[now]
        times = np.diff(submission_bounds)[submission[begin:end]] - 1.0 if per_peer else None
        histogram += np.bincount(now, weights=times, minlength=levels)
    return part
