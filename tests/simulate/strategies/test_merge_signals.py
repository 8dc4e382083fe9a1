"""Merge Signals: five grades instead of eleven."""

from __future__ import annotations

import pytest

from peergauge.tables import Scale
from tests.simulate.strategies.situations import reports_of_all_signals


@pytest.mark.parametrize(
    ("expected", "rounded"), [(7, 7), (6.6, 7), (7.4, 7), (7.5, 8), (6.5, 6), (5, 5)]
)
def test_signals_are_merged_as_in_the_table_of_the_paper(expected: float, rounded: float) -> None:
    table = [0, 3, 3, 3, 6, 6, 6, rounded, rounded, rounded, 10]
    assert reports_of_all_signals("merge", Scale(), expected) == table


def test_tens_up_to_100_are_merged_in_proportion() -> None:
    table = [0, 30, 30, 30, 60, 60, 60, 70, 70, 70, 100]
    assert reports_of_all_signals("merge", Scale(0, 100, 10), 70) == table


def test_tenths_up_to_1_are_merged_in_proportion() -> None:
    table = [0, 0.3, 0.3, 0.3, 0.6, 0.6, 0.6, 0.7, 0.7, 0.7, 1]
    assert reports_of_all_signals("merge", Scale(0, 1, 0.1), 0.7) == pytest.approx(table)


def test_grades_of_1_to_6_are_merged_in_proportion() -> None:
    # 2 becomes 2.5 and 5 becomes the expected 4.5; both lie halfway and go to the even level.
    assert reports_of_all_signals("merge", Scale(1, 6), 4.5) == [1, 3, 4, 4, 5, 6]


def test_a_scale_of_five_grades_has_nothing_to_merge() -> None:
    assert reports_of_all_signals("merge", Scale(0, 2, 0.5), 1.4) == [0, 0.5, 1, 1.5, 2]
