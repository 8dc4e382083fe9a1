"""Twins of :mod:`peergauge.mechanisms.peer_truth_serum`."""

import numpy as np

from peergauge.grouping import Bounds, Floats, Ints
from peergauge.kernels import compiled


@compiled
def over_frequency_so_far(
    agreement: Floats,
    level: Ints,
    levels: int,
    assignment_bounds: Bounds,
    submission: Ints,
    submission_bounds: Bounds,
    per_peer: bool,
) -> Floats:
    part = np.empty(len(agreement))
    histogram = np.zeros(levels)
    rarity = np.empty(levels)
    total = 0.0
    for a in range(len(assignment_bounds) - 1):
        for x in range(levels):
            rarity[x] = (total + levels) / (histogram[x] + 1.0)
        for row in range(assignment_bounds[a], assignment_bounds[a + 1]):
            part[row] = agreement[row] * rarity[level[row]]
            times = 1.0
            if per_peer:
                s = submission[row]
                times = submission_bounds[s + 1] - submission_bounds[s] - 1.0
            histogram[level[row]] += times
            total += times
    return part
