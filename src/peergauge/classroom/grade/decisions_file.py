"""The file of decisions: a table that staff keep in a spreadsheet, and that is strictly read."""

from __future__ import annotations

import csv
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path

from peergauge.classroom.grade.decisions import Action, Decision, Decisions, Outcome
from peergauge.classroom.grade.settings import checked_date
from peergauge.classroom.gradebooks.cells import text_number
from peergauge.core.errors import ParameterError, TableError
from peergauge.exports.formats.opening import Opened, RawTable

DECISION_COLUMNS = (
    "action", "assignment", "submission", "grader", "grade", "decision", "reason", "date", "asked",
)  # fmt: skip
"""Columns of the file, in any order. Columns that no row needs may be left out."""

NEEDED_CELLS = {
    Action.EXCLUDE_REVIEW: ("submission", "grader", "reason"),
    Action.EXCLUDE_GRADER: ("grader", "reason"),
    Action.STAFF_GRADE: ("submission", "grade"),
    Action.APPEAL: ("decision", "date"),
}
"""Cells that a row with an action needs."""

OTHER_CELLS = {
    Action.EXCLUDE_REVIEW: ("assignment", "date"),
    Action.EXCLUDE_GRADER: ("assignment", "date"),
    Action.STAFF_GRADE: ("assignment", "reason", "date"),
    Action.APPEAL: ("assignment", "submission", "grader", "grade", "reason", "asked"),
}
"""Cells that a row with an action may have as well."""


def read_decisions(path: Path | str) -> Decisions:
    """Read decisions from a CSV file or a workbook; every row is read or refused.

    A file with a header and no rows has no decisions.
    """
    file = Opened(Path(path))
    found = _table(file)
    columns = _columns(found, file.name)
    _refuse_wide_rows(file, found)
    rows = []
    cells = zip(found.rows.to_list(), found.frame.rows(), strict=True)
    for number, row in cells:
        given = {name: row[place] or "" for name, place in columns.items()}
        others = [cell for place, cell in enumerate(row) if place not in columns.values() and cell]
        if others:
            raise TableError(
                f"Row {number} of {file.name} has '{others[0]}' in a column without a title; "
                f"give the column one of the titles {', '.join(DECISION_COLUMNS)}."
            )
        if any(given.values()):
            rows.append(_decision(given, number, file.name))
    return Decisions(tuple(rows), file.name)


def _table(file: Opened) -> RawTable:
    """The one table of a file that has a column of actions."""
    found = {name: one for name, one in file.sheets.items() if "action" in map(_title, one.header)}
    if len(found) > 1:
        raise TableError(
            f"{file.name} has decisions on the sheets {', '.join(found)}; put them on one sheet."
        )
    if not found:
        raise TableError(
            f"{file.name} has no table with a column 'action'; decisions are a CSV or XLSX table "
            f"with the columns {', '.join(DECISION_COLUMNS)}."
        )
    return next(iter(found.values()))


def _refuse_wide_rows(file: Opened, found: RawTable) -> None:
    """Refuse a row of text with more cells than the header, such as a reason with a comma."""
    if not found.delimiter:
        return
    rows = csv.reader(file.text.splitlines(keepends=True), delimiter=found.delimiter)
    try:
        for number, cells in enumerate(rows, 1):
            if number >= found.first and any(cell.strip() for cell in cells[len(found.header) :]):
                raise TableError(
                    f"Row {number} of {file.name} has more cells than the header; put a text with "
                    f"'{found.delimiter}' in it into quotes."
                )
    except csv.Error as error:
        raise TableError(
            f"{file.name} has a text of more than {csv.field_size_limit()} letters; shorten it."
        ) from error


def _title(text: str) -> str:
    return " ".join(text.casefold().split())


def _columns(found: RawTable, name: str) -> dict[str, int]:
    """The place of each column; unknown and repeated ones are refused."""
    places: dict[str, int] = {}
    for place, header in enumerate(found.header):
        title = _title(header)
        if not title:
            continue
        if title not in DECISION_COLUMNS:
            nearest = get_close_matches(title, DECISION_COLUMNS, n=1, cutoff=0.6)
            hint = f"did you mean '{nearest[0]}'?" if nearest else "remove it."
            raise TableError(
                f"{name} has a column '{header}', but the columns of decisions are "
                f"{', '.join(DECISION_COLUMNS)}; {hint}"
            )
        if title in places:
            raise TableError(f"{name} has two columns '{title}'; keep one.")
        places[title] = place
    return places


def _decision(given: dict[str, str], number: int, name: str) -> Decision:
    def refusal(what: str) -> TableError:
        return TableError(f"Row {number} of {name} {what}")

    action = _action(given["action"], refusal)
    for cell in NEEDED_CELLS[action]:
        if not given.get(cell):
            raise refusal(f"has the action '{action}' and no {cell}; fill in the {cell}.")
    allowed = ("action", *NEEDED_CELLS[action], *OTHER_CELLS[action])
    for cell, text in given.items():
        if text and cell not in allowed:
            raise refusal(
                f"has the action '{action}', which takes no {cell}, but its {cell} is '{text}'; "
                "empty the cell, or correct the action."
            )
    grade = None
    if given.get("grade"):
        grade = text_number(given["grade"])
        if grade is None:
            raise refusal(f"has the grade '{given['grade']}', which is not a number; correct it.")
    date = ""
    if given.get("date"):
        try:
            date = checked_date(given["date"])
        except ParameterError as error:
            raise refusal(f"has a wrong date: {error}") from error
    decision = given.get("decision", "")
    if action is Action.APPEAL:
        decision = _checked_appeal(given, refusal)
    return Decision(
        action,
        given.get("assignment", ""),
        given.get("submission", ""),
        given.get("grader", ""),
        grade,
        decision,
        given.get("reason", ""),
        date,
        given.get("asked", ""),
        number,
    )


def _action(text: str, refusal: Callable[[str], TableError]) -> Action:
    plain = _title(text)
    for action in Action:
        if plain == action:
            return action
    listed = ", ".join(f"'{one}'" for one in Action)
    if not plain:
        raise refusal(f"has no action; write one of {listed}, or empty the row.")
    nearest = get_close_matches(plain, list(Action), n=1, cutoff=0.6)
    hint = f"did you mean '{nearest[0]}'?" if nearest else f"write one of {listed}."
    raise refusal(f"has the action '{text}', which is none; {hint}")


def _checked_appeal(given: dict[str, str], refusal: Callable[[str], TableError]) -> str:
    """The outcome of an appeal; contradictions are refused."""
    outcome = _title(given["decision"])
    if outcome not in list(Outcome):
        listed = ", ".join(f"'{one}'" for one in Outcome)
        raise refusal(f"has the decision '{given['decision']}'; write one of {listed}.")
    if bool(given.get("submission")) == bool(given.get("grader")):
        raise refusal(
            "is an appeal, which is either about the grade of a submission or about the points of "
            "a grader; fill in one of the two."
        )
    if outcome != Outcome.OPEN and not given.get("reason"):
        raise refusal(f"is an appeal that was {outcome}, and has no reason; fill in the reason.")
    if given.get("grade") and outcome in (Outcome.REJECTED, Outcome.OPEN):
        raise refusal(
            f"is an appeal that is {outcome}, but has the new grade {given['grade']}; empty the "
            "grade, or correct the decision."
        )
    if given.get("grade") and given.get("grader"):
        raise refusal(
            "is an appeal about points, which follow from rewards, and cannot have a new grade; "
            "empty the grade, or exclude what was wrong."
        )
    return outcome
