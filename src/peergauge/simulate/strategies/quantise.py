"""Use only a few grades."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Situation, Strategy, strategy
from peergauge.simulate.strategies.points import enumerated, from_points, listed, to_points


@strategy("quantise", label="Quantise to {levels}", source="peergauge", informed=True)
@dataclass(frozen=True)
class Quantise(Strategy):
    """Report the nearest of a few grades; the lower one if two are equally near.

    Parameters
    ----------
    levels
        The grades, in points of 0..10, separated by dashes.
    """

    levels: str = "1-4-7-10"

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self._levels

    @cached_property
    def _levels(self) -> tuple[float, ...]:
        return tuple(sorted(listed(self.levels, "levels of quantise")))

    def report(self, situation: Situation) -> Floats:
        levels = np.array(self._levels)
        between = (levels[1:] + levels[:-1]) / 2
        nearest = np.searchsorted(between, to_points(situation.signal, situation.scale))
        return from_points(levels[nearest], situation.scale)

    def in_words(self) -> str:
        return f"Report the nearest of {enumerated(self._levels)}"
