"""EM estimates of scores and of the bias, slope and noise of every grader over a semester."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Bounds, Floats, Ints
from peergauge.models.base import iterate


class SlopePriors(NamedTuple):
    r"""Hyperparameters of the model, in points of 0..10.

    .. math::
        r_{jt} = \mu + b_j + a_j (g_t - \mu) + N(0, v_j), \quad
        b_j \sim N(0, 1), \quad a_j \sim N(1, 0.1)

    with true scores :math:`g_t \sim N(\mu, \sigma^2)`. The prior of a noise variance :math:`v_j` is
    equivalent to 10 more reports with the variance 1.05. A slope below 1 belongs to a grader who
    hedges. Slopes are kept positive, so no grader's reports are reversed unless spot checks show
    that they are: see :func:`upright`. The prior of the share of reversed graders is equivalent to
    one more reversed grader and four more others.
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
    """Estimates of the model for submissions and graders.

    Scores are relative to the prior mean. A precision is 1 / variance of a score, and infinite for
    a known score.
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
    """Fit the model to reports *y*, relative to the prior mean, starting from given traits.

    The iteration ends when no score changes by more than the tolerance. The submissions are those
    of *submission_bounds*. *checked* contains the known scores, also relative to the prior mean,
    and NaN for all others. Returns the estimates, the number of rounds, and whether they converged.
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
    r"""Posterior of each score, given the traits of graders (E step).

    .. math::
        P_t = \frac{1}{\sigma^2} + \sum_j \frac{a_j^2}{v_j}, \quad
        G_t = \frac{1}{P_t} \sum_j \frac{a_j}{v_j} (y_{jt} - b_j)

    A checked score is known, with infinite precision.
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
    r"""Most probable bias, slope and noise of each grader, given the scores (M step).

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
    r"""Sign of each grader: -1 for graders who seem to turn grades upside down, 1 for others.

    The signs are estimated from reports *y* on checked submissions with scores *g*, both relative
    to the prior mean. If all graders turn grades upside down, their reports agree as well as
    truthful reports, and no estimate from reports alone can detect it. Spot checks can. A grader's
    reports are normal around *g* or around *-g*, in both cases with covariance :math:`\Sigma = v I
    + \beta 1 1' + \alpha g g'` by the priors of noise, bias and slope. The log likelihood ratio of
    the two hypotheses is

    .. math:: \ell = 2 \, y' \Sigma^{-1} g.

    The share π of reversed graders is estimated by maximum posterior probability, with a few
    graders of either kind added by the prior. A few checks are therefore informative about the
    whole class, including graders without a check. A grader is reversed if that is more probable
    than not, given ℓ and π.
    """
    from scipy.optimize import brentq

    v = priors.noise

    def total(values: Floats) -> Floats:
        return np.bincount(k, values, graders).astype(np.float64)

    n, x, xx = total(np.ones(len(y))), total(g), total(g * g)
    one, xy = total(y), total(y * g)
    # Woodbury's identity for the rank-two update of the noise by the columns 1 and g.
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
        """Expected number of reversed graders minus the number that *share* implies."""
        turned = 1 / (1 + (1 - share) / share * times)
        return float(priors.reversed + turned.sum() - share * counted)

    # The posterior of the share has one maximum, at the root of this function.
    share = brentq(too_few, 1e-9, 1 - 1e-9, xtol=1e-6)
    return np.where(likelier < np.log(share / (1 - share)), -1.0, 1.0)
