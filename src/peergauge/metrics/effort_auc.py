"""Do rewards separate active graders from passive graders?"""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.metrics import RewardMetric, metric
from peergauge.metrics.statistics import auc, both_known
from peergauge.tables import Rewards, Truth


@metric(
    "effort-auc",
    label="AUC of active against passive",
    source="Burrell & Schoenebeck 2022",
    of="rewards",
    needs="who is active",
    lowest=0.0,
    highest=1.0,
    better="higher",
)
@dataclass(frozen=True)
class EffortAUC(RewardMetric):
    """The probability that an active grader is paid more than a passive one; ties count half."""

    def measure(self, rewards: Rewards, truth: Truth) -> float:
        total = self.totals(rewards)
        known = both_known(total)
        return auc(total[known], truth.trait("active", rewards.reports)[known])
