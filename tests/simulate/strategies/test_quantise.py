"""Quantise: the nearest of a few grades."""

from __future__ import annotations

import pytest

from peergauge.core.errors import ParameterError
from peergauge.simulate import strategies
from peergauge.tables import Scale
from tests.simulate.strategies.situations import reports_of_all_signals


@pytest.mark.parametrize(
    ("levels", "reports"),
    [
        ("1-4-7-10", [1, 1, 1, 4, 4, 4, 7, 7, 7, 10, 10]),
        # 1, 3, 5, … lie halfway between two of these, and go down.
        ("0-2-4-6-8-10", [0, 0, 2, 2, 4, 4, 6, 6, 8, 8, 10]),
        ("10-5-0", [0, 0, 0, 5, 5, 5, 5, 5, 10, 10, 10]),
        ("6", [6] * 11),
    ],
)
def test_each_grade_becomes_the_nearest_level(levels: str, reports: list[float]) -> None:
    assert reports_of_all_signals(f"quantise:levels={levels}", Scale(), 7) == reports


def test_levels_are_in_proportion_on_other_scales() -> None:
    found = reports_of_all_signals("quantise:levels=3-7", Scale(0, 1, 0.1), 0.7)
    assert found == pytest.approx([0.3] * 6 + [0.7] * 5)


def test_it_says_what_to_do() -> None:
    assert strategies.make("quantise").in_words() == "Report the nearest of 1, 4, 7 and 10"


@pytest.mark.parametrize("wrong", ["", "1-x", "5-11"])
def test_levels_that_are_no_grades_are_refused(wrong: str) -> None:
    with pytest.raises(ParameterError, match=r"in 0..10 with dashes between"):
        strategies.make(f"quantise:levels={wrong}")
