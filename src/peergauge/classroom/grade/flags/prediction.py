r"""Prediction of each report from the reports of others, for an honest grader.

The signal of grader *k* on submission *s* is :math:`q_s + b_k + \varepsilon`, and the grade is the
signal rounded and cut off at the ends of the scale, see
:mod:`~peergauge.classroom.grade.flags.rounding`. The other reports on *s* give the mean *m* and the
variance *p* of *q*, and the grader's residuals give the leniency *b* and the noise variance *v*. An
honest grader who is as lenient and as careful then has a signal from :math:`N(m + b, v + p)`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from peergauge.classroom.grade.flags.comparison import (
    ComparedGrades,
    Indices,
    Latest,
    PeerComparison,
    sums,
)
from peergauge.classroom.grade.flags.rounding import GradeCells, max_shift
from peergauge.core.arrays import Floats

PRIOR_DEGREES_OF_SUBMISSION = 4.0
"""Weight of the class in the variance of the reports on one submission, in degrees of freedom.

Some submissions are easy to grade, and all graders agree about them.
"""

PRIOR_REVIEWS_OF_GRADER = 10.0
"""Weight of the class in the variance of a grader's noise, as an equivalent number of reviews."""

MIN_NOISE_SHARE = 0.15
"""Smallest noise variance of a careful grader, as a share of that of the class."""

LEVEL_ROUNDS = 4
"""Newton steps towards the shift at which a grader's expected mean grade is the observed one."""

MIN_LEVEL_SLOPE = 0.1
"""Smallest slope of a Newton step; at the ends of the scale the expected grade hardly changes."""

MAX_BIAS_SHARE = 0.9
"""Largest variance of leniency, as a share of the variance of the reports on a submission."""

MIN_QUALITY_SHARE = 0.05
"""Smallest variance of quality, as a share of the variance of the reports on a submission."""


class HonestVariances(NamedTuple):
    """Moments of the signals of honest graders."""

    noise: float
    """Variance of the noise of a report."""

    bias: float
    """Variance of the leniency of graders."""

    quality: float
    """Variance of the quality of submissions."""

    centre: Floats
    """Mean signal of each assignment."""

    above_staff: float = 0.0
    """Mean difference between signals and staff grades."""


class Quality(NamedTuple):
    """Mean and variance of the quality of submissions, given some signals on each of them."""

    mean: Floats
    variance: Floats

    factor: Floats
    """Variance of the reports on each submission, relative to that of the class."""


class Prediction(NamedTuple):
    """Normal distribution of the signal behind each report, as others predict it."""

    level: Indices
    """Index of each grade among the grades that are told apart."""

    mean: Floats
    """Quality of the submission plus leniency of the grader."""

    deviation: Floats
    """Standard deviation of the signal around this mean."""

    at_own_level: Floats
    """Mean signal of a grader whose expected grades have the mean of this grader's own grades,
    however unusual such leniency is."""

    spread: Floats
    """Variance of the other reports on the submission, relative to that of the class."""

    leniency: Floats
    """Leniency of each grader."""

    noise: Floats
    """Variance of the noise of each grader."""

    grid: Floats
    """Distance of the grades that each grader uses."""

    adjusted: Floats
    """Signal behind each report minus the leniency of its grader."""


