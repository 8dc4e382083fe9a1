"""Semesters of one size, or of more and more assignments: what most experiments repeat."""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.engine.experiment import PaysGraders


@dataclass(frozen=True)
class OfOneSize(PaysGraders):
    """All semesters have as many students and assignments.

    Parameters
    ----------
    students
        How many there are.
    assignments
        How many each semester has.
    """

    students: int = 100
    assignments: int = 10


@dataclass(frozen=True)
class UpToSomeAssignments(PaysGraders):
    """The number of assignments grows.

    Parameters
    ----------
    students
        How many there are.
    most_assignments
        Up to how many assignments.
    """

    students: int = 100
    most_assignments: int = 15

    def numbers(self) -> range:
        """How many assignments there are each time."""
        return range(1, self.most_assignments + 1)
