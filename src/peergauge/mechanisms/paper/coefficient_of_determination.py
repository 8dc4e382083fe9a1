"""Pay graders for the share of the variance of true scores that their reports explain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from peergauge.mechanisms import Equilibrium, mechanism
from peergauge.mechanisms.shared.by_grader import AgainstEstimates
from peergauge.mechanisms.shared.parametric import estimated_score
from peergauge.tables import Reports, Rewards


@mechanism(
    "r2",
    label="R²",
    source="Burrell & Schoenebeck 2022",
    family="novel",
    novel=True,
    equilibrium=Equilibrium.NOT_ANALYSED,
    assumption="–",
    prior="given",
    in_paper=True,
)
@dataclass(frozen=True)
class CoefficientOfDetermination(AgainstEstimates):
    r"""The coefficient of determination R² of a grader's reports as predictions of the true scores.

    .. math:: 1 - \frac{\sum_s ((r_s - \hat b) - \hat g_s)^2}{\sum_s (\hat g_s - \bar g)^2}

    over the submissions that the grader graded in the assignment. True scores :math:`\hat g` and
    bias :math:`\hat b` are estimated by model PG1, and :math:`\bar g` is the mean of these true
    scores. If they do not vary, as with a single report, R² is undefined and the assignment is not
    paid.

    **Source.** Noah Burrell and Grant Schoenebeck (2022). *Measurement Integrity in Peer
    Prediction: A Peer Assessment Case Study*. arXiv:2108.05521.

    Parameters
    ----------
    around
        The centre of the variance in the denominator: the ``mean`` of the estimated scores of the
        grader's submissions, as R² is defined, or the ``prior`` mean, which reproduces the authors'
        published numbers.
    """

    around: Literal["mean", "prior"] = "mean"

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        estimates = self.estimate(reports)
        spread = self.spread(reports, estimates)
        total = spread.yy
        if self.around == "prior":
            distance = estimated_score(reports, estimates) - self.prior(reports)[0]
            group = reports.assignment.astype(np.int64) * reports.graders + reports.grader
            squares = np.bincount(group, distance**2, minlength=total.size)
            total = squares.astype(np.float64).reshape(total.shape)
        defined = spread.varies(total, reports)
        unexplained = np.divide(
            spread.difference, total, out=np.full_like(total, np.nan), where=defined
        )
        return Rewards(1 - unexplained, reports, averaged=True)
