"""Compiled functions of :mod:`peergauge.mechanisms.literature.correlated_agreement`."""

import numpy as np

from peergauge.compiled import compiled
from peergauge.core.arrays import Floats, Ints
from peergauge.mechanisms.literature.correlated_agreement import MIN_EXCESS_PROBABILITY
from peergauge.tables.layout import Layout


@compiled
def _count(joint: Floats, marginal: Floats, level: Ints, begin: int, end: int) -> float:
    """Count the reports on a submission, and return the number of tasks that this adds."""
    n = end - begin
    if n < 2:
        return 0.0
    each, pair = 1.0 / n, 1.0 / (n * (n - 1))
    for one in range(np.uint64(begin), np.uint64(end)):
        x = np.uint32(level[one])
        marginal[x] += each
        for two in range(one + np.uint64(1), np.uint64(end)):
            y = np.uint32(level[two])
            joint[x, y] += pair
            joint[y, x] += pair
    return 1.0


@compiled
def _leave_out(
    joint: Floats, marginal: Floats, level: Ints, begin: int, end: int, own: np.uint64, sign: float
) -> float:
    """Take one report on a submission out of the counts, or put it back by a *sign* of -1.

    The other reports then weigh as if it did not exist. Returns the number of tasks that this adds.
    """
    n = end - begin
    if n < 2:
        return 0.0
    each, pair = -sign / n, -sign / (n * (n - 1))
    rest = pair_of_rest = 0.0
    if n > 2:
        rest, pair_of_rest = sign / (n - 1), sign / ((n - 1) * (n - 2))
    for one in range(np.uint64(begin), np.uint64(end)):
        x = np.uint32(level[one])
        marginal[x] += each if one == own else each + rest
        for two in range(one + np.uint64(1), np.uint64(end)):
            y = np.uint32(level[two])
            change = pair if own in (one, two) else pair + pair_of_rest
            joint[x, y] += change
            joint[y, x] += change
    return 0.0 if n > 2 else -sign


@compiled
def correlated_agreement(layout: Layout, level: Ints, levels: int) -> Floats:
    # Taken out of the tuple once, since Numba counts references every time.
    task, grader, rows = layout.submission, layout.grader, layout.rows
    bounds, s_bounds, a_bounds = layout.bounds, layout.submission_bounds, layout.assignment_bounds
    graders = layout.graders
    part = np.full(len(level), np.nan)
    joint, marginal = np.empty((levels, levels)), np.empty(levels)
    for a in range(len(a_bounds) - 1):
        if a_bounds[a] == a_bounds[a + 1]:
            continue
        joint[:], marginal[:] = 0.0, 0.0
        tasks = 0.0
        for s in range(task[a_bounds[a]], task[a_bounds[a + 1] - 1] + 1):
            tasks += _count(joint, marginal, level, s_bounds[s], s_bounds[s + 1])
        for group in range(np.uint64(a * graders), np.uint64((a + 1) * graders)):
            own_begin, own_end = np.uint64(bounds[group]), np.uint64(bounds[group + np.uint64(1)])
            if own_end - own_begin < 2:
                continue
            left = tasks
            for i in range(own_begin, own_end):
                row = np.uint64(rows[i])
                begin, end = s_bounds[task[row]], s_bounds[task[row] + 1]
                left += _leave_out(joint, marginal, level, begin, end, row, 1.0)
            least, each = MIN_EXCESS_PROBABILITY * left, 1.0 / max(left, 1.0)
            for i in range(own_begin, own_end):
                row = np.uint64(rows[i])
                x_row = np.uint32(level[row])
                earned, counted = 0.0, 0.0
                begin = np.uint64(s_bounds[task[row]])
                for peer in range(begin, np.uint64(s_bounds[task[row] + 1])):
                    if peer == row:
                        continue
                    theirs = np.uint64(a * graders + grader[peer])
                    their_begin = np.uint64(bounds[theirs])
                    their_end = np.uint64(bounds[theirs + np.uint64(1)])
                    chance, valid = 0, 0
                    for j in range(own_begin, own_end):
                        p = np.uint32(rows[j])
                        if p == row:
                            continue
                        x = np.uint32(level[p])
                        usual, not_here = marginal[x] * each, task[p]
                        for k in range(their_begin, their_end):
                            q = np.uint32(rows[k])
                            y = np.uint32(level[q])
                            counts = (q != peer) & (task[q] != not_here)
                            valid += counts
                            chance += counts & (joint[x, y] - usual * marginal[y] > least)
                    if valid > 0:
                        y = np.uint32(level[peer])
                        bonus = joint[x_row, y] - marginal[x_row] * marginal[y] * each > least
                        earned += bonus - chance / valid
                        counted += 1.0
                if counted > 0.0:
                    part[row] = earned / counted
            for i in range(own_begin, own_end):
                row = np.uint64(rows[i])
                begin, end = s_bounds[task[row]], s_bounds[task[row] + 1]
                _leave_out(joint, marginal, level, begin, end, row, -1.0)
    return part
