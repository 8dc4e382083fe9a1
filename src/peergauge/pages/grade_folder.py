"""The folder of a graded class: tables, report, audit, gradebooks and pages for students."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.audit import AUDIT_FILE, audit, write_audit
from peergauge.classroom.grade.names import ClassNames
from peergauge.classroom.grade.tables import gradebook_marks, graders_table, grades_table
from peergauge.classroom.gradebooks import (
    PERSON_COLUMNS,
    Marks,
    Written,
    check_match,
    gradebooks,
    read_marks,
    write,
)
from peergauge.classroom.gradebooks.cells import guarded
from peergauge.core.errors import TableError
from peergauge.core.files import as_bytes, write_files
from peergauge.core.lazy import pl
from peergauge.core.optional import left_out, skipping
from peergauge.exports.validate import OpenedClass

MAX_SHEET_ROWS = 20_000
"""Rows of the largest sheet up to which a workbook is written."""

ALL_IMPORT_NOTES = 10**9

FACTOR_DIGITS = 6
"""Digits after the point of the factors between our marks and those of a platform."""


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
    books, written = _gradebooks(graded, to, folder)
    data = {path: as_bytes(one, path) for path, one in {**content, **books}.items()}
    record = {
        **audit(graded, files),
        "tables": {"grades": _columns(by_submission), "graders": _columns(by_grader)},
        "marks": _columns(gradebook_marks(graded).frame) if to else {},
        "gradebooks": {one.path.name: one.about for one in written},
        "written": {path.relative_to(folder).as_posix(): sha256(one) for path, one in data.items()},
    }
    data = {folder / AUDIT_FILE: write_audit(record), **data}
    write_files(data)
    given = tuple(dict.fromkeys(one.book for one in written))
    return WrittenFolder(tuple(data), given, tuple(notes))


def sha256(data: bytes) -> str:
    """The SHA-256 digest of the bytes of a file."""
    return hashlib.sha256(data).hexdigest()


def _columns(table: pl.DataFrame) -> dict[str, list[Any]]:
    """Columns of a table for the audit; explanations, which only repeat its numbers, are left out.

    NaN becomes None.
    """
    kept = table.drop("why", strict=False).with_columns(pl.selectors.float().fill_nan(None))
    return kept.to_dict(as_series=False)


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


class _WrittenBook(NamedTuple):
    """A gradebook with what the audit has about it."""

    path: Path
    about: dict[str, Any]
    """Spec of its kind, and the factor by which the platform's marks under a title are larger."""

    book: Written


def recognised(book: Marks, marks: Mapping[str, Sequence[Any]]) -> Iterator[tuple[int, int]]:
    """Rows of a gradebook and of our marks that belong to the same person."""
    number = {
        str(value).casefold(): row
        for name in PERSON_COLUMNS
        if name in marks and name != "section"
        for row, value in enumerate(marks[name])
        if value is not None
    }
    for place, known in enumerate(book.people()):
        texts = (known[name].casefold() for name in PERSON_COLUMNS if name in known)
        row = next((number[text] for text in texts if text in number), None)
        if row is not None:
            yield place, row


def _factors(path: Path, kind: str, marks: Mapping[str, Sequence[Any]]) -> dict[str, float]:
    """Factors by which the marks of a file are larger than ours: 4 for 100 instead of 25."""
    book = read_marks(path, kind)
    pairs = list(recognised(book, marks))
    found = {}
    for title in book.titles:
        if title in marks:
            both = [(book.of(title)[place], marks[title][row]) for place, row in pairs]
            ratios = [shown / ours for shown, ours in both if shown is not None and ours]
            if ratios:
                found[title] = round(float(median(ratios)), FACTOR_DIGITS)
    return found


def _gradebooks(
    graded: GradedClass, to: Sequence[GradebookRequest], folder: Path
) -> tuple[dict[Path, bytes], list[_WrittenBook]]:
    """The bytes of all gradebooks, and what is written in them.

    Gradebooks are written to another folder first, so that either all files are written or none.
    """
    found: dict[Path, bytes] = {}
    written = []
    marks = gradebook_marks(graded)
    for request in to:
        suffix = gradebooks.make(request.kind).facts.suffix
        name = f"gradebook-{request.kind.partition(':')[0]}{suffix}"
        with TemporaryDirectory() as scratch:
            book = write(marks, request.kind, Path(scratch) / name, request.into)
            paths = (book.path, *book.more_paths)
            there, *more = (folder / path.name for path in paths)
            moved = replace(book, path=there, more_paths=tuple(more))
            for path in paths:
                found[folder / path.name] = path.read_bytes()
                about = {
                    "kind": request.kind,
                    "factors": _factors(path, request.kind, _columns(marks.frame)),
                }
                written.append(_WrittenBook(folder / path.name, about, moved))
    return found, written


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
