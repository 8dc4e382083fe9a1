"""Statistic of two graders who agree too much."""

from __future__ import annotations

import numpy as np

from peergauge.classroom.grade.flags.agreement import MIN_EQUAL_GRADES, Agreement, agreement
from peergauge.classroom.grade.flags.comparison import ComparedGrades, Indices, Latest
from peergauge.classroom.grade.flags.pairs import PairStatistic
from peergauge.classroom.grade.flags.prediction import Predictor
from peergauge.classroom.grade.flags.statistic import Flag
from peergauge.core.arrays import Floats
from peergauge.tables import Reports

MAX_COMPARED_GRADERS = 100
"""Graders of a submission beyond which they are not compared with each other."""

MIN_SHARED_SUBMISSIONS = MIN_EQUAL_GRADES
"""Submissions that two graders must share: fewer cannot have enough equal grades."""


class Copies(PairStatistic):
    """Agreement beyond chance of two graders on the submissions that both graded.

    The probability of an equal grade is that of one grader to give the other's grade, as predicted
    from the reports of all others; it is the mean over the two graders. So equal grades count for
    more where others disagree with them, and for nothing where everybody gives the highest grade.
    The statistic is defined in :class:`~peergauge.classroom.grade.flags.agreement.Agreement`. It
    cannot tell who copied from whom. Submissions with more than 100 graders are left out.
    """

    kind = "copies"

    def __init__(self, predictor: Predictor):
        self.predictor, self.comparison = predictor, predictor.comparison
        comparison = self.comparison
        first, second = _rows_of_same_submission(comparison.reports, comparison.reports_of)
        pair = comparison.grader[first] * comparison.graders + comparison.grader[second]
        pairs, at, shared = np.unique(pair, return_inverse=True, return_counts=True)
        often = shared >= MIN_SHARED_SUBMISSIONS
        kept = often[at]
        self.first, self.second = first[kept], second[kept]
        self.entry_pair = (np.cumsum(often) - 1)[at[kept]]
        self.review_counts = shared[often]
        self.graders = pairs[often] // comparison.graders, pairs[often] % comparison.graders
        self.agreement = Latest(self._agreement)

    def _agreement(self, compared: ComparedGrades) -> Agreement:
        predictor, grader = self.predictor, self.comparison.grader
        cells, both = predictor.cells, [self.first, self.second]
        seen = predictor.predict(compared)
        quality = predictor.quality_without(seen.adjusted, both, predictor.adjusted_variance)
        chance = np.zeros(len(self.first))
        for own, other in (both, both[::-1]):
            mean = quality.mean + seen.leniency[grader[own]]
            deviation = np.sqrt(seen.noise[grader[own]] * quality.factor + quality.variance)
            chance += cells.probability(seen.level[other], mean, deviation) / 2
        equal = seen.level[self.first] == seen.level[self.second]
        return agreement(self.entry_pair, len(self.review_counts), equal, chance, quality.factor)

    def values(self, compared: ComparedGrades) -> Floats:
        return self.agreement(compared).value

    def describe(self, unit: int, compared: ComparedGrades) -> str:
        found = self.agreement(compared)
        return (
            f"gave {self.predictor.same_grade} to {found.equal[unit]:.0f} of "
            f"{self.review_counts[unit]} common submissions, where {found.expected[unit]:.1f} are "
            "expected by chance"
        )

    def flags(self, unit: int, compared: ComparedGrades, p_value: float) -> list[Flag]:
        both = [int(graders[unit]) for graders in self.graders]
        words = self.describe(unit, compared)
        return [
            self._flag(grader, f"with {self.comparison.name(other)}, {words}", p_value, other)
            for grader, other in (both, both[::-1])
        ]


def _rows_of_same_submission(reports: Reports, reports_of: Indices) -> tuple[Indices, Indices]:
    """All pairs of reports on the same submission."""
    bounds = reports.submission_bounds
    first, second = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    compared = (reports_of > 1) & (reports_of <= MAX_COMPARED_GRADERS)
    for size in np.unique(reports_of[compared]).tolist():
        one, other = np.triu_indices(size, 1)
        start = bounds[np.flatnonzero(reports_of == size)][:, None]
        first.append((start + one).reshape(-1))
        second.append((start + other).reshape(-1))
    return np.concatenate(first), np.concatenate(second)
