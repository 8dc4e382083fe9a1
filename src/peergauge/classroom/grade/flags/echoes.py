"""Statistic of graders who repeat what others reported, whoever the others are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from peergauge.classroom.grade.flags.agreement import Agreement, agreement
from peergauge.classroom.grade.flags.comparison import ComparedGrades, Indices, Latest, sums
from peergauge.classroom.grade.flags.prediction import Predictor
from peergauge.classroom.grade.flags.statistic import FlagStatistic
from peergauge.core.arrays import Floats

MAX_ECHOED_GRADERS = 20
"""Graders of a submission beyond which nearly every grade is also somebody else's."""

MIN_ECHOED_REVIEWS = 3


class Echo(NamedTuple):
    """Agreement of each grader with any co-grader, and with the mean of the co-graders."""

    of_somebody: Agreement
    of_mean: Agreement


class Echoes(FlagStatistic):
    """Agreement beyond chance with one co-grader or another, or with the mean of all of them.

    A report agrees with somebody if at least one co-grader gave the same grade. The expected number
    of such reports is that of an honest grader who is as lenient and as careful: the sum of the
    probabilities of all different grades that co-graders gave. A report agrees with the mean if it
    is the grade next to it. The larger of the two values counts; see
    :class:`~peergauge.classroom.grade.flags.agreement.Agreement`. Submissions with more than 20
    graders are left out.
    """

    kind = "echoes"

    def __init__(self, predictor: Predictor):
        self.predictor, self.comparison = predictor, predictor.comparison
        comparison = self.comparison
        bounds = comparison.reports.submission_bounds
        size = comparison.reports_of
        compared = (size > 1) & (size <= MAX_ECHOED_GRADERS)
        rows, others = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for count in np.unique(size[compared]).tolist():
            start = bounds[np.flatnonzero(size == count)][:, None]
            one, other = np.nonzero(~np.eye(count, dtype=np.bool_))
            rows.append((start + one).reshape(-1))
            others.append((start + other).reshape(-1))
        self.row, self.other = np.concatenate(rows), np.concatenate(others)
        self.own = np.flatnonzero(compared[comparison.submission])
        reviews = np.bincount(comparison.grader[self.own], minlength=comparison.graders)
        enough = np.flatnonzero(reviews >= MIN_ECHOED_REVIEWS)
        self.graders, self.review_counts = (enough,), reviews[enough]
        self.echo = Latest(self._echo)

    def _echo(self, compared: ComparedGrades) -> Echo:
        comparison, cells = self.comparison, self.predictor.cells
        seen = self.predictor.predict(compared)
        levels, reports = len(cells.values), len(seen.level)
        by, graders = comparison.grader[self.own], comparison.graders
        # Grades that several co-graders gave count once: the first report with each grade counts,
        # and the second one for the first.
        first, number = _runs(comparison.submission * levels + seen.level)
        counted = (number == 0)[self.other] | (
            (number == 1)[self.other] & (first[self.other] == self.row)
        )
        row, level = self.row[counted], seen.level[self.other[counted]]
        chance = cells.probability(level, seen.mean[row], seen.deviation[row])
        chance = sums(row, chance, reports)[self.own]
        equal = np.zeros(reports, dtype=np.bool_)
        equal[row[level == seen.level[row]]] = True
        somebody = agreement(by, graders, equal[self.own], chance, seen.spread[self.own])
        return Echo(somebody, self._of_mean(compared, by))

    def _of_mean(self, compared: ComparedGrades, by: Indices) -> Agreement:
        comparison, cells, own = self.comparison, self.predictor.cells, self.own
        seen = self.predictor.predict(compared)
        submission = comparison.submission[own]
        mean = (compared.total[submission] - compared.grade[own]) / (
            comparison.reports_of[submission] - 1
        )
        level = cells.level(mean)
        chance = cells.probability(level, seen.mean[own], seen.deviation[own])
        return agreement(by, comparison.graders, seen.level[own] == level, chance, seen.spread[own])

    def values(self, compared: ComparedGrades) -> Floats:
        echo = self.echo(compared)
        return np.maximum(echo.of_somebody.value, echo.of_mean.value)[self.graders[0]]

    def describe(self, unit: int, compared: ComparedGrades) -> str:
        echo, grader = self.echo(compared), int(self.graders[0][unit])
        of_mean = echo.of_mean.value[grader] > echo.of_somebody.value[grader]
        found = echo.of_mean if of_mean else echo.of_somebody
        gave = (
            "the rounded mean of the other grades"
            if of_mean
            else f"{self.predictor.same_grade} as another grader"
        )
        return (
            f"gave {gave} to {found.equal[grader]:.0f} of {self.review_counts[unit]} submissions, "
            f"where {found.expected[grader]:.1f} are expected by chance"
        )


def _runs(key: Indices) -> tuple[Indices, Indices]:
    """First element with the same key as each element, and how many of them come before it."""
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    new = np.concatenate(([True], ordered[1:] != ordered[:-1])) if len(key) else ordered == 0
    start = np.maximum.accumulate(np.where(new, np.arange(len(key)), 0))
    first, number = np.empty((2, len(key)), dtype=np.int64)
    first[order], number[order] = order[start], np.arange(len(key)) - start
    return first, number
