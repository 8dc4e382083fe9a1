"""Compiled functions of :mod:`peergauge.mechanisms.paper.mean_squared_error`."""

import numpy as np

from peergauge.compiled import compiled
from peergauge.core.arrays import Bounds, Floats


@compiled
def squared_distance_to_consensus(grade: Floats, bounds: Bounds) -> Floats:
    distance = np.empty(len(grade))
    for s in range(len(bounds) - 1):
        # Unsigned, since Numba would check signed indices for counting from the end.
        begin, end = np.uint64(bounds[s]), np.uint64(bounds[s + 1])
        count = bounds[s + 1] - bounds[s]
        if count == 1:
            distance[begin] = np.nan
        elif count > 1:
            total = 0.0
            for row in range(begin, end):
                total += grade[row]
            consensus = total / count
            for row in range(begin, end):
                distance[row] = (grade[row] - consensus) ** 2
    return distance
