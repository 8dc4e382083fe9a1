"""The workbook: it looks as if a person had made it, and no text is ever a formula."""

from __future__ import annotations

from io import BytesIO
from typing import Any
from zipfile import ZipFile

import numpy as np
import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peergauge.classroom.grade import GradedClass, Settings
from peergauge.classroom.grade.semester import semester_of
from peergauge.classroom.grade.tables import graders_table, grades_table
from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.models.posterior import PG1Posterior
from peergauge.pages.grade_folder import sheets_of
from peergauge.pages.workbook import (
    MAX_COLUMN_LETTERS,
    Sheet,
    SheetColumn,
    grade_columns,
    grader_columns,
    table_sheet,
    workbook,
)
from tests.classroom.grade.classes import graded

MAX_READABLE_LETTERS = 200
"""Letters of the longest cell that a person reads at a glance."""


def read(data: bytes) -> Any:
    return openpyxl.load_workbook(BytesIO(data))


def book_of(found: GradedClass) -> Any:
    tables = grades_table(found), graders_table(found)
    return read(workbook(sheets_of(found, semester_of(found), *tables)))


@pytest.fixture(scope="module")
def found() -> GradedClass:
    return graded(names={0: "=1+1", 1: "Zoë"}, assignments=2)


@pytest.fixture(scope="module")
def book(found: GradedClass) -> Any:
    return book_of(found)


def test_sheets_have_headers_filters_and_frozen_names(book: Any) -> None:
    assert book.sheetnames == ["Grades", "Graders", "Semester", "Why grades", "Why points", "Notes"]
    for sheet in book:
        assert sheet.freeze_panes.endswith("2")
        assert sheet.auto_filter.ref.startswith("A1:")
        for cell in sheet[1]:
            assert cell.font.bold
            assert "_" not in cell.value
            assert cell.value[0].isupper() or cell.value[0].isdigit()
            width = sheet.column_dimensions[cell.column_letter].width
            assert len(max(cell.value.split(), key=len)) < width <= MAX_COLUMN_LETTERS


def test_no_cell_is_too_long_to_read(book: Any) -> None:
    longest = max((str(cell.value) for sheet in book for row in sheet for cell in row), key=len)
    assert len(longest) <= MAX_READABLE_LETTERS, longest


def test_grades_have_two_decimals_and_shares_are_percentages(book: Any, found: GradedClass) -> None:
    sheet = book["Grades"]
    header = [cell.value for cell in sheet[1]]
    grade = sheet.cell(2, header.index("Grade") + 1)
    assert grade.value == pytest.approx(found.grades.score[0])
    assert grade.number_format == "0.00"
    assert "90\N{NO-BREAK SPACE}% interval from" in header
    why = book["Why grades"]
    weight = [cell.value for cell in why[1]].index("Weight") + 1
    assert why.cell(2, weight).number_format == "0.0%"


def test_the_parts_of_a_grade_add_up_to_it(book: Any, found: GradedClass) -> None:
    rows = list(book["Why grades"].iter_rows(min_row=2, values_only=True))
    for place, name in enumerate(found.names.submissions):
        if np.isnan(found.grades.staff[place]):
            total = sum(row[6] for row in rows if row[1] == name)
            clipped = np.clip(total, 0, 10)
            assert clipped == pytest.approx(found.grades.score[place], abs=1e-9)


def test_every_rewarded_review_has_a_row(book: Any, found: GradedClass) -> None:
    rows = list(book["Why points"].iter_rows(min_row=2, values_only=True))
    assert len(rows) == len(found.reports)
    each = found.payment.each
    assert each is not None
    assert sum(row[3] for row in rows) == pytest.approx(float(each.sum()))


def test_every_column_is_explained(found: GradedClass) -> None:
    # A new column of the tables needs a line in grade_columns or grader_columns.
    for table, columns in (
        (grades_table(found), grade_columns(0.9)),
        (graders_table(found), grader_columns(0.9)),
    ):
        assert {*table.columns} - {"why"} <= {*columns}


def test_names_that_look_like_formulas_stay_text(book: Any, found: GradedClass) -> None:
    names = [cell for row in book["Graders"] for cell in row if cell.value == "=1+1"]
    assert [cell.data_type for cell in names] == ["s"]
    tables = grades_table(found), graders_table(found)
    data = workbook(sheets_of(found, semester_of(found), *tables))
    with ZipFile(BytesIO(data)) as archive:
        for name in archive.namelist():
            if name.startswith("xl/worksheets/sheet"):
                assert b"<f>" not in archive.read(name)


@settings(max_examples=60)
@given(st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=30))
def test_any_text_comes_back_as_text(text: str) -> None:
    sheet = Sheet("S", (SheetColumn(text, ""),), [(text,)])
    cells = [cell for row in read(workbook([sheet]))["S"] for cell in row]
    assert [cell.value for cell in cells] == [text, text]
    assert {cell.data_type for cell in cells} == {"s"}


def test_characters_that_no_workbook_can_hold_are_left_out() -> None:
    sheet = Sheet("S", (SheetColumn("A", ""),), [("a\x00b\x1fc\ud800d",)])
    assert read(workbook([sheet]))["S"]["A2"].value == "abc?d"


def test_missing_numbers_are_empty_cells() -> None:
    columns = (SheetColumn("A", ""), SheetColumn("B", ""))
    sheet = read(workbook([Sheet("S", columns, [(float("nan"), None), (1.0, float("inf"))])]))["S"]
    assert [[cell.value for cell in row] for row in sheet["A2:B3"]] == [[None, None], [1, None]]


def test_columns_without_any_value_are_left_out_but_results_stay() -> None:
    table = pl.DataFrame(
        {"grader": ["a"], "points": [None], "sis": [None], "flags": [""], "why": ["x" * 900]}
    )
    assert [one.header for one in table_sheet("S", table, grader_columns(0.9)).columns] == [
        "Grader", "Points",
    ]  # fmt: skip


def test_a_text_that_no_cell_holds_is_refused() -> None:
    with pytest.raises(TableError, match="40000 letters"):
        workbook([Sheet("S", (SheetColumn("A", ""),), [("x" * 40000,)])])


def test_letters_and_an_empty_table_are_written() -> None:
    found = graded(
        students=8, settings=Settings(points="A:50,B:50", model=PG1Posterior(draws=40, warmup=10))
    )
    header = [cell.value for cell in book_of(found)["Graders"][1]]
    assert "Letter" in header
    assert "Points" not in header
    assert read(workbook([Sheet("S", (SheetColumn("A", ""),), [])]))["S"].max_row == 1
