"""Twins of :mod:`peergauge.metrics._statistics`."""

import math

import numpy as np

from peergauge.grouping import Floats
from peergauge.kernels import compiled


@compiled
def _inversions(values: Floats) -> int:
    """How many pairs are out of order; sorts *values* by merging."""
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
def kendall_tau_b(x: Floats, y: Floats) -> float:
    """By Knight's method: sort by x, then count the inversions of y."""
    n = len(x)
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
    concordant_less_discordant = pairs - tied_x - tied_y + tied_both - 2 * discordant
    spread = math.sqrt(float(pairs - tied_x)) * math.sqrt(float(pairs - tied_y))
    if not spread > 0.0:
        return np.nan
    return min(1.0, max(-1.0, concordant_less_discordant / spread))
