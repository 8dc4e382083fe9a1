"""The mean of a submission's grades without the lowest and the highest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.errors import ParameterError
from peergauge.models import Estimates, Model, model
from peergauge.models.middle import middle_mean
from peergauge.tables import Reports


@model("trimmed-mean", label="Trimmed mean", source="Tukey 1962")
@dataclass(frozen=True)
class TrimmedMean(Model):
    """The mean of the grades that remain after a share is removed at both ends.

    Of *n* grades, the integer part of ``share`` times *n* is removed at the bottom and at the top.
    A share of 0 gives the mean, a share just below a half gives the median. With a share of a
    quarter, three grades lose none, and four grades lose two.

    Parameters
    ----------
    share
        Share that is removed at each end; at least 0 and less than 0.5.
    """

    share: float = 0.25

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.share < 0.5:
            raise ParameterError(
                f"The share cut from either end is 0 or more and less than 0.5, not {self.share:g}."
            )

    def fit(self, reports: Reports) -> Estimates:
        count = np.diff(reports.submission_bounds)
        # 0.29 times 100 is 28.999… in binary, but should count as 29.
        cut = np.floor(self.share * count + 1e-9).astype(np.int64)
        most = np.maximum(count - 1, 0) // 2
        score = middle_mean(reports.grade, reports.submission_bounds, np.minimum(cut, most))
        return Estimates.of_scores(reports, score)
