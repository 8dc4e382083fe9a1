"""Open edX: the reports of open response assessments (ORA)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from peergauge.core.errors import TableError
from peergauge.exports.formats.opening import Opened, RawTable
from peergauge.exports.formats.trees import (
    Notes,
    Row,
    flag_of,
    id_of,
    quoted_names,
    score_of,
    text_of,
    titles,
)
from peergauge.exports.readers import Reader, reader
from peergauge.exports.records import Export, Role, table

ROLES = {"PE": Role.PEER, "SE": Role.SELF, "ST": Role.STAFF}

BLOCK = re.compile(r"^Assessment #(\d+)[ \t]*\r?$", re.MULTILINE)
"""The line that begins an assessment in a cell."""

REPORT = ("Submission ID", "Assessment Details", "Assessment Scores")
ROWS = ("Submission ID", "Assessment ID", "Assessment Type", "Anonymous Scorer Id")
MARKS = (b"Assessment Details", b"Assessment Scores", b"Anonymous Scorer Id", b"submission_uuid")
POSSIBLE = ("Final Score Points Possible", "Final Score Possible")
FLAT = ("submission_uuid", "scorer_id", "score_type", "criterion_name", "points")


@reader(
    "ora2",
    label="Open edX ORA data report (CSV)",
    source="Open edX, edx-ora2",
    platform="Open edX",
    suffixes=(".csv",),
)
@dataclass(frozen=True)
class Ora2(Reader):
    """Scores by peers, by authors themselves and by staff on each criterion.

    The data report keeps assessments in two cells of each submission, joined by their numbers; the
    report by assessment has one row for each; flattened files for research have one row for each
    criterion. Reviews that the platform does not count in the grade have weight 0. The total of an
    assessment is the sum of its criteria, out of the points that were possible.
    """

    def recognises(self, file: Opened) -> bool:
        begin = file.head.replace(b"\0", b"")
        if begin.lstrip()[:1] in (b"{", b"[", b"<") or not any(mark in begin for mark in MARKS):
            return False
        return (found := file.table) is not None and layout_of(found) is not None

    def read(self, file: Opened) -> Export:
        found = file.table
        if found is None:
            raise TableError(f"{file.name} should be a CSV file of Open edX, but is not a table.")
        layout = layout_of(found)
        if layout is None:
            layout = REPORT
        missing = [name for name in layout if name not in found.frame.columns]
        if missing:
            raise TableError(
                f"{file.name} should have a column '{missing[0]}', as reports of ORA do, but has "
                f"{quoted_names(found.header)}."
            )
        notes = Notes(file.name)
        read = {REPORT: read_report, ROWS: read_rows, FLAT: read_flat}[layout]
        return read(found, notes)


def layout_of(found: RawTable) -> tuple[str, ...] | None:
    """Which of the three layouts a table has, by its columns; None if it has none of them."""
    there = set(found.frame.columns)
    if {"Assessment Details", "Assessment Scores"} & there and "Submission ID" in there:
        return REPORT
    if "Anonymous Scorer Id" in there and {"Assessment ID", "Assessment Type"} & there:
        return ROWS
    if "submission_uuid" in there and {"criterion_name", "score_type"} <= there:
        return FLAT
    return None


def role_of(said: Any, notes: Notes, row: int) -> str:
    """The role of an assessment; an unknown one is taken as a peer's, and noted."""
    role = ROLES.get((text_of(said) or "").upper())
    if role is None:
        notes.add("repaired", "The type of an assessment is not known: taken as a peer's.", row)
    return (role or Role.PEER).value


def rows_of_table(found: RawTable) -> list[tuple[int, dict[str, Any]]]:
    """The rows of a table with their numbers."""
    return list(zip(found.rows.to_list(), found.frame.iter_rows(named=True), strict=True))


# ---------------------------------------------------------------------------------- data report


