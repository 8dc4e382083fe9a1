"""Twins of :mod:`peergauge.mechanisms.parametric_phi_divergence_star`."""

import numpy as np

from peergauge.grouping import Bounds, Floats, Ints
from peergauge.kernels import compiled


@compiled
def draw_penalties(
    assignment: Ints,
    submission: Ints,
    grader: Ints,
    assignment_bounds: Bounds,
    rows: Ints,
    bounds: Bounds,
    graders: int,
    uniform: Floats,
) -> tuple[Ints, Ints]:
    own = np.full(len(grader), -1, dtype=np.int32)
    other = np.full(len(grader), -1, dtype=np.int32)
    for row in range(len(grader)):
        a = assignment[row]
        group = np.int64(a) * graders + grader[row]
        begin, end = bounds[group], bounds[group + 1]
        if end - begin > 1:
            i = begin + int(uniform[row, 0] * (end - begin - 1))
            # Step over the report itself: tasks are in the order of their rows.
            i += rows[i] >= row
            own[row] = rows[i]
        first = submission[assignment_bounds[a]]
        last = submission[assignment_bounds[a + 1] - 1]
        foreign = last + 1 - first - (end - begin)
        if foreign > 0:
            s = first + int(uniform[row, 1] * foreign)
            # Step over every submission that the grader graded, in their order.
            for i in range(begin, end):
                s += submission[rows[i]] <= s
            other[row] = s
    return own, other
