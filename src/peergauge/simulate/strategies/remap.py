"""Replace each grade by another."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.registry import written
from peergauge.simulate.strategies import Situation, Strategy, Tries, strategies, strategy
from peergauge.simulate.strategies.points import (
    as_listed,
    enumerated,
    from_points,
    listed,
    one_moved,
    to_points,
)


@strategy("remap", label="Remap", source="peergauge", informed=True)
@dataclass(frozen=True)
class Remap(Strategy):
    """Map each grade to another grade, by a list.

    Signals between two whole points of 0..10 are interpolated linearly.

    Parameters
    ----------
    to
        Reports for the signals 0, 1, …, 10, in points, separated by dashes.
    """

    to: str = "0-1-2-3-4-5-6-7-7-7-7"

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        return Tries()

    def moved(self, mean: float, rng: np.random.Generator) -> Strategy:  # noqa: ARG002
        return strategies.make(self, to=as_listed(one_moved(self._to, rng)))

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self._to) != 11:
            raise ParameterError(
                "The list of remap has a report for each of 0, 1, …, 10, so eleven of them, "
                f"but {len(self._to)} were given."
            )

    @cached_property
    def _to(self) -> tuple[float, ...]:
        return listed(self.to, "list of remap")

    def report(self, situation: Situation) -> Floats:
        seen = to_points(situation.signal, situation.scale)
        return from_points(np.interp(seen, np.arange(11.0), self._to), situation.scale)

    def in_words(self) -> str:
        changed: dict[float, list[float]] = {}
        for seen, said in enumerate(self._to):
            if said != seen:
                changed.setdefault(said, []).append(float(seen))
        mapped = [
            f"{written(said)} for {enumerated(tuple(seen))}" for said, seen in changed.items()
        ]
        return f"Report {', '.join(mapped)}" if mapped else "Report what you saw"
