"""Grades of each grader beside those that others gave to the same submissions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.tables import Reports, named

Indices: TypeAlias = NDArray[np.int64]

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class ComparedGrades:
    """Grades of a class, and the consensus of the others on each of them."""

    grade: Floats
    total: Floats
    """Sum of the grades of each submission."""

    consensus: Floats
    """For each report: the staff grade, or the mean of the other grades; NaN without any."""

    @cached_property
    def residual(self) -> Floats:
        """Each grade minus its consensus."""
        return self.grade - self.consensus


class Latest(Generic[T]):
    """The latest result of a computation, kept because flags ask for the same class again."""

    def __init__(self, compute: Callable[[ComparedGrades], T]):
        self._compute = compute
        self._kept: tuple[ComparedGrades, T] | None = None

    def __call__(self, compared: ComparedGrades) -> T:
        """Return the result for these grades, computed if they are not the latest."""
        if self._kept is None or self._kept[0] is not compared:
            self._kept = compared, self._compute(compared)
        return self._kept[1]


class PeerComparison:
    """The design of a class, prepared to compare grades with those of others.

    Attributes
    ----------
    submission, grader
        Submission and grader of each report.
    reports_of
        Number of reports on each submission.
    rows
        Reports that can be compared: somebody else, or staff, graded the submission too.
    row_grader
        Grader of each of these rows.
    reviews
        Number of these rows of each grader.
    tolerance
        Half a step of the scale, or a fortieth of its length if it has no step: smaller differences
        are due to rounding.
    """

    def __init__(self, reports: Reports, staff: Floats):
        self.reports, self.staff = reports, staff
        self.submission = reports.submission.astype(np.int64)
        self.grader = reports.grader.astype(np.int64)
        self.graders = reports.graders
        self.reports_of = np.bincount(self.submission, minlength=reports.submissions)
        by_staff = ~np.isnan(staff[self.submission])
        self.rows = np.flatnonzero(by_staff | (self.reports_of[self.submission] > 1))
        self.row_grader = self.grader[self.rows]
        self.reviews = np.bincount(self.row_grader, minlength=self.graders)
        self.tolerance = (reports.scale.step or reports.scale.unit / 2) / 2

    def compare(self, grade: Floats) -> ComparedGrades:
        """Compare grades, in the order of the reports, with those of the others."""
        total = sums(self.submission, grade, self.reports.submissions)
        others = self.reports_of[self.submission] - 1
        mean = np.divide(
            total[self.submission] - grade, others, where=others > 0,
            out=np.full(len(grade), np.nan),
        )  # fmt: skip
        staff = self.staff[self.submission]
        return ComparedGrades(grade, total, np.where(np.isnan(staff), mean, staff))

    def rows_of(self, grader: int) -> Indices:
        """Rows of one grader that can be compared."""
        order, bounds = self._grouped
        return self.rows[order[bounds[grader] : bounds[grader + 1]]]

    @cached_property
    def _grouped(self) -> tuple[Indices, Indices]:
        return grouped(self.row_grader, self.graders)

    def sum_by_grader(self, values: Floats) -> Floats:
        """Sum over the rows of each grader."""
        return sums(self.row_grader, values, self.graders)

    def mean_by_grader(self, values: Floats) -> Floats:
        """Mean over the rows of each grader; 0 for a grader without any."""
        return np.asarray(self.sum_by_grader(values) / np.maximum(self.reviews, 1))

    def name(self, grader: int) -> str:
        """Name of a grader."""
        return str(named(np.array([grader]), self.reports.grader_names)[0])


def sums(group: Indices, values: Floats, groups: int) -> Floats:
    """Sum of the values of each group."""
    return np.bincount(group, values, groups).astype(np.float64, copy=False)


def grouped(group: Indices, groups: int) -> tuple[Indices, Indices]:
    """Indices sorted by group, and where each group begins."""
    order = np.argsort(group, kind="stable")
    return order, np.searchsorted(group[order], np.arange(groups + 1))
