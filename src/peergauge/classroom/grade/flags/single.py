"""Statistics of single graders: inflation, hedging and constant grades."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from peergauge.classroom.grade.flags.comparison import ComparedGrades, Indices, PeerComparison
from peergauge.classroom.grade.flags.prediction import Predictor
from peergauge.classroom.grade.flags.statistic import FlagStatistic
from peergauge.core.arrays import Floats

MIN_WORK_RANGE = 1.0
"""Range of the others' mean grades, in points of 0..10, below which the submissions are alike and
little spread is no evidence."""

MIN_VARIANCE_RATIO = 2.0
"""Ratio of the variance of the others' mean grades to that of a grader's own grades below which the
grader does not clearly use less of the scale."""

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

    def work_differs(self, by: Indices, consensus: Floats) -> NDArray[np.bool_]:
        """Whether the others' mean grades of each grader's submissions clearly differ."""
        low, high = np.full((2, self.comparison.graders), np.nan)
        np.fmin.at(low, by, consensus)
        np.fmax.at(high, by, consensus)
        least = MIN_WORK_RANGE * self.comparison.reports.scale.unit
        return np.asarray(np.nan_to_num(high - low) >= least * (1 - 1e-9))


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
    r"""Log ratio of the expected variance of an honest grader's grades to that of the grader's own.

    .. math:: \ln \frac{\sum_i (e_i - \bar e)^2 + \frac{n - 1}{n} \sum_i v_i + (n - 1) \delta^2}
        {\sum_i (x_i - \bar x)^2 + (n - 1) \delta^2}

    *e* and *v* are the mean and the variance of the grade of an honest grader who is as lenient,
    cut off at the ends of the scale, so a lenient grader of good work is expected to use little of
    the scale. *δ* is half the distance of the grades that the grader uses, such as multiples of 5,
    because smaller differences are due to rounding. The statistic says nothing about a grader of
    submissions that are all alike.
    """

    kind = "hedges"
    min_reviews = 3

    def __init__(self, predictor: Predictor):
        super().__init__(predictor.comparison)
        self.predictor = predictor

    def values(self, compared: ComparedGrades) -> Floats:
        comparison = self.comparison
        rows, reviews = comparison.rows, np.maximum(comparison.reviews, 1)
        seen = self.predictor.predict(compared)
        rounding = np.maximum(reviews - 1, 1) * seen.grid**2 / 4
        moments = self.predictor.moments
        place = moments.place(seen.at_own_level[rows])
        share = (seen.deviation[rows] / self.predictor.deviation) ** 2
        noise = comparison.sum_by_grader(share * moments.variance[place])
        noise *= 1 - 1 / reviews
        expected = self._squares(moments.mean[place]) + noise + rounding
        own = self._squares(compared.grade[rows]) + rounding
        others = self._squares(compared.consensus[rows])
        evident = (others >= MIN_VARIANCE_RATIO * own) & self.work_differs(
            comparison.row_grader, compared.consensus[rows]
        )
        return np.where(evident, np.log(expected / own), -np.inf)[self.graders[0]]

    def _squares(self, values: Floats) -> Floats:
        """Sum of squares around each grader's mean."""
        mean = self.comparison.mean_by_grader(values)[self.comparison.row_grader]
        return self.comparison.sum_by_grader((values - mean) ** 2)

    def describe(self, unit: int, compared: ComparedGrades) -> str:
        grade, consensus = self.grades_of(unit, compared)
        gave = (
            f"{len(grade)} submissions between {grade.min():g} and {grade.max():g}"
            if grade.min() < grade.max()
            else f"{grade.min():g} to all {len(grade)} submissions"
        )
        low, high = consensus.min(), consensus.max()
        return f"gave {gave}, where others gave between {low:.1f} and {high:.1f}"


class Constant(SingleGraderStatistic):
    r"""Squared distance of what is expected of a grader from the one grade that the grader gives.

    .. math:: \sum_{i: x_i = m} d(s_i)^2

    *m* is the grade that the grader gave most often, if that is in three quarters of the reviews.
    *s* is the expected signal of an honest grader who is as lenient, and *d* its distance from the
    interval of signals that are rounded to *m*. So there is no evidence against a lenient grader
    who gives the highest grade to good work, or against one who gives multiples of 10.
    """

    kind = "constant"
    min_reviews = 3

    def __init__(self, predictor: Predictor):
        super().__init__(predictor.comparison)
        self.predictor = predictor

    def values(self, compared: ComparedGrades) -> Floats:
        comparison, cells = self.comparison, self.predictor.cells
        graders, by = comparison.graders, comparison.row_grader
        seen = self.predictor.predict(compared)
        level, signal = seen.level[comparison.rows], seen.at_own_level[comparison.rows]
        mode, count = _modes(by, level, graders, len(cells.values))
        same = level == mode[by]
        by, signal = by[same], signal[same]
        low, high = cells.interval(mode, seen.grid)
        distance = np.maximum(np.maximum(low[by] - signal, signal - high[by]), 0.0)
        squares = np.bincount(by, distance**2, graders)
        nearly_constant = (count >= MIN_CONSTANT_REVIEWS) & (
            count >= MIN_CONSTANT_SHARE * comparison.reviews
        )
        consensus = compared.consensus[comparison.rows[same]]
        evident = nearly_constant & (squares > 0) & self.work_differs(by, consensus)
        return np.asarray(np.where(evident, squares, -np.inf)[self.graders[0]])

    def describe(self, unit: int, compared: ComparedGrades) -> str:
        grade, consensus = self.grades_of(unit, compared)
        cells = self.predictor.cells
        level = cells.level(grade)
        mode = int(np.bincount(level).argmax())
        same = level == mode
        about = "" if (grade[same] == grade[same][0]).all() else "about "
        value = cells.values[mode] if about else grade[same][0]
        return (
            f"gave {about}{value:g} to {same.sum()} of {len(grade)} submissions, where others gave "
            f"between {consensus[same].min():.1f} and {consensus[same].max():.1f}"
        )


def _modes(by: Indices, level: Indices, graders: int, levels: int) -> tuple[Indices, Indices]:
    """The level that each grader gave most often (the lowest of several), and how often."""
    keys, times = np.unique(by * levels + level, return_counts=True)
    who = keys // levels
    count = np.zeros(graders, dtype=np.int64)
    np.maximum.at(count, who, times)
    best = np.flatnonzero(times == count[who])[::-1]
    mode = np.zeros(graders, dtype=np.int64)
    mode[who[best]] = keys[best] % levels
    return mode, count


def _most_common(grade: Floats) -> tuple[float, int]:
    values, count = np.unique(grade, return_counts=True)
    return float(values[count.argmax()]), int(count.max())
