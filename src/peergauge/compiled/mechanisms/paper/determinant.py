"""Compiled functions of :mod:`peergauge.mechanisms.paper.determinant`."""

import numpy as np
from numpy.typing import NDArray

from peergauge.compiled import compiled, inlined
from peergauge.core.arrays import Bounds, Floats, Ints

GOLDEN_MULTIPLIER = 0x9E3779B97F4A7C15
"""2⁶⁴ over the golden ratio: multiplying by it spreads neighbouring numbers over a table."""


@inlined
def _word(
    high: NDArray[np.uint8], b0: np.uint64, b1: np.uint64, b2: np.uint64, b3: np.uint64
) -> np.uint64:
    """The bits of one member on four tasks."""
    low = np.uint64(high[b0]) | np.uint64(high[b1]) << np.uint64(1)
    up = np.uint64(high[b2]) | np.uint64(high[b3]) << np.uint64(1)
    return low | up << np.uint64(2)


@compiled
def _product(high: NDArray[np.uint8], begin: NDArray[np.int64], tasks: int, i: int, j: int) -> int:
    """The product of the two determinants of members *i* and *j*; halves are in order."""
    half = tasks // 2
    product = 1
    for side in range(2):
        count = np.zeros(4, dtype=np.int64)
        for t in range(0 if side == 0 else half, half if side == 0 else tasks):
            count[2 * high[begin[t] + i] + high[begin[t] + j]] += 1
        product *= count[0] * count[3] - count[1] * count[2]
    return product


def _products_of_four() -> NDArray[np.int64]:
    """The product for two members with four tasks, by the four bits of each."""
    x, y = np.divmod(np.arange(256), 16)
    product = np.ones(256, dtype=np.int64)
    for t in (0, 2):
        # With two tasks the determinant is 1 or -1 if both members distinguish them, 0 if not.
        product *= ((x >> t & 1) - (x >> t + 1 & 1)) * ((y >> t & 1) - (y >> t + 1 & 1))
    return product.reshape(16, 16)


PRODUCTS_OF_FOUR = _products_of_four()


@compiled
def products_of_determinants(
    grade: Floats,
    threshold: float,
    submission: Ints,
    grader: Ints,
    submission_bounds: Bounds,
    assignment_bounds: Bounds,
    graders: int,
    uniform: Floats,
) -> tuple[Floats, int]:
    assignments = len(assignment_bounds) - 1
    amount = np.full((assignments, graders), np.nan)
    paid = 0
    high = np.empty(len(grade), dtype=np.uint8)
    for row in range(len(grade)):
        high[row] = grade[row] >= threshold
    most = 0
    for a in range(assignments):
        if assignment_bounds[a + 1] > assignment_bounds[a]:
            begin, end = assignment_bounds[a], assignment_bounds[a + 1] - 1
            most = max(most, submission[end] - submission[begin] + 1)
    slots = 1
    while slots < 2 * most:
        slots *= 2
    # Groups of an assignment: a table of chains by a hash of their graders, and for each group
    # its first and last submission, how many there are, and from each submission the next.
    head = np.empty(slots, dtype=np.int32)
    chain = np.empty(most, dtype=np.int32)
    first = np.empty(most, dtype=np.int32)
    last = np.empty(most, dtype=np.int32)
    count = np.empty(most, dtype=np.int32)
    following = np.empty(len(submission_bounds), dtype=np.int32)
    task = np.empty(most, dtype=np.int32)
    begin_of = np.empty(most, dtype=np.int64)
    word = np.empty(4, dtype=np.uint64)
    for a in range(assignments):
        if assignment_bounds[a] == assignment_bounds[a + 1]:
            continue
        head[:] = -1
        groups = 0
        s_begin = submission[assignment_bounds[a]]
        s_end = submission[assignment_bounds[a + 1] - 1] + 1
        for s in range(s_begin, s_end):
            begin, size = submission_bounds[s], submission_bounds[s + 1] - submission_bounds[s]
            if size < 2:
                continue
            # Unsigned, since Numba would check signed indices for counting from the end.
            here = np.uint64(begin)
            mixed = np.uint64(grader[begin]) + (
                np.uint64(grader[begin + size - 1]) << np.uint64(32)
            )
            mixed = (mixed + np.uint64(grader[begin + size // 2])) * np.uint64(GOLDEN_MULTIPLIER)
            slot = (mixed >> np.uint64(40)) & np.uint64(slots - 1)
            group = int(head[slot])
            while group >= 0:
                known = np.uint64(first[np.uint64(group)])
                like = np.uint64(submission_bounds[known])
                if submission_bounds[known + np.uint64(1)] - submission_bounds[known] == size:
                    different = 0
                    for i in range(np.uint64(size)):
                        different |= grader[here + i] ^ grader[like + i]
                    if different == 0:
                        break
                group = int(chain[np.uint64(group)])
            if group < 0:
                group = groups
                groups += 1
                chain[group] = head[slot]
                head[slot] = group
                first[group] = s
                count[group] = 1
            else:
                following[np.uint64(last[np.uint64(group)])] = s
                count[np.uint64(group)] += 1
            last[np.uint64(group)] = s
        for group in range(groups):
            tasks = count[group]
            if tasks < 4:
                continue
            paid += 1
            s = first[group]
            for t in range(tasks):
                task[t] = s
                begin_of[t] = submission_bounds[s]
                s = following[s]
            for end in range(tasks - 1, 0, -1):
                other = int(uniform[task[end]] * (end + 1))
                moved = begin_of[end]
                begin_of[end] = begin_of[other]
                begin_of[other] = moved
            like = submission_bounds[task[0]]
            members = submission_bounds[task[0] + 1] - like
            if members > len(word):
                word = np.empty(members, dtype=np.uint64)
            if tasks == 4:
                b0, b1 = np.uint64(begin_of[0]), np.uint64(begin_of[1])
                b2, b3 = np.uint64(begin_of[2]), np.uint64(begin_of[3])
                for i in range(np.uint64(members)):
                    word[i] = _word(high, b0 + i, b1 + i, b2 + i, b3 + i)
            for i in range(members):
                earned = 0
                if tasks == 4:
                    for j in range(members):
                        earned += PRODUCTS_OF_FOUR[word[i], word[j]]
                    earned -= PRODUCTS_OF_FOUR[word[i], word[i]]
                else:
                    for j in range(members):
                        if i != j:
                            earned += _product(high, begin_of, tasks, i, j)
                so_far = amount[a, grader[like + i]]
                amount[a, grader[like + i]] = earned if np.isnan(so_far) else so_far + earned
    return amount, paid
