"""Exaggerate or hedge, depending on how much one's reports have varied so far."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.registry import written
from peergauge.simulate.strategies import Move, Situation, Strategy, Tries, every, strategy
from peergauge.simulate.strategies.points import finite


@strategy("steer", label="Steer the Spread", source="peergauge", informed=True, memory=True)
@dataclass(frozen=True)
class Steer(Strategy):
    """Multiply distances from the expected true score by a factor that depends on past reports.

    If the standard deviation of the reports in earlier assignments, about their mean, is less than
    expected, the factor *low* is used, otherwise the factor *high*. The first assignment uses
    *first*.

    Parameters
    ----------
    low, high, first
        Factors if the reports have varied too little, enough, and not yet.
    deviation
        Expected standard deviation of the reports, in points of 0..10.
    """

    low: float = 1.2
    high: float = 0.7
    first: float = 0.7
    deviation: float = 1.6

    moves: ClassVar[Mapping[str, Move]] = {
        "low": Move(0.2, 0.05, -1, 4),
        "high": Move(0.2, 0.05, -1, 4),
        "first": Move(0.2, 0.05, -1, 4),
        "deviation": Move(0.2, 0.1, 0, 5),
    }

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        return Tries(
            ("steer",),
            every("steer:low={},high={}", (1, 1.5), (0.5, 0.85)),
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("low", "high", "first"):
            finite(getattr(self, name), f"factor {name} of steer")
        if not 0 <= self.deviation < np.inf:
            raise ParameterError(
                f"The deviation of steer is finite and not negative, but is {self.deviation}."
            )

    def report(self, situation: Situation) -> Floats:
        scale, who = situation.scale, situation.grader
        distance = situation.signal - situation.prior_mean
        expected = (self.deviation * scale.unit) ** 2
        count, total, squares = np.zeros((3, int(who.max(initial=-1)) + 1))
        result = np.empty_like(distance)
        for number in np.unique(situation.assignment):
            rows = np.flatnonzero(situation.assignment == number)
            variance = (squares - total**2 / np.maximum(count, 1)) / np.maximum(count - 1, 1)
            factor = np.where(variance < expected, self.low, self.high)
            factor = np.where(count > 1, factor, self.first)
            result[rows] = factor[who[rows]] * distance[rows]
            lowest, highest = scale.lowest, scale.highest
            given = np.clip(result[rows] + _at(situation.prior_mean, rows), lowest, highest)
            known = ~np.isnan(given)
            above = np.where(known, given - scale.lowest, 0.0)
            count += np.bincount(who[rows], known, len(count))
            total += np.bincount(who[rows], above, len(count))
            squares += np.bincount(who[rows], above**2, len(count))
        return result + situation.prior_mean

    def in_words(self) -> str:
        return (
            f"Multiply distances from the expected grade by {written(self.first)} at first, then "
            f"by {written(self.low)} if the standard deviation of your grades so far is below "
            f"{written(self.deviation)} points, and by {written(self.high)} otherwise"
        )


def _at(value: float | Floats, rows: np.ndarray) -> float | Floats:
    return value if np.ndim(value) == 0 else np.asarray(value)[rows]
