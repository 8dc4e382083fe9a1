"""Pay graders for giving the same grade as other graders."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Bounds, Floats
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.tables import Reports, Rewards, frozen


@mechanism(
    "oa",
    label="OA",
    source="von Ahn & Dabbish 2004; Faltings & Radanovic 2017",
    family="output agreement",
    labels="any",
    equilibrium=Equilibrium.TRUTHFUL,
    assumption="self-dominating",
    in_paper=True,
)
@dataclass(frozen=True)
class OutputAgreement(Mechanism):
    """The prize times the share of a submission's other graders who reported the same grade.

    This is the mean, over all pairings with another grader of the submission, of the prize for a
    match and 0 otherwise. A report without a second grader is not paid.

    Truthful reporting is an equilibrium if signals are self-dominating: a grader who saw a grade
    thinks that it is the most likely grade of another. Known attack: all graders agree on one
    grade.

    **Source.** Luis von Ahn and Laura Dabbish (2004). *Labeling Images with a Computer Game*.
    Proceedings of CHI 2004, 319–326. doi:10.1145/985692.985733.

    Boi Faltings and Goran Radanovic (2017). *Game Theory for Data Science: Eliciting Truthful
    Information*. Morgan & Claypool.

    Parameters
    ----------
    prize
        The payment for a match. The authors' published numbers were computed with 11; no measure
        depends on it.
    """

    prize: float = 1.0

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        agreement = share_of_peers_agreeing(reports.grade, reports.submission_bounds)
        agreement *= self.prize
        return Rewards.from_parts(reports, frozen(agreement))


@accelerated
def share_of_peers_agreeing(grade: Floats, bounds: Bounds) -> Floats:
    """The share of a submission's other graders who gave the same grade; NaN without others."""
    share = np.full(len(grade), np.nan)
    for begin, end in zip(bounds[:-1], bounds[1:], strict=True):
        if end - begin > 1:
            _, which, times = np.unique(grade[begin:end], return_inverse=True, return_counts=True)
            share[begin:end] = (times[which] - 1) / (end - begin - 1)
    return share
