"""Classes in which some graders follow one strategy: E3, E4 and E11."""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.experiments import Point
from peergauge.experiments.paper._sizes import OfOneSize
from peergauge.simulate import Setting


@dataclass(frozen=True)
class StrategicClasses(OfOneSize):
    """So many graders follow one strategy, the others are truthful."""

    def setting(self, point: Point) -> Setting:
        """The classes of a point."""
        return Setting(
            students=self.students,
            assignments=self.assignments,
            strategies={point.strategy: point.x or 0},
        )

    def by_tenths(self, names: list[str], first: int, last: int) -> list[Point]:
        """From *first* to *last* tenths of the class strategic, for each strategy."""
        tenth = self.students // 10
        return [Point(tenth * x, name) for name in names for x in range(first, last + 1)]
