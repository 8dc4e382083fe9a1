"""Copy what co-graders report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Move, Situation, Strategy, Tries, strategy
from peergauge.simulate.strategies.peers import check_sources, from_co_graders, sources_in_words


@strategy("copy", label="Copy", source="peergauge", informed=False, random=True, copies=True)
@dataclass(frozen=True)
class CopyReports(Strategy):
    """Report what co-graders of the same submission report, without reading it.

    The co-graders are drawn at random for each submission, so that a copier is similar to no single
    grader. Who has no co-grader reports the signal.

    Parameters
    ----------
    sources
        Number of co-graders whose reports are used; 0 for all of them.
    by
        Whether several reports are combined by their mean or by their median.
    """

    sources: int = 1
    by: Literal["mean", "median"] = "mean"

    moves: ClassVar[Mapping[str, Move]] = {"sources": Move(1, 1, 0, 6)}

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        return Tries(("copy", "copy:sources=0"), ("copy:sources=2", "copy:sources=0,by=median"))

    def __post_init__(self) -> None:
        super().__post_init__()
        check_sources(self.sources, "copy")

    def report(self, situation: Situation) -> Floats:
        return from_co_graders(situation, self.sources, self.by == "median")

    def in_words(self) -> str:
        return f"Report {sources_in_words(self.sources, self.by == 'median')}"
