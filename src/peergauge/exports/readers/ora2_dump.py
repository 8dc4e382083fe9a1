"""Open edX: the tables of open response assessments (ORA), dumped by a management command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn

from peergauge.core.errors import TableError
from peergauge.exports.formats.opening import Opened, RawTable
from peergauge.exports.formats.trees import (
    Notes,
    Row,
    id_of,
    quoted_names,
    score_of,
    text_of,
    titles,
)
from peergauge.exports.readers import Reader, reader
from peergauge.exports.readers.ora2 import role_of, rows_of_table
from peergauge.exports.records import Export, table


class Layout(NamedTuple):
    """The columns of one of the tables."""

    needs: tuple[str, ...]
    """The columns that are read and required."""

    marks: tuple[frozenset[str], ...]
    """Columns by which the table is recognised, even if a required one is missing."""

    tells: str = ""
    """What only this table holds, if the others are useless without it."""


def _layout(tells: str, needs: str, *marks: str) -> Layout:
    return Layout(tuple(needs.split()), tuple(frozenset(one.split()) for one in marks), tells)


LAYOUTS = {
    "assessment_part": _layout(
        "the points",
        "assessment_id criterion_name points_earned",
        "assessment_id criterion_name",
        "assessment_id points_earned",
        "criterion_name points_earned",
    ),
    "assessment": _layout(
        "who assessed",
        "id submission_uuid scorer_id score_type",
        "submission_uuid scorer_id scored_at",
        "submission_uuid score_type scored_at",
        "scorer_id score_type scored_at",
    ),
    "submission": _layout(
        "who wrote a submission and for which assignment",
        "uuid student_id item_id",
        "uuid student_id",
        "uuid item_id",
        "student_id item_id raw_answer",
    ),
    "score": _layout(
        "",
        "submission_uuid points_possible",
        "submission_uuid points_earned points_possible",
        "submission_uuid points_earned created_at",
    ),
    "assessment_feedback": _layout("", "", "submission_uuid feedback_text options"),
}
"""The tables, in the order in which they are tried."""

OTHER = "criterion_name score_type submission_uuid"
"""Columns of the flattened form, which the reader ``ora2`` reads."""

Rows = list[tuple[int, dict[str, Any], str]]
"""Rows of a table with their numbers and files."""


@reader(
    "ora2-dump",
    label="Open edX ORA tables (CSV, several files)",
    source="Open edX, edx-ora2, the management command that uploads its data",
    platform="Open edX",
    suffixes=(".csv",),
)
@dataclass(frozen=True)
class Ora2Dump(Reader):
    """Assessments, their parts and the submissions, in files that are given together.

    ``assessment.csv`` holds who assessed what, ``assessment_part.csv`` the points on each
    criterion, ``submission.csv`` the author and the assignment. The total of an assessment is the
    sum of its parts, as in Open edX. ``score.csv`` holds final scores, which Open edX computes from
    the reviews themselves: they are not the truth, and only the possible points are used, if
    assessments do not state them.
    """

    def recognises(self, file: Opened) -> bool:
        begin = file.head.replace(b"\0", b"")
        if begin.lstrip()[:1] in (b"{", b"[", b"<"):
            return False
        return (found := file.table) is not None and layout_of(found) is not None

    def read(self, file: Opened) -> Export:
        return self.read_all([file])[0]

    def read_all(self, files: Sequence[Opened]) -> list[Export]:
        notes = {file.name: Notes(file.name) for file in files}
        given: dict[str, Rows] = {}
        for file in files:
            name, found = layout_and_table(file)
            given.setdefault(name, []).extend((*one, file.name) for one in rows_of_table(found))
            if not LAYOUTS[name].needs:
                notes[file.name].add(
                    "missed", "Nothing is made of the feedback of students on reviews."
                )
        missing = [name for name, one in LAYOUTS.items() if one.tells and name not in given]
        if missing:
            refuse(files, given, missing)
        return [join(given, notes)]


def layout_of(found: RawTable) -> str | None:
    """Which of the tables this is, by columns that only it has; None if it is none of them."""
    there = set(found.frame.columns)
    if there >= set(OTHER.split()):
        return None
    return next(
        (name for name, one in LAYOUTS.items() if any(mark <= there for mark in one.marks)), None
    )


def layout_and_table(file: Opened) -> tuple[str, RawTable]:
    """The name and content of the table in a file; refused if a column is missing."""
    found = file.table
    if found is None:
        raise TableError(f"{file.name} should be a CSV file of Open edX, but is not a table.")
    name = layout_of(found)
    if name is None:
        raise TableError(
            f"{file.name} should be one of the tables {quoted_names(LAYOUTS)} of Open edX, but has "
            f"the columns {quoted_names(found.header)}."
        )
    if missing := [one for one in LAYOUTS[name].needs if one not in found.frame.columns]:
        raise TableError(
            f"{file.name} should have a column '{missing[0]}', as the table '{name}' of ORA does, "
            f"but has {quoted_names(found.header)}."
        )
    return name, found


def refuse(files: Sequence[Opened], given: dict[str, Rows], missing: list[str]) -> NoReturn:
    """Refuse an incomplete set of tables, and name the missing ones."""
    names = " and ".join(file.name for file in files)
    wanted = ", ".join(f"{name}.csv ({LAYOUTS[name].tells})" for name in missing)
    holds = " and ".join(f"'{name}'" for name in given)
    raise TableError(
        f"{names} should come with the other tables of the same dump, but only {holds} is there; "
        f"give {wanted} along with it."
    )


def join(given: dict[str, Rows], notes: dict[str, Notes]) -> Export:
    """Join the tables: parts by assessment, assessments by submission."""
    works, submissions = submissions_of(given["submission"], notes)
    parts = parts_of(given["assessment_part"], notes)
    possible = {
        id_of(cells["submission_uuid"]): score_of(cells["points_possible"])
        for _, cells, _ in given.get("score", [])
    }
    reviews: list[Row] = []
    seen: set[str] = set()
    for row, cells, source in given["assessment"]:
        its = notes[source]
        own = its.id(cells["id"], "The number of an assessment", row)
        if own is None or own in seen:
            if own is not None:
                its.add("dropped", "An assessment is listed twice: the first is kept.", row)
            continue
        seen.add(own)
        submission = its.id(cells["submission_uuid"], "The submission", row)
        if submission is not None and submission not in works:
            its.add("missed", "A submission is not in the table of submissions.", row)
        review = {
            "assignment": works.get(submission) or "",
            "submission": submission,
            "grader": its.id(cells["scorer_id"], "Who assessed", row),
            "role": role_of(cells["score_type"], its, row),
        }
        scored = [part for part in parts.get(own, []) if part["score"] is not None]
        if not scored:
            its.add("missed", "An assessment has no points in the table of parts.", row)
        highest = score_of(cells.get("points_possible"))
        whole = {
            "score": sum(part["score"] for part in scored) if scored else None,
            "highest": possible.get(submission) if highest is None else highest,
            "row": row,
            "source": source,
        }
        reviews += [{**review, **whole}, *({**review, **part} for part in parts.get(own, []))]
    lost = [part for own, its_parts in parts.items() if own not in seen for part in its_parts]
    for part in lost:
        text = "Points are of an assessment that is not in the table of assessments."
        notes[part["source"]].add("dropped", text, part["row"])
    return Export(
        reviews=table("reviews", reviews),
        submissions=table("submissions", submissions).unique(maintain_order=True),
        notes=tuple(note for one in notes.values() for note in one.all()),
    )


def submissions_of(
    rows: Rows, notes: dict[str, Notes]
) -> tuple[dict[str | None, str | None], list[Row]]:
    """The assignment of each submission, and the rows of authors."""
    works: dict[str | None, str | None] = {}
    submissions: list[Row] = []
    for row, cells, source in rows:
        submission = notes[source].id(cells["uuid"], "The submission", row)
        assignment = id_of(cells["item_id"])
        author = notes[source].id(cells["student_id"], "Who wrote a submission", row)
        if submission is not None:
            works.setdefault(submission, assignment)
            submissions.append(
                {"assignment": assignment or "", "submission": submission, "author": author}
            )
    return works, submissions


def parts_of(rows: Rows, notes: dict[str, Notes]) -> dict[str, list[Row]]:
    """The points of each assessment by criterion, named by its label."""
    labels: dict[str, str | None] = {}
    for _, cells, _ in rows:
        if (name := text_of(cells["criterion_name"])) is not None:
            labels[name] = labels.get(name) or text_of(cells.get("criterion_label"))
    called = dict(zip(labels, titles(list(labels.values()), list(labels)), strict=True))
    parts: dict[str, list[Row]] = {}
    for row, cells, source in rows:
        own = notes[source].id(cells["assessment_id"], "The assessment of some points", row)
        name = text_of(cells["criterion_name"])
        if name is None:
            notes[source].add("missed", "A criterion has no name.", row)
        if own is not None:
            parts.setdefault(own, []).append(
                {
                    "criterion": called.get(name, "?") if name is not None else "?",
                    "score": notes[source].score(cells["points_earned"], "The points", row),
                    "row": row,
                    "source": source,
                }
            )
    return parts
