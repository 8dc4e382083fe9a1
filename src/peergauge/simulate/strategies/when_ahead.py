"""Switch to a strategy if one ranks high."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.simulate.strategies import (
    Move,
    Situation,
    Strategy,
    Tries,
    every,
    simple_specs,
    strategies,
    strategy,
)
from peergauge.simulate.strategies.later import first_assignment
from peergauge.simulate.strategies.peers import check_share
from peergauge.simulate.strategies.points import share_in_words
from peergauge.simulate.strategies.steps import as_part, in_turn, steps_of


@strategy("when-ahead", label="When Ahead", source="peergauge", informed=True, shown=True)
@dataclass(frozen=True)
class WhenAhead(Strategy):
    """Follow a strategy from some time on, if the standing shown at that time is at least a share.

    Parameters
    ----------
    steps
        The strategy: one spec, or several in turn separated by ``+``, with ``;`` instead of commas
        inside a spec.
    share
        The standing, as the share of the other graders who are paid less.
    begin
        Share of the assignments of the semester that are over when the standing is looked at.
    """

    steps: tuple[str, ...] = ("stretch",)
    share: float = 0.7
    begin: float = 0.5

    moves: ClassVar[Mapping[str, Move]] = {
        "share": Move(0.15, 0.05, 0.05, 0.95),
        "begin": Move(0.15, 0.1, 0.1, 0.9),
    }

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        return Tries(
            every("when-ahead:steps={}", ("stretch", "fewer:count=0")),
            every("when-ahead:steps={},share=0.5", simple_specs()),
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "steps", steps_of(self.steps, "when-ahead"))
        if not self.steps:
            raise ParameterError("The strategy when-ahead needs at least one step.")
        check_share(self.share, "share of when-ahead")
        check_share(self.begin, "begin of when-ahead")

    def parts(self) -> tuple[Strategy, ...]:
        return tuple(map(strategies.make, self.steps))

    def begins(self, assignments: int) -> int:
        return max(1, first_assignment(self.begin, assignments))

    def report(self, situation: Situation) -> Floats:
        begins = self.begins(situation.assignments)
        if begins >= situation.assignments:
            return situation.signal
        # A standing that is not known (NaN) is neither low nor high.
        switched = situation.known_standing(begins) >= self.share
        changed = switched[situation.grader] & (situation.assignment >= begins)
        return np.where(changed, in_turn(self.steps, situation, "step"), situation.signal)

    def in_words(self) -> str:
        share, begin = share_in_words(self.share), share_in_words(self.begin)
        return (
            f"If, after {begin} of the assignments, you rank ahead of at least {share} of the "
            f"class: {as_part(self.steps)}"
        )
