"""Groups of reports: by hand, and plain equal to compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from peergauge.core.acceleration import plain_numpy
from peergauge.core.arrays import Floats
from peergauge.tables import Reports
from peergauge.tables.layout import (
    bounds_of_groups,
    in_order,
    pay_parts,
    rows_by_grader,
    total_of_rows,
)
from tests.generators import reports

NAN, INF = float("nan"), float("inf")

# Two graders: 0, 1, 0, 1 on the first assignment, 1 on the second.
ASSIGNMENT = np.array([0, 0, 0, 0, 1], dtype=np.int32)
GRADER = np.array([0, 1, 0, 1, 1], dtype=np.int32)
NONE = np.array([], dtype=np.int32)

either_version = pytest.mark.parametrize("version", ["plain", "twin"])


def assert_same(plain: Any, twin: Any) -> None:
    """Hold arrays, or tuples of them, equal to the last bit, and of the same kind."""
    if isinstance(plain, tuple):
        for one, other in zip(plain, twin, strict=True):
            assert_same(one, other)
    else:
        assert plain.dtype == twin.dtype
        assert_array_equal(plain, twin, strict=True)


# ------------------------------------------------------------------------------------ by hand


@either_version
def test_bounds_enclose_the_rows_of_each_group_also_of_empty_ones(version: str) -> None:
    bounds = getattr(bounds_of_groups, version)
    group = np.array([1, 1, 3], dtype=np.int32)
    assert_array_equal(bounds(group, 5), [0, 0, 2, 2, 3, 3])
    assert_array_equal(bounds(NONE, 2), [0, 0, 0])
    assert_array_equal(bounds(NONE, 0), [0])


@either_version
def test_rows_are_grouped_by_assignment_and_grader_and_keep_their_order(version: str) -> None:
    rows, bounds, place = getattr(rows_by_grader, version)(ASSIGNMENT, GRADER, 2, 2)
    # (0, 0) has rows 0, 2; (0, 1) has 1, 3; (1, 0) has none; (1, 1) has 4.
    assert_array_equal(rows, [0, 2, 1, 3, 4])
    assert_array_equal(bounds, [0, 2, 4, 4, 5])
    assert_array_equal(place, [0, 2, 1, 3, 4])


@either_version
def test_parts_are_summed_over_what_is_payable(version: str) -> None:
    part = np.array([1.0, 2.0, 5.0, NAN, NAN])
    total, share = getattr(pay_parts, version)(ASSIGNMENT, GRADER, part, 2, 2, False)
    assert_array_equal(total, [[1 + 5, 2], [NAN, NAN]])
    assert_array_equal(share, part)


@either_version
def test_parts_are_averaged_over_what_is_payable(version: str) -> None:
    part = np.array([1.0, 2.0, 5.0, NAN, -INF])
    total, share = getattr(pay_parts, version)(ASSIGNMENT, GRADER, part, 2, 2, True)
    assert_array_equal(total, [[(1 + 5) / 2, 2], [NAN, -INF]])
    assert_array_equal(share, [0.5, 2, 2.5, NAN, -INF])


@either_version
def test_without_reports_nothing_is_payable(version: str) -> None:
    total, share = getattr(pay_parts, version)(NONE, NONE, np.array([]), 1, 2, True)
    assert_array_equal(total, [[NAN, NAN]])
    assert len(share) == 0


@either_version
def test_paying_does_not_change_the_parts_that_it_was_given(version: str) -> None:
    part = np.array([1.0, 2.0, 5.0, NAN, 3.0])
    for mean in (False, True):
        getattr(pay_parts, version)(ASSIGNMENT, GRADER, part, 2, 2, mean)
    assert_array_equal(part, [1, 2, 5, NAN, 3])


# -------------------------------------------------------------------- plain equal to compiled


def parts(rows: int) -> st.SearchStrategy[Floats]:
    part = st.floats(-1e6, 1e6) | st.sampled_from([NAN, -INF])
    return st.lists(part, min_size=rows, max_size=rows).map(np.array)


@given(reports())
def test_plain_and_compiled_bounds_are_equal(some: Reports) -> None:
    for group, groups in ((some.submission, some.submissions), (some.assignment, 9)):
        assert_same(bounds_of_groups.plain(group, groups), bounds_of_groups.twin(group, groups))


@given(reports())
def test_plain_and_compiled_rows_by_grader_are_equal(some: Reports) -> None:
    columns = some.assignment, some.grader, some.assignments, some.graders
    assert_same(rows_by_grader.plain(*columns), rows_by_grader.twin(*columns))


@given(reports(), st.data(), st.booleans())
def test_plain_and_compiled_payments_are_equal(
    some: Reports, data: st.DataObject, mean: bool
) -> None:
    part = data.draw(parts(len(some)))
    columns = some.assignment, some.grader, part, some.assignments, some.graders, mean
    assert_same(pay_parts.plain(*columns), pay_parts.twin(*columns))


@given(reports())
def test_the_tables_are_grouped_alike_by_both_versions(some: Reports) -> None:
    with plain_numpy():
        plain = some.first(some.assignments)
        expected = (plain.submission_bounds, *plain.tasks)
    again = some.first(some.assignments)
    assert_same(expected, (again.submission_bounds, *again.tasks))


@either_version
def test_totals_leave_out_what_was_not_payable(version: str) -> None:
    amount = np.array([[1.0, NAN, NAN, INF], [2.0, 3.0, NAN, 1.0]])
    total = getattr(total_of_rows, version)(amount)
    assert_array_equal(total, [3.0, 3.0, NAN, INF])


@given(st.data(), st.integers(1, 5), st.integers(1, 5))
def test_plain_and_compiled_totals_are_equal(data: st.DataObject, rows: int, columns: int) -> None:
    value = st.sampled_from([NAN, -INF, 0.0, 0.1, -0.7, 1e300])
    drawn = data.draw(st.lists(value, min_size=rows * columns, max_size=rows * columns))
    amount = np.array(drawn).reshape(rows, columns)
    assert_same(total_of_rows.plain(amount), total_of_rows.twin(amount))


column = st.lists(st.integers(-1, 2), min_size=3, max_size=3)


@given(column, column, column, st.booleans())
def test_plain_and_compiled_agree_on_what_is_in_order(
    assignment: list[int], submission: list[int], grader: list[int], ordered: bool
) -> None:
    rows = list(zip(assignment, submission, grader, strict=True))
    a, s, k = np.array(sorted(rows) if ordered else rows, dtype=np.int32).T.copy()
    assert in_order.plain(a, s, k, 2, 2, 2) == in_order.twin(a, s, k, 2, 2, 2)


@either_version
def test_rows_in_order_are_known_as_such(version: str) -> None:
    submission = np.array([0, 0, 1, 1, 2], dtype=np.int32)
    known = getattr(in_order, version)
    assert known(ASSIGNMENT, submission, GRADER, 2, 3, 2)
    assert not known(ASSIGNMENT, submission, GRADER, 2, 2, 2)
    assert not known(ASSIGNMENT, submission, GRADER[::-1].copy(), 2, 3, 2)
    assert not known(ASSIGNMENT[::-1].copy(), submission, GRADER, 2, 3, 2)
    assert not known(ASSIGNMENT, submission - 1, GRADER, 2, 3, 2)
    assert known(NONE, NONE, NONE, 0, 0, 0)
