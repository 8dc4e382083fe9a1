"""The gradebook of Brightspace."""

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
from peergauge.core.errors import TableError
from peergauge.core.formulas import guarded, unguarded

ORG_COLUMN, USER_COLUMN, END_COLUMN = "OrgDefinedID", "Username", "End-of-Line Indicator"
ITEM_PATTERN = re.compile(r"(.*) Points Grade(?:\s*<.*MaxPoints:([0-9.]+).*>|\s*<.*>)?\s*")


@gradebook(
    "brightspace",
    label="Brightspace",
    source="D2L grade import",
    fills=True,
    keeps=("sis", "login"),
)
@dataclass(frozen=True)
class Brightspace(Platform):
    """The grades file that Brightspace exports and imports.

    Students are matched by ``OrgDefinedID`` (``sis``) or ``Username`` (``login``). A mark is in the
    column ``<title> Points Grade``, and ``#`` ends each row. A title that Brightspace does not have
    becomes a new item.
    """

    ids: ClassVar[tuple[str, ...]] = ("sis", "login")

    def known_columns(self) -> Sequence[str]:
        return [ORG_COLUMN, USER_COLUMN, END_COLUMN]

    def compared_columns(self, sheet: Sheet) -> dict[str, str]:
        return {"sis": ORG_COLUMN, "login": USER_COLUMN}

    def check_header(self, sheet: Sheet) -> None:
        if sheet.find(ORG_COLUMN, USER_COLUMN) is None or sheet.find(END_COLUMN) is None:
            raise TableError(
                f"{sheet.source} is no Brightspace gradebook: it should have '{ORG_COLUMN}' or "
                f"'{USER_COLUMN}', and '{END_COLUMN}' at the end; export it from Grades in "
                "Brightspace."
            )

    def student_rows(self, sheet: Sheet) -> list[int]:
        return [row for row in range(1, len(sheet.rows)) if self.known_of(sheet, row)]

    def known_of(self, sheet: Sheet, row: int) -> Known:
        names = [sheet.text(row, sheet.find(part)) for part in ("Last Name", "First Name")]
        known = {
            "name": ", ".join(unguarded(part) for part in names if part.strip()),
            # Exports have # before ids, so that spreadsheets keep leading zeros.
            "sis": unguarded(sheet.text(row, sheet.find(ORG_COLUMN))).removeprefix("#"),
            "login": unguarded(sheet.text(row, sheet.find(USER_COLUMN))).removeprefix("#"),
            "email": unguarded(sheet.text(row, sheet.find("Email"))),
        }
        return {key: text for key, text in known.items() if text.strip()}

    def mark_columns(self, sheet: Sheet) -> dict[int, str]:
        found = {k: ITEM_PATTERN.fullmatch(unguarded(name)) for k, name in enumerate(sheet.header)}
        return {column: item[1] for column, item in found.items() if item}

    def highest(self, sheet: Sheet, titles: dict[int, str]) -> dict[str, float]:
        found = {k: ITEM_PATTERN.fullmatch(unguarded(sheet.header[k])) for k in titles}
        return {titles[k]: float(item[2]) for k, item in found.items() if item and item[2]}

    def column_for(self, sheet: Sheet, title: str) -> int | None:
        found = [column for column, name in self.mark_columns(sheet).items() if name == title]
        if len(found) > 1:
            raise TableError(f"{sheet.source} has two columns for '{title}'; rename one.")
        return found[0] if found else None

    def check_highest(self, sheet: Sheet, column: int, title: str, marks: Marks) -> None:
        theirs, ours = self.highest(sheet, {column: title}).get(title), marks.highest.get(title)
        if theirs is not None and ours is not None and theirs != ours:
            raise TableError(
                f"'{title}' is out of {theirs:g} in {sheet.source}, but the marks are out of "
                f"{ours:g}; bring them to the same points."
            )

    def add_column(self, sheet: Sheet, title: str, marks: Marks, notes: list[str]) -> int:
        end = sheet.find(END_COLUMN)
        column = len(sheet.header) if end is None else end
        sheet.add_column(column, guarded(f"{title} Points Grade"))
        self._tell(title, marks, notes)
        return column

    def new_rows(self, marks: Marks, people: Sequence[int], notes: list[str]) -> list[list[str]]:
        known = marks.people()
        named = {"sis": ORG_COLUMN, "login": USER_COLUMN}
        keys = [key for key in named if any(key in known[k] for k in people)]
        columns = [marks.of(title) for title in marks.titles]
        for title in marks.titles:
            self._tell(title, marks, notes)
        items = [guarded(f"{title} Points Grade") for title in marks.titles]
        return [
            [*(named[key] for key in keys), *items, END_COLUMN],
            *(
                [*safe(known[k], *keys), *(mark_text(column[k]) for column in columns), "#"]
                for k in people
            ),
        ]

    @staticmethod
    def _tell(title: str, marks: Marks, notes: list[str]) -> None:
        notes.append(f"Brightspace will create '{title}' as a new item unless it has one.")
        highest = marks.highest.get(title)
        above = [
            known["person"]
            for known, mark in zip(marks.people(), marks.of(title), strict=True)
            if highest is not None and mark is not None and mark > highest
        ]
        if above:
            notes.append(
                f"Brightspace may cap marks above {highest:g} for {title}: {listed(above)}."
            )
