"""Marks as an Excel workbook, for people."""

from __future__ import annotations

import warnings
import zlib
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from peergauge.classroom.gradebooks._base import Gradebook, Written, gradebook
from peergauge.classroom.gradebooks._marks import PERSON_COLUMNS, Marks
from peergauge.classroom.gradebooks.cells import number_text
from peergauge.classroom.gradebooks.comma_separated import table_of
from peergauge.core.dated_archive import DatedArchive
from peergauge.core.errors import TableError
from peergauge.core.files import write_bytes
from peergauge.core.formulas import like_a_formula
from peergauge.core.optional import needing
from peergauge.exports.formats.opening import Opened, check_workbook

MAX_CELL_LETTERS = 32767
# Errors that a damaged zip file of XML can cause.
UNREADABLE_ERRORS = (
    BadZipFile,
    OSError,
    LookupError,
    ValueError,
    TypeError,
    SyntaxError,
    RuntimeError,
    EOFError,
    zlib.error,
)
COLUMN_MEANINGS = {
    "person": "who, as in the tables of reports",
    "name": "their name",
    "email": "their email address",
    "sis": "their SIS id, ID number or OrgDefinedID",
    "lms": "their id on the platform",
    "login": "their login",
    "section": "their section",
}


@gradebook("xlsx", label="XLSX", source="–", suffix=".xlsx", keeps=PERSON_COLUMNS)
@dataclass(frozen=True)
class Excel(Gradebook):
    """A workbook with one row for each person, and a sheet that explains the columns.

    Text is always stored as text, never as a formula, and a missing mark is an empty cell. Numbers
    are written with 16 digits, one more than Excel keeps.
    """

    def write(self, marks: Marks, path: Path, into: Path | None = None) -> Written:
        openpyxl = needed_openpyxl()
        book = openpyxl.Workbook()
        sheet = book.active
        sheet.title = "Marks"
        people = marks.people()
        columns = [marks.of(title) for title in marks.titles]
        fill_row(sheet, 1, [*marks.known, *marks.titles])
        for k, known in enumerate(people):
            texts = [known.get(key) for key in marks.known]
            fill_row(sheet, k + 2, [*texts, *(column[k] for column in columns)])
        sheet.freeze_panes = "B2"
        about = book.create_sheet("About")
        explained = [
            ["column", "what it holds"],
            *([key, COLUMN_MEANINGS[key]] for key in marks.known),
        ]
        for title in marks.titles:
            highest = marks.highest.get(title)
            out_of = "" if highest is None else f" out of {number_text(highest)}"
            explained.append([title, f"marks{out_of}; empty where there is none"])
        for number, row in enumerate(explained, start=1):
            fill_row(about, number, row)
        write_bytes(workbook_bytes(book), path)
        return Written(path, tuple(known["person"] for known in people))

    def read(self, path: Path) -> Marks:
        first, *_ = workbook_rows(path).values()
        rows = [[_cell_text(cell) for cell in row] for row in first]
        header, *rest = rows or [[]]
        if not any(header):
            raise TableError(f"{path} is empty; a sheet with named columns is needed.")
        return table_of(header, [row for row in rest if any(row)], str(path))


def workbook_bytes(book: Any) -> bytes:
    """The file of a workbook of openpyxl."""
    from openpyxl.writer.excel import ExcelWriter

    data = BytesIO()
    ExcelWriter(book, DatedArchive(data)).save()
    return data.getvalue()


def open_workbook(path: Path, *, values_only: bool = True) -> Any:
    """Open a workbook with openpyxl; a damaged or hostile file is refused in one sentence."""
    openpyxl = needed_openpyxl()
    if not path.is_file():
        raise TableError(f"There is no file {path}; give the path of a workbook.")
    raw = Opened(path).read()
    check_workbook(raw, str(path))
    try:
        with warnings.catch_warnings():
            # openpyxl warns about formatting that it cannot keep.
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(BytesIO(raw), data_only=values_only)
            if not book.worksheets:
                raise TableError(f"{path} has no sheets; give a file saved as XLSX.")
            return book
    except UNREADABLE_ERRORS:
        raise TableError(f"{path} is no workbook; give a file saved as XLSX.") from None


def workbook_rows(path: Path) -> dict[str, list[list[Any]]]:
    """Values of all rows of a workbook by the titles of its sheets."""
    book = open_workbook(path)
    return {sheet.title: [list(row) for row in sheet.values] for sheet in book.worksheets}


def needed_openpyxl() -> Any:
    """The package that workbooks need, or a refusal that says how to get it."""
    with needing("openpyxl", sentence="Workbooks need openpyxl"):
        import openpyxl
    return openpyxl


def fill_row(sheet: Any, row: int, values: list[Any]) -> None:
    """Fill a row of a sheet; text is always stored as text."""
    for column, value in enumerate(values, start=1):
        cell = sheet.cell(row, column)
        if isinstance(value, str):
            fill_cell(cell, value)
        elif value is not None:
            cell.value = int(value) if value == int(value) else value


def fill_cell(cell: Any, text: str) -> None:
    """Fill a cell with text that is stored as text, whatever it looks like."""
    if len(text) > MAX_CELL_LETTERS:
        raise TableError(
            f"Row {cell.row} has a text of {len(text)} letters, but a cell of a workbook "
            f"holds {MAX_CELL_LETTERS}; shorten it."
        )
    # XML cannot contain a carriage return; workbooks encode it like this.
    cell.value = text.replace("\r", "_x000D_")
    # Without this, =1+1 would be a formula and #N/A an error value.
    cell.data_type = "s"
    cell.quotePrefix = like_a_formula(text)


def _cell_text(cell: Any) -> str:
    if cell is None:
        return ""
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return number_text(float(cell))
    return str(cell).replace("_x000D_", "\r")
