"""Stop reviewing as soon as one's standing is good."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Move, Situation, Strategy, Tries, every, strategy
from peergauge.simulate.strategies.peers import check_share
from peergauge.simulate.strategies.points import share_in_words


@strategy(
    "stop-ahead",
    label="Stop When Ahead",
    source="peergauge",
    informed=True,
    skips=True,
    shown=True,
)
@dataclass(frozen=True)
class StopAhead(Strategy):
    """Report the signal until the standing shown after an assignment is good, then do no reviews.

    Parameters
    ----------
    share
        Standing that is good enough: the share of the other graders who are paid less.
    """

    share: float = 0.7

    moves: ClassVar[Mapping[str, Move]] = {"share": Move(0.1, 0.05, 0.05, 0.95)}

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        return Tries(("stop-ahead",), every("stop-ahead:share={}", (0.5, 0.6, 0.8, 0.9)))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.share, "share of stop-ahead")

    def report(self, situation: Situation) -> Floats:
        last = int(situation.assignment.max(initial=0))
        reached = np.full(int(situation.grader.max(initial=-1)) + 1, last + 1)
        for done in range(last, 0, -1):
            # A standing that is not known (NaN) is not good.
            ahead = situation.known_standing(done)[: len(reached)] >= self.share
            reached[ahead] = done
        stopped = situation.assignment >= reached[situation.grader]
        return np.where(stopped, np.nan, situation.signal)

    def in_words(self) -> str:
        share = share_in_words(1 - self.share)
        return f"Stop reviewing as soon as you rank in the top {share} of the class"
