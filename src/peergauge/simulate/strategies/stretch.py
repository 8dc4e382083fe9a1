"""Stretch or shrink the distance of signals from a centre."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.registry import written
from peergauge.simulate.strategies import Situation, Strategy, strategy
from peergauge.simulate.strategies.points import centre_of, finite, named_centre, share_in_words


@strategy("stretch", label="Stretch by {factor}", source="peergauge", informed=True)
@dataclass(frozen=True)
class Stretch(Strategy):
    """Multiply the distance of the signal from a centre by a factor.

    A factor below 1 hedges, a factor above 1 exaggerates, 0 always reports the centre, and a
    negative factor reverses grades: high becomes low. With the mean as the centre and a factor of
    0.5 it is the paper's Hedge.

    Parameters
    ----------
    factor
        Factor for the distance.
    centre
        Centre in points of 0..10; the expected true score if none.
    side
        Whether all signals change, or only those above or below the centre.
    """

    factor: float = 0.8
    centre: float | None = None
    side: Literal["both", "above", "below"] = "both"

    def __post_init__(self) -> None:
        super().__post_init__()
        finite(self.factor, "factor of stretch")
        finite(self.centre or 0.0, "centre of stretch")

    def report(self, situation: Situation) -> Floats:
        centre = centre_of(self.centre, situation)
        distance = situation.signal - centre
        factor: float | Floats = self.factor
        if self.side != "both":
            there = distance > 0 if self.side == "above" else distance < 0
            factor = np.where(there, factor, 1.0)
        return np.asarray(centre + factor * distance)

    def in_words(self) -> str:
        centre, factor = named_centre(self.centre), self.factor
        which = "every grade" if self.side == "both" else f"every grade {self.side} {centre}"
        if factor == 0:
            if self.side == "both":
                return f"Report {centre}, whatever you saw"
            return f"Report {centre} instead of {which}"
        if 0 < factor <= 1:
            return f"Move {which} {share_in_words(1 - factor)} of the way towards {centre}"
        if factor > 1:
            return f"Move {which} away from {centre}, to {written(factor)} times the distance"
        far = "as far" if factor == -1 else f"{written(-factor)} times as far"
        return f"Reverse {which}: report {far} on the other side of {centre}"
