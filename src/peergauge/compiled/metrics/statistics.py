"""Compiled functions of :mod:`peergauge.metrics.statistics`."""

import math

import numpy as np
from numpy.typing import NDArray

from peergauge.compiled import compiled
from peergauge.core.arrays import Floats

MAX_PAIRWISE_VALUES = 600
"""Largest number of values for which comparing all pairs is faster than sorting."""


@compiled
def _inversions(values: Floats) -> int:
    """Number of pairs that are out of order; sorts *values* by merging."""
    n = len(values)
    other = np.empty(n)
    count = 0
    width = 1
    while width < n:
        for left in range(0, n, 2 * width):
            middle, right = min(left + width, n), min(left + 2 * width, n)
            i, j = left, middle
            for k in range(left, right):
                if i < middle and (j >= right or values[i] <= values[j]):
                    other[k] = values[i]
                    i += 1
                else:
                    other[k] = values[j]
                    j += 1
                    count += middle - i
        values, other = other, values
        width *= 2
    return count


@compiled
def _tau_b(pairs: int, tied_x: int, tied_y: int, ahead: int) -> float:
    """τ_B from the numbers of pairs, of ties, and of concordant minus discordant pairs."""
    spread = math.sqrt(float(pairs - tied_x)) * math.sqrt(float(pairs - tied_y))
    if not spread > 0.0:
        return np.nan
    return min(1.0, max(-1.0, ahead / spread))


@compiled
def _tau_b_of_few(x: Floats, y: Floats) -> float:
    """τ_B by comparing all pairs, many at once."""
    ahead = tied_x = tied_y = 0
    for i in range(len(x)):
        for j in range(i):
            up_x, up_y = x[i] > x[j], y[i] > y[j]
            down_x, down_y = x[i] < x[j], y[i] < y[j]
            ahead += (int(up_x) - int(down_x)) * (int(up_y) - int(down_y))
            tied_x += int(x[i] == x[j])
            tied_y += int(y[i] == y[j])
    return _tau_b(len(x) * (len(x) - 1) // 2, tied_x, tied_y, ahead)


@compiled
def kendall_tau_b(x: Floats, y: Floats) -> float:
    """τ_B by Knight's method: sort by x, then count the inversions of y."""
    n = len(x)
    if n <= MAX_PAIRWISE_VALUES:
        return _tau_b_of_few(x, y)
    by_y = np.argsort(y, kind="mergesort")
    order = by_y[np.argsort(x[by_y], kind="mergesort")]
    tied_x = tied_y = tied_both = 0
    run_x = run_both = 1
    for i in range(1, n + 1):
        same_x = i < n and x[order[i]] == x[order[i - 1]]
        same_both = same_x and y[order[i]] == y[order[i - 1]]
        if same_x:
            run_x += 1
        else:
            tied_x += run_x * (run_x - 1) // 2
            run_x = 1
        if same_both:
            run_both += 1
        else:
            tied_both += run_both * (run_both - 1) // 2
            run_both = 1
    run_y = 1
    for i in range(1, n + 1):
        if i < n and y[by_y[i]] == y[by_y[i - 1]]:
            run_y += 1
        else:
            tied_y += run_y * (run_y - 1) // 2
            run_y = 1
    pairs = n * (n - 1) // 2
    discordant = _inversions(y[order])
    ahead = pairs - tied_x - tied_y + tied_both - 2 * discordant
    return _tau_b(pairs, tied_x, tied_y, ahead)


@compiled
def auc(score: Floats, positive: NDArray[np.bool_]) -> float:
    ups = 0
    for i in range(len(positive)):
        ups += positive[i]
    downs = len(score) - ups
    if ups == 0 or downs == 0:
        return np.nan
    # Twice the wins, so that a tie is a whole number.
    order = np.argsort(score)
    wins = below = begin = 0
    while begin < len(order):
        end, ups_here = begin + 1, int(positive[order[begin]])
        while end < len(order) and score[order[end]] == score[order[begin]]:
            ups_here += positive[order[end]]
            end += 1
        downs_here = end - begin - ups_here
        wins += ups_here * (2 * below + downs_here)
        below += downs_here
        begin = end
    return wins / 2 / (ups * downs)


@compiled
def pairwise_auc(score: Floats, of: NDArray[np.int64]) -> Floats:
    classes = 0
    for i in range(len(of)):
        classes = max(classes, of[i] + 1)
    size = np.zeros(classes, dtype=np.int64)
    here = np.zeros(classes, dtype=np.int64)
    # Twice the wins of each class over each, so that a tie is a whole number.
    wins = np.zeros((classes, classes), dtype=np.int64)
    order = np.argsort(score)
    begin = 0
    while begin < len(order):
        here[:] = 0
        here[of[order[begin]]] = 1
        end = begin + 1
        while end < len(order) and score[order[end]] == score[order[begin]]:
            here[of[order[end]]] += 1
            end += 1
        begin = end
        for better in range(classes):
            if here[better] > 0:
                for worse in range(better):
                    wins[better, worse] += here[better] * (2 * size[worse] + here[worse])
        for one in range(classes):
            size[one] += here[one]
    values = np.empty(classes * (classes - 1) // 2)
    count = 0
    for better in range(classes):
        for worse in range(better):
            if size[better] > 0 and size[worse] > 0:
                values[count] = wins[better, worse] / 2 / (size[better] * size[worse])
                count += 1
    return values[:count]
