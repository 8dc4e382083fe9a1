"""Open edX: the tables of open response assessments (ORA), dumped by a management command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn, TypeAlias

from peergauge.core.errors import TableError
from peergauge.exports.comments import CommentList
from peergauge.exports.formats.archives import (
    ZIP_MARK,
    base_name,
    first_names,
    is_archive,
    opened_members,
)
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
from peergauge.exports.readers.ora2 import role_of, rows_of_table, seconds_of
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
    "assessment_feedback_option": _layout("", ""),
}
"""The tables, in the order in which they are tried."""

FEEDBACK_TABLES = ("assessment_feedback", "assessment_feedback_option")
FEEDBACK_OPTION_COLUMNS = {"id", "text"}
"""Columns that many tables have, so that the name of the file has to agree."""

MEMBERS = tuple(f"{name}.csv" for name in LAYOUTS)
"""The names of the tables in an archive."""

OTHER = "criterion_name score_type submission_uuid"
"""Columns of the flattened form, which the reader ``ora2`` reads."""

Rows = list[tuple[int, dict[str, Any], str]]
"""Rows of a table with their numbers and files."""

Written: TypeAlias = dict[str, list[tuple[str, str | None, bool]]]
"""Feedback by the number of its assessment: the criterion, the text, and that authors see it."""


@reader(
    "ora2-dump",
    label="Open edX ORA tables (CSV, several files or an archive)",
    source="Open edX, edx-ora2, the management command that uploads its data",
    platform="Open edX",
    suffixes=(".csv", ".gz", ".tgz", ".zip"),
)
@dataclass(frozen=True)
class Ora2Dump(Reader):
    """Assessments, their parts and the submissions, in files that are given together.

    The files are in a folder, or in the ``.tar.gz`` that the command writes, or in a ``.zip``.

    ``assessment.csv`` holds who assessed what, ``assessment_part.csv`` the points on each
    criterion, ``submission.csv`` the author and the assignment. The total of an assessment is the
    sum of its parts, as in Open edX. ``score.csv`` holds final scores, which Open edX computes from
    the reviews themselves: they are not the truth, and only the possible points are used, if
    assessments do not state them.
    """

    def recognises(self, file: Opened) -> bool:
        if is_archive(file):
            return is_dump(file)
        begin = file.head.replace(b"\0", b"")
        if begin.lstrip()[:1] in (b"{", b"[", b"<"):
            return False
        return (found := file.table) is not None and layout_of(found, file) is not None

    def read(self, file: Opened) -> Export:
        return self.read_all([file])[0]

    def read_all(self, files: Sequence[Opened]) -> list[Export]:
        files = [one for file in files for one in (unpacked(file) if is_archive(file) else [file])]
        notes = {file.name: Notes(file.name) for file in files}
        given: dict[str, Rows] = {}
        for file in files:
            name, found = layout_and_table(file)
            given.setdefault(name, []).extend((*one, file.name) for one in rows_of_table(found))
            if name == FEEDBACK_TABLES[0] and given[name]:
                notes[file.name].add(
                    "missed", "Nothing is made of the feedback of students on reviews."
                )
        missing = [name for name, one in LAYOUTS.items() if one.tells and name not in given]
        if missing:
            refuse(files, given, missing)
        return [join(given, notes)]


def is_dump(file: Opened) -> bool:
    """Whether an archive holds the tables, by the names of its members."""
    names = {base_name(name) for name in first_names(file)} & set(MEMBERS)
    # Only the first names of a tar file are known; in a zip file, generic names are not enough.
    return any(name.startswith("assessment") for name in names) or (
        bool(names) and not file.head.startswith(ZIP_MARK)
    )


def unpacked(file: Opened) -> list[Opened]:
    """The tables in an archive; refused if there are none, or several dumps."""
    found: list[Opened] = list(opened_members(file, lambda name: name in MEMBERS))
    names = [one.path.name for one in found]
    if not names:
        raise TableError(
            f"{file.name} should hold the tables {quoted_names(MEMBERS)} of Open edX, but has "
            f"{quoted_names(first_names(file))}."
        )
    if twice := [name for name in names if names.count(name) > 1]:
        raise TableError(
            f"{file.name} holds several tables {twice[0]}; give one dump of Open edX at a time."
        )
    return found


def layout_of(found: RawTable, file: Opened) -> str | None:
    """Which of the tables this is, by columns that only it has; None if it is none of them."""
    there = set(found.frame.columns)
    if there >= set(OTHER.split()):
        return None
    if there >= FEEDBACK_OPTION_COLUMNS and FEEDBACK_TABLES[1] in file.path.name:
        return FEEDBACK_TABLES[1]
    return next(
        (name for name, one in LAYOUTS.items() if any(mark <= there for mark in one.marks)), None
    )


def layout_and_table(file: Opened) -> tuple[str, RawTable]:
    """The name and content of the table in a file; refused if a column is missing."""
    found = file.table
    if found is None:
        raise TableError(f"{file.name} should be a CSV file of Open edX, but is not a table.")
    name = layout_of(found, file)
    if name is None and set(found.frame.columns) == FEEDBACK_OPTION_COLUMNS:
        name = FEEDBACK_TABLES[1]  # whoever chose this reader knows what the file is
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
    assessments = assessments_of(given["assessment"], works, notes)
    written: Written = {}
    parts = parts_of(given["assessment_part"], assessments, notes, written)
    comments = CommentList()
    possible = {
        id_of(cells["submission_uuid"]): score_of(cells["points_possible"])
        for _, cells, _ in given.get("score", [])
    }
    reviews: list[Row] = []
    for own, (review, highest) in assessments.items():
        scored = [part["score"] for part in parts.get(own, []) if part["score"] is not None]
        if not scored:
            text = "An assessment has no points in the table of parts."
            notes[review["source"]].add("missed", text, review["row"])
        whole = {
            "score": sum(scored) if scored else None,
            "highest": possible.get(review["submission"]) if highest is None else highest,
        }
        texts = [("", review.pop("feedback"), True), *written.get(own, [])]
        review["comments"] = comments.add(texts, markup=False)
        reviews += [{**review, **whole}, *({**review, **part} for part in parts.get(own, []))]
    return Export(
        reviews=table("reviews", reviews),
        submissions=table("submissions", submissions).unique(maintain_order=True),
        comments=comments.table,
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


def assessments_of(
    rows: Rows, works: dict[str | None, str | None], notes: dict[str, Notes]
) -> dict[str, tuple[Row, float | None]]:
    """The row of each assessment by its number, with the points that were possible."""
    found: dict[str, tuple[Row, float | None]] = {}
    for row, cells, source in rows:
        its = notes[source]
        own = its.id(cells["id"], "The number of an assessment", row)
        if own is None:
            continue
        if own in found:
            its.add("dropped", "An assessment is listed twice: the first is kept.", row)
            continue
        role = role_of(cells["score_type"], its, row)
        if role is None:
            continue
        submission = its.id(cells["submission_uuid"], "The submission", row)
        if submission is not None and submission not in works:
            its.add("missed", "A submission is not in the table of submissions.", row)
        review = {
            "assignment": works.get(submission) or "",
            "submission": submission,
            "grader": its.id(cells["scorer_id"], "Who assessed", row),
            "role": role,
            "time": seconds_of(cells.get("scored_at")),
            "row": row,
            "source": source,
            "feedback": text_of(cells.get("feedback")),
        }
        found[own] = review, score_of(cells.get("points_possible"))
    return found


def parts_of(
    rows: Rows,
    assessments: dict[str, tuple[Row, float | None]],
    notes: dict[str, Notes],
    written: Written,
) -> dict[str, list[Row]]:
    """The points of each assessment by criterion, named by its label.

    A criterion for which nobody in an assignment chose an option is for words only. Feedback on
    criteria is added to *written*; Open edX shows it to the author.
    """
    places: list[tuple[str, tuple[str, str | None], int, Row, str]] = []
    labels: dict[tuple[str, str | None], str | None] = {}
    chosen: set[tuple[str, str | None]] = set()
    for row, cells, source in rows:
        own = notes[source].id(cells["assessment_id"], "The assessment of some points", row)
        name = text_of(cells["criterion_name"])
        if name is None:
            notes[source].add("missed", "A criterion has no name.", row)
        if own is None:
            continue
        if own not in assessments:
            text = "Points are of an assessment that is not in the table of assessments."
            notes[source].add("dropped", text, row)
            continue
        criterion = assessments[own][0]["assignment"], name
        labels[criterion] = labels.get(criterion) or text_of(cells.get("criterion_label"))
        if "option_name" not in cells or cells["option_name"] or cells.get("option_label"):
            chosen.add(criterion)
        places.append((own, criterion, row, cells, source))
    called = _titles(labels)
    parts: dict[str, list[Row]] = {}
    for own, criterion, row, cells, source in places:
        if feedback := text_of(cells.get("feedback")):
            written.setdefault(own, []).append((called[criterion], feedback, True))
        if criterion not in chosen:
            notes[source].add("read", f"The criterion '{called[criterion]}' is for words only.")
            continue
        parts.setdefault(own, []).append(
            {
                "criterion": called[criterion],
                "score": notes[source].score(cells["points_earned"], "The points", row),
                "row": row,
                "source": source,
            }
        )
    return parts


def _titles(labels: dict[tuple[str, str | None], str | None]) -> dict[tuple[str, str | None], str]:
    """A title for each criterion of each assignment, different within an assignment."""
    found: dict[tuple[str, str | None], str] = {}
    for assignment in dict.fromkeys(one for one, _ in labels):
        own = [key for key in labels if key[0] == assignment]
        names = titles([labels[key] or key[1] or "?" for key in own], [key[1] for key in own])
        found.update(zip(own, names, strict=True))
    return found
