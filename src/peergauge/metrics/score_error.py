"""How accurate are estimated scores?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.metrics import EstimateMetric, metric
from peergauge.tables import Reports, Truth


@metric(
    "score-mse",
    label="MSE of estimated scores",
    source="Burrell & Schoenebeck 2022",
    of="estimates",
    needs="true scores",
    lowest=0.0,
    highest=float("inf"),
    better="lower",
)
@dataclass(frozen=True)
class ScoreError(EstimateMetric):
    """Mean squared error of estimated scores, over submissions with a known true score."""

    def measure(self, estimates: Floats, reports: Reports, truth: Truth) -> float:
        if len(estimates) != reports.submissions:
            raise ParameterError(
                f"There are {reports.submissions} submissions, but estimates of {len(estimates)}."
            )
        error = (estimates - truth.scores_of(reports)) ** 2
        return float(np.nanmean(error)) if not np.isnan(error).all() else float("nan")
