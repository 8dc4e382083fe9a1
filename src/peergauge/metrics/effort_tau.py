"""Do rewards rank graders in the order of their effort?"""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.metrics import RewardMetric, metric
from peergauge.metrics.statistics import both_known, kendall_tau_b
from peergauge.tables import Rewards, Truth


@metric(
    "effort-tau",
    label="Kendall τ_B with effort",
    source="Burrell & Schoenebeck 2022",
    of="rewards",
    needs="effort",
    lowest=-1.0,
    highest=1.0,
    better="higher",
)
@dataclass(frozen=True)
class EffortTau(RewardMetric):
    """Kendall's τ_B of rewards with the effort behind the reports."""

    def measure(self, rewards: Rewards, truth: Truth) -> float:
        total, effort = self.totals(rewards), truth.trait("effort", rewards.reports)
        known = both_known(total, effort)
        return kendall_tau_b(total[known], effort[known])
