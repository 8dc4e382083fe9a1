"""Compiled functions of :mod:`peergauge.models.pg1`."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peergauge.compiled import compiled
from peergauge.core.arrays import Bounds, Floats, Ints
from peergauge.tables.layout import Layout


@compiled
def fit_assignment(
    grade: Floats,
    submission_bounds: Bounds,
    grade_by_grader: Floats,
    grader_bounds: Bounds,
    local_grader: NDArray[np.uint32],
    local_submission: NDArray[np.uint32],
    prior: Any,
    with_bias: bool,
    score: Floats,
    bias: Floats,
    reliability: Floats,
    checked: Floats | None,
) -> tuple[int, bool]:
    """Fit one assignment whose graders and submissions are numbered from 0.

    *grade* is in the order of submissions and *grade_by_grader* in that of graders, each with its
    own bounds; *local_grader* and *local_submission* say whose and of what they are. Scores,
    biases and reliabilities are written. *checked* has the scores that are known, NaN for others.
    """
    submissions, graders = len(submission_bounds) - 1, len(grader_bounds) - 1
    w_prior = math.sqrt(1.0 / prior.variance)
    prior_precision = 1.0 / prior.bias_variance
    # Weight and weight times bias of a grader side by side, since they are read together.
    pull = np.empty((graders, 2))
    total = np.empty(graders)
    squares = np.empty(graders)
    numerator = np.empty(submissions)
    denominator = np.empty(submissions)
    for k in range(graders):
        bias[k] = 0.0
        reliability[k] = prior.start_reliability
        pull[k, 0] = math.sqrt(prior.start_reliability)
        pull[k, 1] = 0.0
    for s in range(submissions):
        score[s] = prior.start_score
    for rounds in range(1, prior.most_rounds + 1):
        for s in range(submissions):
            top = w_prior * prior.mean
            bottom = w_prior
            begin, end = np.uint64(submission_bounds[s]), np.uint64(submission_bounds[s + 1])
            for row in range(begin, end):
                k = local_grader[row]
                top += pull[k, 0] * grade[row] - pull[k, 1]
                bottom += pull[k, 0]
            if checked is not None:  # noqa: SIM102 - Numba leaves the outer branch out
                if not math.isnan(checked[s]):
                    top, bottom = checked[s], 1.0
            numerator[s] = top
            denominator[s] = bottom
        for s in range(submissions):
            now = numerator[s] / denominator[s]
            numerator[s] = (now - score[s]) ** 2
            score[s] = now
        change = 0.0
        for s in range(submissions):
            change += numerator[s]
        for k in range(graders):
            one = two = 0.0
            begin, end = np.uint64(grader_bounds[k]), np.uint64(grader_bounds[k + 1])
            for row in range(begin, end):
                distance = grade_by_grader[row] - score[local_submission[row]]
                one += distance
                two += distance * distance
            total[k] = one
            squares[k] = two
        for k in range(graders):
            n = float(grader_bounds[k + 1] - grader_bounds[k])
            if with_bias:
                bias[k] = reliability[k] * total[k] / (prior_precision + n * reliability[k])
            residual = squares[k] - 2.0 * bias[k] * total[k] + n * bias[k] * bias[k]
            reliability[k] = (prior.shape + 0.5 * n) / (prior.rate + 0.5 * max(residual, 0.0))
            pull[k, 0] = math.sqrt(reliability[k])
            pull[k, 1] = pull[k, 0] * bias[k]
        if math.sqrt(change) <= prior.tolerance:
            return rounds, True
    return prior.most_rounds, False


@compiled
def local_layout(
    grade: Floats, layout: Layout, a: int
) -> tuple[Floats, Bounds, Floats, Bounds, NDArray[np.uint32], NDArray[np.uint32], Ints, int]:
    """Number the graders and submissions of assignment *a* from 0, and copy its reports."""
    grader, submission, graders = layout.grader, layout.submission, layout.graders
    rows, bounds = layout.rows, layout.bounds
    begin, end = layout.assignment_bounds[a], layout.assignment_bounds[a + 1]
    first, last = submission[begin], submission[end - 1]
    local_bounds = layout.submission_bounds[first : last + 2] - begin
    local_grade = grade[begin:end].copy()
    present = 0
    number = np.empty(graders, dtype=np.int32)
    for k in range(graders):
        if bounds[a * graders + k + 1] > bounds[a * graders + k]:
            number[k] = present
            present += 1
    names = np.empty(present, dtype=np.int32)
    grader_bounds = np.empty(present + 1, dtype=np.int64)
    by_grader = np.empty(end - begin)
    # Unsigned, since Numba would check signed ones for counting from the end.
    local_submission = np.empty(end - begin, dtype=np.uint32)
    at = 0
    for k in range(graders):
        one, two = bounds[a * graders + k], bounds[a * graders + k + 1]
        if two > one:
            names[number[k]] = k
            grader_bounds[number[k]] = at
            for i in range(one, two):
                by_grader[at] = grade[rows[i]]
                local_submission[at] = submission[rows[i]] - first
                at += 1
    grader_bounds[present] = at
    local_grader = np.empty(end - begin, dtype=np.uint32)
    for row in range(begin, end):
        local_grader[row - begin] = number[grader[row]]
    return (
        local_grade,
        local_bounds,
        by_grader,
        grader_bounds,
        local_grader,
        local_submission,
        names,
        first,
    )


@compiled
def fit_pg1(
    grade: Floats, layout: Layout, prior: Any, with_bias: bool, checked: Floats | None = None
) -> tuple[Floats, Floats, Floats, NDArray[np.int64], NDArray[np.bool_]]:
    assignments = len(layout.assignment_bounds) - 1
    scores = np.full(len(layout.submission_bounds) - 1, prior.mean)
    if checked is not None:
        for s in range(len(scores)):
            if not math.isnan(checked[s]):
                scores[s] = checked[s]
    biases = np.full((assignments, layout.graders), np.nan)
    reliabilities = np.full((assignments, layout.graders), np.nan)
    rounds = np.zeros(assignments, dtype=np.int64)
    converged = np.ones(assignments, dtype=np.bool_)
    for a in range(assignments):
        if layout.assignment_bounds[a] == layout.assignment_bounds[a + 1]:
            continue
        here, s_bounds, by_grader, k_bounds, local_grader, local_submission, names, first = (
            local_layout(grade, layout, a)
        )
        bias = np.empty(len(names))
        reliability = np.empty(len(names))
        there = slice(first, first + len(s_bounds) - 1)
        rounds[a], converged[a] = fit_assignment(
            here,
            s_bounds,
            by_grader,
            k_bounds,
            local_grader,
            local_submission,
            prior,
            with_bias,
            scores[there],
            bias,
            reliability,
            None if checked is None else checked[there],
        )
        for k in range(len(names)):
            biases[a, names[k]] = bias[k]
            reliabilities[a, names[k]] = reliability[k]
    return scores, biases, reliabilities, rounds, converged
