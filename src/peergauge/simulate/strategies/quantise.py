"""Use only a few grades."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Situation, Strategy, Tries, every, strategies, strategy
from peergauge.simulate.strategies.points import (
    as_listed,
    enumerated,
    from_points,
    listed,
    one_moved,
    to_points,
)

FURTHER_LEVELS = (
    "1-3-5-7-9", "1-4-7-10", "4-7-10", "5-7-9", "4-6-8", "5-8", "6-8", "3-7", "0-10", "2-6-10",
    "0-3-5-7-10", "0-7-10",
)  # fmt: skip
"""Levels that only a thorough search for attacks tries."""


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

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        return Tries(
            every("quantise:levels={}", ("0-2-4-6-8-10", "0-5-10")),
            every("quantise:levels={}", FURTHER_LEVELS),
        )

    def moved(self, mean: float, rng: np.random.Generator) -> Strategy:  # noqa: ARG002
        return strategies.make(self, levels=as_listed(one_moved(self._levels, rng)))

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
