"""Compiled functions of :mod:`peergauge.mechanisms.paper.peer_truth_serum`."""

import numpy as np

from peergauge.compiled import compiled
from peergauge.compiled.mechanisms.paper.output_agreement import share_of_peers_agreeing
from peergauge.core.arrays import Bounds, Floats, Ints


@compiled
def agreement_over_frequency(
    grade: Floats,
    lowest: float,
    step: float,
    levels: int,
    submission_bounds: Bounds,
    submission: Ints,
    assignment_bounds: Bounds,
    per_peer: bool,
) -> Floats:
    part = share_of_peers_agreeing(grade, submission_bounds)
    # Four histograms in turn: counting equal grades one after the other would wait for each.
    histogram = np.zeros((4, levels))
    rarity = np.empty(levels)
    steps = 1.0 / step
    total = 0.0
    for a in range(len(assignment_bounds) - 1):
        for x in range(levels):
            rarity[x] = (total + levels) / (histogram[:, x].sum() + 1.0)
        # Unsigned, since Numba would check signed indices for counting from the end.
        for row in range(np.uint64(assignment_bounds[a]), np.uint64(assignment_bounds[a + 1])):
            level = np.uint32(np.int32((grade[row] - lowest) * steps + 0.5))
            part[row] *= rarity[level]
            times = 1.0
            if per_peer:
                s = submission[row]
                times = submission_bounds[s + 1] - submission_bounds[s] - 1.0
            histogram[row & np.uint64(3), level] += times
        total = histogram.sum()
    return part
