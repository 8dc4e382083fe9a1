"""Estimate one's own bias from one's signals, and subtract it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.registry import written
from peergauge.simulate.strategies import Situation, Strategy, strategy


@strategy("calibrate", label="Calibrate", source="peergauge", informed=True, memory=True)
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

    signals: Literal["so-far", "all"] = "so-far"
    doubt: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.doubt < np.inf:
            raise ParameterError(
                f"The doubt of calibrate is a finite number of signals from 0 up, not {self.doubt}."
            )

    def report(self, situation: Situation) -> Floats:
        above = situation.signal - situation.prior_mean
        who, when = situation.grader, situation.assignment
        shape = int(when.max(initial=-1)) + 1, int(who.max(initial=-1)) + 1
        place = np.ravel_multi_index((when, who), shape) if len(who) else np.zeros(0, dtype=int)
        total = np.bincount(place, above, shape[0] * shape[1]).reshape(shape).cumsum(axis=0)
        count = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape).cumsum(axis=0)
        last = when if self.signals == "so-far" else np.full_like(when, shape[0] - 1)
        return np.asarray(situation.signal - total[last, who] / (count[last, who] + self.doubt))

    def in_words(self) -> str:
        which = "this semester" if self.signals == "all" else "so far"
        words = f"Subtract the mean difference between your grades {which} and the expected grade"
        if not self.doubt:
            return words
        return f"{words}, counting {written(self.doubt)} more grades that are exactly as expected"
