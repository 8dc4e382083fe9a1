"""Remap: replace each grade by another."""

from __future__ import annotations

import pytest

from peergauge.core.errors import ParameterError
from peergauge.simulate import strategies
from peergauge.tables import Scale
from tests.simulate.strategies.situations import reports_of_all_signals

SWAPPED = "remap:to=0-1-2-3-4-5-6-8-7-9-10"


def test_each_grade_is_replaced_by_its_entry_in_the_list() -> None:
    assert reports_of_all_signals(SWAPPED, Scale(), 7) == [0, 1, 2, 3, 4, 5, 6, 8, 7, 9, 10]


def test_between_two_points_the_report_lies_between_theirs() -> None:
    # Half points on 0..10: 6.5 lies between 6 and 8, 7.5 between 8 and 7, 8.5 between 7 and 9.
    halves = reports_of_all_signals(SWAPPED, Scale(0, 10, 0.5), 7)
    assert halves[12:19] == [6, 7, 8, 7.5, 7, 8, 9]


def test_other_scales_are_mapped_in_proportion() -> None:
    # 1..6 are the points 0, 2, 4, 6, 8, 10; 8 becomes 7, which is 4.5, halfway, and goes to 5.
    assert reports_of_all_signals(SWAPPED, Scale(1, 6), 4) == [1, 2, 3, 4, 5, 6]


def test_it_says_what_to_do() -> None:
    made = strategies.make("remap:to=5-5-5-3-4-5-6-8-7-9-10")
    assert made.in_words() == "Report 5 for 0, 1 and 2, 8 for 7, 7 for 8"


@pytest.mark.parametrize("wrong", ["0-1-2", "0-1-2-3-4-5-6-7-8-9-11", "a"])
def test_lists_that_leave_a_grade_out_are_refused(wrong: str) -> None:
    with pytest.raises(ParameterError, match="list of remap"):
        strategies.make(f"remap:to={wrong}")
