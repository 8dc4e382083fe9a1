"""Compiled functions of :mod:`peergauge.mechanisms.platforms.moodle`."""

import numpy as np

from peergauge.compiled import compiled, inlined
from peergauge.core.arrays import Bounds, Floats
from peergauge.mechanisms.platforms.moodle import HALF_TOLERANCE, MIN_VARIANCE


@inlined
def _rounded(number: float, parts: float) -> float:
    # Scores, means and distances are not negative.
    return float(np.floor(number * parts + 0.5 + HALF_TOLERANCE) / parts)


@compiled
def _distance(
    review: Floats, reference: Floats, variance: Floats, weight: Floats, strictness: float
) -> float:
    total = sum_of_weights = 0.0
    for c in range(len(review)):
        off = abs(review[c] - reference[c])
        total += weight[c] * (off * off**2 / (strictness * variance[c]))
        sum_of_weights += weight[c]
    return _rounded(total / sum_of_weights, 1e4) if sum_of_weights > 0.0 else 0.0


@compiled
def compare_with_best(
    grade: Floats,
    bounds: Bounds,
    criterion_weight: Floats,
    review_weight: Floats,
    strictness: float,
) -> Floats:
    criteria = grade.shape[1]
    result = np.full(len(grade), np.nan)
    mean, average, variance = np.empty(criteria), np.empty(criteria), np.empty(criteria)
    largest = 0
    for s in range(len(bounds) - 1):
        largest = max(largest, bounds[s + 1] - bounds[s])
    from_average = np.empty(largest)
    best = np.empty(largest, dtype=np.int64)
    for s in range(len(bounds) - 1):
        begin, end = bounds[s], bounds[s + 1]
        total, weighted = 0.0, 0
        for row in range(begin, end):
            total += review_weight[row]
            weighted += review_weight[row] > 0.0
        if weighted == 0:
            continue
        for c in range(criteria):
            mean[c] = variance[c] = 0.0
            for row in range(begin, end):
                mean[c] += review_weight[row] * grade[row, c]
            mean[c] /= total
            for row in range(begin, end):
                variance[c] += review_weight[row] * (grade[row, c] - mean[c]) ** 2
            variance[c] = max(variance[c] / total, MIN_VARIANCE)
            average[c] = _rounded(mean[c], 1e5)
        least = np.inf
        for row in range(begin, end):
            from_average[row - begin] = _distance(
                grade[row], average, variance, criterion_weight, strictness
            )
            least = min(least, from_average[row - begin])
        # Several reviews may be best; of those with equal grades, one is enough.
        found = 0
        for row in range(begin, end):
            if from_average[row - begin] == least:
                known = False
                for i in range(found):
                    known = known or bool(np.all(grade[best[i]] == grade[row]))
                if not known:
                    best[found] = row
                    found += 1
        for row in range(begin, end):
            nearest = np.inf
            for i in range(found):
                apart = _distance(
                    grade[row], grade[best[i]], variance, criterion_weight, strictness
                )
                nearest = min(nearest, apart)
            result[row] = min(max(100.0 - nearest, 0.0), 100.0)
    return result
