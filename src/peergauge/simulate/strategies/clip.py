"""Avoid extreme grades."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.registry import written
from peergauge.simulate.strategies import Move, Situation, Strategy, Tries, every, strategy
from peergauge.simulate.strategies.points import from_points
from peergauge.tables import Scale


@strategy("clip", label="Clip to {lowest}..{highest}", source="peergauge", informed=True)
@dataclass(frozen=True)
class Clip(Strategy):
    """Report the signal, clipped to two bounds.

    Parameters
    ----------
    lowest, highest
        The bounds, in points of 0..10.
    """

    lowest: float = 5.0
    highest: float = 10.0

    moves: ClassVar[Mapping[str, Move]] = {
        "lowest": Move(1.2, 1, 0, 10),
        "highest": Move(1.2, 1, 0, 10),
    }

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        return Tries(
            ("clip", "clip:lowest=5,highest=9", "clip:lowest=0,highest=9"),
            (
                *every("clip:lowest={}", (3, 4, 6)),
                *every("clip:lowest={},highest=9", (4, 6)),
                *every("clip:lowest={},highest=8", (0, 5, 6)),
            ),
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.lowest <= self.highest <= 10:
            raise ParameterError(
                "The bounds of clip lie in 0..10, the lower one first, but are "
                f"{written(self.lowest)} and {written(self.highest)}."
            )

    def report(self, situation: Situation) -> Floats:
        bounds = from_points(np.array([self.lowest, self.highest]), situation.scale)
        return np.clip(situation.signal, *bounds)

    def label_on(self, scale: Scale) -> str:
        low, high = from_points(np.array([self.lowest, self.highest]), scale)
        return f"Clip to {written(float(low))}..{written(float(high))}"

    def in_words(self) -> str:
        below, above = (written(bound) for bound in (self.lowest, self.highest))
        if self.highest == 10:
            return f"Report {below} instead of anything below"
        if self.lowest == 0:
            return f"Report {above} instead of anything above"
        return f"Report {below} instead of anything below, and {above} instead of anything above"
