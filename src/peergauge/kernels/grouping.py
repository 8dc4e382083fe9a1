"""Twins of :mod:`peergauge.grouping`."""

import numpy as np

from peergauge.grouping import Bounds, Floats, Ints
from peergauge.kernels import compiled


@compiled
def bounds_of_groups(group: Ints, groups: int) -> Bounds:
    bounds = np.zeros(groups + 1, dtype=np.int64)
    row, rows = 0, len(group)
    for g in range(groups):
        bounds[g] = row
        while row < rows and group[row] == g:
            row += 1
    bounds[groups] = rows
    return bounds


@compiled
def rows_by_grader(
    assignment: Ints, grader: Ints, assignments: int, graders: int
) -> tuple[Ints, Bounds]:
    bounds = np.zeros(assignments * graders + 1, dtype=np.int64)
    for row in range(len(grader)):
        bounds[np.int64(assignment[row]) * graders + grader[row] + 1] += 1
    for g in range(assignments * graders):
        bounds[g + 1] += bounds[g]
    place = bounds[:-1].copy()
    rows = np.empty(len(grader), dtype=np.int32)
    for row in range(len(grader)):
        group = np.int64(assignment[row]) * graders + grader[row]
        rows[place[group]] = row
        place[group] += 1
    return rows, bounds


@compiled
def sum_parts(
    assignment: Ints, grader: Ints, part: Floats, assignments: int, graders: int
) -> Floats:
    total = np.full((assignments, graders), np.nan)
    for row in range(len(part)):
        amount = part[row]
        if not np.isnan(amount):
            a, k = assignment[row], grader[row]
            so_far = total[a, k]
            total[a, k] = amount if np.isnan(so_far) else so_far + amount
    return total


@compiled
def share_equally(
    assignment: Ints, grader: Ints, part: Floats, assignments: int, graders: int
) -> Floats:
    count = np.zeros((assignments, graders))
    for row in range(len(part)):
        if not np.isnan(part[row]):
            count[assignment[row], grader[row]] += 1.0
    shared = np.empty(len(part))
    for row in range(len(part)):
        shared[row] = part[row] / count[assignment[row], grader[row]]
    return shared
