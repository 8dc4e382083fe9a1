"""Do rewards depend linearly on accuracy?"""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.core.arrays import Floats
from peergauge.metrics import AccuracyMetric, metric
from peergauge.metrics.statistics import pearson


@metric(
    "pearson",
    label="Pearson ρ",
    source="Burrell & Schoenebeck 2022",
    of="rewards",
    needs="true scores",
    lowest=-1.0,
    highest=1.0,
    better="higher",
)
@dataclass(frozen=True)
class Pearson(AccuracyMetric):
    """Pearson's ρ of rewards with accuracy (minus squared error).

    It is undefined if a reward is infinite.
    """

    def compare(self, pay: Floats, error: Floats) -> float:
        return pearson(pay, -error)
