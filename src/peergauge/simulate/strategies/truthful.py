"""Report the signal."""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Situation, Strategy, strategy


@strategy(
    "truthful",
    label="Truthful",
    source="Burrell & Schoenebeck 2022",
    informed=True,
    labels=True,
    in_paper=True,
)
@dataclass(frozen=True)
class Truthful(Strategy):
    """Report the signal unchanged."""

    def report(self, situation: Situation) -> Floats:
        return situation.signal
