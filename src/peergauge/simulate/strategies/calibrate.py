"""Estimate one's own bias from one's signals, and subtract it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.registry import written
from peergauge.simulate.strategies import Move, Situation, Strategy, Tries, every, strategy
from peergauge.simulate.strategies.own import Signals, own_signals, which_signals


@strategy(
    "calibrate", label="Calibrate", source="peergauge", informed=True, memory=True, calibrates=True
)
@dataclass(frozen=True)
class Calibrate(Strategy):
    """Subtract the mean difference between one's own signals and the expected true score.

    A grader whose signals are higher than expected on average is assumed to be too lenient by that
    amount.

    Parameters
    ----------
    signals
        Signals that are averaged: ``so-far`` up to and including the current assignment, or ``all``
        of the semester, as an experienced grader would know them.
    doubt
        Number of additional signals, exactly as expected, that are included in the mean, so that
        few signals lead to a small correction.
    """

    signals: Signals = "so-far"
    doubt: float = 0.0

    moves: ClassVar[Mapping[str, Move]] = {"doubt": Move(3, 1, 0, 40)}

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        signals = ("so-far", "all")
        return Tries(
            every("calibrate:signals={},doubt={}", signals, (0, 4)),
            every("calibrate:signals={},doubt=10", signals),
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.doubt < np.inf:
            raise ParameterError(
                f"The doubt of calibrate is a finite number of signals from 0 up, not {self.doubt}."
            )

    def report(self, situation: Situation) -> Floats:
        own = own_signals(situation, self.signals)
        return np.asarray(situation.signal - own.above / np.maximum(own.count + self.doubt, 1.0))

    def in_words(self) -> str:
        which = which_signals(self.signals)
        words = f"Subtract the mean difference between your grades {which} and the expected grade"
        if not self.doubt:
            return words
        return f"{words}, counting {written(self.doubt)} more grades that are exactly as expected"
