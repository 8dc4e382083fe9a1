"""The base of mechanisms that evaluate all reports of a semester so far together."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Bounds, Floats, Ints
from peergauge.core.errors import ConvergenceWarning
from peergauge.core.lazy import pl
from peergauge.mechanisms import Mechanism, ShowsProgress
from peergauge.mechanisms.shared.statement import statement
from peergauge.models.pg1 import check_prior, prior_on
from peergauge.models.slopes import SlopePriors, Slopes, fit_slopes, upright
from peergauge.tables import Reports, Rewards, frozen
from peergauge.tables.layout import Layout

USUAL_REPORTS = 40
"""Reports of a grader for which the forms were tuned: four on each of ten assignments."""

MIN_NOISE_VARIANCE = 0.2
"""Smallest noise variance of a grader, in squared points."""

RESIDUAL_VARIANCE = 1.35
"""Variance of the distances of an average grader, in squared points."""

MIN_SQUARED_ERROR = 0.01
"""Smallest mean squared error, in squared points, so that its logarithm is finite."""

CHANCE_STANDARD_ERRORS = 2.0
"""Standard errors of the mean excess of reports that chance can explain."""

MIN_SCORE_VARIANCE = 0.5
"""Smallest estimated variance of true scores, in squared points."""


class Account(NamedTuple):
    """The parts of the payment after each assignment; each is assignments × graders.

    Entries are NaN for a grader without any report so far.

    Parameters
    ----------
    reports
        The number of reports that the grader has given so far.
    error
        The estimated mean squared error of these reports, in squared points of 0..10.
    for_error, for_spread, penalty
        The three parts of the payment: the first two are added, the last is subtracted.
    """

    reports: Floats
    error: Floats
    for_error: Floats
    for_spread: Floats
    penalty: Floats

    @property
    def total(self) -> Floats:
        """The payment for all assignments so far."""
        return self.for_error + self.for_spread - self.penalty


@dataclass(frozen=True)
class JudgesSemesters(Mechanism, ShowsProgress):
    """A mechanism that compares all reports of a grader so far with the reports of other graders.

    True scores, and a bias, a slope and a noise variance for every grader, are estimated from all
    assignments so far by EM. Payments are computed from sums over each grader's reports
    (:class:`Sums`), which all such mechanisms share.

    Parameters
    ----------
    prior
        The source of the mean and variance of true scores. ``given``: the two parameters below;
        ``mean``: the mean is that of all reports so far; ``mean-and-variance``: the variance, too,
        is estimated, as the covariance of reports on the same submission so far, at least 0.5
        squared points of 0..10.
    prior_mean, prior_variance
        Mean and variance of the true scores; by default the paper's 7 and 2.1, in proportion to the
        scale. An estimate replaces them as soon as there is a report, or a pair of reports.
    """

    prior: Literal["given", "mean", "mean-and-variance"] = "given"
    prior_mean: float | None = None
    prior_variance: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        check_prior(self.prior_mean, self.prior_variance)

    @abstractmethod
    def account(self, reports: Reports) -> Account:
        """The parts of the payment after each assignment."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        return Rewards(added(self.account(reports).total), reports, whole=True)

    def sums(self, reports: Reports) -> tuple[Sums, Floats]:
        """Sums over reports so far, and the variance of true scores after each assignment.

        They are computed once for all mechanisms that share a prior.
        """
        key = "semester", self.prior, self.prior_mean, self.prior_variance
        return reports.derived(key, lambda: self._sums(reports))

    def _sums(self, reports: Reports) -> tuple[Sums, Floats]:
        scale, staff = reports.scale, reports.staff_score
        points = (reports.grade - scale.lowest) / scale.unit
        true = None if staff is None else (staff - scale.lowest) / scale.unit
        mean, variance = self.priors(reports, points, true)
        checked = None if true is None else checked_so_far(reports, points, mean, true)
        sums, late = sums_so_far(points, reports.layout, mean, variance, SlopePriors(), checked)
        if late:
            warnings.warn(
                f"The estimates of {self.facts.name} did not converge after {late} of "
                f"{reports.assignments} assignments; those of the last round are used.",
                ConvergenceWarning,
                stacklevel=2,
            )
        for column in (*sums, variance):
            frozen(column)
        return sums, variance

    def priors(
        self, reports: Reports, points: Floats, true: Floats | None = None
    ) -> tuple[Floats, Floats]:
        """Mean and variance of true scores after each assignment, in points of 0..10.

        *true* has the scores of submissions that were checked, NaN for all others.
        """
        scale = reports.scale
        given_mean, given_variance = prior_on(scale, self.prior_mean, self.prior_variance)
        shape = reports.assignments
        mean = np.full(shape, (given_mean - scale.lowest) / scale.unit)
        variance = np.full(shape, given_variance / scale.unit**2)
        if self.prior == "given":
            return mean, variance
        ends = reports.assignment_bounds[1:]
        seen = ends > 0
        mean[seen] = np.cumsum(points)[ends[seen] - 1] / ends[seen]
        if true is not None:
            mean[seen] -= excess_so_far(points - true[reports.submission])[ends[seen] - 1]
        if self.prior == "mean-and-variance":
            variance = covariances_so_far(reports, points, mean, variance)
        return mean, variance

    def progress(self, reports: Reports, grader: int | None = None) -> pl.DataFrame:
        """The total of each grader after each assignment, and the parts of its change.

        Besides the columns of all such mechanisms: ``off_by``, the estimated root mean squared
        error of all reports so far in points of the class's scale, and the change that comes from
        error, spread and penalty. Entries are missing before a grader's first report.
        """
        counted = reports.paid_only
        account = self.account(counted)
        columns = {
            "off_by": np.sqrt(account.error) * reports.scale.unit,
            "total": account.total,
            "change": added(account.total),
            "from_error": added(account.for_error),
            "from_spread": added(account.for_spread),
            "from_penalty": added(0.0 - account.penalty),
        }
        return statement(counted, grader, columns)


