"""Statistics of pairs: entries that belong to a pair of graders, or to a grader and an author."""

from __future__ import annotations

from functools import cached_property

from peergauge.classroom.grade.flags.comparison import Indices, grouped
from peergauge.classroom.grade.flags.statistic import FlagStatistic


class PairStatistic(FlagStatistic):
    """A statistic of pairs, each of which has some entries of a longer list."""

    entry_pair: Indices
    """The pair of each entry."""

    def entries_of(self, unit: int) -> Indices:
        """The entries of one pair."""
        order, bounds = self._grouped
        return order[bounds[unit] : bounds[unit + 1]]

    @cached_property
    def _grouped(self) -> tuple[Indices, Indices]:
        return grouped(self.entry_pair, len(self.review_counts))
