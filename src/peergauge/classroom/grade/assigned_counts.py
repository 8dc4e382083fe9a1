"""Tables of assigned reviews: how many reviews each person was assigned, did and declined."""

from __future__ import annotations

from collections import Counter
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from peergauge.classroom.grade.deciding import name_spellings
from peergauge.classroom.grade.names import ClassNames
from peergauge.classroom.gradebooks.cells import text_number
from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.exports.formats.opening import Opened
from peergauge.tables import named

if TYPE_CHECKING:
    from peergauge.exports.validate import OpenedClass

COUNT_COLUMNS = ("person", "assigned", "assignment", "done", "declined")
"""Columns of the table, in any order; the first two are needed."""


def assigned_numbers(
    opened: OpenedClass, path: Path | str | None = None
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """How many reviews everybody was assigned, did and declined, and sentences about the file.

    Parameters
    ----------
    path
        A table of counts, or a list of assigned reviews such as ``peergauge assign`` writes; by
        default, what the export says.
    """
    from peergauge.classroom.grade.assigned import assigned_reviews, read_assigned

    if path is None:
        return assigned_reviews(opened), ()
    if _has_counts(Opened(Path(path))):
        return read_assigned_counts(path, opened), ()
    listed = read_assigned(path, opened)
    return assigned_reviews(opened, listed), listed.notes


def _has_counts(file: Opened) -> bool:
    titles = () if file.table is None else file.table.header
    return "assigned" in [one.casefold().strip() for one in titles]


def read_assigned_counts(path: Path | str, opened: OpenedClass) -> pl.DataFrame:
    """Read a table with a row for each person, or for each person and assignment.

    Without a column ``done``, the reviews of the class are counted; nobody can have done more of
    the assigned reviews than were assigned. The result has the columns ``assignment``, ``person``,
    ``assigned``, ``done`` and ``declined``.
    """
    file = Opened(Path(path))
    table = file.table
    titles = [] if table is None else [one.casefold().strip() for one in table.header]
    if table is None or "person" not in titles or "assigned" not in titles:
        raise TableError(
            f"{file.name} has no table with the columns 'person' and 'assigned'; it may also have "
            "'assignment', 'done' and 'declined'."
        )
    for title in titles:
        if title and (title not in COUNT_COLUMNS or titles.count(title) > 1):
            raise TableError(
                f"{file.name} has a column '{title}' that is unknown or repeated; the columns are "
                f"{', '.join(COUNT_COLUMNS)}."
            )
    known = _Known(opened)
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for number, cells in zip(table.rows.to_list(), table.frame.rows(), strict=True):
        given = {title: cell or "" for title, cell in zip(titles, cells, strict=False) if title}
        if not any(given.values()):
            continue
        where = f"Row {number} of {file.name}"
        row = known.row(given, where)
        key = row["assignment"], row["person"]
        if key in rows:
            raise TableError(
                f"{where} has the person '{row['person']}' again; keep one row for each person and "
                "assignment."
            )
        rows[key] = row
    kinds: dict[str, Any] = {"assignment": pl.String, "person": pl.String}
    kinds |= dict.fromkeys(("assigned", "done", "declined"), pl.Int64)
    return pl.DataFrame(list(rows.values()), schema=kinds)


class _Known:
    """Names and numbers of reviews of a class, against which rows are checked."""

    def __init__(self, opened: OpenedClass):
        names, reports = ClassNames(opened), opened.reports
        authors = [one.id for those in names.authors for one in those]
        listed = opened.people["person"].to_list()
        graders = [one.id for one in names.graders]
        self.people = dict.fromkeys([*graders, *authors, *listed])
        assignments = named(np.arange(reports.assignments), reports.assignment_names)
        self.assignments = ["" if one is None else str(one) for one in assignments]
        pairs = zip(reports.assignment.tolist(), reports.grader.tolist(), strict=True)
        self.reviews = Counter((self.assignments[a], graders[g]) for a, g in pairs)

    def row(self, given: dict[str, str], where: str) -> dict[str, Any]:
        """A checked row."""
        person = self._name(given["person"], list(self.people), "person", where)
        assignment = given.get("assignment", "")
        if assignment:
            assignment = self._name(assignment, self.assignments, "assignment", where)
        elif len(self.assignments) == 1:
            assignment = self.assignments[0]
        else:
            raise TableError(
                f"{where} has no assignment, but this class has several; write one of "
                f"{', '.join(self.assignments)}."
            )
        assigned = _count(given["assigned"], "assigned", where)
        done = (
            _count(given["done"], "done", where)
            if given.get("done")
            else min(self.reviews[assignment, person], assigned)
        )
        declined = _count(given.get("declined") or "0", "declined", where)
        return {
            "assignment": assignment,
            "person": person,
            "assigned": assigned,
            "done": done,
            "declined": declined,
        }

    @staticmethod
    def _name(text: str, known: list[str], kind: str, where: str) -> str:
        for spelling in name_spellings(text):
            if spelling in known:
                return spelling
        plain = {str(one).casefold(): str(one) for one in known}
        nearest = get_close_matches(text.casefold(), plain, n=2, cutoff=0.5)
        listed = " or ".join(f"'{plain[one]}'" for one in nearest)
        hint = f"did you mean {listed}?" if listed else "correct it, or delete the row."
        raise TableError(f"{where} has the {kind} '{text}', which is not in this class; {hint}")


def _count(text: str, what: str, where: str) -> int:
    number = text_number(text)
    if number is None or number < 0 or number != int(number):
        raise TableError(
            f"{where} has '{text}' as its number of reviews {what}; a whole number was expected."
        )
    return int(number)
