"""Pay graders for saying what their peers said."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Bounds, Floats
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.tables import Reports, Rewards


@mechanism(
    "oa",
    label="OA",
    source="von Ahn & Dabbish 2004; Faltings & Radanovic 2017",
    family="output agreement",
    equilibrium=Equilibrium.TRUTHFUL,
    assumption="self-dominating",
    in_paper=True,
)
@dataclass(frozen=True)
class OutputAgreement(Mechanism):
    """Each report earns the prize times the share of co-graders who reported the same.

    That is the mean, over all pairings with another grader of the submission, of the prize for a
    match and 0 otherwise. A report without a co-grader is not paid.

    Parameters
    ----------
    prize
        What a match is worth. The authors' published numbers were computed with 11; no measure
        notices.
    """

    prize: float = 1.0

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        agreement = share_of_peers_agreeing(reports.grade, reports.submission_bounds)
        agreement *= self.prize
        return Rewards.from_parts(reports, agreement)


@accelerated
def share_of_peers_agreeing(grade: Floats, bounds: Bounds) -> Floats:
    """The share of a submission's other graders who gave the same grade; NaN without others."""
    share = np.full(len(grade), np.nan)
    for begin, end in zip(bounds[:-1], bounds[1:], strict=True):
        if end - begin > 1:
            _, which, times = np.unique(grade[begin:end], return_inverse=True, return_counts=True)
            share[begin:end] = (times[which] - 1) / (end - begin - 1)
    return share
