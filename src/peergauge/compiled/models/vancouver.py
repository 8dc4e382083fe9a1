"""Compiled functions of :mod:`peergauge.models.vancouver`."""

import numpy as np
from numpy.typing import NDArray

from peergauge.compiled import compiled
from peergauge.core.arrays import Bounds, Floats
from peergauge.models.vancouver import Passed
from peergauge.tables.layout import Layout

# Messages are pairs of a grade and a variance. Those to submissions stand in the order of reports,
# those to graders in the order of graders, so that every step reads along and writes across.
#
# The messages of all others are summed from both sides: a group of any size takes one pass forward
# and one backward, and no small number is subtracted from a large sum, which would lose digits.


@compiled
def _room(bounds: Bounds) -> int:
    largest = 1
    for g in range(len(bounds) - 1):
        largest = max(largest, bounds[g + 1] - bounds[g])
    return largest


@compiled
def _tell_graders(
    bounds: Bounds, place: NDArray[np.int32], said: Floats, epsilon: float, after: Floats,
    told: Floats,
) -> None:  # fmt: skip
    """Every submission to its graders; *after* is room for weights and sums from behind."""
    for s in range(len(bounds) - 1):
        # Unsigned, since Numba would check signed indices for counting from the end.
        begin, size = np.uint64(bounds[s]), np.uint64(bounds[s + 1] - bounds[s])
        if size == 1:
            to = np.uint64(place[begin])
            told[to, 0] = said[begin, 0]
            told[to, 1] = said[begin, 1]
            continue
        one = two = three = 0.0
        for back in range(size):
            j = size - np.uint64(1) - back
            after[j, 0] = one
            after[j, 1] = two
            after[j, 2] = three
            w = 1.0 / (epsilon + said[begin + j, 1])
            after[j, 3] = w
            one += w
            two += w * said[begin + j, 0]
            three += w * w * said[begin + j, 1]
        one = two = three = 0.0
        for k in range(size):
            j = np.uint64(k)
            to = np.uint64(place[begin + j])
            each = 1.0 / (one + after[j, 0])
            told[to, 0] = (two + after[j, 1]) * each
            told[to, 1] = (three + after[j, 2]) * each * each
            w = after[j, 3]
            one += w
            two += w * said[begin + j, 0]
            three += w * w * said[begin + j, 1]


@compiled
def _tell_submissions(
    grade: Floats, rows: NDArray[np.int32], bounds: Bounds, told: Floats, epsilon: float,
    debias: bool, after: Floats, said: Floats,
) -> None:  # fmt: skip
    """Every grader to their submissions; *grade* is in the order of graders."""
    for g in range(len(bounds) - 1):
        begin, size = np.uint64(bounds[g]), np.uint64(bounds[g + 1] - bounds[g])
        if size == 1:
            to = np.uint64(rows[begin])
            off = grade[begin] - told[begin, 0]
            bias = off if debias else 0.0
            said[to, 0] = grade[begin] - bias
            said[to, 1] = (off - bias) ** 2
            continue
        # Biases are counted from a middle, so that squares do not cancel far from it.
        middle = 0.0
        if debias:
            one = two = 0.0
            for k in range(size):
                j = np.uint64(k)
                w = 1.0 / (epsilon + told[begin + j, 1])
                one += w
                two += w * (grade[begin + j] - told[begin + j, 0])
            middle = two / one
        one = two = three = 0.0
        for back in range(size):
            j = size - np.uint64(1) - back
            after[j, 0] = one
            after[j, 1] = two
            after[j, 2] = three
            w = 1.0 / (epsilon + told[begin + j, 1])
            off = grade[begin + j] - told[begin + j, 0] - middle
            after[j, 3] = w
            one += w
            two += w * off
            three += w * off * off
        one = two = three = 0.0
        for k in range(size):
            j = np.uint64(k)
            to = np.uint64(rows[begin + j])
            each = 1.0 / (one + after[j, 0])
            bias = (two + after[j, 1]) * each if debias else 0.0
            said[to, 0] = grade[begin + j] - middle - bias
            said[to, 1] = max((three + after[j, 2]) * each - bias * bias, 0.0)
            w = after[j, 3]
            off = grade[begin + j] - told[begin + j, 0] - middle
            one += w
            two += w * off
            three += w * off * off


@compiled
def fit_vancouver(
    grade: Floats, layout: Layout, rounds: int, epsilon: float, start: float, debias: bool
) -> Passed:
    rows, groups, place = layout.rows, layout.bounds, layout.place
    bounds = layout.submission_bounds
    by_grader = grade[rows]
    said, told = np.empty((len(grade), 2)), np.empty((len(grade), 2))
    said[:, 0] = grade
    said[:, 1] = start
    after = np.empty((max(_room(bounds), _room(groups)), 4))
    moved = np.full(len(grade), np.inf)
    for r in range(rounds):
        if r == rounds - 1 and r > 0:
            moved[:] = told[:, 0]
        _tell_graders(bounds, place, said, epsilon, after, told)
        _tell_submissions(by_grader, rows, groups, told, epsilon, debias, after, said)
    moved = np.abs(told[:, 0] - moved)[place]
    score = np.full(len(bounds) - 1, np.nan)
    score_variance = np.full(len(bounds) - 1, np.nan)
    weight = np.full(len(grade), np.nan)
    for s in range(len(bounds) - 1):
        one = two = three = 0.0
        for row in range(bounds[s], bounds[s + 1]):
            w = 1.0 / (epsilon + said[row, 1])
            one += w
            two += w * said[row, 0]
            three += w * w * said[row, 1]
        if one > 0.0:
            score[s] = two / one
            score_variance[s] = three / (one * one)
            for row in range(bounds[s], bounds[s + 1]):
                weight[row] = 1.0 / (epsilon + said[row, 1]) / one
    bias = np.full(len(groups) - 1, np.nan)
    variance = np.full(len(groups) - 1, np.nan)
    for g in range(len(groups) - 1):
        one = two = three = 0.0
        for i in range(groups[g], groups[g + 1]):
            w = 1.0 / (epsilon + told[i, 1])
            one += w
            two += w * (by_grader[i] - told[i, 0])
        if one > 0.0:
            bias[g] = two / one if debias else 0.0
            for i in range(groups[g], groups[g + 1]):
                distance = by_grader[i] - bias[g] - score[layout.submission[rows[i]]]
                three += distance * distance / (epsilon + told[i, 1])
            variance[g] = three / one
    return Passed(score, score_variance, bias, variance, moved, weight, said[:, 0].copy())
