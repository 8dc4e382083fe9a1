"""Columns of an audit as arrays."""

from __future__ import annotations

import numpy as np

from peergauge.classroom.grade.audit_columns import (
    array,
    audited_assignments,
    columns_over,
    differences,
)


def test_missing_numbers_are_nan() -> None:
    np.testing.assert_array_equal(array([1, None, 2.5]), [1.0, np.nan, 2.5])


def test_a_submission_without_a_known_assignment_belongs_to_the_first() -> None:
    content = {
        "assignments": {"assignment": ["A", "B"]},
        "submissions": {"assignment": ["B", "", "A"]},
    }
    assert audited_assignments(content).tolist() == [1, 0, 0]


def test_columns_of_the_other_period_are_found() -> None:
    other = {"over": "semester", "graders": {"points": [9]}, "class": {"average": 2}}
    content = {"graders": {"points": [5]}, "class": {"average": 1}, "other_period": other}
    assert columns_over(content, "week") == {"points": [5]}
    assert columns_over(content, "semester") == {"points": [9]}
    assert columns_over(content, "semester", "class") == {"average": 2}
    assert columns_over({**content, "other_period": None}, "semester") == {"points": [5]}


def test_only_what_differs_is_told() -> None:
    computed, audited = np.array([1.0, np.nan, 2.0]), np.array([1.0 + 1e-12, np.nan, np.nan])
    assert list(differences("grader", ["a", "b", "c"], "points", computed, audited)) == [
        "The points of grader c should be 2.000000, but is nan."
    ]
