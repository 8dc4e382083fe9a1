"""Always report the highest grade."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Situation, Strategy, strategy
from peergauge.tables import Scale


@strategy(
    "all-tens",
    label="Report All 10s",
    source="Burrell & Schoenebeck 2022",
    informed=False,
    in_paper=True,
)
@dataclass(frozen=True)
class AllTens(Strategy):
    """Report the highest grade of the scale, whatever the signal."""

    def report(self, situation: Situation) -> Floats:
        return np.full_like(situation.signal, situation.scale.highest)

    def label_on(self, scale: Scale) -> str:
        return f"Always the highest grade ({scale.highest:g})"
