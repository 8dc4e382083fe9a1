"""Moodle Workshop: the grades report and lists of assessments of its web service."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from peergauge.core.errors import TableError
from peergauge.exports.formats.opening import Opened
from peergauge.exports.formats.trees import (
    Item,
    Notes,
    Row,
    first_item,
    id_of,
    items_of,
    json_of,
    need,
)
from peergauge.exports.readers import Reader, reader
from peergauge.exports.records import Export, State, table

HIDDEN = "0"
"""The number of a user whose name is hidden."""


@reader(
    "moodle-report",
    label="Moodle Workshop report or assessments (JSON)",
    source="Moodle web service, mod_workshop",
    platform="Moodle",
    suffixes=(".json",),
)
@dataclass(frozen=True)
class MoodleReport(Reader):
    """Reviews of a workshop with their grades and weights; a teacher's override is the truth.

    ``mod_workshop_get_grades_report`` lists every review twice, under its author and under its
    reviewer; it is kept once. ``mod_workshop_get_submission_assessments`` and
    ``get_reviewer_assessments`` list grades of 0..100.
    """

    def recognises(self, file: Opened) -> bool:
        value = file.json
        if isinstance(value, dict) and isinstance(value.get("report"), dict):
            return grades_of(value) is not None
        return is_report(first_item(grades_of(value))) or is_assessment(
            first_item(assessments_of(value))
        )

    def read(self, file: Opened) -> Export:
        value = json_of(file, "the report of a workshop")
        grades = grades_of(value)
        assessments = assessments_of(value)
        if grades is not None and not is_assessment(first_item(assessments)):
            return read_report(grades, file)
        if assessments is not None:
            return read_assessments(assessments, file)
        raise TableError(
            f"{file.name} should hold 'report' with 'grades', or a list of 'assessments', but has "
            "neither."
        )


def grades_of(value: Any) -> list[Any] | None:
    """The entries of a report, wrapped or bare, of one page or of several."""
    if isinstance(value, dict):
        inner = value.get("report", value)
        grades = inner.get("grades") if isinstance(inner, dict) else inner
        return grades if isinstance(grades, list) else None
    if not isinstance(value, list):
        return None
    pages = [
        grades_of(item) if isinstance(item, dict) and {"report", "grades"} & item.keys() else None
        for item in value
    ]
    if any(page is not None for page in pages):
        return [entry for page in pages for entry in page or []]
    return value


def assessments_of(value: Any) -> list[Any] | None:
    """The entries of a list of assessments, wrapped or bare."""
    if isinstance(value, dict):
        value = value.get("assessments")
    if not isinstance(value, list):
        return None
    if any(isinstance(item, dict) and "assessments" in item for item in value):
        pages = (assessments_of(item) for item in value)
        return [entry for page in pages for entry in page or []]
    return value


def is_report(item: Item) -> bool:
    """Whether an object is an entry of a report."""
    return "reviewedby" in item or "reviewerof" in item


def is_assessment(item: Item) -> bool:
    """Whether an object is an assessment of a workshop."""
    return (
        "gradinggrade" in item
        and bool({"reviewerid", "submissionid"} & item.keys())
        and not (is_report(item))
    )


def user_of(value: Any, notes: Notes, row: int) -> str | None:
    """The id of a user; None if it is hidden, which is noted."""
    own = id_of(value)
    if own == HIDDEN:
        notes.add("missed", "The name of a user is hidden in this export.", row)
        return None
    return own


def read_report(grades: list[Any], file: Opened) -> Export:
    """Read the reviews, authors and overrides of a report."""
    notes = Notes(file.name)
    numbered = list(items_of(grades, "An entry of the report", notes))
    items = [item for _, item in numbered]
    need(items, "userid", "the user", "entry of the report", file)
    need(items, "submissionid", "the submission", "entry of the report", file)
    found = Reviews(notes)
    submissions: list[Row] = []
    truth: list[Row] = []
    for row, item in numbered:
        user = user_of(item.get("userid"), notes, row)
        submission = id_of(item.get("submissionid"))
        if submission == HIDDEN:
            submission = None
        if submission is not None:
            submissions.append({"submission": submission, "author": user})
            over = notes.score(item.get("submissiongradeover"), "A grade by a teacher", row)
            if over is not None:
                truth.append({"submission": submission, "score": over})
        for _, review in items_of(item.get("reviewedby"), "A review", notes):
            named = id_of(review.get("submissionid")) or submission
            found.add(review, named, user_of(review.get("userid"), notes, row), row)
        for _, review in items_of(item.get("reviewerof"), "A review", notes):
            named = id_of(review.get("submissionid"))
            author = user_of(review.get("userid"), notes, row)
            if named is not None and author is not None:
                submissions.append({"submission": named, "author": author})
            found.add(review, named, user, row)
    found.note_missing()
    return Export(
        reviews=table("reviews", found.rows.values()),
        submissions=table("submissions", submissions).unique(maintain_order=True),
        truth=table("truth", truth),
        notes=notes.all(),
    )


@dataclass
class Reviews:
    """The reviews of a report by their ids; a review that is listed twice is kept once."""

    notes: Notes
    rows: dict[tuple[str | None, ...], Row] = field(default_factory=dict)

    def add(self, item: Item, submission: str | None, grader: str | None, row: int) -> None:
        """Add a review, or complete one that is already there."""
        own = id_of(item.get("assessmentid"))
        key = (own,) if own is not None else (submission, grader)
        score = self.notes.score(item.get("grade"), "The grade of a review", row)
        if key not in self.rows:
            self.rows[key] = {
                "submission": submission,
                "grader": grader,
                "score": score,
                "state": (State.ASSIGNED if score is None else State.DONE).value,
                "weight": self.notes.weight(item.get("weight"), row),
                "row": row,
                "source": self.notes.source,
            }
            return
        known = self.rows[key]
        known["submission"] = known["submission"] or submission
        known["grader"] = known["grader"] or grader
        if known["score"] != score:
            text = "A review is listed twice with different grades: the first is kept."
            self.notes.add("repaired", text, row)

    def note_missing(self) -> None:
        """Add notes on reviews without a submission or a reviewer."""
        for review in self.rows.values():
            for key, what in (("submission", "The submission"), ("grader", "The reviewer")):
                if review[key] is None:
                    self.notes.add("missed", f"{what} of a review is not given.", review["row"])


def read_assessments(assessments: list[Any], file: Opened) -> Export:
    """Read the reviews of a list of assessments."""
    notes = Notes(file.name)
    numbered = list(items_of(assessments, "An assessment", notes))
    items = [item for _, item in numbered]
    need(items, "reviewerid", "the reviewer", "assessment", file)
    need(items, "submissionid", "the submission", "assessment", file)
    reviews: list[Row] = []
    for row, item in numbered:
        score = notes.score(item.get("grade"), "The grade of a review", row)
        # Moodle writes time 0 for a review that is allocated and not yet done.
        waiting = score is None or id_of(item.get("timecreated")) == "0"
        reviews.append(
            {
                "submission": notes.id(item.get("submissionid"), "The submission", row),
                "grader": user_of(item.get("reviewerid"), notes, row),
                "score": score,
                "lowest": 0.0,
                "highest": 100.0,
                "state": (State.ASSIGNED if waiting else State.DONE).value,
                "weight": notes.weight(item.get("weight"), row),
                "row": row,
                "source": file.name,
            }
        )
    return Export(reviews=table("reviews", reviews), notes=notes.all())
