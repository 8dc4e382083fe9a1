"""Compiled functions of :mod:`peergauge.mechanisms.paper.leave_one_out`."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peergauge.compiled import compiled
from peergauge.compiled.models.pg1 import local_layout
from peergauge.core.arrays import Bounds, Floats
from peergauge.tables.layout import Layout

FIT_LANES = 50
"""Fits that run side by side: enough to fill vector registers, few enough to stay in a cache."""

NEXT = np.uint64(1)
"""Step to the next report, unsigned, since Numba would check signed indices."""


@compiled
def _fit_without(
    grade: Floats,
    submission_bounds: Bounds,
    grade_by_grader: Floats,
    grader_bounds: Bounds,
    local_grader: NDArray[np.uint32],
    local_submission: NDArray[np.uint32],
    prior: Any,
    with_bias: bool,
    first: int,
    lanes: int,
    without: Floats,
) -> int:
    """Fit one assignment without grader *first*, without the next, and so on for all lanes.

    Lane *l* does what :func:`peergauge.compiled.models.pg1.fit_assignment` does, with a weight of 0
    for the grader left out. Estimates of that grader's submissions go to *without*, which like
    *grade_by_grader* is in the order of graders. Returns the number of fits that did not converge.
    """
    submissions, graders = len(submission_bounds) - 1, len(grader_bounds) - 1
    w_prior, prior_precision = math.sqrt(1.0 / prior.variance), 1.0 / prior.bias_variance
    w_mean, shape, rate = w_prior * prior.mean, prior.shape, prior.rate
    weight = np.full((graders, lanes), math.sqrt(prior.start_reliability))
    shift = np.zeros((graders, lanes))
    reliability = np.full((graders, lanes), prior.start_reliability)
    score = np.full((submissions, lanes), prior.start_score)
    one, two = np.empty(lanes), np.empty(lanes)
    change = np.empty(lanes)
    going = np.ones(lanes, dtype=np.bool_)
    late = lanes
    for lane in range(lanes):
        weight[first + lane, lane] = 0.0
    for rounds in range(1, prior.most_rounds + 1):
        change[:] = 0.0
        for s in range(submissions):
            one[:] = w_mean
            two[:] = w_prior
            row, end = np.uint64(submission_bounds[s]), np.uint64(submission_bounds[s + 1])
            # Two reports at a time, added in their order: sums are loaded and stored half as often.
            while row + NEXT < end:
                k, r = local_grader[row], grade[row]
                other, q = local_grader[row + NEXT], grade[row + NEXT]
                for lane in range(lanes):
                    first_pull = weight[k, lane] * r - shift[k, lane]
                    one[lane] = (
                        one[lane] + first_pull + (weight[other, lane] * q - shift[other, lane])
                    )
                for lane in range(lanes):
                    two[lane] = two[lane] + weight[k, lane] + weight[other, lane]
                row += NEXT + NEXT
            if row < end:
                k, r = local_grader[row], grade[row]
                for lane in range(lanes):
                    one[lane] += weight[k, lane] * r - shift[k, lane]
                    two[lane] += weight[k, lane]
            for lane in range(lanes):
                now = one[lane] / two[lane]
                change[lane] += (now - score[s, lane]) ** 2
                score[s, lane] = now
        for k in range(graders):
            one[:] = 0.0
            two[:] = 0.0
            row, end = np.uint64(grader_bounds[k]), np.uint64(grader_bounds[k + 1])
            while row + NEXT < end:
                s, r = local_submission[row], grade_by_grader[row]
                t, q = local_submission[row + NEXT], grade_by_grader[row + NEXT]
                for lane in range(lanes):
                    distance, next_distance = r - score[s, lane], q - score[t, lane]
                    one[lane] = one[lane] + distance + next_distance
                    two[lane] = two[lane] + distance * distance + next_distance * next_distance
                row += NEXT + NEXT
            if row < end:
                s, r = local_submission[row], grade_by_grader[row]
                for lane in range(lanes):
                    distance = r - score[s, lane]
                    one[lane] += distance
                    two[lane] += distance * distance
            n = float(grader_bounds[k + 1] - grader_bounds[k])
            for lane in range(lanes):
                tau, total = reliability[k, lane], one[lane]
                bias = tau * total / (prior_precision + n * tau) if with_bias else 0.0
                residual = two[lane] - 2.0 * bias * total + n * bias * bias
                tau = (shape + 0.5 * n) / (rate + 0.5 * max(residual, 0.0))
                reliability[k, lane] = tau
                weight[k, lane] = math.sqrt(tau)
                shift[k, lane] = math.sqrt(tau) * bias
        for lane in range(lanes):
            weight[first + lane, lane] = shift[first + lane, lane] = 0.0
            converged = math.sqrt(change[lane]) <= prior.tolerance
            if going[lane] and (converged or rounds == prior.most_rounds):
                going[lane] = False
                late -= converged
                k = first + lane
                for own in range(grader_bounds[k], grader_bounds[k + 1]):
                    without[own] = score[local_submission[own], lane]
        if not going.any():
            break
    return late


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
        by_grader_without = np.empty(len(here))
        for first in range(0, len(names), FIT_LANES):
            lanes = min(FIT_LANES, len(names) - first)
            fits += lanes
            late += _fit_without(
                here,
                s_bounds,
                by_grader,
                k_bounds,
                local_grader,
                local_submission,
                prior,
                with_bias,
                first,
                lanes,
                by_grader_without,
            )
        for k in range(len(names)):
            group = a * layout.graders + names[k]
            for i in range(bounds[group], bounds[group + 1]):
                without[rows[i]] = by_grader_without[k_bounds[k] + i - bounds[group]]
    return without, fits, late
