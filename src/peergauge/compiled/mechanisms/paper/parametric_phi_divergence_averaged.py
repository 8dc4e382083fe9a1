"""Compiled functions of :mod:`peergauge.mechanisms.paper.parametric_phi_divergence_averaged`."""

import math

import numpy as np

from peergauge.compiled import compiled, inlined
from peergauge.compiled.mechanisms.paper.parametric_phi_divergence import CHI2, KL, TVD
from peergauge.compiled.mechanisms.shared.pairing import most_graders
from peergauge.core.arrays import Floats
from peergauge.mechanisms.shared.pairing import KINK_TOLERANCE
from peergauge.tables.layout import Layout


@inlined
def _bonus(log_ratio: float, kind: int) -> float:
    if kind == TVD:
        return 0.0 if abs(log_ratio) < KINK_TOLERANCE else math.copysign(0.5, log_ratio)
    if kind == KL:
        return 1.0 + log_ratio
    if kind == CHI2:
        return 2.0 * math.exp(log_ratio)
    return 1.0 - math.exp(-0.5 * log_ratio)


@inlined
def _penalty(log_ratio: float, kind: int) -> float:
    if kind == TVD:
        return 0.0 if abs(log_ratio) < KINK_TOLERANCE else math.copysign(0.5, log_ratio)
    if kind == KL:
        return math.exp(log_ratio)
    if kind == CHI2:
        return math.exp(2.0 * log_ratio) + 1.0
    return math.exp(0.5 * log_ratio) - 1.0


@compiled
def mean_score_over_penalties(
    layout: Layout, deviation: Floats, variance: float, noise: float, kind: int
) -> Floats:
    v = variance + noise
    determinant = v**2 - variance**2
    constant = 0.5 * math.log(v**2 / determinant)
    square = variance**2 / v / (2 * determinant)
    product = variance / determinant
    # Taken out of the tuple once, since Numba counts references every time.
    task, grader, rows, bounds = layout.submission, layout.grader, layout.rows, layout.bounds
    assignment, s_bounds = layout.assignment, layout.submission_bounds
    # The tasks of a grader and their deviations, side by side.
    tasks = np.empty(len(rows), dtype=np.int32)
    ordered = np.empty(len(rows))
    for i in range(np.uint64(len(rows))):
        tasks[i] = task[np.uint32(rows[i])]
        ordered[i] = deviation[np.uint32(rows[i])]
    part = np.full(len(deviation), np.nan)
    most = most_graders(s_bounds)
    total, times = np.empty(most), np.empty(most)
    for s in range(len(s_bounds) - 1):
        begin = np.uint64(s_bounds[s])
        graders = np.uint64(s_bounds[s + 1]) - begin
        if graders < 2:
            continue
        first_group = np.int64(assignment[begin]) * layout.graders
        total[:], times[:] = 0.0, 0.0
        for x in range(graders):
            group = np.uint64(first_group + grader[begin + x])
            x_begin, x_end = np.uint64(bounds[group]), np.uint64(bounds[group + np.uint64(1)])
            one = deviation[begin + x]
            for y in range(x + np.uint64(1), graders):
                group = np.uint64(first_group + grader[begin + y])
                y_begin, y_end = np.uint64(bounds[group]), np.uint64(bounds[group + np.uint64(1)])
                price, valid = 0.0, 0
                for i in range(x_begin, x_end):
                    p, at = ordered[i], tasks[i]
                    if at == s:
                        continue
                    for j in range(y_begin, y_end):
                        if tasks[j] != s and tasks[j] != at:
                            q = ordered[j]
                            log_ratio = constant - square * (p * p + q * q) + product * p * q
                            price += _penalty(log_ratio, kind)
                            valid += 1
                if valid > 0:
                    two = deviation[begin + y]
                    log_ratio = constant - square * (one * one + two * two) + product * one * two
                    score = _bonus(log_ratio, kind) - price / valid
                    total[x] += score
                    times[x] += 1.0
                    total[y] += score
                    times[y] += 1.0
        for x in range(graders):
            if times[x] > 0.0:
                part[begin + x] = total[x] / times[x]
    return part
