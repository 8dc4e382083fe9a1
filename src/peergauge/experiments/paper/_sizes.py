"""Semesters of one size: what most experiments repeat."""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.experiments import PaysGraders


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
