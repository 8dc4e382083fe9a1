"""Do rewards separate the better half of the graders from the worse half?"""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.core.arrays import Floats
from peergauge.metrics import AccuracyMetric, metric
from peergauge.metrics.statistics import auc, quantile_classes
from peergauge.tables import Rewards, Truth


@metric(
    "binary-auc",
    label="Binary AUC",
    source="Burrell & Schoenebeck 2022",
    of="rewards",
    needs="true scores",
    lowest=0.0,
    highest=1.0,
    better="higher",
)
@dataclass(frozen=True)
class BinaryAUC(AccuracyMetric):
    """The AUC of rewards for graders with less than the median squared error against the others.

    The area under the ROC curve is the probability that a grader of the better half is paid more
    than a grader of the worse half; ties count half. Errors equal to the median belong to the worse
    half, which with few assignments can be the larger one.
    """

    def measure(self, rewards: Rewards, truth: Truth) -> float:
        total, half = self.by_quantile(rewards, truth, 2)
        return auc(total, half == 1)

    def compare(self, pay: Floats, error: Floats) -> float:
        return auc(pay, quantile_classes(-error, 2) == 1)
