from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.gradebooks.cells import number_text, text_number


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(".,"))
def test_numbers_are_written_exactly(number: float, decimal: str) -> None:
    assert text_number(number_text(number, decimal)) == number


@pytest.mark.parametrize("text", ["", "-", "EX", "85 %", "1,234.5", "1e5", "nan", "inf", "١"])
def test_cells_that_are_not_numbers(text: str) -> None:
    assert text_number(text) is None
