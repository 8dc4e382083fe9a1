"""Compiled functions of :mod:`peergauge.mechanisms.shared.pairing`, and helpers of Φ-Div."""

import numpy as np

from peergauge.compiled import compiled
from peergauge.core.arrays import Bounds, Floats, Ints
from peergauge.mechanisms.shared.pairing import Pairings
from peergauge.tables.layout import Layout


@compiled
def most_graders(bounds: Bounds) -> int:
    """The largest number of graders that a submission has."""
    most = 0
    for s in range(len(bounds) - 1):
        most = max(most, bounds[s + 1] - bounds[s])
    return most


@compiled
def _valid_penalty(
    task: Ints,
    rows: Ints,
    digits: float,
    x_begin: int,
    x_others: int,
    x_own: int,
    y_begin: int,
    y_others: int,
    y_own: int,
) -> tuple[np.int32, np.int32]:
    """One of all valid pairs of penalty tasks, chosen by *digits*; -1 if there is none."""
    valid = 0
    for i in range(x_begin, x_begin + x_others + 1):
        for j in range(y_begin, y_begin + y_others + 1):
            valid += i != x_own and j != y_own and task[rows[i]] != task[rows[j]]
    left = int(digits * valid)
    for i in range(x_begin, x_begin + x_others + 1):
        for j in range(y_begin, y_begin + y_others + 1):
            if i != x_own and j != y_own and task[rows[i]] != task[rows[j]]:
                if left == 0:
                    return rows[i], rows[j]
                left -= 1
    return np.int32(-1), np.int32(-1)


@compiled
def _another_penalty(
    layout: Layout, uniform: float, one: int, two: int
) -> tuple[np.int32, np.int32]:
    """Rows of the penalty tasks of a pair whose first draw was one submission twice; -1 if none."""
    bounds, place = layout.bounds, layout.place
    first_group = np.int64(layout.assignment[one]) * layout.graders
    x, y = first_group + layout.grader[one], first_group + layout.grader[two]
    x_others, y_others = bounds[x + 1] - bounds[x] - 1, bounds[y + 1] - bounds[y] - 1
    digits = uniform * x_others
    digits = (digits - int(digits)) * y_others
    return _valid_penalty(
        layout.submission,
        layout.rows,
        digits - int(digits),
        bounds[x],
        x_others,
        place[one],
        bounds[y],
        y_others,
        place[two],
    )


@compiled
def pair_up(layout: Layout, uniform: Floats) -> Pairings:
    # Taken out of the tuple once, since Numba counts references every time.
    task, grader, rows, place = layout.submission, layout.grader, layout.rows, layout.place
    assignment, bounds, s_bounds = layout.assignment, layout.bounds, layout.submission_bounds
    one, two = np.empty(len(uniform), dtype=np.int32), np.empty(len(uniform), dtype=np.int32)
    penalty_one = np.full(len(uniform), -1, dtype=np.int32)
    penalty_two = np.full(len(uniform), -1, dtype=np.int32)
    # Pairs that drew one submission twice; the few of them would slow down the loop.
    clashes, clashing = np.empty(len(uniform), dtype=np.int64), 0
    most = most_graders(s_bounds)
    tasks_begin, others = np.empty(most, dtype=np.int64), np.empty(most, dtype=np.int64)
    at = np.uint64(0)
    for s in range(len(s_bounds) - 1):
        begin, graders = np.uint64(s_bounds[s]), s_bounds[s + 1] - s_bounds[s]
        if graders < 2:
            continue
        first_group = np.int64(assignment[begin]) * layout.graders
        for x in range(np.uint64(graders)):
            group = np.uint64(first_group + grader[begin + x])
            tasks_begin[x] = bounds[group]
            others[x] = bounds[group + np.uint64(1)] - bounds[group] - 1
        for x in range(np.uint64(graders)):
            x_begin, x_others, x_own = tasks_begin[x], others[x], place[begin + x]
            for y in range(x + np.uint64(1), np.uint64(graders)):
                y_begin, y_others, y_own = tasks_begin[y], others[y], place[begin + y]
                one[at], two[at] = begin + x, begin + y
                if x_others > 0 and y_others > 0:
                    digits = uniform[at] * x_others
                    i = int(digits)
                    j = int((digits - i) * y_others)
                    # Step over the bonus task.
                    i += x_begin
                    i += i >= x_own
                    j += y_begin
                    j += j >= y_own
                    # Unsigned, since Numba would check signed indices for counting from the end.
                    p, q = rows[np.uint64(i)], rows[np.uint64(j)]
                    penalty_one[at], penalty_two[at] = p, q
                    if task[np.uint32(p)] == task[np.uint32(q)]:
                        clashes[clashing] = at
                        clashing += 1
                at += np.uint64(1)
    for pair in clashes[:clashing]:
        penalty_one[pair], penalty_two[pair] = _another_penalty(
            layout, uniform[pair], one[pair], two[pair]
        )
    return Pairings(one, two, penalty_one, penalty_two)
