"""Further sheets of the workbook: marks, decisions, criteria and comments."""

from __future__ import annotations

from io import BytesIO

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade import GradedClass
from peergauge.pages.workbook import workbook
from peergauge.pages.workbook_sheets import (
    MAX_TEXT_LETTERS,
    comments_sheet,
    further_sheets,
    pieces_of,
)
from tests.classroom.grade.classes import graded
from tests.pages.full_class import HOSTILE_TEXT, full_class, with_comments


@pytest.fixture(scope="module")
def found() -> GradedClass:
    return full_class()


def test_a_class_without_all_this_has_no_further_sheets() -> None:
    assert list(further_sheets(graded())) == []


def test_everything_on_the_report_is_in_the_workbook(found: GradedClass) -> None:
    book = openpyxl.load_workbook(BytesIO(workbook(list(further_sheets(found)))))
    assert book.sheetnames == [
        "Final marks", "Decisions", "Criteria", "Criterion means", "Comments",
    ]  # fmt: skip
    rows = {name: list(book[name].iter_rows(values_only=True)) for name in book.sheetnames}
    assert found.final is not None
    assert rows["Final marks"][0][:3] == ("Person", "Final mark", "Letter")
    assert [row[1] for row in rows["Final marks"][1:]] == [row.mark for row in found.final.rows]
    header, *log = rows["Decisions"]
    assert len(log) == 4
    assert log[0][header.index("Reason")] == HOSTILE_TEXT
    assert len(rows["Criteria"]) == 3
    assert len(rows["Criterion means"]) == 1 + 2 * 12
    assert rows["Comments"][1][3:5] in [(None, "yes"), ("", "yes")]


def test_no_cell_has_a_thousand_letters(found: GradedClass) -> None:
    long = with_comments(found, [("", "many words " * 5000, True)])
    for sheet in further_sheets(long):
        for row in sheet.rows:
            assert all(len(cell) < 1000 for cell in row if isinstance(cell, str))


@given(st.text(max_size=3000))
def test_the_pieces_of_a_text_are_the_text(text: str) -> None:
    pieces = pieces_of(text)
    assert all(len(one) <= MAX_TEXT_LETTERS for one in pieces)
    assert "".join(pieces) == text


def test_more_comments_than_a_sheet_has_rows_are_left_out(
    found: GradedClass, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("peergauge.pages.workbook_sheets.MAX_SHEET_ROWS", 30)
    assert comments_sheet(found) is None
    assert "Comments" not in [sheet.title for sheet in further_sheets(found)]
