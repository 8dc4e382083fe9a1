"""Add a constant to the signal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from peergauge.core.arrays import Floats
from peergauge.core.registry import written
from peergauge.simulate.strategies import Move, Situation, Strategy, Tries, every, strategy
from peergauge.simulate.strategies.points import finite
from peergauge.tables import Scale


@strategy("shift", label="Shift by {by}", source="peergauge", informed=True)
@dataclass(frozen=True)
class Shift(Strategy):
    """Report the signal plus a constant.

    Parameters
    ----------
    by
        The constant, in points of 0..10; may be negative.
    """

    by: float = 1.0

    moves: ClassVar[Mapping[str, Move]] = {"by": Move(0.7, 0.5, -5, 5)}

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        return Tries(every("shift:by={}", (-1, 1)), every("shift:by={}", (-3, -2, 2, 3)))

    def __post_init__(self) -> None:
        super().__post_init__()
        finite(self.by, "amount of shift")

    def report(self, situation: Situation) -> Floats:
        return situation.signal + self.by * situation.scale.unit

    def label_on(self, scale: Scale) -> str:
        return f"Shift by {written(self.by * scale.unit)}"

    def in_words(self) -> str:
        points = "point" if abs(self.by) == 1 else "points"
        return f"Report {written(abs(self.by))} {points} {'less' if self.by < 0 else 'more'}"
