"""Canvas: the submissions of an assignment with the scores by staff, from its API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from peergauge.core.errors import TableError
from peergauge.exports.formats.opening import Opened
from peergauge.exports.formats.trees import (
    Item,
    Notes,
    Row,
    first_item,
    flag_of,
    id_of,
    items_of,
    json_of,
    list_of,
    need,
    score_of,
    text_of,
)
from peergauge.exports.readers import Reader, reader
from peergauge.exports.readers.canvas_peer_reviews import person_of
from peergauge.exports.records import Export, table

KNOWN = {"assignment_id", "user_id", "workflow_state"}
"""Keys that every submission has."""

GRADING = {
    "score",
    "entered_score",
    "grade",
    "grader_id",
    "graded_at",
    "submitted_at",
    "submission_type",
    "attempt",
    "full_rubric_assessment",
    "rubric_assessment",
}
"""Keys about the grade of a submission and its state; a peer review has none of them."""


@reader(
    "canvas-submissions",
    label="Canvas submissions with scores by staff (JSON)",
    source="Canvas API, submissions",
    platform="Canvas",
    holds="truth",
    suffixes=(".json",),
)
@dataclass(frozen=True)
class CanvasSubmissions(Reader):
    """Scores by staff and the authors of submissions.

    ``GET /api/v1/courses/:course/assignments/:assignment/submissions?include[]=user``, one list or
    several in a row, or the submissions of a course grouped by students. Give it together with
    reviews. The name of a submission is its ``id``, which is the ``artifact_id`` of a rubric
    assessment. A score counts if a member of staff gave it: not if Canvas graded automatically
    (``grader_id`` is negative or missing), nor if the grader is the student. Points that Canvas
    deducted for lateness are not deducted here, because peers grade the work.
    """

    def recognises(self, file: Opened) -> bool:
        first = first_item(submissions_of(file.json))
        return (
            len(KNOWN & first.keys()) > 1
            and bool(GRADING & first.keys())
            and not {"assessor_id", "asset_id", "artifact_id"} & first.keys()
        )

    def read(self, file: Opened) -> Export:
        listed = submissions_of(json_of(file, "a list of submissions"))
        if listed is None:
            raise TableError(
                f"{file.name} should be a list of submissions, or hold one as 'submissions', but "
                "has neither."
            )
        notes = Notes(file.name)
        numbered = list(items_of(listed, "A submission", notes))
        items = [item for _, item in numbered]
        need(items, "id", "the number", "submission", file)
        need(items, "user_id", "the student", "submission", file)
        need(items, "workflow_state", "the state", "submission", file)
        students = {id_of(item.get("user_id")) for item in items}
        truth: list[Row] = []
        written: list[Row] = []
        people: dict[str, Row] = {}
        for row, item in numbered:
            own = notes.id(item.get("id"), "The number of a submission", row)
            if own is None:
                continue
            assignment, author = id_of(item.get("assignment_id")) or "", id_of(item.get("user_id"))
            written.append({"assignment": assignment, "submission": own, "author": author})
            known = person_of(item.get("user"), author)
            if known is not None and len(known) > len(people.get(known["person"], ())):
                people[known["person"]] = known
            score = _staff_score(item, students, row, notes)
            if score is not None:
                about: Any = item.get("assignment")
                possible = about.get("points_possible") if isinstance(about, dict) else None
                truth.append(
                    {
                        "assignment": assignment,
                        "submission": own,
                        "score": score,
                        "highest": score_of(possible),
                        "by": id_of(item.get("grader_id")) or _assessor(item),
                    }
                )
        if truth and any(_has_rubric(item) for item in items):
            notes.add(
                "missed",
                "The scores by staff on each criterion are not used, only the whole score; a "
                "rubric with include[]=assessments has both, with the names of the criteria.",
            )
        return Export(
            truth=table("truth", truth),
            submissions=table("submissions", written).unique(maintain_order=True),
            people=table("people", people.values()),
            notes=notes.all(),
        )

    def instead(self, file: Opened) -> str:  # noqa: ARG002
        return (
            "holds submissions in Canvas with scores by staff; add the reviews of peers: the "
            "assignment's rubric with include[]=assessments and style=full"
        )


def submissions_of(value: Any) -> list[Any] | None:
    """The submissions of a file: a list, or the lists of several students."""
    listed = list_of(value, "submissions")
    if listed is not None and isinstance(first_item(listed).get("submissions"), list):
        return [
            one
            for student in listed
            if isinstance(student, dict)
            for one in list_of(student.get("submissions")) or []
        ]
    return listed


def _has_rubric(item: Item) -> bool:
    return bool(item.get("full_rubric_assessment") or item.get("rubric_assessment"))


def _assessor(item: Item) -> str | None:
    """Who gave the rubric assessment of staff that comes with a submission."""
    given = item.get("full_rubric_assessment")
    if not isinstance(given, dict):
        return None
    # A student's assessment is not the grade of the submission.
    if (text_of(given.get("assessment_type")) or "grading").lower() != "grading":
        return None
    return id_of(given.get("assessor_id"))


def _staff_score(item: Item, students: set[str | None], row: int, notes: Notes) -> float | None:
    """The score that staff gave to the work; None, with a note on the reason, if there is none."""
    if (text_of(item.get("workflow_state")) or "").lower() != "graded":
        notes.add("dropped", "Staff have not graded this submission.", row)
        return None
    if flag_of(item.get("excused")):
        notes.add("dropped", "The student is excused from this assignment.", row)
        return None
    given = notes.score(item.get("score"), "The score of a submission", row)
    entered = score_of(item.get("entered_score"))
    score = given if entered is None else entered
    if score is None:
        notes.add("dropped", "A graded submission has no score.", row)
        return None
    grader = id_of(item.get("grader_id")) or _assessor(item)
    number = score_of(grader)
    if grader is None or (number is not None and number < 0):
        notes.add("dropped", "Canvas gave the score automatically, not a member of staff.", row)
        return None
    if grader in students:
        notes.add("dropped", "The score was given by a student, not by a member of staff.", row)
        return None
    if entered is not None and given is not None and entered != given:
        notes.add("read", "Points deducted for lateness are not deducted from the score.", row)
    if flag_of(item.get("grade_matches_current_submission")) is False:
        notes.add("read", "Staff graded an earlier attempt than the current one.", row)
    return score