def read_report(found: RawTable, notes: Notes) -> Export:
    """Read a table with one row for each submission and its assessments in two cells."""
    rows = rows_of_table(found)
    names = assignments_of(rows)
    possible = possible_of(rows)
    reviews: list[Row] = []
    submissions: list[Row] = []
    people: dict[str, Row] = {}
    for row, cells in rows:
        assignment = names[item_of(cells)]
        submission = notes.id(cells["Submission ID"], "The submission", row)
        author = id_of(cells.get("Anonymized Student ID"))
        submissions.append({"assignment": assignment, "submission": submission, "author": author})
        login = text_of(cells.get("Username"))
        if author is not None and login is not None:
            people[author] = {"person": author, "login": login}
        details = blocks_of(cells["Assessment Details"], notes, row)
        scores = blocks_of(cells["Assessment Scores"], notes, row)
        for own in dict.fromkeys([*details, *scores]):
            if own not in details:
                notes.add("dropped", "Scores have no details: who gave them is unknown.", row)
                continue
            facts = facts_of(details[own])
            grader = notes.id(facts.get("scorer_id"), "Who assessed", row)
            login = text_of(facts.get("scorer_username"))
            if grader is not None and login is not None:
                people.setdefault(grader, {"person": grader, "login": login})
            used = flag_of(facts.get("used to calculate peer grade"))
            review = {
                "assignment": assignment,
                "submission": submission,
                "grader": grader,
                "role": role_of(facts.get("type"), notes, row),
                "weight": 0.0 if used is False else 1.0,
                "row": row,
                "source": notes.source,
            }
            parts = parts_of(scores.get(own, ""), notes, row)
            if not parts:
                notes.add("missed", "An assessment has no scores.", row)
            reviews += scored(review, parts, possible.get(item_of(cells)))
    return Export(
        reviews=table("reviews", reviews),
        submissions=table("submissions", submissions).unique(maintain_order=True),
        people=table("people", people.values()),
        notes=notes.all(),
    )


def scored(review: Row, parts: dict[str, float | None], highest: float | None) -> list[Row]:
    """The rows of one assessment: its total if it is complete, and its criteria."""
    if not parts:
        return [review]
    rows = [{**review, "criterion": name, "score": score} for name, score in parts.items()]
    if highest is None or None in parts.values():
        return rows
    total = sum(filter(None, parts.values()))
    return [{**review, "score": total, "highest": highest}, *rows]


def item_of(cells: Mapping[str, Any]) -> str:
    """The id of the assignment of a row on the platform."""
    return id_of(cells.get("Item ID")) or id_of(cells.get("Location")) or ""


def assignments_of(rows: list[tuple[int, dict[str, Any]]]) -> dict[str, str]:
    """A name for each assignment: its title if that is unique, or else its id."""
    told_names = {item_of(cells): text_of(cells.get("Problem Name")) for _, cells in rows}
    called = Counter(told_names.values())
    return {
        item: name if name is not None and called[name] == 1 else item
        for item, name in told_names.items()
    }


def possible_of(rows: list[tuple[int, dict[str, Any]]]) -> dict[str, float]:
    """The possible points of each assignment, if its final scores agree on them."""
    told_points: dict[str, set[float]] = {}
    for _, cells in rows:
        for key in POSSIBLE:
            if (points := score_of(cells.get(key))) is not None:
                told_points.setdefault(item_of(cells), set()).add(points)
    return {item: points.pop() for item, points in told_points.items() if len(points) == 1}


def blocks_of(cell: str | None, notes: Notes, row: int) -> dict[str, str]:
    """The assessments in a cell by their numbers.

    If a number is repeated, only the first one is from the platform; the other is part of feedback
    that somebody wrote.
    """
    pieces = BLOCK.split(cell or "")
    found: dict[str, str] = {}
    for own, text in zip(pieces[1::2], pieces[2::2], strict=True):
        if own in found:
            notes.add("dropped", "An assessment stands twice in a cell: the first is kept.", row)
        else:
            found[own] = text
    return found


