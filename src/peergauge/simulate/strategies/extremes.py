"""Report only the highest and the lowest grade."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Move, Situation, Strategy, Tries, every, strategy
from peergauge.simulate.strategies.points import centre_of, centres, finite, named_centre


@strategy("extremes", label="Extremes", source="peergauge", informed=True)
@dataclass(frozen=True)
class Extremes(Strategy):
    """Report the highest grade for signals at the centre or above, the lowest for all others.

    Parameters
    ----------
    centre
        Centre in points of 0..10; the expected true score if none.
    """

    centre: float | None = None

    moves: ClassVar[Mapping[str, Move]] = {"centre": Move(1, 0.5, 0, 10)}

    @classmethod
    def tries(cls, mean: float) -> Tries:
        return Tries(("extremes",), every("extremes:centre={}", centres(mean)))

    def __post_init__(self) -> None:
        super().__post_init__()
        finite(self.centre or 0.0, "centre of extremes")

    def report(self, situation: Situation) -> Floats:
        above = situation.signal >= centre_of(self.centre, situation)
        return np.where(above, situation.scale.highest, situation.scale.lowest)

    def in_words(self) -> str:
        centre = named_centre(self.centre)
        return f"Report the highest grade from {centre} up, and the lowest one below"
