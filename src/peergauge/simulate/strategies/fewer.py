"""Do only some of the reviews."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.simulate.strategies import (
    Move,
    Situation,
    Strategy,
    Tries,
    every,
    strategies,
    strategy,
)
from peergauge.simulate.strategies.peers import check_share, normal_quantile
from peergauge.simulate.strategies.points import share_in_words


@strategy(
    "fewer", label="Fewer Reviews", source="peergauge", informed=True, random=True, skips=True
)
@dataclass(frozen=True)
class FewerReviews(Strategy):
    """Report the signal, but do only some of the reviews, selected at random.

    Parameters
    ----------
    share
        Probability that a review is done, if no count is given.
    count
        Number of reviews that are done.
    per
        Whether the count is that of each assignment or of the whole semester.
    """

    share: float = 0.5
    count: int | None = None
    per: Literal["assignment", "semester"] = "assignment"

    moves: ClassVar[Mapping[str, Move]] = {
        "share": Move(0.2, 0.05, 0.05, 0.95),
        "count": Move(1, 1, 1, 40),
    }

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        return Tries(
            ("fewer", "fewer:count=1", "fewer:count=2", "fewer:count=1,per=semester"),
            (
                *every("fewer:share={}", (0.25, 0.75, 0.9)),
                "fewer:count=3",
                *every("fewer:count={},per=semester", (3, 8)),
            ),
        )

    def moved(self, mean: float, rng: np.random.Generator) -> Strategy:  # noqa: ARG002
        name = "share" if self.count is None else "count"
        value = self.moves[name].apply(float(getattr(self, name)), rng)
        return strategies.make(self, **{name: value if self.count is None else round(value)})

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.share, "share of fewer")
        if self.count is not None and self.count < 0:
            raise ParameterError(f"The count of fewer is 0 or more, but is {self.count}.")

    def report(self, situation: Situation) -> Floats:
        drawn = situation.normal_per_report()
        if self.count is None:
            return np.where(drawn < normal_quantile(self.share), situation.signal, np.nan)
        group = situation.grader.astype(np.int64)
        if self.per == "assignment":
            group = group * situation.assignments + situation.assignment
        order = np.lexsort((drawn, group))
        first = np.searchsorted(group[order], group[order], side="left")
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order)) - first
        return np.where(place < self.count, situation.signal, np.nan)

    def in_words(self) -> str:
        if self.count is None:
            return f"Do only {share_in_words(self.share)} of the reviews, picked at random"
        where = "in each assignment" if self.per == "assignment" else "in the whole semester"
        if self.count == 0:
            return "Do no reviews at all"
        noun = "review" if self.count == 1 else "reviews"
        return f"Do only {self.count} {noun} {where}"
