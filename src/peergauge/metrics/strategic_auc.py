"""Are truthful graders paid more than strategic graders?"""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.metrics import RewardMetric, metric
from peergauge.metrics.statistics import auc, both_known
from peergauge.tables import Rewards, Truth


@metric(
    "strategic-auc",
    label="AUC of truthful against strategic",
    source="Burrell & Schoenebeck 2022",
    of="rewards",
    needs="who is strategic",
    lowest=0.0,
    highest=1.0,
    better="higher",
)
@dataclass(frozen=True)
class StrategicAUC(RewardMetric):
    """The probability that a truthful grader is paid more than a strategic one; ties count half."""

    def measure(self, rewards: Rewards, truth: Truth) -> float:
        total = self.totals(rewards)
        known = both_known(total)
        return auc(total[known], ~truth.trait("strategic", rewards.reports)[known])
