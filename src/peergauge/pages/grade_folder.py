"""The folder of a graded class: tables, report, audit, gradebooks and pages for students."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.audit import audit
from peergauge.classroom.grade.names import ClassNames
from peergauge.classroom.grade.tables import gradebook_note, graders_table, grades_table
from peergauge.classroom.gradebooks import Written, check_match
from peergauge.classroom.gradebooks.cells import guarded
from peergauge.core.errors import TableError
from peergauge.core.files import write_files
from peergauge.core.lazy import pl
from peergauge.core.optional import left_out, skipping
from peergauge.exports.validate import OpenedClass
from peergauge.pages.folder_record import with_record
from peergauge.pages.gradebook_files import gradebook_files

MAX_SHEET_ROWS = 20_000
"""Rows of the largest sheet up to which a workbook is written."""

ALL_IMPORT_NOTES = 10**9


class GradebookRequest(NamedTuple):
    """A gradebook to write: its kind, and the platform's own export to fill in."""

    kind: str
    into: Path | None = None


class WrittenFolder(NamedTuple):
    """Files and gradebooks that were written, and notes on what was left out."""

    files: tuple[Path, ...]
    gradebooks: tuple[Written, ...]
    notes: tuple[str, ...]


def write_graded(
    graded: GradedClass,
    folder: Path | str,
    *,
    files: Sequence[Path] = (),
    to: Sequence[GradebookRequest] = (),
    handouts: bool = False,
) -> WrittenFolder:
    """Write all files of a graded class into a folder, or none of them.

    Parameters
    ----------
    files
        Files that the class was read from, for the audit.
    to
        Gradebooks to write as well.
    handouts
        Whether to write a page for each student, into a folder ``students``.
    """
    folder = Path(folder)
    notes: list[str] = []
    by_submission, by_grader = grades_table(graded), graders_table(graded)
    import_lines = (
        *graded.opened.report.lines(ALL_IMPORT_NOTES),
        *graded.continued(ALL_IMPORT_NOTES),
        *_interpretation_lines(graded),
    )
    content: dict[Path, pl.DataFrame | bytes] = {
        folder / "grades.csv": _without_formulas(by_submission),
        folder / "graders.csv": _without_formulas(by_grader),
        folder / "import.txt": ("\n".join(import_lines) + "\n").encode(),
    }
    content |= _workbook(folder, {"grades": by_submission, "graders": by_grader}, notes)
    content |= _pages(graded, folder, handouts, notes)
    books = gradebook_files(graded, to, folder)
    tables = {"grades": by_submission, "graders": by_grader}
    data = with_record(audit(graded, files), folder, content, tables, books)
    write_files(data)
    if to and (note := gradebook_note(graded)):
        notes.append(note)
    return WrittenFolder(tuple(data), books.written, tuple(notes))


def check_gradebooks(opened: OpenedClass, to: Sequence[GradebookRequest]) -> None:
    """Raise an error if fewer than half of the graders are in a gradebook that is to be filled in.

    This is known as soon as a class is read, so that nothing is computed in vain.
    """
    known = {row["person"]: row for row in opened.people.to_dicts()}
    people = [
        {key: text for key, text in known.get(one.id, {}).items() if text} | {"person": one.id}
        for one in ClassNames(opened).graders
    ]
    for request in to:
        if request.into is not None:
            check_match(people, request.kind, request.into)


def _interpretation_lines(graded: GradedClass) -> Iterator[str]:
    """Decisions about the files with their evidence, and the answers to questions."""
    found, told = graded.opened.interpretation, set(graded.continued())
    for one in found.decisions:
        if one.text in told:
            continue
        yield f"decided: {one.text}" + (f" Evidence: {one.evidence}." if one.evidence else "")
    for key, answer in found.answers.items():
        yield f"answered: {key} = {answer}"
    for key, default in found.defaults.items():
        yield f"default used: {key} = {default}"


def _workbook(
    folder: Path, sheets: dict[str, pl.DataFrame], notes: list[str]
) -> dict[Path, pl.DataFrame | bytes]:
    """The workbook, unless it is too large or a package is missing."""
    if max(table.height for table in sheets.values()) > MAX_SHEET_ROWS:
        notes.append(
            f"grades.xlsx is not written, because a sheet would have more than {MAX_SHEET_ROWS} "
            "rows."
        )
        return {}
    try:
        return {folder / "grades.xlsx": workbook(sheets)}
    except TableError as error:
        notes.append(f"grades.xlsx is not written: {error}")
        return {}


def _pages(
    graded: GradedClass, folder: Path, handouts: bool, notes: list[str]
) -> dict[Path, pl.DataFrame | bytes]:
    """The report, and the pages for students if they are wanted."""
    missing: set[str] = set()
    with skipping(missing):
        from peergauge.pages.grading import page
        from peergauge.pages.students import pages

        content: dict[Path, pl.DataFrame | bytes] = {folder / "report.html": page(graded).encode()}
        if handouts:
            students = folder / "students"
            content |= {students / name: text.encode() for name, text in pages(graded).items()}
        return content
    notes.append(left_out("The pages", missing))
    return {}


def workbook(sheets: dict[str, pl.DataFrame]) -> bytes:
    """An Excel workbook with one sheet for each table."""
    from peergauge.classroom.gradebooks.excel import fill_row, needed_openpyxl

    book = needed_openpyxl().Workbook()
    book.remove(book.active)
    for title, table in sheets.items():
        sheet = book.create_sheet(title)
        fill_row(sheet, 1, list(table.columns))
        for number, row in enumerate(table.rows(), start=2):
            fill_row(sheet, number, list(row))
        sheet.freeze_panes = "C2"
    data = BytesIO()
    book.save(data)
    return data.getvalue()


def _without_formulas(table: pl.DataFrame) -> pl.DataFrame:
    """The table with texts that no spreadsheet program takes for a formula."""
    return table.with_columns(
        pl.col(name).map_elements(guarded, return_dtype=pl.String)
        for name, kind in table.schema.items()
        if kind == pl.String
    )
