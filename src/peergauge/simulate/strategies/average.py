"""Average one's own signal with what co-graders report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Move, Situation, Strategy, Tries, every, strategy
from peergauge.simulate.strategies.peers import (
    check_share,
    check_sources,
    from_co_graders,
    sources_in_words,
)
from peergauge.simulate.strategies.points import share_in_words


@strategy(
    "average",
    label="Average with Co-Graders",
    source="peergauge",
    informed=True,
    random=True,
    copies=True,
)
@dataclass(frozen=True)
class Average(Strategy):
    """Report a weighted mean of the signal and of what co-graders of the submission report.

    Parameters
    ----------
    weight
        Weight of the co-graders.
    sources
        Number of co-graders whose mean report is used, drawn at random; 0 for all of them.
    """

    weight: float = 0.5
    sources: int = 1

    moves: ClassVar[Mapping[str, Move]] = {
        "weight": Move(0.15, 0.05, 0, 1),
        "sources": Move(1, 1, 0, 6),
    }

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        return Tries(
            ("average", "average:sources=0"),
            every("average:weight={},sources={}", (0.25, 0.75), (0, 1)),
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.weight, "weight of average")
        check_sources(self.sources, "average")

    def report(self, situation: Situation) -> Floats:
        theirs = from_co_graders(situation, self.sources)
        return (1 - self.weight) * situation.signal + self.weight * theirs

    def in_words(self) -> str:
        theirs = sources_in_words(self.sources)
        if self.weight == 0.5:
            return f"Report the mean of what you saw and {theirs}"
        return f"Move every grade {share_in_words(self.weight)} of the way towards {theirs}"