class Predictor:
    """Prediction of reports from other reports, in all classes of one design.

    Attributes
    ----------
    comparison, cells, variances
        The design of the class, its rounding, and the variances of honest signals.
    adjusted_variance
        Variance of a signal around the quality, minus what is known of the grader's leniency.
    predict
        Function that predicts each report of a class; several statistics use it.
    deviation
        Typical standard deviation of a signal around its prediction.
    moments
        Mean and variance of the grade, by the mean of the signal.
    """

    def __init__(self, comparison: PeerComparison, cells: GradeCells, variances: HonestVariances):
        self.comparison, self.cells, self.variances = comparison, cells, variances
        reports = comparison.reports
        assignment = np.zeros(reports.submissions, dtype=np.int64)
        assignment[reports.submission] = reports.assignment
        self._centre = variances.centre[assignment]
        self._staff = cells.signal(comparison.staff) + variances.above_staff
        self._graded: NDArray[np.bool_] = ~np.isnan(comparison.staff)
        noise, bias, rows = variances.noise, variances.bias, comparison.rows
        unknown = noise / (noise + bias * comparison.reviews[comparison.row_grader])
        self.adjusted_variance = noise + bias * _mean(unknown)
        others = _mean(comparison.reports_of[comparison.submission[rows]] - 1)
        error = 1 / (1 / variances.quality + others / self.adjusted_variance)
        self.deviation = float(np.sqrt(noise + error))
        self.moments = cells.moments(self.deviation)
        self.predict = Latest(self._predict)

    @property
    def same_grade(self) -> str:
        """Words for two grades that are not told apart."""
        if self.comparison.reports.scale.step == self.cells.step:
            return "the same grade"
        return f"the same grade (rounded to {self.cells.step:g})"

    @classmethod
    def fitted(cls, comparison: PeerComparison, signals: Sequence[Floats]) -> Self:
        """Fit rounding and variances to the observed grades and to signals of honest classes."""
        reports = comparison.reports
        nominal = GradeCells.nominal(reports.scale, reports.grade)
        shift = max_shift(nominal, reports)
        cells = nominal.fitted(reports.grade, np.concatenate(signals), shift)
        seen = [cells.codes[cells.level_of_signals(one)] for one in signals]
        return cls(comparison, cells, honest_variances(comparison, cells, seen))

    @classmethod
    def nominal(cls, comparison: PeerComparison) -> Self:
        """Ordinary rounding, and the variances of the observed grades themselves."""
        reports = comparison.reports
        cells = GradeCells.nominal(reports.scale, reports.grade)
        return cls(comparison, cells, honest_variances(comparison, cells, [reports.grade]))

    def _predict(self, compared: ComparedGrades) -> Prediction:
        """Predict each report from the others."""
        comparison, prior = self.comparison, self.variances
        rows, by, graders = comparison.rows, comparison.row_grader, comparison.graders
        level = self.cells.level(compared.grade)
        signal = self.cells.codes[level]
        # Leniency is estimated twice: from plain signals, and from signals minus the leniency of
        # the other graders.
        leniency, variance = np.zeros(graders), prior.noise + prior.bias
        for _ in range(2):
            adjusted = signal - leniency[comparison.grader]
            quality = self.quality_without(adjusted, [np.arange(len(signal))], variance)
            residual = (signal - quality.mean)[rows]
            error = comparison.mean_by_grader(quality.variance[rows]) + prior.noise
            total = sums(by, residual, graders)
            leniency = prior.bias * total / (prior.bias * comparison.reviews + error)
            variance = self.adjusted_variance
        excess = sums(by, (residual - leniency[by]) ** 2 - quality.variance[rows], graders)
        noise = PRIOR_REVIEWS_OF_GRADER * prior.noise + np.maximum(excess, 0.0)
        noise /= PRIOR_REVIEWS_OF_GRADER + comparison.reviews
        noise = np.maximum(noise, MIN_NOISE_SHARE * prior.noise)
        return Prediction(
            level,
            quality.mean + leniency[comparison.grader],
            np.sqrt(noise[comparison.grader] * quality.factor + quality.variance),
            self._at_own_level(compared.grade, quality.mean, leniency),
            quality.factor,
            leniency,
            noise,
            self.cells.own_grids(comparison.grader, level, graders),
            adjusted,
        )

    def _at_own_level(self, grade: Floats, quality: Floats, leniency: Floats) -> Floats:
        """Shift the quality of submissions until the expected mean grade is the grader's own."""
        comparison = self.comparison
        rows, by, moments = comparison.rows, comparison.row_grader, self.moments
        length = float(moments.grid[-1] - moments.grid[0])
        least = MIN_LEVEL_SLOPE * np.maximum(comparison.reviews, 1)
        own, shift = comparison.sum_by_grader(grade[rows]), leniency
        for _ in range(LEVEL_ROUNDS):
            place = moments.place(quality[rows] + shift[by])
            gap = own - comparison.sum_by_grader(moments.mean[place])
            slope = np.maximum(comparison.sum_by_grader(moments.slope[place]), least)
            shift = np.clip(shift + gap / slope, -length, length)
        return np.asarray(quality + shift[comparison.grader])

    def quality_without(
        self, signal: Floats, left_out: Sequence[Indices], variance: float
    ) -> Quality:
        """Predict the quality of submissions from all reports except some.

        Parameters
        ----------
        signal
            Signal behind each report of the class.
        left_out
            Arrays of reports; the first ones belong to one submission and are left out together,
            the second ones too, and so on.
        variance
            Variance of a signal around the quality.
        """
        comparison, prior = self.comparison, self.variances.quality
        submission = comparison.submission[left_out[0]]
        groups = comparison.reports.submissions
        # Sums of squares are taken around the centre, because they are subtracted.
        off = signal - self._centre[comparison.submission]
        total = sums(comparison.submission, off, groups)[submission]
        square = sums(comparison.submission, off**2, groups)[submission]
        for rows in left_out:
            total, square = total - off[rows], square - off[rows] ** 2
        count = comparison.reports_of[submission] - len(left_out)
        mean = total / np.maximum(count, 1)
        squares = np.maximum(square - count * mean**2, 0.0)
        degrees = PRIOR_DEGREES_OF_SUBMISSION
        factor = (degrees + squares / variance) / (degrees + np.maximum(count - 1, 0))
        precision = count / (variance * factor)
        error = 1 / (1 / prior + precision)
        quality = self._centre[submission] + error * precision * mean
        graded = self._graded[submission]
        return Quality(
            np.where(graded, self._staff[submission], quality),
            np.where(graded, 0.0, error),
            factor,
        )


