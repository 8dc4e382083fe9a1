"""Compiled functions of :mod:`peergauge.models.slopes`."""

from typing import Any

import numpy as np

from peergauge.compiled import compiled
from peergauge.core.arrays import Bounds, Floats, Ints
from peergauge.models.slopes import Known, Slopes


@compiled
def climb(
    y: Floats,
    submission_bounds: Bounds,
    grader: Ints,
    n: Floats,
    y_sum: Floats,
    yy: Floats,
    variance: float,
    start: Known,
    priors: Any,
    checked: Floats | None,
) -> tuple[Slopes, int, bool]:
    """Fit the model, given how many reports each grader made, their sum and that of squares."""
    submissions, graders = len(submission_bounds) - 1, len(start[0])
    bias, slope, noise = start[0].copy(), start[1].copy(), start[2].copy()
    score = np.zeros(submissions)
    precision = np.empty(submissions)
    # The parameters of a grader that their reports need, and the sums over these, side by side.
    own = np.zeros((graders, 8))
    for rounds in range(priors.most_rounds + 1):
        for k in range(graders):
            own[k, 0] = slope[k] / noise[k]
            own[k, 1] = own[k, 0] * slope[k]
            own[k, 2] = bias[k]
            own[k, 3] = own[k, 4] = own[k, 5] = 0.0
        change = 0.0
        for s in range(submissions):
            begin, end = np.uint64(submission_bounds[s]), np.uint64(submission_bounds[s + 1])
            top, bottom = 0.0, 1.0 / variance
            for row in range(begin, end):
                j = np.uint64(grader[row])
                bottom += own[j, 1]
                top += own[j, 0] * (y[row] - own[j, 2])
            left = 1.0 / bottom
            now = top * left
            if checked is not None:  # noqa: SIM102 - Numba leaves the outer branch out
                if not np.isnan(checked[s]):
                    now, left, bottom = checked[s], 0.0, np.inf
            change = max(change, abs(now - score[s]))
            score[s] = now
            precision[s] = bottom
            square = now * now + left
            for row in range(begin, end):
                j = np.uint64(grader[row])
                own[j, 3] += now
                own[j, 4] += square
                own[j, 5] += y[row] * now
        if rounds > 0 and change <= priors.tolerance:
            return Slopes(score, precision, bias, slope, noise), rounds, True
        if rounds == priors.most_rounds:
            break
        for k in range(graders):
            g_sum, gg, yg = own[k, 3], own[k, 4], own[k, 5]
            for_bias = n[k] + noise[k] / priors.bias_variance
            pull = noise[k] / priors.slope_variance
            a = for_bias * (yg + pull) - g_sum * y_sum[k]
            a = max(a / (for_bias * (gg + pull) - g_sum * g_sum), priors.least_slope)
            b = (y_sum[k] - a * g_sum) / for_bias
            squares = yy[k] - 2.0 * (b * y_sum[k] + a * yg)
            squares += b * b * n[k] + 2.0 * a * b * g_sum + a * a * gg
            bias[k], slope[k] = b, a
            noise[k] = (priors.noise_weight * priors.noise + max(squares, 0.0)) / (
                priors.noise_weight + n[k]
            )
    return Slopes(score, precision, bias, slope, noise), priors.most_rounds, False


@compiled
def fit_slopes(
    y: Floats,
    submission_bounds: Bounds,
    submission: Ints,
    grader: Ints,
    variance: float,
    start: Known,
    priors: Any,
    checked: Floats | None = None,
) -> tuple[Slopes, int, bool]:
    n, y_sum, yy = np.zeros(len(start[0])), np.zeros(len(start[0])), np.zeros(len(start[0]))
    for row in range(len(y)):
        n[grader[row]] += 1.0
        y_sum[grader[row]] += y[row]
        yy[grader[row]] += y[row] * y[row]
    return climb(y, submission_bounds, grader, n, y_sum, yy, variance, start, priors, checked)
