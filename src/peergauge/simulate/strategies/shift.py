"""Add a constant to the signal."""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.core.arrays import Floats
from peergauge.core.registry import written
from peergauge.simulate.strategies import Situation, Strategy, strategy
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
