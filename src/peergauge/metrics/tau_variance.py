"""How much does the ranking of the same class depend on chance?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from peergauge.metrics import RepeatMetric, metric
from peergauge.metrics.effort_tau import EffortTau
from peergauge.tables import Rewards, Truth


@metric(
    "tau-variance",
    label="Variance of τ_B over repeats",
    source="Burrell & Schoenebeck 2022",
    of="repeats",
    needs="effort",
    lowest=0.0,
    highest=2.0,
    better="lower",
)
@dataclass(frozen=True)
class TauVariance(RepeatMetric):
    """The variance of τ_B with effort when the same graders grade the same submissions again.

    The assignment of graders, their signals and the draws of a random mechanism differ between
    repeats. The variance is the sample variance (divisor n − 1).

    Parameters
    ----------
    int64
        As for the measures of one class.
    """

    int64: bool = False

    def measure(self, repeats: Sequence[tuple[Rewards, Truth]]) -> float:
        tau = EffortTau(int64=self.int64)
        values = np.array([tau.measure(rewards, truth) for rewards, truth in repeats])
        values = values[~np.isnan(values)]
        return float(values.var(ddof=1)) if len(values) > 1 else float("nan")
