"""Do rewards rank graders as their errors do?"""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.metrics import RewardMetric, metric
from peergauge.metrics._statistics import both_known, kendall_tau_b
from peergauge.tables import Rewards, Truth


@metric(
    "tau",
    label="Kendall τ_B",
    source="Kendall 1945; Burrell & Schoenebeck 2022",
    of="rewards",
    needs="true scores",
    lowest=-1.0,
    highest=1.0,
    better="higher",
    published="Taus",
)
@dataclass(frozen=True)
class KendallTau(RewardMetric):
    """Rank correlation of rewards with accuracy (minus squared error), with ties accounted for."""

    def measure(self, rewards: Rewards, truth: Truth) -> float:
        total, error = self.totals(rewards), self.errors(rewards, truth)
        known = both_known(total, error)
        return kendall_tau_b(total[known], -error[known])