def added(total: Floats) -> Floats:
    """The change of running totals by each assignment; a grader's first total counts in full."""
    return total - np.vstack([np.zeros(total.shape[1]), np.nan_to_num(total[:-1])])


class Sums(NamedTuple):
    """Sums over the reports of each grader up to each assignment: assignments × graders.

    Reports, and the scores *m* estimated from the other graders, are measured from the prior mean.
    The sums are over: one; the distance *e* between the two, and its square; *m*, its square, and
    its product with the distance; the report and its square; and the variance of *m*.
    """

    n: Floats
    e: Floats
    ee: Floats
    d: Floats
    dd: Floats
    ed: Floats
    r: Floats
    rr: Floats
    unsure: Floats


def excess_so_far(above: Floats) -> Floats:
    r"""The mean excess of reports over the true scores, up to each report, shrunk towards 0.

    *above* is the difference between each report and the true score, NaN where that was not
    checked. The mean *d* of *n* differences has the standard error *e* of honest reports,
    :math:`\sqrt{(1 + 1.05) / n}`, and counts as :math:`d \max(0, 1 - (2 e / d)^2)`: little where
    honest graders would explain it, and almost in full where a class grades too high together.
    """
    priors = SlopePriors()
    n = np.maximum(np.cumsum(~np.isnan(above)), 1)
    mean = np.nancumsum(above) / n
    square = CHANCE_STANDARD_ERRORS**2 * (priors.bias_variance + priors.noise) / n
    kept = np.divide(square, mean**2, out=np.ones_like(mean), where=mean**2 > square)
    return np.asarray(mean * (1 - kept))


class Checked(NamedTuple):
    """The information from spot checks.

    Parameters
    ----------
    score
        The staff score of each submission that was checked, in points; NaN for all others.
    sign
        After each assignment, -1 for a grader whose grades are upside down, 1 for all others:
        assignments × graders.
    """

    score: Floats
    sign: Floats


def checked_so_far(reports: Reports, points: Floats, mean: Floats, true: Floats) -> Checked:
    """The information from spot checks after each assignment, given the mean of true scores."""
    rows = np.flatnonzero(~np.isnan(true[reports.submission]))
    said, score, grader = points[rows], true[reports.submission[rows]], reports.grader[rows]
    sign = np.ones((reports.assignments, reports.graders))
    for a, count in enumerate(np.searchsorted(rows, reports.assignment_bounds[1:])):
        if count:
            so_far = slice(0, count)
            y, g = said[so_far] - mean[a], score[so_far] - mean[a]
            sign[a] = upright(y, g, grader[so_far], reports.graders, SlopePriors())
    return Checked(frozen(np.array(true)), frozen(sign))