def facts_of(block: str) -> dict[str, str]:
    """The details of an assessment, up to the feedback that somebody wrote."""
    facts: dict[str, str] = {}
    for line in block.splitlines():
        if line.startswith("-- "):
            key, _, value = line[3:].partition(":")
            if key == "overall_feedback":
                break
            facts.setdefault(key.strip(), value.strip())
    return facts


def parts_of(block: str, notes: Notes, row: int) -> dict[str, float | None]:
    """The scores of an assessment by criterion; None if no option was chosen."""
    parts: dict[str, float | None] = {}
    for line in block.splitlines():
        # A criterion without options has no line break before its feedback.
        own = line.partition("-- feedback: ")[0].rstrip()
        if not own.startswith("-- "):
            continue
        said, bracket, worth = own[3:].removesuffix(")").rpartition(" (")
        # The name of a criterion may have a colon in it.
        criterion = said.rpartition(": ")[0] if bracket and own.endswith(")") else own[3:].strip()
        points = notes.score(worth, "The score of a criterion", row) if bracket else None
        if criterion in parts:
            notes.add("dropped", "A criterion stands twice in an assessment.", row)
        elif criterion:
            parts[criterion] = points
    return parts


# ---------------------------------------------------------------------------- by row, flattened


def read_rows(found: RawTable, notes: Notes) -> Export:
    """Read a table with one row for each assessment and its criteria in columns."""
    columns = found.frame.columns
    pairs = [
        (match[1], match[2].strip(), column)
        for column in columns
        if (match := re.fullmatch(r"Criterion (\d+):(.*)", column, re.DOTALL))
    ]
    names = titles([label for _, label, _ in pairs], [number for number, _, _ in pairs])
    reviews: list[Row] = []
    submissions: list[Row] = []
    rows = rows_of_table(found)
    possible = possible_of(rows)
    for row, cells in rows:
        assignment = item_of(cells)
        submission = notes.id(cells["Submission ID"], "The submission", row)
        author = id_of(cells.get("Anonymized Student ID"))
        submissions.append({"assignment": assignment, "submission": submission, "author": author})
        if cells["Assessment ID"] is None and cells["Anonymous Scorer Id"] is None:
            continue
        review = {
            "assignment": assignment,
            "submission": submission,
            "grader": notes.id(cells["Anonymous Scorer Id"], "Who assessed", row),
            "role": role_of(cells["Assessment Type"], notes, row),
            "row": row,
            "source": notes.source,
        }
        earned = notes.score(cells.get("Assessment Score Earned"), "The score", row)
        reviews.append({**review, "score": earned, "highest": possible.get(assignment)})
        for (number, _, column), name in zip(pairs, names, strict=True):
            points = cells.get(f"Points {number}")
            if points is not None or cells[column] is not None:
                score = notes.score(points, "The score of a criterion", row)
                reviews.append({**review, "criterion": name, "score": score})
    return Export(
        reviews=table("reviews", reviews),
        submissions=table("submissions", submissions).unique(maintain_order=True),
        notes=notes.all(),
    )


def read_flat(found: RawTable, notes: Notes) -> Export:
    """Read a table with one row for each assessment and criterion."""
    reviews: list[Row] = []
    submissions: list[Row] = []
    for row, cells in rows_of_table(found):
        assignment = id_of(cells.get("item_id")) or ""
        submission = notes.id(cells["submission_uuid"], "The submission", row)
        author = id_of(cells.get("student_id"))
        submissions.append({"assignment": assignment, "submission": submission, "author": author})
        reviews.append(
            {
                "assignment": assignment,
                "submission": submission,
                "grader": notes.id(cells["scorer_id"], "Who assessed", row),
                "role": role_of(cells["score_type"], notes, row),
                "criterion": text_of(cells["criterion_name"]) or "",
                "score": notes.score(cells["points"], "The score of a criterion", row),
                "row": row,
                "source": notes.source,
            }
        )
    return Export(
        reviews=table("reviews", reviews),
        submissions=table("submissions", submissions).unique(maintain_order=True),
        notes=notes.all(),
    )
