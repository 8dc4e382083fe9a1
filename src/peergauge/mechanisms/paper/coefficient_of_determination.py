"""Pay graders for how much of the true scores their reports explain."""

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
    r"""R² of a grader's reports as predictions of the estimated true scores.

    .. math:: 1 - \frac{\sum_s ((r_s - \hat b) - \hat g_s)^2}{\sum_s (\hat g_s - \bar g)^2}

    over the submissions that the grader graded for the assignment, :math:`\bar g` being the mean
    of their estimated true scores. Where these do not vary, as with a single report, R² is not
    defined, and the assignment is not paid.

    Parameters
    ----------
    around
        What the estimated scores spread around: their ``mean`` over the grader's submissions, as
        R² is defined, or the ``prior`` mean, which reproduces the authors' published numbers.
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
        return Rewards(
            1 - np.divide(spread.difference, total, out=np.full_like(total, np.nan), where=defined),
            reports,
        )
