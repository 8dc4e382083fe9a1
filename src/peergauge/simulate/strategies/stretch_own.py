"""Stretch or shrink the distance of signals from one's own mean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from peergauge.core.arrays import Floats
from peergauge.core.registry import written
from peergauge.simulate.strategies import Move, Situation, Strategy, Tries, every, strategy
from peergauge.simulate.strategies.own import Signals, own_signals, which_signals
from peergauge.simulate.strategies.points import finite, share_in_words


@strategy(
    "stretch-own", label="Stretch Own by {factor}", source="peergauge", informed=True, memory=True
)
@dataclass(frozen=True)
class StretchOwn(Strategy):
    """Multiply the distance of the signal from the mean of the grader's own signals by a factor.

    Parameters
    ----------
    factor
        Factor for the distance.
    signals
        Signals of the grader that are averaged: ``so-far`` up to and including the current
        assignment, or ``all`` of the semester.
    """

    factor: float = 1.5
    signals: Signals = "so-far"

    moves: ClassVar[Mapping[str, Move]] = {"factor": Move(0.2, 0.05, -4, 4)}

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        return Tries(
            every("stretch-own:factor={},signals=all", (0.7, 1.5)),
            (
                *every("stretch-own:factor={},signals=all", (0.5, 0.85, 1.2, 2, 3)),
                *every("stretch-own:factor={}", (0.7, 1.5)),
            ),
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        finite(self.factor, "factor of stretch-own")

    def report(self, situation: Situation) -> Floats:
        mean = own_signals(situation, self.signals).mean
        return mean + self.factor * (situation.signal - mean)

    def in_words(self) -> str:
        mean = f"the mean of your grades {which_signals(self.signals)}"
        if 0 <= self.factor <= 1:
            return f"Move every grade {share_in_words(1 - self.factor)} of the way towards {mean}"
        if self.factor > 1:
            return (
                f"Move every grade away from {mean}, to {written(self.factor)} times the distance"
            )
        return (
            f"Reverse every grade: report {written(-self.factor)} times as far on the other side "
            f"of {mean}"
        )
