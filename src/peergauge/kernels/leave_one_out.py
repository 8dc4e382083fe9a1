"""Twins of :mod:`peergauge.mechanisms.leave_one_out`."""

from typing import Any

import numpy as np

from peergauge.grouping import Floats, Layout
from peergauge.kernels import compiled
from peergauge.kernels.pg1 import fit_assignment, local_layout


@compiled
def scores_without(
    grade: Floats, layout: Layout, prior: Any, with_bias: bool
) -> tuple[Floats, int, int]:
    rows, bounds = layout.rows, layout.bounds
    without = np.empty(len(grade))
    fits = late = 0
    for a in range(len(layout.assignment_bounds) - 1):
        if layout.assignment_bounds[a] == layout.assignment_bounds[a + 1]:
            continue
        here, s_bounds, by_grader, k_bounds, local_grader, local_submission, names, _ = (
            local_layout(grade, layout, a)
        )
        score = np.empty(len(s_bounds) - 1)
        bias = np.empty(len(names))
        reliability = np.empty(len(names))
        for k in range(len(names)):
            _, converged = fit_assignment(
                here,
                s_bounds,
                by_grader,
                k_bounds,
                local_grader,
                local_submission,
                prior,
                with_bias,
                k,
                score,
                bias,
                reliability,
            )
            fits += 1
            late += not converged
            group = a * layout.graders + names[k]
            for i in range(bounds[group], bounds[group + 1]):
                at = k_bounds[k] + i - bounds[group]
                without[rows[i]] = score[local_submission[at]]
    return without, fits, late
