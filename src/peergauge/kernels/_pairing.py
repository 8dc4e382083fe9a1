"""Twins of :mod:`peergauge.mechanisms._pairing`."""

import numpy as np

from peergauge.grouping import Bounds, Floats, Ints
from peergauge.kernels import compiled


@compiled
def pair_up(
    submission_bounds: Bounds,
    assignment: Ints,
    submission: Ints,
    grader: Ints,
    graders: int,
    rows: Ints,
    bounds: Bounds,
    uniform: Floats,
) -> tuple[Ints, Ints, Ints, Ints]:
    pairs = len(uniform)
    one, two = np.empty(pairs, dtype=np.int32), np.empty(pairs, dtype=np.int32)
    penalty_one = np.full(pairs, -1, dtype=np.int32)
    penalty_two = np.full(pairs, -1, dtype=np.int32)
    # Where each report stands in its grader's list of tasks, where that begins, how long it is.
    place_of = np.empty((len(rows), 3), dtype=np.int32)
    task = np.empty(len(rows), dtype=np.int32)
    for group in range(len(bounds) - 1):
        for i in range(bounds[group], bounds[group + 1]):
            place_of[rows[i], 0] = i
            place_of[rows[i], 1] = bounds[group]
            place_of[rows[i], 2] = bounds[group + 1] - bounds[group]
            task[i] = submission[rows[i]]
    at = 0
    for s in range(len(submission_bounds) - 1):
        begin, end = submission_bounds[s], submission_bounds[s + 1]
        for x in range(begin, end):
            x_own, x_begin, x_tasks = place_of[x, 0], place_of[x, 1], place_of[x, 2]
            for y in range(x + 1, end):
                one[at] = x
                two[at] = y
                y_own, y_begin, y_tasks = place_of[y, 0], place_of[y, 1], place_of[y, 2]
                if x_tasks > 1 and y_tasks > 1:
                    place = uniform[at] * (x_tasks - 1)
                    i = int(place)
                    place = (place - i) * (y_tasks - 1)
                    j = int(place)
                    place -= j
                    # Step over the bonus task.
                    i += x_begin
                    i += i >= x_own
                    j += y_begin
                    j += j >= y_own
                    if task[i] != task[j]:
                        penalty_one[at] = rows[i]
                        penalty_two[at] = rows[j]
                    else:
                        valid = 0
                        for p in range(x_begin, x_begin + x_tasks):
                            for q in range(y_begin, y_begin + y_tasks):
                                valid += p != x_own and q != y_own and task[p] != task[q]
                        left = int(place * valid)
                        for p in range(x_begin, x_begin + x_tasks):
                            for q in range(y_begin, y_begin + y_tasks):
                                if p != x_own and q != y_own and task[p] != task[q]:
                                    if left == 0:
                                        penalty_one[at] = rows[p]
                                        penalty_two[at] = rows[q]
                                    left -= 1
                at += 1
    return one, two, penalty_one, penalty_two


@compiled
def mean_over_pairings(
    one: Ints, two: Ints, penalty_one: Ints, score: Floats, reports: int
) -> Floats:
    total = np.zeros(reports)
    times = np.zeros(reports, dtype=np.int32)
    for pair in range(len(one)):
        if penalty_one[pair] >= 0:
            total[one[pair]] += score[pair]
            total[two[pair]] += score[pair]
            times[one[pair]] += 1
            times[two[pair]] += 1
    for row in range(reports):
        total[row] = total[row] / times[row] if times[row] > 0 else np.nan
    return total
