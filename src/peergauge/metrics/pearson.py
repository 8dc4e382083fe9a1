"""Are rewards a linear measure of accuracy?"""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.metrics import RewardMetric, metric
from peergauge.metrics._statistics import both_known, pearson
from peergauge.tables import Rewards, Truth


@metric(
    "pearson",
    label="Pearson ρ",
    source="Burrell & Schoenebeck 2022",
    of="rewards",
    needs="true scores",
    lowest=-1.0,
    highest=1.0,
    better="higher",
    published="Rhos",
)
@dataclass(frozen=True)
class Pearson(RewardMetric):
    """Linear correlation of rewards with accuracy (minus squared error).

    Not defined where a reward is infinite.
    """

    def measure(self, rewards: Rewards, truth: Truth) -> float:
        total, error = self.totals(rewards), self.errors(rewards, truth)
        known = both_known(total, error)
        return pearson(total[known], -error[known])
