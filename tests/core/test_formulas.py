"""Texts that spreadsheets must not evaluate."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.formulas import (
    guarded,
    guarded_frame,
    like_a_formula,
    unguarded,
    unguarded_frame,
)

texts = st.text(
    st.sampled_from("=+-@'\" \t\r\x1c\u200b\u202e＝−ab1\n") | st.characters(codec="utf-8")
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


@given(texts)
def test_guarding_can_be_undone(text: str) -> None:
    assert unguarded(guarded(text)) == text
    assert guarded(text) == text or like_a_formula(text)


@given(st.lists(texts, min_size=1, max_size=8))
def test_frames_are_guarded_cell_by_cell(cells: list[str]) -> None:
    frame = pl.DataFrame({"name": cells, "grade": range(len(cells))})
    safe = guarded_frame(frame)
    assert safe["name"].to_list() == list(map(guarded, cells))
    assert unguarded_frame(safe).equals(frame)


def test_column_names_are_guarded_and_numbers_stay() -> None:
    safe = guarded_frame(pl.DataFrame({"=1": [-5.0], "b": [None]}))
    assert safe.columns == ["'=1", "b"]
    assert safe["'=1"].to_list() == [-5.0]
