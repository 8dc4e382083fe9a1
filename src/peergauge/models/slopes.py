"""Scores, and the bias, slope and noise of every grader over all assignments so far, by EM."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Bounds, Floats, Ints
from peergauge.models.base import iterate


class SlopePriors(NamedTuple):
    r"""The numbers behind the model, in points of 0..10.

    .. math::
        r_{jt} = \mu + b_j + a_j (g_t - \mu) + N(0, v_j), \quad
        b_j \sim N(0, 1), \quad a_j \sim N(1, 0.1)

    with true scores :math:`g_t \sim N(\mu, \sigma^2)`. A noise :math:`v_j` counts as if 10 more
    reports had been seen with the variance 1.05. A slope below 1 is a grader who hedges; it is
    kept above 0, so that nobody is read upside down, unless checks say so: see :func:`upright`.
    A class counts as if one more grader turned grades upside down, and four did not.
    """

    bias_variance: float = 1.0
    slope_variance: float = 0.1
    noise: float = 1.05
    noise_weight: float = 10.0
    least_slope: float = 0.02
    tolerance: float = 0.03
    most_rounds: int = 1000
    upright: float = 4.0
    reversed: float = 1.0


class Slopes(NamedTuple):
    """What the model makes of reports: of submissions, then of graders.

    Scores are counted from the prior mean; a precision is 1 / variance of a score, and infinite
    for one that is known.
    """

    score: Floats
    precision: Floats
    bias: Floats
    slope: Floats
    noise: Floats


Known = tuple[Floats, Floats, Floats]
"""Bias, slope and noise of each grader."""


@accelerated
def fit_slopes(
    y: Floats,
    submission_bounds: Bounds,
    submission: Ints,
    grader: Ints,
    variance: float,
    start: Known,
    priors: SlopePriors,
    checked: Floats | None = None,
) -> tuple[Slopes, int, bool]:
    """Fit the model to reports *y*, counted from the prior mean, beginning at what is known.

    Rounds end when no score moves by more than the tolerance. The submissions are those of
    *submission_bounds*; *checked* has the scores of those that are known, counted alike, and NaN
    for all others. Returns the estimates, the rounds, and whether they converged.
    """
    submissions = len(submission_bounds) - 1

    def update(state: Slopes) -> Slopes:
        known = of_graders(y, submission, grader, state, priors)
        return of_submissions(y, submission, grader, submissions, variance, known, checked)

    return iterate(
        of_submissions(y, submission, grader, submissions, variance, start, checked),
        update,
        lambda before, after: float(np.abs(after.score - before.score).max(initial=0.0)),
        priors.tolerance,
        priors.most_rounds,
    )


def of_submissions(
    y: Floats,
    s: Ints,
    k: Ints,
    submissions: int,
    variance: float,
    known: Known,
    checked: Floats | None = None,
) -> Slopes:
    r"""The posterior of each score, graders known.

    .. math::
        P_t = \frac{1}{\sigma^2} + \sum_j \frac{a_j^2}{v_j}, \quad
        G_t = \frac{1}{P_t} \sum_j \frac{a_j}{v_j} (y_{jt} - b_j)

    A score that was checked is what it is, with infinite precision.
    """
    b, a, v = known
    w = a / v
    precision = np.asarray(1.0 / variance + np.bincount(s, (w * a)[k], submissions))
    score = np.bincount(s, w[k] * (y - b[k]), submissions) / precision
    if checked is not None:
        score = np.where(np.isnan(checked), score, checked)
        precision = np.where(np.isnan(checked), precision, np.inf)
    return Slopes(score, precision, b, a, v)


def of_graders(y: Floats, s: Ints, k: Ints, state: Slopes, priors: SlopePriors) -> Known:
    r"""The likeliest bias and slope of each grader, and then their noise, scores known.

    With sums over a grader's reports, :math:`S_0 = \sum 1`, :math:`S_1 = \sum G`,
    :math:`S_2 = \sum (G^2 + 1/P)`, and prior variances β of biases and α of slopes,

    .. math::
        \begin{pmatrix} S_0 + v/\beta & S_1 \\ S_1 & S_2 + v/\alpha \end{pmatrix}
        \begin{pmatrix} b \\ a \end{pmatrix} =
        \begin{pmatrix} \sum y \\ \sum y G + v/\alpha \end{pmatrix}, \quad
        v = \frac{10 \cdot 1.05 + E \sum (y - b - a G)^2}{10 + S_0}.
    """
    graders = len(state.bias)

    def total(values: Floats) -> Floats:
        return np.bincount(k, values, graders).astype(np.float64)

    g = state.score[s]
    n, g_sum, gg = total(np.ones(len(y))), total(g), total(g * g + 1.0 / state.precision[s])
    y_sum, yg, yy = total(y), total(y * g), total(y * y)
    for_bias = n + state.noise / priors.bias_variance
    for_slope = gg + state.noise / priors.slope_variance
    towards_one = yg + state.noise / priors.slope_variance
    slope = (for_bias * towards_one - g_sum * y_sum) / (for_bias * for_slope - g_sum * g_sum)
    slope = np.maximum(slope, priors.least_slope)
    bias = (y_sum - slope * g_sum) / for_bias
    squares = (
        yy
        - 2.0 * (bias * y_sum + slope * yg)
        + bias * bias * n
        + 2.0 * slope * bias * g_sum
        + slope * slope * gg
    )
    noise = (priors.noise_weight * priors.noise + np.maximum(squares, 0.0)) / (
        priors.noise_weight + n
    )
    return bias, slope, noise


def upright(y: Floats, g: Floats, k: Ints, graders: int, priors: SlopePriors) -> Floats:
    r"""-1 for each grader who seems to turn grades upside down, 1 for all others.

    Told from reports *y* on checked submissions with scores *g*, both counted from the prior mean.
    If all graders turn grades upside down, their reports agree as well as the truth would, and no
    estimate from reports alone can tell. A check can. A grader's reports are normal around *g* or
    around *-g*, with covariance :math:`\Sigma = v I + \beta 1 1' + \alpha g g'` either way, by the
    priors of noise, bias and slope. So the logarithm of how much likelier the first is, is

    .. math:: \ell = 2 \, y' \Sigma^{-1} g.

    The share π of those who turn grades upside down is the likeliest one, with a few graders of
    either kind added by the prior: a few checks tell what a whole class does, also of those of
    whom nothing was checked. Who is more likely than not to be one of them is told by ℓ and π.
    """
    from scipy.optimize import brentq

    v = priors.noise

    def total(values: Floats) -> Floats:
        return np.bincount(k, values, graders).astype(np.float64)

    n, x, xx = total(np.ones(len(y))), total(g), total(g * g)
    one, xy = total(y), total(y * g)
    # By Woodbury's identity, with what the two columns 1 and g add to the noise.
    first, both, second = (
        1 / priors.bias_variance + n / v,
        x / v,
        1 / priors.slope_variance + xx / v,
    )
    by_columns = (one * (second * x - both * xx) + xy * (first * xx - both * x)) / (
        first * second - both * both
    )
    likelier = 2 * (xy - by_columns / v) / v
    times = np.exp(np.clip(likelier[n > 0], -500, 500))
    counted = priors.reversed + priors.upright + len(times)

    def too_few(share: float) -> float:
        """How many more turn grades upside down, of those seen, than so large a share does."""
        turned = 1 / (1 + (1 - share) / share * times)
        return float(priors.reversed + turned.sum() - share * counted)

    # The likelihood of the share has one maximum, where as many are found as it says.
    share = brentq(too_few, 1e-9, 1 - 1e-9, xtol=1e-6)
    return np.where(likelier < np.log(share / (1 - share)), -1.0, 1.0)
