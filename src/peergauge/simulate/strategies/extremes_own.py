"""Report only the highest and the lowest grade, about one's own mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Situation, Strategy, Tries, every, strategy
from peergauge.simulate.strategies.own import Signals, own_signals, which_signals


@strategy("extremes-own", label="Own Extremes", source="peergauge", informed=True, memory=True)
@dataclass(frozen=True)
class ExtremesOwn(Strategy):
    """Report the highest grade for signals at the grader's own mean or above, else the lowest.

    Parameters
    ----------
    signals
        Signals of the grader that are averaged: ``so-far`` up to and including the current
        assignment, or ``all`` of the semester.
    """

    signals: Signals = "so-far"

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        return Tries(every("extremes-own:signals={}", ("so-far", "all")))

    def report(self, situation: Situation) -> Floats:
        above = situation.signal >= own_signals(situation, self.signals).mean - 1e-9
        return np.where(above, situation.scale.highest, situation.scale.lowest)

    def in_words(self) -> str:
        mean = f"the mean of your grades {which_signals(self.signals)}"
        return f"Report the highest grade from {mean} up, and the lowest one below"
