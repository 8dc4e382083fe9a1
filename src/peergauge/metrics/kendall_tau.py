"""Do rewards rank graders in the order of their accuracy?"""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.core.arrays import Floats
from peergauge.metrics import AccuracyMetric, metric
from peergauge.metrics.statistics import kendall_tau_b


@metric(
    "tau",
    label="Kendall τ_B",
    source="Kendall 1945; Burrell & Schoenebeck 2022",
    of="rewards",
    needs="true scores",
    lowest=-1.0,
    highest=1.0,
    better="higher",
)
@dataclass(frozen=True)
class KendallTau(AccuracyMetric):
    """Kendall's τ_B of rewards with accuracy (minus squared error)."""

    def compare(self, pay: Floats, error: Floats) -> float:
        return kendall_tau_b(pay, -error)
