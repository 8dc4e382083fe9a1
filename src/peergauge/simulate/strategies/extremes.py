"""Report only the highest and the lowest grade."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Situation, Strategy, strategy
from peergauge.simulate.strategies.points import centre_of, finite, named_centre


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

    def __post_init__(self) -> None:
        super().__post_init__()
        finite(self.centre or 0.0, "centre of extremes")

    def report(self, situation: Situation) -> Floats:
        above = situation.signal >= centre_of(self.centre, situation)
        return np.where(above, situation.scale.highest, situation.scale.lowest)

    def in_words(self) -> str:
        centre = named_centre(self.centre)
        return f"Report the highest grade from {centre} up, and the lowest one below"
