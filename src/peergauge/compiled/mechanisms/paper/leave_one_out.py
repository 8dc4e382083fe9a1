"""Compiled functions of :mod:`peergauge.mechanisms.paper.leave_one_out`."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peergauge.compiled import compiled
from peergauge.compiled.models.pg1 import local_layout
from peergauge.core.arrays import Bounds, Floats
from peergauge.tables.layout import Layout

FIT_LANES = 56
"""Fits that run side by side: enough to fill vector registers, few enough to stay in a cache."""

LANES_PER_REGISTER = 8
"""Loops run over a multiple of so many lanes, so that no lanes are left for scalar code."""

NEXT, FOUR = np.uint64(1), np.uint64(4)
"""Steps to further reports, unsigned, since Numba would check signed indices."""


@compiled
def _begin(
    lane: int,
    left_out: int,
    first_score: Floats,
    own_score: Floats,
    grader_bounds: Bounds,
    local_submission: NDArray[np.uint32],
    prior: Any,
    score: Floats,
    reliability: Floats,
) -> float:
    """Begin the fit without one grader in a lane, and return the change of its first round.

    The first round is computed here, since all graders weigh the same in it.
    """
    reliability[:, lane] = prior.start_reliability
    score[:, lane] = first_score
    for row in range(grader_bounds[left_out], grader_bounds[left_out + 1]):
        score[local_submission[row], lane] = own_score[row]
    change = 0.0
    for s in range(len(first_score)):
        change += (score[s, lane] - prior.start_score) ** 2
    return change


@compiled
def _first_scores(
    grade: Floats,
    submission_bounds: Bounds,
    local_grader: NDArray[np.uint32],
    grader_bounds: Bounds,
    local_submission: NDArray[np.uint32],
    prior: Any,
) -> tuple[Floats, Floats]:
    """Scores after one round with all graders, and without the grader of each report.

    The latter are in the order of graders.
    """
    w_prior, weight = math.sqrt(1.0 / prior.variance), math.sqrt(prior.start_reliability)
    everybody = np.empty(len(submission_bounds) - 1)
    for s in range(len(everybody)):
        top, bottom = w_prior * prior.mean, w_prior
        for row in range(submission_bounds[s], submission_bounds[s + 1]):
            top += weight * grade[row]
            bottom += weight
        everybody[s] = top / bottom
    without = np.empty(len(grade))
    for k in range(len(grader_bounds) - 1):
        for own in range(grader_bounds[k], grader_bounds[k + 1]):
            s = local_submission[own]
            top, bottom = w_prior * prior.mean, w_prior
            for row in range(submission_bounds[s], submission_bounds[s + 1]):
                if local_grader[row] != k:
                    top += weight * grade[row]
                    bottom += weight
            without[own] = top / bottom
    return everybody, without


@compiled
def _fit_without_each(
    grade: Floats,
    submission_bounds: Bounds,
    grade_by_grader: Floats,
    grader_bounds: Bounds,
    local_grader: NDArray[np.uint32],
    local_submission: NDArray[np.uint32],
    prior: Any,
    with_bias: bool,
    without: Floats,
) -> int:
    """Fit one assignment without each of its graders, several fits side by side in lanes.

    Every lane does what :func:`peergauge.compiled.models.pg1.fit_assignment` does, with a weight of
    0 for the grader left out. A lane whose fit has ended begins the fit without the next grader.
    Estimates of the submissions of the grader left out go to *without*, which like
    *grade_by_grader* is in the order of graders. Returns the number of fits that did not converge.
    """
    submissions, graders = len(submission_bounds) - 1, len(grader_bounds) - 1
    w_prior, prior_precision = math.sqrt(1.0 / prior.variance), 1.0 / prior.bias_variance
    w_mean, shape, rate = w_prior * prior.mean, prior.shape, prior.rate
    busy = min(FIT_LANES, graders)
    lanes = -(-busy // LANES_PER_REGISTER) * LANES_PER_REGISTER
    weight = np.zeros((graders, lanes))
    shift = np.zeros((graders, lanes))
    reliability = np.full((graders, lanes), prior.start_reliability)
    score = np.full((submissions, lanes), prior.start_score)
    one, two = np.empty(lanes), np.empty(lanes)
    change = np.zeros(lanes)
    left_out = np.arange(lanes)
    rounds = np.ones(lanes, dtype=np.int64)
    first_score, own_score = _first_scores(
        grade, submission_bounds, local_grader, grader_bounds, local_submission, prior
    )
    for lane in range(busy):
        change[lane] = _begin(
            lane,
            lane,
            first_score,
            own_score,
            grader_bounds,
            local_submission,
            prior,
            score,
            reliability,
        )
    begun, late = busy, 0
    while True:
        lane = 0
        while lane < busy:
            converged = math.sqrt(change[lane]) <= prior.tolerance
            if not converged and rounds[lane] < prior.most_rounds:
                lane += 1
                continue
            late += not converged
            k = left_out[lane]
            for own in range(grader_bounds[k], grader_bounds[k + 1]):
                without[own] = score[local_submission[own], lane]
            if begun < graders:
                change[lane] = _begin(
                    lane,
                    begun,
                    first_score,
                    own_score,
                    grader_bounds,
                    local_submission,
                    prior,
                    score,
                    reliability,
                )
                left_out[lane], rounds[lane] = begun, 1
                begun += 1
            else:
                # The last lane takes the place of this one.
                busy -= 1
                reliability[:, lane] = reliability[:, busy]
                score[:, lane] = score[:, busy]
                change[lane] = change[busy]
                left_out[lane], rounds[lane] = left_out[busy], rounds[busy]
        if busy == 0:
            return late
        lanes = -(-busy // LANES_PER_REGISTER) * LANES_PER_REGISTER
        for k in range(graders):
            one[:] = 0.0
            two[:] = 0.0
            row, end = np.uint64(grader_bounds[k]), np.uint64(grader_bounds[k + 1])
            # Four reports at a time, added in their order: sums are loaded and stored less often.
            while row + FOUR <= end:
                i, j, h = row + NEXT, row + NEXT + NEXT, row + FOUR - NEXT
                s, t = local_submission[row], local_submission[i]
                u, v = local_submission[j], local_submission[h]
                r, q = grade_by_grader[row], grade_by_grader[i]
                p, o = grade_by_grader[j], grade_by_grader[h]
                for lane in range(lanes):
                    one[lane] = (
                        one[lane]
                        + (r - score[s, lane])
                        + (q - score[t, lane])
                        + (p - score[u, lane])
                        + (o - score[v, lane])
                    )
                for lane in range(lanes):
                    two[lane] = (
                        two[lane]
                        + (r - score[s, lane]) ** 2
                        + (q - score[t, lane]) ** 2
                        + (p - score[u, lane]) ** 2
                        + (o - score[v, lane]) ** 2
                    )
                row += FOUR
            while row < end:
                s, r = local_submission[row], grade_by_grader[row]
                for lane in range(lanes):
                    distance = r - score[s, lane]
                    one[lane] += distance
                    two[lane] += distance * distance
                row += NEXT
            n = float(grader_bounds[k + 1] - grader_bounds[k])
            for lane in range(lanes):
                tau, total = reliability[k, lane], one[lane]
                bias = tau * total / (prior_precision + n * tau) if with_bias else 0.0
                residual = two[lane] - 2.0 * bias * total + n * bias * bias
                tau = (shape + 0.5 * n) / (rate + 0.5 * max(residual, 0.0))
                reliability[k, lane] = tau
                weight[k, lane] = math.sqrt(tau)
                shift[k, lane] = math.sqrt(tau) * bias
        for lane in range(busy):
            weight[left_out[lane], lane] = shift[left_out[lane], lane] = 0.0
        change[:] = 0.0
        rounds += 1
        for s in range(submissions):
            one[:] = w_mean
            two[:] = w_prior
            row, end = np.uint64(submission_bounds[s]), np.uint64(submission_bounds[s + 1])
            while row + FOUR <= end:
                i, j, k = row + NEXT, row + NEXT + NEXT, row + FOUR - NEXT
                g, h = local_grader[row], local_grader[i]
                u, v = local_grader[j], local_grader[k]
                r, q, p, o = grade[row], grade[i], grade[j], grade[k]
                for lane in range(lanes):
                    one[lane] = (
                        one[lane]
                        + (weight[g, lane] * r - shift[g, lane])
                        + (weight[h, lane] * q - shift[h, lane])
                        + (weight[u, lane] * p - shift[u, lane])
                        + (weight[v, lane] * o - shift[v, lane])
                    )
                for lane in range(lanes):
                    two[lane] = (
                        two[lane]
                        + weight[g, lane]
                        + weight[h, lane]
                        + weight[u, lane]
                        + weight[v, lane]
                    )
                row += FOUR
            while row < end:
                g, r = local_grader[row], grade[row]
                for lane in range(lanes):
                    one[lane] += weight[g, lane] * r - shift[g, lane]
                    two[lane] += weight[g, lane]
                row += NEXT
            for lane in range(lanes):
                now = one[lane] / two[lane]
                change[lane] += (now - score[s, lane]) ** 2
                score[s, lane] = now


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
        fits += len(names)
        late += _fit_without_each(
            here,
            s_bounds,
            by_grader,
            k_bounds,
            local_grader,
            local_submission,
            prior,
            with_bias,
            by_grader_without,
        )
        for k in range(len(names)):
            group = a * layout.graders + names[k]
            for i in range(bounds[group], bounds[group + 1]):
                without[rows[i]] = by_grader_without[k_bounds[k] + i - bounds[group]]
    return without, fits, late
