"""The statement of a grader: by hand."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import ParameterError
from peergauge.mechanisms.shared.statement import statement
from tests.tables.classes import small_class

# Two homeworks of kim and lee; kim graded two submissions of the first one.
PAY = np.array([[4.0, 2.0], [9.0, np.nan]])


def test_all_graders_have_a_row_for_each_assignment() -> None:
    table = statement(small_class(), None, {"pay": PAY})
    assert table.columns == ["grader", "assignment", "graded", "pay"]
    assert table.rows() == [
        ("kim", "hw1", 2, 4.0),
        ("kim", "hw2", 1, 9.0),
        ("lee", "hw1", 1, 2.0),
        ("lee", "hw2", 1, None),
    ]


def test_one_grader_has_their_own_rows_only() -> None:
    assert statement(small_class(), 1, {"pay": PAY}).rows() == [
        ("lee", "hw1", 1, 2.0),
        ("lee", "hw2", 1, None),
    ]


@pytest.mark.parametrize("grader", [-1, 2])
def test_a_grader_who_is_not_there_is_refused(grader: int) -> None:
    with pytest.raises(ParameterError, match=f"There is no grader {grader} among 2"):
        statement(small_class(), grader, {"pay": PAY})
