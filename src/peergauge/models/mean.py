"""The mean of a submission's grades."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.models import Estimates, Model, model
from peergauge.models.middle import middle_mean
from peergauge.tables import Reports


@model("mean", label="Mean", source="most platforms")
@dataclass(frozen=True)
class Mean(Model):
    r"""The mean of a submission's grades, which most platforms show.

    The deviation of the mean of *n* grades is its standard error

    .. math:: \sqrt{\frac{1}{n (n - 1)} \sum_k (r_s^k - \bar r_s)^2}

    which cannot be estimated from a single grade (NaN). All graders have the same weight, so one
    careless grade shifts the mean by its distance divided by *n*.
    """

    def fit(self, reports: Reports) -> Estimates:
        bounds = reports.submission_bounds
        count = np.diff(bounds)
        score = middle_mean(reports.grade, bounds, np.zeros_like(count))
        squares = np.bincount(
            reports.submission,
            (reports.grade - score[reports.submission]) ** 2,
            minlength=reports.submissions,
        )
        pairs = count * (count - 1)
        deviation = np.full(len(count), np.nan)
        np.divide(squares, pairs, out=deviation, where=pairs > 0)
        return Estimates.of_scores(reports, score, np.sqrt(deviation))
