"""The gradebook of Canvas."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from peergauge.classroom.gradebooks._base import Written, gradebook
from peergauge.classroom.gradebooks._marks import Marks
from peergauge.classroom.gradebooks._matching import Known
from peergauge.classroom.gradebooks._platform import Platform, listed, mark_text, safe
from peergauge.classroom.gradebooks._sheet import Sheet
from peergauge.classroom.gradebooks.cells import number_text, text_number
from peergauge.core.errors import ParameterError, TableError
from peergauge.core.formulas import guarded, like_a_formula, unguarded

HEADER_COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
RESERVED_COLUMNS = {*HEADER_COLUMNS, "LastName", "FirstName", "Integration ID", "Root Account"}
TOTALS_PATTERN = re.compile("(Current|Final) (Score|Points|Grade)|Override (Score|Grade|Status)")
POSTING_PATTERN = re.compile(r"\s*(Muted|Manual Posting.*)?\s*", re.IGNORECASE)
POINTS_ROW_LABEL = "Points Possible"
TEST_STUDENT = "Student, Test"
STORED_DECIMALS = 4
"""Decimals of converted marks."""


@gradebook(
    "canvas",
    label="Canvas",
    source="Canvas gradebook import",
    fills=True,
    keeps=("name", "sis", "lms", "login", "section"),
    blank_wipes=True,
)
@dataclass(frozen=True)
class Canvas(Platform):
    """The gradebook CSV that Canvas exports and imports.

    Students are matched by ``ID`` (``lms``), ``SIS User ID`` (``sis``), ``SIS Login ID``
    (``login``) and then by a unique name. Columns are matched by the ``(id)`` at the end of a
    title, then by title. A title that Canvas does not have becomes a new assignment, whose points
    stand in the row *Points Possible*. Marks for an existing assignment are converted to its
    points. A blank cell deletes the grade that is there, so that a file with a new column has only
    students with a mark, and no columns of other grades; in existing columns, students without a
    mark keep their entry.

    Parameters
    ----------
    points
        What the marks are out of, if the marks do not say it themselves; 0 if this is not known.
    """

    points: float = 0.0

    ids: ClassVar[tuple[str, ...]] = ("lms", "sis", "login")
    by_name: ClassVar[bool] = True
    # Students who are excused, or were not assigned the work, keep these entries.
    fixed: ClassVar[frozenset[str]] = frozenset({"EX", "N/A"})
    keeps_entries: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (np.isfinite(self.points) and self.points >= 0):
            raise ParameterError(
                f"The points of a Canvas gradebook should be above 0, but are {self.points}."
            )

    def write(self, marks: Marks, path: Path, into: Path | None = None) -> Written:
        notes: list[str] = []
        marks = self._with_points(marks)
        sheet = None if into is None else self._sheet(into)
        for title in marks.titles:
            self.check_title(title)
            column = None if sheet is None else self.column_for(sheet, title)
            if sheet is not None and column is not None:
                self.check_highest(sheet, column, title, marks)
                marks = self._on_existing(marks, title, sheet, column, notes)
            elif title not in marks.highest:
                notes.append(
                    f"It is not known what the marks of '{title}' are out of, and Canvas would "
                    "make an assignment of no points for them: give canvas:points=POINTS, or fill "
                    f"in the row '{POINTS_ROW_LABEL}'."
                )
        written = super().write(marks, path, into)
        return replace(written, notes=(*written.notes, *notes))

    def without_maximum(self, marks: Marks, into: Path | None = None) -> list[str]:
        sheet = None if into is None else self._sheet(into)
        unknown = [title for title in marks.titles if title not in self._with_points(marks).highest]
        return [
            title for title in unknown if sheet is None or self.column_for(sheet, title) is None
        ]

    def _with_points(self, marks: Marks) -> Marks:
        """The marks with the points that are given for titles that have none."""
        if not self.points:
            return marks
        known = dict.fromkeys(marks.titles, self.points) | dict(marks.highest)
        return Marks(marks.frame, known, marks.source)

    def _on_existing(
        self, marks: Marks, title: str, sheet: Sheet, column: int, notes: list[str]
    ) -> Marks:
        """The marks under a title in the points of an assignment that Canvas has."""
        points = self._points_row(sheet)
        theirs = None if points is None else text_number(sheet.text(points, column))
        ours = marks.highest.get(title)
        if not theirs:
            return marks
        if ours is None:
            above = [mark for mark in marks.of(title) if mark is not None and mark > theirs]
            if above:
                raise TableError(
                    f"'{sheet.header[column]}' is out of {theirs:g} in {sheet.source}, but "
                    f"{len(above)} marks are above, up to {max(above):g}; say what the marks are "
                    "out of: canvas:points=POINTS."
                )
            return marks.with_column(title, marks.of(title), theirs)
        if ours == theirs:
            return marks
        changed = [
            None if mark is None else round(mark * theirs / ours, STORED_DECIMALS)
            for mark in marks.of(title)
        ]
        notes.append(
            f"'{sheet.header[column]}' is out of {theirs:g} points, so that marks out of {ours:g} "
            f"are converted: {ours:g} becomes {theirs:g}."
        )
        return marks.with_column(title, changed, theirs)

    def trim(self, sheet: Sheet, filled: Sequence[int]) -> None:
        # Canvas imports every column, so that one of several files would bring old grades back.
        about = range((sheet.find("Section") or 0) + 1)
        sheet.keep_columns([*about, *filled])

    def other_rows(self, sheet: Sheet) -> list[int]:
        points = self._points_row(sheet)
        return [] if points is None else [points]

    def known_columns(self) -> Sequence[str]:
        return sorted(RESERVED_COLUMNS)

    def compared_columns(self, sheet: Sheet) -> dict[str, str]:
        return {"lms": "ID", "sis": "SIS User ID", "login": "SIS Login ID", "name": "Student"}

    def check_header(self, sheet: Sheet) -> None:
        header = [name.strip() for name in sheet.header]
        named = header[:2] == ["Student", "ID"] or header[:3] == ["LastName", "FirstName", "ID"]
        if not named or "Section" not in header:
            raise TableError(
                f"{sheet.source} is no Canvas gradebook: its columns should begin with Student, ID "
                "and go on to Section; export it from Grades in Canvas."
            )

    def check_title(self, title: str) -> None:
        if TOTALS_PATTERN.search(title) or title in RESERVED_COLUMNS:
            raise TableError(
                f"Canvas takes the title '{title}' for a column of its own and would not import "
                "it; choose another one."
            )

    def student_rows(self, sheet: Sheet) -> list[int]:
        return [
            row
            for row in range(1, len(sheet.rows))
            if POINTS_ROW_LABEL not in sheet.text(row, 0)
            and not all(
                POSTING_PATTERN.fullmatch(sheet.text(row, k))
                for k in range(len(sheet.rows[row].cells))
            )
            and self._name(sheet, row) != TEST_STUDENT
        ]

    def known_of(self, sheet: Sheet, row: int) -> Known:
        known = {"name": self._name(sheet, row)} | {
            key: unguarded(sheet.text(row, sheet.find(column)))
            for key, column in zip(
                ("lms", "sis", "login", "section"), HEADER_COLUMNS[1:], strict=True
            )
        }
        return {key: text for key, text in known.items() if text.strip()}

    @staticmethod
    def _name(sheet: Sheet, row: int) -> str:
        if (first := sheet.find("FirstName")) is not None:
            parts = sheet.text(row, sheet.find("LastName")), sheet.text(row, first)
            return ", ".join(_as_exported(part) for part in parts if part.strip())
        return _as_exported(sheet.text(row, 0))

    def mark_columns(self, sheet: Sheet) -> dict[int, str]:
        begin = (sheet.find("Section") or 0) + 1
        points = self._points_row(sheet)
        return {
            column: unguarded(title).strip()
            for column, title in enumerate(sheet.header)
            if column >= begin
            and title.strip()
            and not TOTALS_PATTERN.search(title)
            and not (points and "read only" in sheet.text(points, column))
        }

    def highest(self, sheet: Sheet, titles: dict[int, str]) -> dict[str, float]:
        points = self._points_row(sheet)
        found = {t: text_number(sheet.text(points, k)) for k, t in titles.items()} if points else {}
        return {title: highest for title, highest in found.items() if highest}

    @staticmethod
    def _points_row(sheet: Sheet) -> int | None:
        rows = range(1, len(sheet.rows))
        return next((row for row in rows if POINTS_ROW_LABEL in sheet.text(row, 0)), None)

    def decimal(self, sheet: Sheet) -> str:
        begin = (sheet.find("Section") or 0) + 1
        default = "," if sheet.delimiter == ";" else "."
        return sheet.decimal(range(begin, len(sheet.header)), default)

    def column_for(self, sheet: Sheet, title: str) -> int | None:
        begin = (sheet.find("Section") or 0) + 1
        there = {k: unguarded(t).strip() for k, t in enumerate(sheet.header) if k >= begin}
        wanted, number = _title_and_id(title)
        if number:
            found = [k for k, name in there.items() if _title_and_id(name)[1] == number]
        else:
            found = []
        found = found or [k for k, name in there.items() if name == title]
        if not found and not number:
            found = [k for k, name in there.items() if _title_and_id(name)[0] == wanted]
        if len(found) > 1:
            raise TableError(
                f"{sheet.source} has several columns '{wanted}': "
                f"{listed([there[k] for k in found])}; give the title with its (id)."
            )
        return found[0] if found else None

    def check_highest(
        self,
        sheet: Sheet,
        column: int,
        title: str,
        marks: Marks,
    ) -> None:
        points = self._points_row(sheet)
        if points is not None and "read only" in sheet.text(points, column):
            raise TableError(
                f"The column '{sheet.header[column]}' of {sheet.source} is read-only in Canvas; "
                "choose another title."
            )

    def add_column(self, sheet: Sheet, title: str, marks: Marks, notes: list[str]) -> int:
        column = len(sheet.header)
        points = self._points_row(sheet)
        sheet.add_column(column, guarded(title))
        if points is not None and title in marks.highest:
            text = number_text(marks.highest[title], self.decimal(sheet))
            sheet.put(points, column, text)
        notes.append(_new_assignment(title))
        return column

    def new_rows(self, marks: Marks, people: Sequence[int], notes: list[str]) -> list[list[str]]:
        known = marks.people()
        notes += [_new_assignment(title) for title in marks.titles]
        only_name = [
            known[k]["person"]
            for k in people
            if not any(key in known[k] for key in self.ids)
            and like_a_formula(known[k].get("name", ""))
        ]
        if only_name:
            notes.append(
                "An apostrophe keeps spreadsheets from taking a name for a formula, and Canvas "
                f"will ask who that is: {listed(only_name)}."
            )
        points = [mark_text(marks.highest.get(title)) for title in marks.titles]
        columns = [marks.of(title) for title in marks.titles]
        return [
            [*HEADER_COLUMNS, *(guarded(title) for title in marks.titles)],
            [f"    {POINTS_ROW_LABEL}", "", "", "", "", *points],
            *(
                [
                    *safe(known[k], "name", "lms", "sis", "login", "section"),
                    *(mark_text(column[k]) for column in columns),
                ]
                for k in people
            ),
        ]


def _title_and_id(title: str) -> tuple[str, str]:
    """Split an exported title into the title and its id."""
    found = re.fullmatch(r"(.*?)\s*\(([0-9]+)\)", title, re.DOTALL)
    return (found[1], found[2]) if found else (title, "")


def _as_exported(name: str) -> str:
    """A name as in Canvas, whose exporter writes =x as ="=x", while we write '=x."""
    quoted = re.fullmatch(r'="(\s*=.*)"', name, re.DOTALL)
    return quoted[1] if quoted else unguarded(name)


def _new_assignment(title: str) -> str:
    wanted, number = _title_and_id(title)
    if number:
        return (
            f"Canvas will create '{wanted}' as a new assignment unless it has one with id {number}."
        )
    return f"Canvas will create '{title}' as a new assignment unless it has one of that title."
