"""Canvas: a rubric with its assessments, from its API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.exports.comments import CommentList
from peergauge.exports.formats.opening import Opened
from peergauge.exports.formats.trees import (
    Item,
    Notes,
    Row,
    first_item,
    id_of,
    items_of,
    json_of,
    list_of,
    need,
    quoted_names,
    score_of,
    text_of,
    titles,
)
from peergauge.exports.readers import Reader, reader
from peergauge.exports.records import Export, Role, table

ROLES = {
    "peer_review": Role.PEER,
    "self_assessment": Role.SELF,
    "grading": Role.STAFF,
    "provisional_grade": Role.STAFF,
}

SUBMISSION_ARTIFACT = "submission"
"""The artifact whose id is that of a submission, in lower case."""

PROVISIONAL = "provisional"
"""Part of the names of provisional grades, which moderated grading has before the final grade."""


class Criterion(NamedTuple):
    """A line of a rubric."""

    title: str
    lowest: float | None
    highest: float | None


@reader(
    "canvas-rubric",
    label="Canvas rubric with assessments (JSON)",
    source="Canvas API, rubrics",
    platform="Canvas",
    suffixes=(".json",),
)
@dataclass(frozen=True)
class CanvasRubric(Reader):
    """Scores by peers and staff on each criterion of a rubric, and totals.

    ``GET /api/v1/courses/:course/rubrics/:id`` with ``include[]=assessments``,
    ``include[]=assignment_associations`` and ``style=full``, one rubric or a list of them. The
    name of a submission is its ``artifact_id``, which is the ``asset_id`` in the list of peer
    reviews and the ``id`` in the list of submissions. Self-assessments are reviews of one's own
    work. Provisional grades are left out, because they do not say which submission they are about.
    """

    def recognises(self, file: Opened) -> bool:
        return any(
            ("points_possible" in rubric and "ratings" in first_item(rubric.get("data")))
            or (
                isinstance(rubric.get("assessments"), list)
                and (
                    "points_possible" in rubric
                    or isinstance(rubric.get("data"), list)
                    or "artifact_id" in first_item(rubric["assessments"])
                )
            )
            for rubric in rubrics_of(file.json)
        )

    def read(self, file: Opened) -> Export:
        rubrics = rubrics_of(json_of(file, "a rubric and its assessments"))
        if not any(isinstance(rubric.get("assessments"), list) for rubric in rubrics):
            raise TableError(
                f"{file.name} should be a rubric with its assessments in 'assessments', but has "
                f"only {quoted_names(rubrics[0] if rubrics else ())}; ask for it with "
                "include[]=peer_assessments."
            )
        notes = Notes(file.name)
        reviews: list[Row] = []
        comments = CommentList()
        before = 0
        for rubric in rubrics:
            listed = list_of(rubric.get("assessments")) or []
            reviews += read_rubric(rubric, listed, before, notes, file, comments)
            before += len(listed)
        # The id leads marks back to the gradebook of Canvas.
        graders = {
            one["grader"]: None
            for one in reviews
            if one["grader"] is not None and one["role"] != Role.STAFF
        }
        people = [{"person": one, "lms": one} for one in graders]
        return Export(
            reviews=table("reviews", reviews),
            people=table("people", people),
            comments=comments.table,
            notes=notes.all(),
        )

    def beside(self, export: Export, others: Sequence[Export]) -> Export:
        """Name the assignments as other files of Canvas do, by the ids of submissions.

        Without the associations of the rubric, only the numbers of these are known.
        """
        known = [one for one in others if one.format.startswith("canvas")]
        if not known:
            return export
        columns = ["submission", "assignment"]
        tables = [one for other in known for one in (other.submissions, other.truth)]
        names = (
            pl.concat([one.select(columns) for one in tables])
            .filter((pl.col("assignment") != "") & pl.col("submission").is_not_null())
            .unique()
            .filter(pl.len().over("submission") == 1)
            .rename({"assignment": "called"})
        )
        both = export.reviews.join(names, on="submission", how="left", maintain_order="left")
        named = both.with_columns(assignment=pl.coalesce("called", "assignment"))
        return replace(export, reviews=named.drop("called"))


def rubrics_of(value: Any) -> list[Item]:
    """The rubrics of a file: one, several, or only the assessments of one."""
    if isinstance(value, dict):
        inner = value.get("rubric")
        return [inner] if isinstance(inner, dict) else [value]
    first = first_item(value)
    if "artifact_id" in first and "assessments" not in first:
        return [{"assessments": value}]
    return [item for item in value or [] if isinstance(item, dict)] if value else []


def read_rubric(
    rubric: Item,
    listed: list[Any],
    before: int,
    notes: Notes,
    file: Opened,
    comments: CommentList,
) -> list[Row]:
    """The reviews of one rubric, its assessments numbered after those *before* it."""
    criteria = criteria_of(rubric, notes)
    possible = score_of(rubric.get("points_possible"))
    numbered = [(before + row, item) for row, item in items_of(listed, "An assessment", notes)]
    items = [item for _, item in numbered]
    need(items, "artifact_id", "the submission", "assessment", file)
    need(items, "assessor_id", "who assessed it", "assessment", file)
    assignments = assignments_of(rubric, items)
    reviews: list[Row] = []
    for row, item in numbered:
        role = role_of(item, row, notes)
        if role is None:
            continue
        review = {
            "assignment": assignments.get(id_of(item.get("rubric_association_id")), ""),
            "submission": notes.id(item.get("artifact_id"), "The submission of a review", row),
            "grader": notes.id(item.get("assessor_id"), "Who assessed", row),
            "role": role.value,
            "row": row,
            "source": file.name,
            "comments": comments.add(texts_of(item, criteria)),
        }
        total = notes.score(item.get("score"), "The score of a review", row)
        reviews.append({**review, "score": total, "lowest": None, "highest": possible})
        given = item.get("data")
        if not isinstance(given, list):
            notes.add("missed", "Scores by criterion are not there; style=full asks for them.", row)
        for _, part in items_of(given, "The score of a criterion", notes):
            own = id_of(part.get("criterion_id")) or id_of(part.get("id"))
            criterion = criteria.get(own)
            if criterion is None:
                notes.add("missed", "A criterion is not in the rubric: its id is used.", row)
                criterion = Criterion(own or "?", None, None)
            reviews.append(
                {
                    **review,
                    "criterion": criterion.title,
                    "score": notes.score(part.get("points"), "The score of a criterion", row),
                    "lowest": criterion.lowest,
                    "highest": criterion.highest,
                }
            )
    return reviews


def texts_of(
    item: Item, criteria: Mapping[str | None, Criterion]
) -> Iterator[tuple[str, str | None, bool]]:
    """The comments of an assessment on each criterion; Canvas shows them to the author."""
    given = item.get("data")
    if isinstance(given, list):
        for part in given:
            if isinstance(part, dict):
                own = id_of(part.get("criterion_id")) or id_of(part.get("id"))
                criterion = criteria.get(own)
                title = criterion.title if criterion is not None else own or "?"
                yield title, text_of(part.get("comments")), True
        return
    # With style=comments_only, the comments stand in a list without their criteria.
    for text in list_of(item.get("comments")) or []:
        yield "", text_of(text.get("comments") if isinstance(text, dict) else text), True


def role_of(item: Item, row: int, notes: Notes) -> Role | None:
    """The role of who assessed; None, with a note, if this is not the assessment of a submission.

    The ``artifact_id`` of a provisional grade is not the id of a submission.
    """
    kind = (text_of(item.get("assessment_type")) or "").lower()
    artifact = (text_of(item.get("artifact_type")) or "").lower()
    if PROVISIONAL in artifact or (PROVISIONAL in kind and artifact != SUBMISSION_ARTIFACT):
        notes.add(
            "dropped",
            "A provisional grade does not say which submission it is about; the final grades of "
            "staff are in the list of submissions.",
            row,
        )
        return None
    if artifact not in ("", SUBMISSION_ARTIFACT):
        notes.add("dropped", "An assessment is about something else than a submission.", row)
        return None
    if not kind:
        notes.add("repaired", "The kind of an assessment is not given: taken as a peer's.", row)
        return Role.PEER
    if kind not in ROLES:
        notes.add(
            "dropped",
            f"An assessment of the kind {quoted_names([kind])} is neither a peer's nor of staff.",
            row,
        )
    return ROLES.get(kind)


def criteria_of(rubric: Item, notes: Notes) -> dict[str | None, Criterion]:
    """The criteria by their ids, each with a name and the ends of its scale."""
    listed = [item for _, item in items_of(rubric.get("data"), "A criterion of the rubric", notes)]
    ids = [id_of(item.get("id")) for item in listed]
    names = titles([text_of(item.get("description")) for item in listed], ids)
    found: dict[str | None, Criterion] = {}
    for own, name, item in zip(ids, names, listed, strict=True):
        ratings = item.get("ratings")
        points = [
            score_of(rating.get("points"))
            for rating in (ratings if isinstance(ratings, list) else [])
            if isinstance(rating, dict)
        ]
        lowest = min((value for value in points if value is not None), default=None)
        found[own] = Criterion(name, lowest, score_of(item.get("points")))
    return found


def assignments_of(rubric: Item, assessments: list[Item]) -> dict[str | None, str]:
    """The assignments by the id of the association of the rubric with them.

    If the export does not name the assignments, the associations themselves are the names.
    """
    listed = rubric.get("associations")
    used = {
        id_of(item.get("id")): id_of(item.get("association_id")) or ""
        for item in (listed if isinstance(listed, list) else [])
        if isinstance(item, dict) and item.get("association_type", "Assignment") == "Assignment"
    }
    numbers = {id_of(item.get("rubric_association_id")) for item in assessments} - {None}
    if len(numbers) > 1:
        return {own: used.get(own) or own or "" for own in numbers}
    return used
