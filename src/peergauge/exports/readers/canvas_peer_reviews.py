"""Canvas: assigned and completed peer reviews, from its API."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from peergauge.core.errors import TableError
from peergauge.exports.comments import CommentList
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
    text_of,
)
from peergauge.exports.readers import Reader, reader
from peergauge.exports.records import Export, State, table

STATES = {"assigned": State.ASSIGNED, "completed": State.DONE}


@reader(
    "canvas-peer-reviews",
    label="Canvas peer reviews (JSON)",
    source="Canvas API, peer reviews",
    platform="Canvas",
    suffixes=(".json",),
    assigned=True,
)
@dataclass(frozen=True)
class CanvasPeerReviews(Reader):
    """Reviews that are assigned or completed, without scores; the rubric file holds the scores.

    ``GET /api/v1/courses/:course/assignments/:assignment/peer_reviews``, one list or several in a
    row. The name of a submission is its ``asset_id``, so that scores can be joined.
    """

    def recognises(self, file: Opened) -> bool:
        if isinstance(file.json, dict) and file.json.get("peer_reviews") == []:
            return True
        first = first_item(list_of(file.json, "peer_reviews"))
        return len({"workflow_state", "asset_id", "assessor_id"} & first.keys()) > 1

    def instead(self, file: Opened) -> str:  # noqa: ARG002
        return (
            "lists peer reviews in Canvas without scores; add their scores: the assignment's "
            "rubric with include[]=assessments and style=full"
        )

    def read(self, file: Opened) -> Export:
        listed = list_of(json_of(file, "a list of peer reviews"), "peer_reviews")
        if listed is None:
            raise TableError(
                f"{file.name} should be a list of peer reviews, or hold one as 'peer_reviews', but "
                "has neither."
            )
        notes = Notes(file.name)
        numbered = list(items_of(listed, "A peer review", notes))
        items = [item for _, item in numbered]
        need(items, "asset_id", "the submission", "peer review", file)
        need(items, "assessor_id", "who reviews", "peer review", file)
        need(items, "workflow_state", "the state", "peer review", file)
        reviews: list[Row] = []
        comments = CommentList()
        submissions: list[Row] = []
        people: dict[str, Row] = {}
        for row, item in numbered:
            assignment = id_of(item.get("assignment_id")) or ""
            submission = notes.id(item.get("asset_id"), "The submission of a review", row)
            said = text_of(item.get("workflow_state")) or ""
            state = STATES.get(said.lower())
            if state is None:
                notes.add("repaired", "A state is not known and is taken as assigned.", row)
            reviews.append(
                {
                    "assignment": assignment,
                    "submission": submission,
                    "grader": notes.id(item.get("assessor_id"), "Who reviews", row),
                    "state": (state or State.ASSIGNED).value,
                    "row": row,
                    "source": file.name,
                    "comments": comments.add(texts_of(item)),
                }
            )
            author = id_of(item.get("user_id"))
            if author is None:
                notes.add("missed", "Whose submission is reviewed is not given.", row)
            submissions.append(
                {"assignment": assignment, "submission": submission, "author": author}
            )
            for key, person in (("user", author), ("assessor", id_of(item.get("assessor_id")))):
                known = person_of(item.get(key), person)
                if known is not None and len(known) > len(people.get(known["person"], ())):
                    people[known["person"]] = known
        return Export(
            reviews=table("reviews", reviews),
            submissions=table("submissions", submissions).unique(maintain_order=True),
            people=table("people", people.values()),
            comments=comments.table,
            notes=notes.all(),
        )


def texts_of(item: Item) -> Iterator[tuple[str, str | None, bool]]:
    """The comments of the reviewer on the submission; Canvas shows them, unless it is a draft."""
    by = id_of(item.get("assessor_id"))
    listed = item.get("submission_comments")
    for one in listed if isinstance(listed, list) else []:
        if isinstance(one, dict) and id_of(one.get("author_id")) in (None, by):
            hidden = flag_of(one.get("draft")) or flag_of(one.get("hidden"))
            yield "", text_of(one.get("comment")), not hidden


def person_of(user: Any, person: str | None) -> Row | None:
    """The details that Canvas gives about a user, at least the id; None if there is no id."""
    if not isinstance(user, dict):
        # The id leads marks back to the gradebook of Canvas.
        return None if person is None else {"person": person, "lms": person}
    own = id_of(user.get("id")) or person
    if own is None:
        return None
    return {
        "person": own,
        "name": text_of(user.get("name"))
        or text_of(user.get("display_name"))
        or text_of(user.get("sortable_name")),
        "email": text_of(user.get("email")),
        "sis": id_of(user.get("sis_user_id")),
        "lms": own,
        "login": text_of(user.get("login_id")),
    }
