r"""What the reports of a grader say about accuracy, hedging, copying and missing reviews.

Everything is in points of 0..10. For a report *r*, the reports of all other graders give the score
behind it a mean *m* and a variance *p* (:mod:`peergauge.mechanisms.shared.semester`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Bounds, Floats, Ints
from peergauge.mechanisms.shared.semester import (
    MIN_NOISE_VARIANCE,
    Checked,
    fits_so_far,
    said_by_others,
)
from peergauge.models.slopes import SlopePriors
from peergauge.tables.layout import Layout

HIGHEST_POINTS = 10.0
"""Upper end of the scale, in points."""

UNROUNDED_NOISE = 0.967
"""Noise variance of an average grader before rounding, in squared points."""

FINEST_STEP_POINTS = 0.01
"""Grades that differ by less than half of this are equal, on a scale without steps."""

BIAS_WEIGHT_REPORTS = 1.35
"""Weight of the prior of a bias, in reports: noise plus the variance of an estimated score."""

MAX_BIAS_POINTS, BIAS_ROUNDS, MIN_INSIDE_SHARE = 4.0, 3, 0.15
"""Largest bias, rounds of its estimation, and least share of reports that count as uncensored."""

MIN_STANDARD_DEVIATION = 1e-3
"""Smallest standard deviation of a score, in points; a checked score is known exactly."""

MIN_REPORT_NOISE = 0.05
"""Smallest noise variance of a single report, in squared points."""

BINOMIAL_NOISE_SHARE = 1 / 21
"""Noise variance of a report *c* as a share of c (10 - c), for a grader of average effort."""

NOISE_EXCESS, RESIDUAL_EXCESS = 1.05, 1.286
"""Factors by which honest noise exceeds the binomial one, within spreads and within residuals."""

SLOPE_CAUTION, SPREAD_CAUTION, OWN_CAUTION, RESIDUAL_CAUTION = 2.0, 2.0, 2.5, 1.0
"""Squared points added to sums of squares, so that a few reports are not decisive."""

PRIOR_CAUTION, RATIO_CAUTION = 0.5, 1e-3
"""Squared points added to the sums that are compared with the prior."""

MIN_SLOPE_RATIO = 0.05
"""Smallest slope whose logarithm is taken."""

BORROWED_CAUTION = 0.1
"""Squared points added to the sum of squares of the biases of co-graders."""

MIN_MATCH_PROBABILITY = 0.02
"""A match with a co-grader has at least this probability, and so does a mismatch."""


class Evidence(NamedTuple):
    r"""Statistics of each grader after each assignment: assignments × graders.

    Entries of a grader without any report so far are NaN, apart from *n* and *undone*.

    Parameters
    ----------
    n, undone
        Number of reports so far, and of assigned reviews that were not done.
    error
        Expected squared error of all assigned reviews. A review that was not done has the error of
        reporting the prior mean, or the grader's own mean error if that is larger.
    slope
        :math:`k_1 = \ln` of the slope of reports on the honest expectation.
    spread
        :math:`k_2 = \frac12 \ln` of the variance of reports over that of honest reports.
    residual
        :math:`k_3 = \frac12 \ln` of the variance around the honest expectation over that of honest
        reports.
    by_prior
        :math:`k_y`: as the spread, over the variance that the prior predicts; 0 for a single
        report.
    matches
        Excess of reports that equal a grade of a co-grader, in standard deviations.
    borrowed
        How far the reports follow the biases of co-graders, in standard deviations.
    """

    n: Floats
    undone: Floats
    error: Floats
    slope: Floats
    spread: Floats
    residual: Floats
    by_prior: Floats
    matches: Floats
    borrowed: Floats


def step_in_points(step: float | None, unit: float) -> float:
    """The distance of two neighbouring grades in points; a small one if grades have no steps."""
    return FINEST_STEP_POINTS if step is None else step / unit


def noise_of_step(step: float) -> float:
    """Noise variance of an average grader, in squared points, with that of rounding to a step.

    >>> round(noise_of_step(1.0), 2)
    1.05
    """
    return UNROUNDED_NOISE + step * step / 12


@accelerated
def evidence_so_far(
    points: Floats,
    layout: Layout,
    mean: Floats,
    variance: Floats,
    priors: SlopePriors,
    step: float,
    undone: Floats,
    checks: Checked | None = None,
    first: int = 0,
) -> tuple[Evidence, int]:
    """The evidence after each assignment, and the number of assignments without convergence.

    Parameters
    ----------
    points, layout
        Reports in points, and their design.
    mean, variance
        Prior of true scores after each assignment.
    step
        Distance of two neighbouring grades.
    undone
        Number of assigned reviews that were not done so far, assignments × graders.
    checks
        The information from spot checks.
    first
        The first assignment after which the evidence is needed; it is NaN before, apart from the
        numbers of reports and of reviews that were not done.
    """
    assignments, graders = len(layout.assignment_bounds) - 1, layout.graders
    found = np.full((len(Evidence._fields), assignments, graders), np.nan)
    found[0], found[1] = 0.0, undone
    late = 0
    for a, one in fits_so_far(points, layout, mean, variance, priors, checks):
        late += not one.converged
        if a < first:
            found[0, a] = np.bincount(one.grader, minlength=graders)
            continue
        s, k = one.submission, one.grader
        d, unsure = said_by_others(one.read, s, k, one.fit)
        r, m = points[: len(d)], d + mean[a]
        found[:, a] = _of_graders(
            r, m, unsure, one.bounds, s, k, variance[a], priors, step, undone[a], one.fit.bias
        )
    return Evidence(*found), late


def _of_graders(
    r: Floats,
    m: Floats,
    p: Floats,
    bounds: Bounds,
    s: Ints,
    k: Ints,
    variance: float,
    priors: SlopePriors,
    step: float,
    undone: Floats,
    estimated_bias: Floats,
) -> Floats:
    """The evidence of all graders, in the order of the fields of :class:`Evidence`."""
    graders = len(undone)
    noise = noise_of_step(step)

    def total(values: Floats) -> Floats:
        return np.bincount(k, values, graders).astype(np.float64)

    count = total(np.ones(len(r)))
    n = np.where(count > 0, count, np.nan)

    def about_mean(x: Floats, y: Floats) -> Floats:
        return total(x * y) - total(x) * total(y) / n

    e = r - m
    own, error = _error(n, total(e), total(e * e), total(p) / n, priors)
    assigned = n + undone
    error = (n * error + undone * np.maximum(variance, error)) / assigned
    bias = _bias(r, m, p, k, n)
    c, within, _ = censored(m + bias[k], p)
    binomial = np.maximum(c * (HIGHEST_POINTS - c) * BINOMIAL_NOISE_SHARE, MIN_REPORT_NOISE)
    binomial *= noise / noise_of_step(1.0)
    left = (n - 1) / n
    honest_noise = left * total(within + NOISE_EXCESS * binomial)
    cc, rr = about_mean(c, c), about_mean(r, r)
    honest = cc + honest_noise
    uncensored = about_mean(m, m) + left * total(p + noise)
    slope = (about_mean(r, c) + SLOPE_CAUTION) / (cc + undone * variance + SLOPE_CAUTION)
    spread = (rr + OWN_CAUTION) / (honest + undone * (variance + noise) + SPREAD_CAUTION)
    residual = (about_mean(r - c, r - c) + RESIDUAL_CAUTION) / (
        RESIDUAL_EXCESS * honest_noise + RESIDUAL_CAUTION
    )
    cut = (honest + RATIO_CAUTION) / (uncensored + RATIO_CAUTION)
    expected = np.maximum(assigned - 1, 1.0) * (variance + noise) * cut
    by_prior = np.where(assigned > 1, 0.5 * np.log((rr + PRIOR_CAUTION) / expected), 0.0)
    return np.stack(
        [
            count,
            undone,
            error,
            np.log(np.maximum(slope, MIN_SLOPE_RATIO)),
            0.5 * np.log(spread),
            0.5 * np.log(residual),
            np.where(count > 0, by_prior, np.nan),
            _matches(r, m, p, bounds, s, k, own, total(e) / (n + BIAS_WEIGHT_REPORTS), step),
            _borrowed(e, bounds, s, k, count, estimated_bias),
        ]
    )


def _error(
    n: Floats, e: Floats, ee: Floats, unsure: Floats, priors: SlopePriors
) -> tuple[Floats, Floats]:
    """Own noise variance and expected squared error, by sums of distances and their squares."""
    around = ee - e**2 / n
    own = (priors.noise_weight * priors.noise + around) / (priors.noise_weight + n) - unsure
    own = np.maximum(own, MIN_NOISE_VARIANCE)
    bias = e / (n + own + unsure)
    gain = unsure / (unsure + own)
    squares = (1 - gain) ** 2 * ee + 2 * (1 - gain) * gain * bias * e + n * (gain * bias) ** 2
    return own, squares / n + unsure * (1 - gain)


def censored(mean: Floats, variance: Floats) -> tuple[Floats, Floats, Floats]:
    r"""Mean and variance of a normal number that is cut off at 0 and 10, and P(not cut off).

    With :math:`\zeta_0 = -M / \sqrt p` and :math:`\zeta_1 = (10 - M) / \sqrt p`,

    .. math::
        P = \Phi(\zeta_1) - \Phi(\zeta_0), \quad
        c = M P + \sqrt p \, (\varphi(\zeta_0) - \varphi(\zeta_1)) + 10 \, (1 - \Phi(\zeta_1)).
    """
    from scipy.special import ndtr

    deviation = np.maximum(np.sqrt(variance), MIN_STANDARD_DEVIATION)
    low, high = -mean / deviation, (HIGHEST_POINTS - mean) / deviation
    below, under = ndtr(low), ndtr(high)
    inside = under - below
    at_low, at_high = _density(low), _density(high)
    cut = mean * inside + deviation * (at_low - at_high) + HIGHEST_POINTS * (1 - under)
    square = (
        (mean**2 + deviation**2) * inside
        + mean * deviation * (at_low - at_high)
        - HIGHEST_POINTS * deviation * at_high
        + HIGHEST_POINTS**2 * (1 - under)
    )
    return cut, np.maximum(square - cut**2, 0.0), inside


def _density(x: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * x * x) / np.sqrt(2 * np.pi))


def _bias(r: Floats, m: Floats, p: Floats, k: Ints, n: Floats) -> Floats:
    """Bias of each grader, given that honest reports are cut off at the ends of the scale."""

    def total(values: Floats) -> Floats:
        return np.bincount(k, values, len(n)).astype(np.float64)

    bias = total(r - m) / (n + BIAS_WEIGHT_REPORTS)
    for _ in range(BIAS_ROUNDS):
        c, _, inside = censored(m + bias[k], p)
        away = total(r - c) - BIAS_WEIGHT_REPORTS * bias
        uncut = np.maximum(total(inside), MIN_INSIDE_SHARE * n) + BIAS_WEIGHT_REPORTS
        bias = np.clip(bias + away / uncut, -MAX_BIAS_POINTS, MAX_BIAS_POINTS)
    return bias


def _matches(
    r: Floats,
    m: Floats,
    p: Floats,
    bounds: Bounds,
    s: Ints,
    k: Ints,
    own: Floats,
    bias: Floats,
    step: float,
) -> Floats:
    r"""Standardised excess of reports that equal one of the grades that co-graders gave.

    An independent report is normal around :math:`m + b` with variance :math:`p + v`, rounded to the
    scale. With the probability *q* that it equals any of the distinct grades of its co-graders, and
    *h* = 1 if it does, the excess is :math:`\sum (h - q) / \sqrt{\sum q (1 - q)}`.
    """
    from scipy.special import ndtr

    graders = len(own)
    size = np.diff(bounds)
    place = np.arange(len(r)) - bounds[s]
    grades = np.full((len(size), int(size.max(initial=0))), np.nan)
    grades[s, place] = r
    theirs = grades[s]
    theirs[np.arange(len(r)), place] = np.nan
    theirs = np.sort(theirs, axis=1)
    half = step / 2
    distinct = ~np.isnan(theirs)
    distinct[:, 1:] &= ~(theirs[:, 1:] - theirs[:, :-1] < half)
    deviation = np.sqrt(p + own[k])[:, None]
    around = (m + bias[k])[:, None]
    up = np.where(theirs > HIGHEST_POINTS - half, np.inf, theirs + half)
    down = np.where(theirs < half, -np.inf, theirs - half)
    each = ndtr((up - around) / deviation) - ndtr((down - around) / deviation)
    q = np.where(distinct, each, 0.0).sum(axis=1)
    q = np.clip(q, MIN_MATCH_PROBABILITY, 1 - MIN_MATCH_PROBABILITY)
    has = distinct.any(axis=1)
    h = (np.abs(theirs - r[:, None]) < half).any(axis=1)
    excess = np.bincount(k, np.where(has, h - q, 0.0), graders)
    expected = np.bincount(k, np.where(has, q * (1 - q), 0.0), graders)
    none = np.where(np.isnan(own), np.nan, 0.0)
    return np.divide(excess, np.sqrt(expected), out=none, where=expected > 0)


def _borrowed(e: Floats, bounds: Bounds, s: Ints, k: Ints, count: Floats, bias: Floats) -> Floats:
    r"""How far the distances of a grader's reports follow the biases of co-graders.

    With the distance *e* of a report to what others say, and the mean *β* of the biases of its
    co-graders, both measured from their means over the grader's reports with co-graders, this is

    .. math:: \sum e \beta \,\Big/ \sqrt{\left(\sum \beta^2 + 0.1\right)
        \frac{\sum e^2 + 1}{n - 1}}.

    Biases are taken out of what others say. The distances of an independent report therefore do not
    depend on who the co-graders are, while a copied report has the biases of those whom it was
    copied from, also if it is a mean of several, or noise was added.
    """
    graders = len(count)
    others = np.diff(bounds)[s] - 1
    theirs = (np.bincount(s, bias[k], len(bounds) - 1)[s] - bias[k]) / np.maximum(others, 1)
    rows = np.flatnonzero(others)
    who, e, theirs = k[rows], e[rows], theirs[rows]

    def total(values: Floats) -> Floats:
        return np.bincount(who, values, graders).astype(np.float64)

    n = np.maximum(total(np.ones(len(rows))), 1.0)
    along = total(e * theirs) - total(e) * total(theirs) / n
    across = total(theirs * theirs) - total(theirs) ** 2 / n + BORROWED_CAUTION
    noise = (total(e * e) - total(e) ** 2 / n + RESIDUAL_CAUTION) / np.maximum(n - 1, 1.0)
    return np.where(count > 0, along / np.sqrt(across * noise), np.nan)
