"""The tables that the files of a graded folder show, and where.

A new table joins the check of a folder by one line in :data:`TABLE_FILES` or :data:`TABLE_SHEETS`,
and by a function that makes its columns from the audit, in :data:`PAGE_TABLES` or in
:data:`~peergauge.classroom.grade.recomputed.TABLES`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from peergauge.classroom.grade.recomputed import AuditedNumbers, Table
from peergauge.classroom.grade.semester import SemesterRun, semester_in
from peergauge.classroom.grade.settings_file import NO_NUMBER
from peergauge.pages.handouts import GRADE_DECIMALS, HANDOUTS_FILE
from peergauge.pages.semester_page import semester_rows, semester_table
from peergauge.pages.workbook import grade_columns, grader_columns
from peergauge.pages.workbook_sheets import DECISION_COLUMNS, MARK_COLUMNS


class FileTable(NamedTuple):
    """A table of the audit that a file or a sheet shows.

    Parameters
    ----------
    table
        Name of the table of :class:`AuditedNumbers`.
    names
        Columns that name a row.
    complete
        Whether every row of the audit must be in the file.
    decimals
        Decimals to which the file rounds numbers; None if it does not.
    headers
        Columns of the table by the headers of the file, where these differ.
    """

    table: str
    names: tuple[str, ...]
    complete: bool = True
    decimals: int | None = None
    headers: Callable[[AuditedNumbers], Mapping[str, str]] = lambda _: {}


def _described(columns: Callable[[float], Mapping[str, Any]]) -> Any:
    """Headers of a sheet whose columns are described."""

    def headers(audited: AuditedNumbers) -> dict[str, str]:
        level = audited.settings["level"]
        return {one.header: name for name, one in columns(level).items()}

    return headers


def _named(columns: Mapping[str, Any]) -> Any:
    """Headers of a sheet whose columns do not depend on the class."""
    return lambda _: {one.header: name for name, one in columns.items()}


TABLE_FILES = {
    "grades.csv": FileTable("grades", ("assignment", "submission")),
    "graders.csv": FileTable("graders", ("grader",)),
    "marks.csv": FileTable("final", ("person",)),
    "decision-log.csv": FileTable("decisions", ("row", "action", "submission", "grader")),
    "semester.csv": FileTable("semester", ("person",)),
    HANDOUTS_FILE: FileTable("handouts", ("person",), decimals=GRADE_DECIMALS),
}
"""Tables that CSV files show."""

TABLE_SHEETS = {
    "grades": TABLE_FILES["grades.csv"]._replace(headers=_described(grade_columns)),
    "graders": TABLE_FILES["graders.csv"]._replace(headers=_described(grader_columns)),
    "semester": TABLE_FILES["semester.csv"],
    "final marks": TABLE_FILES["marks.csv"]._replace(headers=_named(MARK_COLUMNS)),
    "decisions": TABLE_FILES["decision-log.csv"]._replace(
        # Long texts are shortened on the sheet.
        headers=lambda audited: {
            **_named(DECISION_COLUMNS)(audited), "Reason": "Reason", "Asked": "Asked"
        }
    ),
    "why grades": FileTable(
        "grade-parts",
        ("assignment", "submission", "part"),
        headers=lambda _: {"Gave": "given", "Counts as": "corrected",
                           "Contributes": "contribution"},
    ),
    "why points": FileTable(
        "paid-reviews",
        ("grader", "submission"),
        headers=lambda _: {"Review of": "submission", "Gave": "given", "Counted as": "judged",
                           "Compared with": "reference"},
    ),
}  # fmt: skip
"""Tables that sheets of the workbook show, by their titles in small letters."""

REQUIRED_SHEETS = ("grades", "graders")
"""Sheets that every workbook has."""


# ------------------------------------------------------------------------------------------ tables


def _semester(audited: AuditedNumbers) -> Table:
    """One row for each student, with the columns of semester.csv and the cells of the page."""
    found = semester_in(audited.content)
    if not found.runs:
        return {}
    rows = semester_rows(found)
    cells = {
        f"cell-{place}": [row.cells[place].value for row in rows]
        for place in range(len(rows[0].cells) if rows else 0)
    }
    counts = {
        f"reviews-{place}": [_leading_number(row.cells[place].reviews) for row in rows]
        for place in range(len(cells))
    }
    columns = semester_table(found).to_dict(as_series=False)
    labels = [row.person.label for row in rows]
    return {**columns, **cells, **counts, "label": labels}


def _leading_number(text: str) -> int | None:
    first = text.partition(" ")[0]
    return int(first) if first.isdecimal() else None


def _handouts(audited: AuditedNumbers) -> Table:
    """One row for everybody who has a page, with the columns of the list of pages."""
    found = semester_in(audited.content)
    if not found.runs:
        return {}
    run = found.runs[-1]
    people = sorted(run.people)
    marks = audited.table("final")
    of_mark = dict(zip(marks.get("person", ()), marks.get("mark", ()), strict=False))
    graders = audited.table("graders")
    place = {str(one): row for row, one in enumerate(graders["grader"])}
    known = {
        name: [graders[name][place[one]] if one in place else None for one in people]
        for name in ("name", "email")
        if name in graders
    }
    return {
        "person": people,
        **known,
        **{title: [grades.get(one) for one in people] for title, grades in _grades(run)},
        "points": [run.points.get(one) for one in people],
        "final mark": [of_mark.get(one) for one in people],
    }


def _grades(run: SemesterRun) -> Iterator[tuple[str, Mapping[str, float | None]]]:
    for name, grades in run.grades.items():
        if grades:
            yield (f"{name} grade" if len(run.grades) > 1 and name else "grade"), grades


def _settings(audited: AuditedNumbers) -> Table:
    """One row for each setting, by its name in the settings file."""
    values = flat_settings(audited.settings)
    return {"setting": list(values), "value": list(values.values())}


def flat_settings(settings: Mapping[str, Any]) -> dict[str, str]:
    """Settings as text, by their names with that of the section before.

    >>> flat_settings({"level": 0.9, "grades": {"round_to": None}})
    {'level': '0.9', 'grades.round_to': 'none'}
    """
    found = {}
    for key, value in settings.items():
        inside = value.items() if isinstance(value, Mapping) else [("", value)]
        for name, one in inside:
            text = NO_NUMBER if one is None else str(float(one)) if _is_number(one) else str(one)
            found[f"{key}.{name}" if name else key] = text
    return found


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


PAGE_TABLES: dict[str, Callable[[AuditedNumbers], Table]] = {
    "semester": _semester,
    "handouts": _handouts,
    "settings": _settings,
}
"""Tables that take what pages are made of."""
