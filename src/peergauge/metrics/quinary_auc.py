"""Do rewards separate letter grades?"""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.core.arrays import Floats
from peergauge.metrics import AccuracyMetric, metric
from peergauge.metrics.statistics import mean_pairwise_auc, quantile_classes
from peergauge.tables import Rewards, Truth


@metric(
    "quinary-auc",
    label="Quinary AUC",
    source="Burrell & Schoenebeck 2022",
    of="rewards",
    needs="true scores",
    lowest=0.0,
    highest=1.0,
    better="higher",
)
@dataclass(frozen=True)
class QuinaryAUC(AccuracyMetric):
    """The mean AUC of rewards over all pairs of quintiles of squared error.

    For every two of the five quintiles, the area under the ROC curve of the better against the
    worse. Errors equal to a cut belong to the worse quintile. A quintile that is empty because of
    ties has no pairs.
    """

    def measure(self, rewards: Rewards, truth: Truth) -> float:
        return mean_pairwise_auc(*self.by_quantile(rewards, truth, 5))

    def compare(self, pay: Floats, error: Floats) -> float:
        return mean_pairwise_auc(pay, quantile_classes(-error, 5))