@accelerated
def sums_so_far(
    points: Floats,
    layout: Layout,
    mean: Floats,
    variance: Floats,
    priors: SlopePriors,
    checks: Checked | None = None,
) -> tuple[Sums, int]:
    """Sums after each assignment, and the number of assignments without convergence.

    See :func:`fits_so_far` for the estimates.
    """
    assignments, graders = len(layout.assignment_bounds) - 1, layout.graders
    found = np.zeros((len(Sums._fields), assignments, graders))
    late = 0
    for a, one in fits_so_far(points, layout, mean, variance, priors, checks):
        late += not one.converged
        d, unsure = said_by_others(one.read, one.submission, one.grader, one.fit)
        r = points[: len(d)] - mean[a]
        e = r - d
        columns = (np.ones(len(d)), e, e * e, d, d * d, e * d, r, r * r, unsure)
        found[:, a] = [np.bincount(one.grader, column, graders) for column in columns]
    return Sums(*found), late


class FitSoFar(NamedTuple):
    """The estimates after one assignment, and the reports so far that they were made from.

    *read* are the reports relative to the prior mean, as they are read: upside down for graders
    whom spot checks show to turn grades upside down.
    """

    read: Floats
    submission: Ints
    grader: Ints
    bounds: Bounds
    fit: Slopes
    converged: bool


def fits_so_far(
    points: Floats,
    layout: Layout,
    mean: Floats,
    variance: Floats,
    priors: SlopePriors,
    checks: Checked | None = None,
) -> Iterator[tuple[int, FitSoFar]]:
    """The estimates after each assignment that has reports so far, with its number.

    Each estimation starts from the estimates before it, unless the sign of some grader changes.
    """
    graders = layout.graders
    unknown = np.zeros(graders), np.ones(graders), np.full(graders, priors.noise)
    known = unknown
    for a, end in enumerate(layout.assignment_bounds[1:]):
        if end == 0:
            continue
        s, k = layout.submission[:end], layout.grader[:end]
        bounds = layout.submission_bounds[: s[-1] + 2]
        read, clamped = points[:end] - mean[a], None
        if checks is not None:
            sign = checks.sign[a]
            if a > 0 and (sign != checks.sign[a - 1]).any():
                known = unknown
            read, clamped = sign[k] * read, checks.score[: s[-1] + 1] - mean[a]
        fit, _, converged = fit_slopes(read, bounds, s, k, variance[a], known, priors, clamped)
        known = fit.bias, fit.slope, fit.noise
        yield a, FitSoFar(read, s, k, bounds, fit, converged)


def said_by_others(r: Floats, s: Ints, k: Ints, fit: Slopes) -> tuple[Floats, Floats]:
    r"""Mean and variance of the score behind each report, estimated without that report.

    With :math:`w = a_k / v_k`, the report is taken out of the precision and of the mean:

    .. math:: p = P_t - w a_k, \quad m = \frac{P_t G_t - w (r - b_k)}{p}

    A score that is known stays the same.
    """
    w = (fit.slope / fit.noise)[k]
    precision = fit.precision[s] - w * fit.slope[k]
    with np.errstate(invalid="ignore"):
        mean = (fit.precision[s] * fit.score[s] - w * (r - fit.bias[k])) / precision
    return np.where(np.isinf(precision), fit.score[s], mean), 1.0 / precision


def least_error(reports: Reports) -> float:
    """The lower bound of an expected error.

    A grader whose reports were all checked and all right would otherwise have an error of 0.
    """
    return 0.0 if reports.staff_score is None else MIN_SQUARED_ERROR


