"""Compiled functions of :mod:`peergauge.mechanisms.paper.phi_divergence`."""

import numpy as np

from peergauge.compiled import compiled
from peergauge.compiled.mechanisms.shared.pairing import most_graders
from peergauge.core.arrays import Bounds, Floats, Ints
from peergauge.mechanisms.shared.pairing import Pairings


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
def mean_score_by_table(
    pairs: Pairings,
    assignment: Ints,
    submission_bounds: Bounds,
    level: Ints,
    half: Ints,
    reward: Floats,
    price: Floats,
    floor: float,
) -> Floats:
    # Taken out of the tuple once, since Numba counts references every time.
    penalty_one, penalty_two = pairs.penalty_one, pairs.penalty_two
    part = np.full(len(level), np.nan)
    levels = reward.shape[3]
    earned, paid = reward.reshape(-1), price.reshape(-1)
    most = most_graders(submission_bounds)
    total, times = np.empty(most), np.empty(most)
    at = np.uint64(0)
    for s in range(len(submission_bounds) - 1):
        begin = np.uint64(submission_bounds[s])
        graders = np.uint64(submission_bounds[s + 1]) - begin
        if half[s] < 0:
            at += graders * (graders - np.uint64(1)) // np.uint64(2)
            continue
        table = (np.int64(assignment[begin]) * 2 + half[s]) * levels * levels
        for x in range(graders):
            total[x] = times[x] = 0.0
        for x in range(graders):
            row = table + level[begin + x] * levels
            # Kept out of the inner loop by hand: for all Numba knows, total might overlap them.
            earned_by_x = counted = 0.0
            for y in range(x + np.uint64(1), graders):
                p, q = penalty_one[at], penalty_two[at]
                at += np.uint64(1)
                if p >= 0:
                    bonus = earned[np.uint64(row + level[begin + y])]
                    cell = table + level[np.uint32(p)] * levels + level[np.uint32(q)]
                    score = max(bonus - paid[np.uint64(cell)], floor)
                    earned_by_x += score
                    counted += 1.0
                    total[y] += score
                    times[y] += 1.0
            total[x] += earned_by_x
            times[x] += counted
        for x in range(graders):
            if times[x] > 0.0:
                part[begin + x] = total[x] / times[x]
    return part
