"""Final grades of submissions, as weighted means of their reviews."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.models.posterior import Posterior


@dataclass(frozen=True, eq=False)
class GradeEstimate:
    r"""Grades of submissions, and the parts that they are made of.

    The grade of a submission is a weighted mean of its reviews and of the mean of its assignment,

    .. math:: \hat g_s = w_s \mu + \sum_k w_{sk} v_{sk}, \quad w_s + \sum_k w_{sk} = 1

    clipped to the scale; or the staff grade, if there is one.

    Parameters
    ----------
    estimator
        Spec of the model that estimated the grades.
    score
        Grade of each submission; NaN for a submission without reviews.
    value, weight
        *v* and *w* of each review.
    prior_mean, prior_weight
        *μ* of each assignment, and its weight for each submission.
    staff
        Staff grade of each submission, which is then its grade; NaN if there is none.
    low, high
        Bounds of the interval of each grade.
    """

    estimator: str
    score: Floats
    value: Floats
    weight: Floats
    prior_mean: Floats
    prior_weight: Floats
    staff: Floats
    low: Floats
    high: Floats

    @property
    def by_staff(self) -> NDArray[np.bool_]:
        """Which submissions staff graded."""
        return ~np.isnan(self.staff)

    @property
    def by_peers(self) -> NDArray[np.bool_]:
        """Which submissions have a grade that was estimated from reviews."""
        return ~self.by_staff & ~np.isnan(self.score)


def estimate_grades(posterior: Posterior, estimator: str, level: float) -> GradeEstimate:
    """Grades with intervals of probability *level*."""
    low, high = posterior.interval(level)
    return GradeEstimate(
        estimator=estimator,
        score=posterior.score,
        value=posterior.value,
        weight=posterior.weight,
        prior_mean=posterior.prior_mean,
        prior_weight=posterior.prior_weight,
        staff=posterior.staff,
        low=low,
        high=high,
    )
