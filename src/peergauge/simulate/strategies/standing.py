"""Base of strategies that begin later, depending on the standing that a grader is shown."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peergauge.core.arrays import Bools, Floats
from peergauge.simulate.strategies import Move, Situation
from peergauge.simulate.strategies.later import first_assignment
from peergauge.simulate.strategies.peers import check_share
from peergauge.simulate.strategies.points import share_in_words
from peergauge.simulate.strategies.steps import MadeOfSteps, as_part, in_turn


@dataclass(frozen=True)
class SwitchesByStanding(MadeOfSteps):
    """Follow a strategy from some time on, if the standing shown at that time calls for it.

    Parameters
    ----------
    steps
        The strategy: one spec, or several in turn separated by ``+``, with ``;`` instead of commas
        inside a spec.
    share
        The standing at which graders switch, as the share of the other graders who are paid less.
    begin
        Share of the assignments of the semester that are over when the standing is looked at.
    """

    share: float = 0.5
    begin: float = 0.5

    moves: ClassVar[Mapping[str, Move]] = {
        "share": Move(0.15, 0.05, 0.05, 0.95),
        "begin": Move(0.15, 0.1, 0.1, 0.9),
    }
    condition: ClassVar[str]
    """The condition in words, before the share."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.share, f"share of {self.facts.name}")
        check_share(self.begin, f"begin of {self.facts.name}")

    @abstractmethod
    def switches(self, standing: Floats) -> Bools:
        """Whether each grader switches; False for an unknown standing (NaN)."""

    def begins(self, assignments: int) -> int:
        return max(1, first_assignment(self.begin, assignments))

    def report(self, situation: Situation) -> Floats:
        begins = self.begins(situation.assignments)
        if begins >= situation.assignments:
            return situation.signal
        switched = self.switches(situation.known_standing(begins))
        changed = switched[situation.grader] & (situation.assignment >= begins)
        return np.where(changed, in_turn(self.steps, situation, "step"), situation.signal)

    def in_words(self) -> str:
        share, begin = share_in_words(self.share), share_in_words(self.begin)
        return (
            f"If, after {begin} of the assignments, you rank ahead of {self.condition} {share} of "
            f"the class: {as_part(self.steps)}"
        )
