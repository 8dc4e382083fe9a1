"""Follow a strategy from some time of the semester on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import ClassVar

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import (
    Move,
    Situation,
    Tries,
    every,
    simple_specs,
    strategy,
)
from peergauge.simulate.strategies.peers import check_share
from peergauge.simulate.strategies.points import share_in_words
from peergauge.simulate.strategies.steps import MadeOfSteps, as_part, in_turn


@strategy("later", label="Later", source="peergauge", informed=True)
@dataclass(frozen=True)
class Later(MadeOfSteps):
    """Report the signal until a share of the assignments is over, then follow a strategy.

    Parameters
    ----------
    steps
        The strategy: one spec, or several in turn separated by ``+``, with ``;`` instead of commas
        inside a spec.
    begin
        Share of the assignments of the semester that are over when the strategy begins.
    """

    steps: tuple[str, ...] = ("extremes",)
    begin: float = 0.5

    moves: ClassVar[Mapping[str, Move]] = {"begin": Move(0.15, 0.1, 0.1, 0.9)}

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        first = every("later:steps={}", ("extremes-own", "stretch", "fewer:count=0"))
        return Tries(first, (*first, *every("later:steps={}", simple_specs())))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.begin, "begin of later")

    def begins(self, assignments: int) -> int:
        return first_assignment(self.begin, assignments)

    def report(self, situation: Situation) -> Floats:
        begun = situation.assignment >= self.begins(situation.assignments)
        return np.where(begun, in_turn(self.steps, situation, "step"), situation.signal)

    def in_words(self) -> str:
        return f"After {share_in_words(self.begin)} of the assignments: {as_part(self.steps)}"


def first_assignment(begin: float, assignments: int) -> int:
    """Number of assignments that are over when a strategy begins.

    >>> first_assignment(0.5, 10), first_assignment(0.3, 10), first_assignment(0.5, 3)
    (5, 3, 2)
    """
    return ceil(round(begin * assignments, 9))
