"""Twins of :mod:`peergauge.mechanisms.phi_divergence`."""

import numpy as np

from peergauge.grouping import Bounds, Floats, Ints
from peergauge.kernels import compiled


@compiled
def halve(
    submission_bounds: Bounds, submission: Ints, assignment_bounds: Bounds, uniform: Floats
) -> Ints:
    half = np.full(len(submission_bounds) - 1, -1, dtype=np.int32)
    tasks = np.empty(len(half), dtype=np.int32)
    for a in range(len(assignment_bounds) - 1):
        if assignment_bounds[a] == assignment_bounds[a + 1]:
            continue
        first = submission[assignment_bounds[a]]
        count = 0
        for s in range(first, submission[assignment_bounds[a + 1] - 1] + 1):
            if submission_bounds[s + 1] - submission_bounds[s] >= 2:
                tasks[count] = s
                count += 1
        if count < 2:
            continue
        for last in range(count - 1, 0, -1):
            other = int(uniform[first + last] * (last + 1))
            task = tasks[last]
            tasks[last] = tasks[other]
            tasks[other] = task
        for i in range(count):
            half[tasks[i]] = 0 if i < count // 2 else 1
    return half


@compiled
def log_ratio_of_other_half(
    half: Ints,
    level: Ints,
    levels: int,
    submission_bounds: Bounds,
    submission: Ints,
    assignment_bounds: Bounds,
) -> Floats:
    assignments = len(assignment_bounds) - 1
    table = np.full((assignments, 2, levels, levels), np.nan)
    joint = np.empty((2, levels, levels))
    marginal = np.empty((2, levels))
    for a in range(assignments):
        if assignment_bounds[a] == assignment_bounds[a + 1]:
            continue
        joint[:] = 0.0
        marginal[:] = 0.0
        tasks = np.zeros(2)
        first = submission[assignment_bounds[a]]
        for s in range(first, submission[assignment_bounds[a + 1] - 1] + 1):
            side = half[s]
            if side < 0:
                continue
            begin, end = submission_bounds[s], submission_bounds[s + 1]
            n = end - begin
            each = 1.0 / n
            pair = 1.0 / (n * (n - 1))
            tasks[side] += 1.0
            for x in range(begin, end):
                marginal[side, level[x]] += each
                for y in range(x + 1, end):
                    joint[side, level[x], level[y]] += pair
                    joint[side, level[y], level[x]] += pair
        for side in range(2):
            for x in range(levels):
                for y in range(levels):
                    product = marginal[1 - side, x] * marginal[1 - side, y]
                    if product > 0.0:
                        ratio = joint[1 - side, x, y] * tasks[1 - side] / product
                        table[a, side, x, y] = np.log(ratio)
    return table


@compiled
def score_by_table(
    one: Ints,
    two: Ints,
    penalty_one: Ints,
    penalty_two: Ints,
    reward: Floats,
    price: Floats,
    level: Ints,
    half: Ints,
    submission: Ints,
    assignment: Ints,
) -> Floats:
    score = np.empty(len(one))
    levels = reward.shape[3]
    earned, paid = reward.reshape(-1), price.reshape(-1)
    for pair in range(len(one)):
        x, y, p, q = one[pair], two[pair], penalty_one[pair], penalty_two[pair]
        # A pair that does not count has no penalty rows, and nobody will read its score.
        if half[submission[x]] >= 0 and p >= 0:
            table = (np.uint64(assignment[x]) * 2 + half[submission[x]]) * levels * levels
            bonus = np.uint64(table + level[x] * levels + level[y])
            penalty = np.uint64(table + level[p] * levels + level[q])
            score[pair] = earned[bonus] - paid[penalty]
        else:
            score[pair] = np.nan
    return score
