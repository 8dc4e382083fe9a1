"""Sizes of semesters that experiments share: one size, or a growing number of assignments."""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.engine.experiment import PaysGraders


@dataclass(frozen=True)
class OfOneSize(PaysGraders):
    """An experiment whose semesters all have the same size.

    Parameters
    ----------
    students
        Number of students.
    assignments
        Number of assignments of a semester.
    """

    students: int = 100
    assignments: int = 10


@dataclass(frozen=True)
class UpToSomeAssignments(PaysGraders):
    """An experiment in which the number of assignments grows.

    Parameters
    ----------
    students
        Number of students.
    most_assignments
        Largest number of assignments.
    """

    students: int = 100
    most_assignments: int = 15

    def numbers(self) -> range:
        """All numbers of assignments."""
        return range(1, self.most_assignments + 1)