def honest_variances(
    comparison: PeerComparison, cells: GradeCells, classes: Sequence[Floats]
) -> HonestVariances:
    """Estimate the moments of honest signals from some classes, by the method of moments."""
    reports, submission = comparison.reports, comparison.submission
    centre = np.mean([_means(reports.assignment, one, reports.assignments) for one in classes], 0)
    staff = cells.signal(comparison.staff)[submission]
    graded = ~np.isnan(staff)
    above = float(np.mean([one[graded] - staff[graded] for one in classes])) if graded.any() else 0
    degrees = np.maximum(comparison.reports_of - 1, 0).sum()
    found = []
    for one in classes:
        mean = _means(submission, one, reports.submissions)[submission]
        if degrees:
            report = ((one - mean) ** 2).sum() / degrees
        else:
            report = np.var(one[graded] - staff[graded]) if graded.any() else 0.0
        between = np.mean((mean - centre[reports.assignment]) ** 2)
        quality = between - report * np.mean(1 / comparison.reports_of[submission])
        found.append((report, _covariance(comparison, comparison.compare(one).residual), quality))
    report, bias, quality = np.mean(found, axis=0).tolist()
    report = max(report, cells.step**2 / 12)
    bias = min(max(bias, 0.0), MAX_BIAS_SHARE * report)
    return HonestVariances(
        report - bias, bias, max(quality, MIN_QUALITY_SHARE * report), centre, above
    )


def _covariance(comparison: PeerComparison, residual: Floats) -> float:
    """Covariance of two residuals of the same grader."""
    left = residual[comparison.rows]
    left = left - _mean(left)
    squares = comparison.sum_by_grader(left) ** 2 - comparison.sum_by_grader(left**2)
    pairs = (comparison.reviews * (comparison.reviews - 1)).sum()
    return float(squares.sum() / max(pairs, 1))


def _means(group: NDArray[np.integer[Any]], values: Floats, groups: int) -> Floats:
    """Mean of the values of each group; 0 for an empty group."""
    count = np.bincount(group, minlength=groups)
    return np.asarray(np.bincount(group, values, groups) / np.maximum(count, 1))


def _mean(values: NDArray[Any]) -> float:
    """Mean of the values; 0 without any."""
    return float(values.mean()) if len(values) else 0.0
