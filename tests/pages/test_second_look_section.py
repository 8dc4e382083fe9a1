"""What staff should check: errors are shown in units of the grades."""

from __future__ import annotations

from dataclasses import replace

import pytest

from peergauge.classroom.grade.second_look import Check, SecondLook
from peergauge.pages.grade_rows import grade_rows
from peergauge.pages.grading_cards import checks_card
from peergauge.pages.second_look_section import (
    removed_error,
    root_mean_square,
    second_look_section,
)
from tests.classroom.grade.classes import graded


def test_errors_are_roots_of_squares() -> None:
    # 12 submissions with a sum of squared errors of 48 are off by 2 on average; checks that remove
    # 36 leave 12, which is 1 on average. A check that removes 36 is worth an error of 6.
    look = SecondLook((Check(3, 36.0, "why"),), (Check(2, 0.25, "why"),), 48.0)
    found = replace(graded(students=12, staff=0), second_look=look)
    assert root_mean_square(found) == pytest.approx((2.0, 1.0))
    section = second_look_section(found, {row.place: row for row in grade_rows(found)})
    assert (section["before"], section["after"]) == pytest.approx((2.0, 1.0))
    ((row, check, removed),) = section["submissions"]
    assert (row.place, check.reason, removed) == (3, "why", 6.0)
    assert section["graders"][0][2] == 0.5


def test_rounding_below_zero_does_no_harm() -> None:
    assert removed_error(Check(0, -1e-12, "")) == 0.0
    look = SecondLook((Check(0, 5.0000001, ""),), (), 5.0)
    assert root_mean_square(replace(graded(students=6, graders=2), second_look=look))[1] == 0.0


def test_the_terminal_says_the_same_as_the_card() -> None:
    found = graded()
    before, after = root_mean_square(found)
    sentence = f"from {before:.2f} to {after:.2f}."
    assert checks_card(found).words.count(sentence) == 1
    (line,) = [line for line in found.headlines() if "If staff check" in line]
    assert line.endswith(sentence)
    assert "squared" not in line
