"""Statistics of single graders: inflation, hedging and constant grades."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from peergauge.classroom.grade.flags.comparison import ComparedGrades, Indices, PeerComparison
from peergauge.classroom.grade.flags.statistic import FlagStatistic
from peergauge.core.arrays import Floats
from peergauge.tables import Reports

MIN_CONSTANT_SHARE = 0.75
"""Share of a grader's reviews from which one grade is "nearly always" the same."""

MIN_CONSTANT_REVIEWS = 3


class SingleGraderStatistic(FlagStatistic):
    """A statistic of graders with enough reviews that can be compared."""

    min_reviews: ClassVar[int] = 2

    def __init__(self, comparison: PeerComparison):
        self.comparison = comparison
        enough = np.flatnonzero(comparison.reviews >= self.min_reviews)
        self.graders, self.review_counts = (enough,), comparison.reviews[enough]

    def grades_of(self, unit: int, compared: ComparedGrades) -> tuple[Floats, Floats]:
        """Grades of one grader, and the consensus of the others on the same submissions."""
        rows = self.comparison.rows_of(int(self.graders[0][unit]))
        return compared.grade[rows], compared.consensus[rows]


class Inflates(SingleGraderStatistic):
    r"""Mean difference between a grader's grades and the consensus of the others.

    .. math:: \frac{1}{n} \sum_i (x_i - c_i)
    """

    kind = "inflates"

    def values(self, compared: ComparedGrades) -> Floats:
        residual = compared.residual[self.comparison.rows]
        return self.comparison.mean_by_grader(residual)[self.graders[0]]

    def describe(self, unit: int, compared: ComparedGrades) -> str:
        grade, consensus = self.grades_of(unit, compared)
        level, count = _most_common(grade)
        gave = (
            f"gave {level:g} to {count} of {len(grade)} submissions"
            if count >= MIN_CONSTANT_SHARE * len(grade)
            else f"gave {len(grade)} submissions {grade.mean():.1f} on average"
        )
        return f"{gave}, where others gave {consensus.mean():.1f} on average"


class Hedges(SingleGraderStatistic):
    r"""Log ratio of the variance of the others' grades to the variance of a grader's own.

    .. math:: \ln \frac{\sum_i (c_i - \bar c)^2 + (n - 1) \delta^2}
        {\sum_i (x_i - \bar x)^2 + (n - 1) \delta^2}

    *δ* is half a step of the scale, or a fortieth of its length if it has no step, because smaller
    differences are due to rounding. The statistic says nothing about a grader of submissions that
    are all alike.
    """

    kind = "hedges"
    min_reviews = 3

    def values(self, compared: ComparedGrades) -> Floats:
        comparison = self.comparison
        rounding = np.maximum(comparison.reviews - 1, 1) * comparison.tolerance**2
        others = self._squares(compared.consensus[comparison.rows]) + rounding
        own = self._squares(compared.grade[comparison.rows]) + rounding
        return np.asarray(np.log(others / own)[self.graders[0]])

    def _squares(self, values: Floats) -> Floats:
        """Sum of squares around each grader's mean."""
        mean = self.comparison.mean_by_grader(values)[self.comparison.row_grader]
        return self.comparison.sum_by_grader((values - mean) ** 2)

    def describe(self, unit: int, compared: ComparedGrades) -> str:
        grade, consensus = self.grades_of(unit, compared)
        return (
            f"gave {len(grade)} submissions between {grade.min():g} and {grade.max():g}, where "
            f"others gave between {consensus.min():.1f} and {consensus.max():.1f}"
        )


class Constant(SingleGraderStatistic):
    r"""Sum of squares of the others' grades on submissions to which a grader gave one grade.

    .. math:: \sum_{i: x_i = m} (c_i - \bar c_m)^2

    *m* is the grade that the grader gave most often, if that is in three quarters of the reviews.
    """

    kind = "constant"
    min_reviews = 3

    def values(self, compared: ComparedGrades) -> Floats:
        comparison = self.comparison
        graders, by = comparison.graders, comparison.row_grader
        levels, level = _levels(comparison.reports, compared.grade[comparison.rows])
        count = np.bincount(by * levels + level, minlength=graders * levels)
        count = count.reshape(graders, levels)
        mode = count.argmax(axis=1)
        mode_count = count[np.arange(graders), mode]
        same = level == mode[by]
        by, consensus = by[same], compared.consensus[comparison.rows[same]]
        mean = np.bincount(by, consensus, graders) / np.maximum(mode_count, 1)
        squares = np.bincount(by, (consensus - mean[by]) ** 2, graders)
        nearly_constant = (mode_count >= MIN_CONSTANT_REVIEWS) & (
            mode_count >= MIN_CONSTANT_SHARE * comparison.reviews
        )
        return np.asarray(np.where(nearly_constant, squares, -np.inf)[self.graders[0]])

    def describe(self, unit: int, compared: ComparedGrades) -> str:
        grade, consensus = self.grades_of(unit, compared)
        level, count = _most_common(grade)
        there = consensus[grade == level]
        return (
            f"gave {level:g} to {count} of {len(grade)} submissions, where others gave between "
            f"{there.min():.1f} and {there.max():.1f}"
        )


def _levels(reports: Reports, grade: Floats) -> tuple[int, Indices]:
    """Number of different grades, and the index of each grade among them."""
    if reports.scale.finite:
        return reports.scale.levels, reports.scale.level(grade).astype(np.int64)
    values, level = np.unique(grade, return_inverse=True)
    return len(values), level


def _most_common(grade: Floats) -> tuple[float, int]:
    values, count = np.unique(grade, return_counts=True)
    return float(values[count.argmax()]), int(count.max())
