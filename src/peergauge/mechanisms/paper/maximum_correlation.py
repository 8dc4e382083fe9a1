"""Pay pairs of graders for the highest correlation that their signals can have."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.mechanisms import Equilibrium, mechanism
from peergauge.mechanisms.shared.parametric import Parametric
from peergauge.tables import Reports, Rewards, frozen


@mechanism(
    "mcc",
    label="MCC",
    source="Burrell & Schoenebeck 2022, after a suggestion of Fang-Yi Yu",
    family="novel",
    novel=True,
    equilibrium=Equilibrium.NOT_ANALYSED,
    assumption="–",
    prior="given",
    in_paper=True,
)
@dataclass(frozen=True)
class MaximumCorrelation(Parametric):
    r"""The maximum correlation coefficient of two graders' signals under model PG1.

    Two graders of a submission with estimated reliabilities :math:`\tau_i, \tau_j` both earn

    .. math:: \frac{\sigma^2}{\sqrt{\sigma^2 + 1/\tau_i} \sqrt{\sigma^2 + 1/\tau_j}},

    and a report earns the mean over all pairings with another grader of its submission. Reports
    matter only through the estimated reliabilities. A report without a second grader is not paid.

    **Source.** Noah Burrell and Grant Schoenebeck (2022). *Measurement Integrity in Peer
    Prediction: A Peer Assessment Case Study*. arXiv:2108.05521. The mechanism follows a suggestion
    of Fang-Yi Yu.
    """

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        _, variance = self.prior(reports)
        reliability = reports.of_graders(self.estimate(reports).reliability)
        # The coefficient is a product of two factors, one for each grader.
        factor = np.sqrt(variance / (variance + 1 / reliability))
        total = np.bincount(reports.submission, factor, minlength=reports.submissions)
        others = np.diff(reports.submission_bounds)[reports.submission] - 1
        mean_of_others = np.divide(
            total[reports.submission] - factor,
            others,
            out=np.full(len(reports), np.nan),
            where=others > 0,
        )
        return Rewards.from_parts(reports, frozen(factor * mean_of_others))
