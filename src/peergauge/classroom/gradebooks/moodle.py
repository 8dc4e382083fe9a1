"""The gradebook of Moodle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import ClassVar

from peergauge.classroom.gradebooks._base import gradebook
from peergauge.classroom.gradebooks._marks import Marks
from peergauge.classroom.gradebooks._matching import Known
from peergauge.classroom.gradebooks._platform import Platform, mark_text, safe
from peergauge.classroom.gradebooks._sheet import Sheet
from peergauge.classroom.gradebooks.cells import guarded, unguarded
from peergauge.core.errors import TableError

FIRST_NAME_COLUMNS, LAST_NAME_COLUMNS = ("First name",), ("Last name", "Surname")
OTHER_COLUMNS = ("Institution", "Department", "Last downloaded from this course")
TOTAL_TITLE, FEEDBACK_ENDING = "course total", "(feedback)"


@gradebook(
    "moodle",
    label="Moodle",
    source="Moodle grade import",
    fills=True,
    keeps=("name", "email", "sis"),
)
@dataclass(frozen=True)
class Moodle(Platform):
    """The grades file that Moodle exports and imports as plain text.

    Students are matched by ID number (``sis``) or email address (case-insensitive), columns by
    their whole header, such as ``Workshop: Essay (assessment) (Real)``. Feedback is never written,
    because Moodle deletes a grade that comes with feedback alone.

    Parameters
    ----------
    email, id_number
        Names of these columns in the language of the course.
    """

    email: str = "Email address"
    id_number: str = "ID number"

    ids: ClassVar[tuple[str, ...]] = ("email", "sis")

    def known_columns(self) -> Sequence[str]:
        return [self.email, self.id_number, *FIRST_NAME_COLUMNS, *LAST_NAME_COLUMNS, *OTHER_COLUMNS]

    def id_columns(self) -> dict[str, str]:
        return {"email": self.email, "sis": self.id_number}

    def check_header(self, sheet: Sheet) -> None:
        if sheet.find(self.email, self.id_number) is None:
            raise TableError(
                f"{sheet.source} has neither '{self.email}' nor '{self.id_number}' among its "
                "columns; export grades from Moodle as plain text, or say what the columns are "
                "called there: moodle:email=NAME."
            )

    def check_title(self, title: str) -> None:
        if self._own(title):
            raise TableError(
                f"'{title}' is no column of marks in Moodle; choose the title of a grade item."
            )

    def student_rows(self, sheet: Sheet) -> list[int]:
        return [
            row
            for row in range(1, len(sheet.rows))
            if any(sheet.text(row, k).strip() for k in range(len(sheet.rows[row].cells)))
        ]

    def known_of(self, sheet: Sheet, row: int) -> Known:
        first = unguarded(sheet.text(row, sheet.find(*FIRST_NAME_COLUMNS)))
        last = unguarded(sheet.text(row, sheet.find(*LAST_NAME_COLUMNS)))
        known = {
            "name": ", ".join(part for part in (last, first) if part.strip()),
            "email": unguarded(sheet.text(row, sheet.find(self.email))),
            "sis": unguarded(sheet.text(row, sheet.find(self.id_number))),
        }
        return {key: text for key, text in known.items() if text.strip()}

    def mark_columns(self, sheet: Sheet) -> dict[int, str]:
        return {
            column: unguarded(title).strip()
            for column, title in enumerate(sheet.header)
            if title.strip() and not self._own(title)
        }

    def _own(self, title: str) -> bool:
        """Whether a column belongs to Moodle and contains no marks to import."""
        name = title.strip().lower()
        own = {column.lower() for column in self.known_columns()}
        return name in own or name.startswith(TOTAL_TITLE) or name.endswith(FEEDBACK_ENDING)

    def column_for(self, sheet: Sheet, title: str) -> int | None:
        found = [k for k, name in enumerate(sheet.header) if unguarded(name).strip() == title]
        if len(found) > 1:
            raise TableError(f"{sheet.source} has two columns '{title}'; rename one.")
        return found[0] if found else None

    def add_column(self, sheet: Sheet, title: str, marks: Marks, notes: list[str]) -> int:
        near = get_close_matches(title, self.mark_columns(sheet).values(), n=1, cutoff=0.6)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        column = len(sheet.header)
        sheet.add_column(column, guarded(title))
        notes.append(
            f"'{title}' is a new column, which older versions of Moodle do not import; make a "
            f"grade item for it and map the column to it.{hint}"
        )
        return column

    def new_rows(self, marks: Marks, people: Sequence[int], notes: list[str]) -> list[list[str]]:
        known = marks.people()
        columns = [marks.of(title) for title in marks.titles]
        notes.append(
            "Moodle asks at the import which grade item each column belongs to, and takes imported "
            "grades as overridden."
        )
        return [
            [
                *FIRST_NAME_COLUMNS,
                LAST_NAME_COLUMNS[0],
                self.id_number,
                self.email,
                *map(guarded, marks.titles),
            ],
            *(
                [
                    *map(guarded, _first_and_last(known[k].get("name", ""))),
                    *safe(known[k], "sis", "email"),
                    *(mark_text(column[k]) for column in columns),
                ]
                for k in people
            ),
        ]


def _first_and_last(name: str) -> tuple[str, str]:
    """Split a name of the form ``Last, First``; any other name is a last name."""
    last, _, first = name.partition(", ")
    return (first, last) if first.strip() and last.strip() else ("", name)