def expected_error(sums: Sums, least: float = 0.0) -> Floats:
    """The expected mean squared error of a grader's reports, given all reports.

    A grader's own noise variance is estimated from the distances after subtracting their mean and
    the uncertainty of the estimated scores, together with the prior of noise. *least* is the lower
    bound of the error.
    """
    noise, weight = SlopePriors().noise, SlopePriors().noise_weight
    n = np.where(sums.n > 0, sums.n, np.nan)
    unsure = sums.unsure / n
    around = sums.ee - sums.e**2 / n
    own = np.maximum((weight * noise + around) / (weight + n) - unsure, MIN_NOISE_VARIANCE)
    bias = sums.e / (n + own + unsure)
    gain = unsure / (unsure + own)
    squares = (
        (1 - gain) ** 2 * sums.ee + 2 * (1 - gain) * gain * bias * sums.e + n * (gain * bias) ** 2
    )
    return np.maximum(squares / n + unsure * (1 - gain), least)


def ahead_of_the_median(error: Floats) -> Floats:
    """Minus the logarithm of each grader's error, minus the median of that over the class."""
    ahead = np.full_like(error, np.nan)
    for a, row in enumerate(-np.log(error)):
        if (present := ~np.isnan(row)).any():
            ahead[a] = row - np.median(row[present])
    return ahead


class Spreads(NamedTuple):
    r"""The spread of reports: logarithms that are near 0 for an honest grader.

    With sums of squares around the grader's own mean, :math:`C_{rr}` of reports, :math:`C_{mm}` of
    the scores estimated from other graders, :math:`C_{em}` and :math:`C_{ee}` for the distances, a
    variance *p* of these scores, and *k* squared points of caution:

    Parameters
    ----------
    slope
        :math:`x_1 = \ln(1 + C_{em} / (C_{mm} + k))`, at least the logarithm of 0.05.
    spread
        :math:`x_2 = \frac12 \ln((C_{rr} + 0.5 + k) / (C_{mm} + (T - 1)(p + 1.05) + k))`.
    residual
        :math:`x_3 = \frac12 \ln((C_{ee} + 1) / (1.35 (T - 1) + 1))`.
    by_prior
        :math:`y = \frac12 \ln((C_{rr} + 0.5) / ((T - 1)(\sigma^2 + 1.05)))`; infinite for a single
        report.
    """

    slope: Floats
    spread: Floats
    residual: Floats
    by_prior: Floats


def spreads_of(sums: Sums, variance: Floats, caution: float) -> Spreads:
    """The spread of the reports of each grader, with *caution* in squared points."""
    noise = SlopePriors().noise
    n = np.where(sums.n > 0, sums.n, np.nan)
    rr, dd = sums.rr - sums.r**2 / n, sums.dd - sums.d**2 / n
    ed, ee = sums.ed - sums.e * sums.d / n, sums.ee - sums.e**2 / n
    expected = dd + (n - 1) * (sums.unsure / n + noise)
    with np.errstate(divide="ignore"):
        by_prior = 0.5 * np.log((rr + 0.5) / ((n - 1) * (variance + noise)))
    return Spreads(
        np.log(np.maximum(1 + ed / (dd + caution), 0.05)),
        0.5 * np.log((rr + 0.5 + caution) / (expected + caution)),
        0.5 * np.log((ee + 1) / ((n - 1) * RESIDUAL_VARIANCE + 1)),
        by_prior,
    )


def covariances_so_far(reports: Reports, points: Floats, mean: Floats, usual: Floats) -> Floats:
    """The covariance of two reports on the same submission around *mean*, so far.

    It is at least 0.5 squared points; *usual* where no two reports share a submission.
    """
    n = np.diff(reports.submission_bounds).astype(np.float64)
    one = np.bincount(reports.submission, points, reports.submissions).astype(np.float64)
    two = np.bincount(reports.submission, points**2, reports.submissions).astype(np.float64)
    ends = reports.submission[reports.assignment_bounds[1:] - 1] + 1
    ends = np.where(reports.assignment_bounds[1:] > 0, ends, 0)

    def so_far(values: Floats) -> Floats:
        return np.concatenate([[0.0], np.cumsum(values)])[ends]

    pairs = so_far(n * (n - 1))
    products = so_far(one**2 - two) - 2 * mean * so_far((n - 1) * one) + mean**2 * pairs
    known = pairs > 0
    found = np.divide(products, pairs, out=usual.copy(), where=known)
    return np.where(known, np.maximum(found, MIN_SCORE_VARIANCE), usual)
