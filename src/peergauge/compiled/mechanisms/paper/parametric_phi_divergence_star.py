"""Compiled functions of :mod:`peergauge.mechanisms.paper.parametric_phi_divergence_star`."""

import numpy as np

from peergauge.compiled import compiled
from peergauge.core.arrays import Floats, Ints
from peergauge.tables.layout import Layout


@compiled
def draw_penalties(layout: Layout, uniform: Floats) -> tuple[Ints, Ints]:
    submission, rows, bounds = layout.submission, layout.rows, layout.bounds
    own = np.full(len(submission), -1, dtype=np.int32)
    other = np.full(len(submission), -1, dtype=np.int32)
    for row in range(len(submission)):
        a = layout.assignment[row]
        group = np.int64(a) * layout.graders + layout.grader[row]
        begin, end = bounds[group], bounds[group + 1]
        if end - begin > 1:
            i = begin + int(uniform[row, 0] * (end - begin - 1))
            # Step over the report itself: tasks are in the order of their rows.
            i += rows[i] >= row
            own[row] = rows[i]
        first = submission[layout.assignment_bounds[a]]
        last = submission[layout.assignment_bounds[a + 1] - 1]
        foreign = last + 1 - first - (end - begin)
        if foreign > 0:
            s = first + int(uniform[row, 1] * foreign)
            # Step over every submission that the grader graded, in their order.
            for i in range(begin, end):
                s += submission[rows[i]] <= s
            other[row] = s
    return own, other
