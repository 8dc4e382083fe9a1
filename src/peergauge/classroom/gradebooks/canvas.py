"""The gradebook of Canvas."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from peergauge.classroom.gradebooks._base import gradebook
from peergauge.classroom.gradebooks._marks import Marks
from peergauge.classroom.gradebooks._matching import Known
from peergauge.classroom.gradebooks._platform import Platform, listed, mark_text, safe
from peergauge.classroom.gradebooks._sheet import Sheet
from peergauge.classroom.gradebooks.cells import (
    guarded,
    like_a_formula,
    number_text,
    text_number,
    unguarded,
)
from peergauge.core.errors import TableError

HEADER_COLUMNS = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
RESERVED_COLUMNS = {*HEADER_COLUMNS, "LastName", "FirstName", "Integration ID", "Root Account"}
TOTALS_PATTERN = re.compile("(Current|Final) (Score|Points|Grade)|Override (Score|Grade|Status)")
POSTING_PATTERN = re.compile(r"\s*(Muted|Manual Posting.*)?\s*", re.IGNORECASE)
POINTS_ROW_LABEL = "Points Possible"


@gradebook(
    "canvas",
    label="Canvas",
    source="Canvas gradebook import",
    fills=True,
    keeps=("name", "sis", "lms", "login", "section"),
)
@dataclass(frozen=True)
class Canvas(Platform):
    """The gradebook CSV that Canvas exports and imports.

    Students are matched by ``ID`` (``lms``), ``SIS User ID`` (``sis``), ``SIS Login ID``
    (``login``) and then by a unique name. Columns are matched by the ``(id)`` at the end of a
    title, then by title. A title that Canvas does not have becomes a new assignment.
    """

    ids: ClassVar[tuple[str, ...]] = ("lms", "sis", "login")
    by_name: ClassVar[bool] = True
    # Students who are excused, or were not assigned the work, keep these entries.
    fixed: ClassVar[frozenset[str]] = frozenset({"EX", "N/A"})

    def known_columns(self) -> Sequence[str]:
        return sorted(RESERVED_COLUMNS)

    def id_columns(self) -> dict[str, str]:
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
            and self._name(sheet, row) != "Student, Test"
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

    def check_highest(self, sheet: Sheet, column: int, title: str, marks: Marks) -> None:
        points = self._points_row(sheet)
        if points is None:
            return
        shown = sheet.text(points, column)
        if "read only" in shown:
            raise TableError(
                f"The column '{sheet.header[column]}' of {sheet.source} is read-only in Canvas; "
                "choose another title."
            )
        theirs, ours = text_number(shown), marks.highest.get(title)
        if theirs is not None and ours is not None and theirs != ours:
            raise TableError(
                f"'{sheet.header[column]}' is out of {theirs:g} in {sheet.source}, but the marks "
                f"are out of {ours:g}; bring them to the same points."
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
