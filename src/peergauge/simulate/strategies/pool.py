"""Pool signals with friends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.simulate.strategies import Situation, Strategy, Tries, strategy


@strategy("pool", label="Pool with Friends", source="peergauge", informed=True, circles=True)
@dataclass(frozen=True)
class Pool(Strategy):
    """Report the mean of what all friends saw who grade the same submission.

    The class is divided at random into circles of friends. A submission that no friend grades too
    is reported truthfully.

    Parameters
    ----------
    friends
        Number of graders in a circle.
    """

    friends: int = 4

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        # A larger circle gains more, so that a search over its size would only return the largest.
        return Tries(("pool",))

    def circle_size(self) -> int:
        return self.friends

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.friends < 2:
            raise ParameterError(f"A circle of friends has at least 2, but {self.friends} given.")

    def report(self, situation: Situation) -> Floats:
        circle, others = situation.known_circle(self.friends), situation.known_co_graders()
        friend = (others.grader >= 0) & (circle[others.grader] == circle[situation.grader][:, None])
        total = situation.signal + np.where(friend, others.signal, 0.0).sum(axis=1)
        return np.asarray(total / (1 + friend.sum(axis=1)))

    def in_words(self) -> str:
        return (
            f"In a circle of {self.friends} friends: report the mean of what all of you saw on "
            "submissions that several of you grade"
        )
