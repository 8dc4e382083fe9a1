from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.gradebooks.cells import (
    guarded,
    like_a_formula,
    number_text,
    text_number,
    unguarded,
)

FORMULAS = [
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\rx",
    "  =1",
    '"=1"',
    "'=1",
    "＝1",
    "＠x",
    "\ufeff=1",
]


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_are_guarded(text: str) -> None:
    assert guarded(text) == f"'{text}"
    assert unguarded(guarded(text)) == text


@pytest.mark.parametrize("text", ["", "Ada", "'t Hooft", "a=b", "a-b", "Ben - Cleo", "1-1"])
def test_other_text_stays(text: str) -> None:
    assert guarded(text) == text == unguarded(text)


@given(st.text(st.sampled_from("'\"=+-@ \ta＝"), max_size=6))
def test_guarding_can_be_undone(text: str) -> None:
    assert unguarded(guarded(text)) == text
    assert guarded(text) == text or like_a_formula(text)


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(".,"))
def test_numbers_are_written_exactly(number: float, decimal: str) -> None:
    assert text_number(number_text(number, decimal)) == number


@pytest.mark.parametrize("text", ["", "-", "EX", "85 %", "1,234.5", "1e5", "nan", "inf", "١"])
def test_cells_that_are_not_numbers(text: str) -> None:
    assert text_number(text) is None
