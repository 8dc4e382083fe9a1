"""Stretch or shrink the distance of signals from a centre."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.registry import written
from peergauge.simulate.strategies import Move, Situation, Strategy, Tries, every, strategy
from peergauge.simulate.strategies.points import (
    centre_of,
    centres,
    finite,
    named_centre,
    share_in_words,
)


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

    moves: ClassVar[Mapping[str, Move]] = {
        "factor": Move(0.2, 0.05, -4, 4),
        "centre": Move(1, 0.5, 0, 10),
    }

    @classmethod
    def tries(cls, mean: float) -> Tries:
        beside = centres(mean)
        around = ("none", *beside, "5")
        factors = (0, 0.3, 0.5, 0.7, 0.8, 0.9, 1.2, 1.5, 2)
        sides = ("above", "below")
        return Tries(
            (
                *every("stretch:factor={}", factors),
                *every("stretch:factor=0.5,side={}", sides),
                *every("stretch:factor={},centre={}", (-0.5, -1), ("none", 5)),
                "stretch:factor=-2",
            ),
            (
                *every("stretch:factor={}", (0.2, 0.4, 0.6, 0.85, 1.1, 1.3, 1.7, 3)),
                *every("stretch:factor={},centre={}", factors, beside),
                *every("stretch:factor={},side={}", (0, 0.7, 1.5, 2), sides),
                *every("stretch:factor=0.5,centre={},side={}", beside, sides),
                *every("stretch:factor=0,centre={}", (0, 2, 3, 4, 5, 9)),
                *every("stretch:factor={},centre={}", (-0.3, -0.7, -1.5, -2), around),
                *every("stretch:factor={},centre={}", (-0.5, -1), beside),
            ),
        )

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
