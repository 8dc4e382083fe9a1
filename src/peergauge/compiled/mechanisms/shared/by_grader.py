"""Compiled functions of :mod:`peergauge.mechanisms.shared.by_grader`."""

import numpy as np

from peergauge.compiled import compiled
from peergauge.core.arrays import Floats, Ints
from peergauge.mechanisms.shared.by_grader import Spread


@compiled
def spread_of(
    assignment: Ints, grader: Ints, assignments: int, graders: int, x: Floats, y: Floats
) -> Spread:
    groups = assignments * graders
    count = np.zeros(groups, dtype=np.int64)
    mean = np.zeros((groups, 2))
    # Unsigned, since Numba would check signed indices for counting from the end.
    size = np.uint64(graders)
    for row in range(len(x)):
        group = np.uint64(assignment[row]) * size + np.uint64(grader[row])
        count[group] += 1
        mean[group, 0] += x[row]
        mean[group, 1] += y[row]
    for g in range(groups):
        mean[g, 0] /= max(count[g], 1)
        mean[g, 1] /= max(count[g], 1)
    xx, yy, xy, difference = np.zeros(groups), np.zeros(groups), np.zeros(groups), np.zeros(groups)
    for row in range(len(x)):
        group = np.uint64(assignment[row]) * size + np.uint64(grader[row])
        dx, dy = x[row] - mean[group, 0], y[row] - mean[group, 1]
        xx[group] += dx * dx
        yy[group] += dy * dy
        xy[group] += dx * dy
        difference[group] += (x[row] - y[row]) ** 2
    shape = assignments, graders
    return Spread(
        xx.reshape(shape),
        yy.reshape(shape),
        xy.reshape(shape),
        difference.reshape(shape),
    )
