"""Which reports belong together: by submission, and by grader within an assignment."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peergauge.acceleration import accelerated

Ints = NDArray[np.int32]
Bounds = NDArray[np.int64]
Floats = NDArray[np.float64]


@accelerated
def bounds_of_groups(group: Ints, groups: int) -> Bounds:
    """Where each group starts in a sorted column: group *g* is rows ``[b[g], b[g + 1])``."""
    return np.searchsorted(group, np.arange(groups + 1)).astype(np.int64)


@accelerated
def rows_by_grader(
    assignment: Ints, grader: Ints, assignments: int, graders: int
) -> tuple[Ints, Bounds]:
    """Rows ordered by (assignment, grader), and the bounds of those groups.

    The rows of grader *k* on assignment *a* are ``rows[b[a * graders + k] : b[a * graders + k + 1]]``
    and keep their order, which is by submission.
    """
    group = assignment.astype(np.int64) * graders + grader
    rows = np.argsort(group, kind="stable").astype(np.int32)
    return rows, np.searchsorted(group[rows], np.arange(assignments * graders + 1)).astype(np.int64)


@accelerated
def sum_parts(
    assignment: Ints, grader: Ints, part: Floats, assignments: int, graders: int
) -> Floats:
    """Sum the parts of each grader on each assignment; NaN where no part is a number."""
    total = np.full((assignments, graders), np.nan)
    payable = ~np.isnan(part)
    where = assignment[payable], grader[payable]
    total[where] = 0.0
    np.add.at(total, where, part[payable])
    return total


@accelerated
def share_equally(
    assignment: Ints, grader: Ints, part: Floats, assignments: int, graders: int
) -> Floats:
    """Divide each part by how many payable ones its grader has on the assignment.

    The sum of a grader's parts is then the mean of what went in.
    """
    payable = ~np.isnan(part)
    count = np.zeros((assignments, graders))
    np.add.at(count, (assignment[payable], grader[payable]), 1.0)
    shared = np.full(len(part), np.nan)
    shared[payable] = part[payable] / count[assignment[payable], grader[payable]]
    return shared
