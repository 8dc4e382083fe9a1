"""Groups of reports, by submission and by grader within an assignment."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Bounds, Floats, Ints
from peergauge.core.brief import brief


class Layout(NamedTuple):
    """The design of reports as arrays for kernels; see :class:`peergauge.Reports` for the columns.

    ``rows`` lists the rows of each grader on each assignment, ``bounds`` contains the start of each
    of these lists, and ``place`` the position of each row in them: see :func:`rows_by_grader`.

    Examples
    --------
    >>> import peergauge
    >>> layout = peergauge.simulate(students=6, assignments=2, graders=3, seed=1).reports.layout
    >>> first = layout.rows[layout.bounds[0] : layout.bounds[1]]
    >>> layout.grader[first]
    array([0, 0, 0], dtype=int32)
    """

    assignment: Ints
    submission: Ints
    grader: Ints
    submission_bounds: Bounds
    assignment_bounds: Bounds
    rows: Ints
    bounds: Bounds
    place: Ints
    graders: int

    def __repr__(self) -> str:
        return brief(self)


@accelerated
def bounds_of_groups(group: Ints, groups: int) -> Bounds:
    """Bounds of the groups in a sorted column: group *g* is rows ``[b[g], b[g + 1])``."""
    return np.searchsorted(group, np.arange(groups + 1)).astype(np.int64)


@accelerated
def in_order(
    assignment: Ints,
    submission: Ints,
    grader: Ints,
    assignments: int,
    submissions: int,
    graders: int,
) -> bool:
    """Whether rows are numbered from 0 and sorted, and each submission has one assignment."""
    for column, count in (
        (assignment, assignments),
        (submission, submissions),
        (grader, graders),
    ):
        if len(column) and (column.min() < 0 or column.max() >= count):
            return False
    onward, along, across = np.diff(assignment), np.diff(submission), np.diff(grader)
    ordered = (along > 0) | ((along == 0) & (across > 0) & (onward == 0))
    return bool(ordered.all() and (onward >= 0).all())


@accelerated
def rows_by_grader(
    assignment: Ints, grader: Ints, assignments: int, graders: int
) -> tuple[Ints, Bounds, Ints]:
    """Rows ordered by (assignment, grader), the bounds of these groups, and each row's position.

    With ``g = a * graders + k``, the rows of grader *k* on assignment *a* are
    ``rows[b[g] : b[g + 1]]`` and keep their order, which is by submission; ``rows[place[i]]`` is
    ``i``.
    """
    group = assignment.astype(np.int64) * graders + grader
    rows = np.argsort(group, kind="stable").astype(np.int32)
    bounds = np.searchsorted(group[rows], np.arange(assignments * graders + 1)).astype(np.int64)
    return rows, bounds, np.argsort(rows).astype(np.int32)


@accelerated
def pay_parts(
    assignment: Ints, grader: Ints, part: Floats, assignments: int, graders: int, mean: bool
) -> tuple[Floats, Floats]:
    """Sum the parts of each grader on each assignment; NaN if all parts are NaN.

    With *mean*, each part is first divided by the grader's number of payable parts on the
    assignment, so that the sum is their mean. Returns the sums and the (divided) parts.
    """
    payable = ~np.isnan(part)
    where = assignment[payable], grader[payable]
    count = np.zeros((assignments, graders))
    np.add.at(count, where, 1.0)
    share = np.full(len(part), np.nan)
    share[payable] = part[payable] * ((1.0 / count[where]) if mean else 1.0)
    total = np.where(count > 0, 0.0, np.nan)
    np.add.at(total, where, share[payable])
    return total, share


@accelerated
def total_of_rows(amount: Floats) -> Floats:
    """Sum of each column, ignoring NaN; NaN if the whole column is NaN."""
    unpaid = np.isnan(amount).all(axis=0)
    return np.where(unpaid, np.nan, np.nansum(amount, axis=0))
