"""The folder that a graded class is written into."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from peergauge.classroom.grade import Graded
from peergauge.classroom.grade.audit import AUDIT, audit, write_audit
from peergauge.classroom.grade.tables import graders, grades, marks
from peergauge.classroom.gradebooks import Written, gradebooks, write
from peergauge.classroom.gradebooks.cells import guarded
from peergauge.core.errors import TableError
from peergauge.core.files import write_files
from peergauge.core.lazy import pl
from peergauge.core.optional import left_out, skipping

MOST_ROWS = 20_000
"""Rows that a sheet of a workbook is written with; people who have more do not open workbooks."""


class Wish(NamedTuple):
    """A gradebook to be written: which, and the platform's own export to be filled."""

    kind: str
    into: Path | None = None


class Done(NamedTuple):
    """What was written, and what could not be."""

    files: tuple[Path, ...]
    gradebooks: tuple[Written, ...]
    notes: tuple[str, ...]


def write_graded(
    graded: Graded,
    folder: Path | str,
    *,
    files: Sequence[Path] = (),
    to: Sequence[Wish] = (),
    handouts: bool = False,
) -> Done:
    """Write everything about a graded class into a folder, all of it or nothing.

    Parameters
    ----------
    files
        What the class was read from, for the audit.
    to
        Gradebooks to write as well.
    handouts
        Whether to write a page for each student, into a folder ``students``.
    """
    folder = Path(folder)
    notes: list[str] = []
    by_submission, by_grader = grades(graded), graders(graded)
    content: dict[Path, pl.DataFrame | bytes] = {
        folder / "grades.csv": _safe(by_submission),
        folder / "graders.csv": _safe(by_grader),
        folder / AUDIT: write_audit(audit(graded, files)),
        folder / "import.txt": ("\n".join(graded.room.report.lines(10**9)) + "\n").encode(),
    }
    if max(by_submission.height, by_grader.height) > MOST_ROWS:
        notes.append(
            f"grades.xlsx is left out, since a sheet would have more than {MOST_ROWS} rows."
        )
    else:
        try:
            content[folder / "grades.xlsx"] = workbook(
                {"grades": by_submission, "graders": by_grader}
            )
        except TableError as error:
            notes.append(f"grades.xlsx is left out: {error}")
    content.update(_pages(graded, folder, handouts, notes))
    write_files(content)
    written = [_gradebook(graded, wish, folder) for wish in to]
    return Done((*content, *(one.path for one in written)), tuple(written), tuple(notes))


def _pages(
    graded: Graded, folder: Path, handouts: bool, notes: list[str]
) -> dict[Path, pl.DataFrame | bytes]:
    """The report, and pages for students if they are wanted."""
    missing: set[str] = set()
    with skipping(missing):
        from peergauge.pages.grading import page
        from peergauge.pages.students import pages

        content: dict[Path, pl.DataFrame | bytes] = {folder / "report.html": page(graded).encode()}
        if handouts:
            students = folder / "students"
            content |= {students / name: text.encode() for name, text in pages(graded).items()}
        return content
    notes.append(left_out("Pages", missing))
    return {}


def _gradebook(graded: Graded, wish: Wish, folder: Path) -> Written:
    suffix = gradebooks.make(wish.kind).facts.suffix
    name = wish.kind.partition(":")[0]
    return write(marks(graded), wish.kind, folder / f"gradebook-{name}{suffix}", wish.into)


def workbook(sheets: dict[str, pl.DataFrame]) -> bytes:
    """Tables as the sheets of a workbook."""
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


def _safe(table: pl.DataFrame) -> pl.DataFrame:
    """A table in which no spreadsheet takes a text for a formula."""
    return table.with_columns(
        pl.col(name).map_elements(guarded, return_dtype=pl.String)
        for name, kind in table.schema.items()
        if kind == pl.String
    )
