"""What the statistics behind flags have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import NamedTuple

from peergauge.classroom.grade.flags.comparison import ComparedGrades, Indices, PeerComparison
from peergauge.core.arrays import Floats
from peergauge.core.text import percent

MIN_PRINTED_SHARE = 0.001


class Flag(NamedTuple):
    """One flagged grader."""

    grader: int
    kind: str
    """One of ``FLAG_KINDS``."""

    evidence: str
    """The reports that led to the flag, in words with their numbers."""

    p_value: float
    """Probability that an honest grader of such a class has reports as unusual as these."""

    other: int | None = None
    """The other grader, if the flag is about two."""


class FlagStatistic(ABC):
    """One statistic of graders or of pairs of graders; unusual graders have large values.

    Attributes
    ----------
    graders
        The graders of each value: one array, or two arrays for symmetric pairs.
    review_counts
        The number of reviews that each value is made of.
    """

    kind: str
    comparison: PeerComparison
    graders: tuple[Indices, ...]
    review_counts: Indices

    @abstractmethod
    def values(self, compared: ComparedGrades) -> Floats:
        """Values of the statistic; minus infinity if there is no sign at all."""

    @abstractmethod
    def describe(self, unit: int, compared: ComparedGrades) -> str:
        """The reports behind one value, in words with their numbers."""

    def flags(self, unit: int, compared: ComparedGrades, p_value: float) -> list[Flag]:
        """Flags for one value."""
        return [self._flag(int(self.graders[0][unit]), self.describe(unit, compared), p_value)]

    def _flag(
        self, grader: int, description: str, p_value: float, other: int | None = None
    ) -> Flag:
        share = (
            percent(p_value, 1)
            if p_value >= MIN_PRINTED_SHARE
            else f"less than {percent(MIN_PRINTED_SHARE, 1)}"
        )
        evidence = f"{description}; in simulated honest classes this happens to {share} of graders"
        return Flag(grader, self.kind, evidence, p_value, other)
