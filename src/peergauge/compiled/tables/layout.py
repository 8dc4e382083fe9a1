"""Compiled functions of :mod:`peergauge.tables.layout`."""

import math

import numpy as np

from peergauge.compiled import compiled
from peergauge.core.arrays import Bounds, Floats, Ints


@compiled
def bounds_of_groups(group: Ints, groups: int) -> Bounds:
    bounds = np.empty(groups + 1, dtype=np.int64)
    begun = 0
    for row in range(len(group)):
        while begun <= group[row]:
            bounds[begun] = row
            begun += 1
    bounds[begun:] = len(group)
    return bounds


@compiled
def in_order(
    assignment: Ints,
    submission: Ints,
    grader: Ints,
    assignments: int,
    submissions: int,
    graders: int,
) -> bool:
    a, s, k = -1, -1, -1
    good = True
    for row in range(len(grader)):
        next_a, next_s, next_k = assignment[row], submission[row], grader[row]
        good &= 0 <= next_k < graders
        good &= next_a >= a
        good &= next_s > s or (next_s == s and next_k > k and next_a == a)
        a, s, k = next_a, next_s, next_k
    if len(grader) > 0:
        good &= assignment[0] >= 0 and submission[0] >= 0
    return good and a < assignments and s < submissions


# Indices are unsigned below, since Numba would check signed ones for counting from the end.


@compiled
def rows_by_grader(
    assignment: Ints, grader: Ints, assignments: int, graders: int
) -> tuple[Ints, Bounds, Ints]:
    bounds = np.zeros(assignments * graders + 1, dtype=np.int64)
    size, one = np.uint64(graders), np.uint64(1)
    for row in range(len(grader)):
        bounds[np.uint64(assignment[row]) * size + np.uint64(grader[row]) + one] += 1
    for g in range(assignments * graders):
        bounds[g + 1] += bounds[g]
    free = bounds[:-1].copy()
    rows = np.empty(len(grader), dtype=np.int32)
    place = np.empty(len(grader), dtype=np.int32)
    for row in range(len(grader)):
        group = np.uint64(assignment[row]) * size + np.uint64(grader[row])
        place[row] = free[group]
        rows[np.uint64(free[group])] = row
        free[group] += 1
    return rows, bounds, place


@compiled
def _sums(
    assignment: Ints, grader: Ints, part: Floats, assignments: int, graders: int
) -> tuple[Floats, Floats]:
    """Sum of the parts of each group that are not NaN, and their number."""
    total, count = np.zeros(assignments * graders), np.zeros(assignments * graders)
    size = np.uint64(graders)
    for row in range(len(part)):
        group = np.uint64(assignment[row]) * size + np.uint64(grader[row])
        payable = part[row] == part[row]
        count[group] += 1.0 if payable else 0.0
        total[group] += part[row] if payable else 0.0
    return total, count


@compiled
def _means(
    assignment: Ints, grader: Ints, part: Floats, count: Floats, graders: int
) -> tuple[Floats, Floats]:
    """Sum of the shares of each group in its mean, and the share of each row."""
    each, total, share = 1.0 / count, np.zeros(len(count)), np.empty(len(part))
    size = np.uint64(graders)
    for row in range(len(part)):
        group = np.uint64(assignment[row]) * size + np.uint64(grader[row])
        # Not read back from the array: Numba then takes fifteen times as long.
        own = part[row] * each[group]
        share[row] = own
        total[group] += 0.0 if math.isnan(own) else own
    return total, share


@compiled
def pay_parts(
    assignment: Ints, grader: Ints, part: Floats, assignments: int, graders: int, mean: bool
) -> tuple[Floats, Floats]:
    total, count = _sums(assignment, grader, part, assignments, graders)
    share = part
    if mean:
        total, share = _means(assignment, grader, part, count, graders)
    for g in range(len(count)):
        if count[g] == 0.0:
            total[g] = np.nan
    return total.reshape(assignments, graders), share


@compiled
def total_of_rows(amount: Floats) -> Floats:
    total = np.zeros(amount.shape[1])
    paid = np.zeros(amount.shape[1], dtype=np.bool_)
    for a in range(amount.shape[0]):
        for k in range(amount.shape[1]):
            known = amount[a, k] == amount[a, k]
            total[k] += amount[a, k] if known else 0.0
            paid[k] |= known
    for k in range(amount.shape[1]):
        if not paid[k]:
            total[k] = np.nan
    return total
