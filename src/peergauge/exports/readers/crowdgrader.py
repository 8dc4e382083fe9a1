"""CrowdGrader: the list of submissions with their reviews, saved from its pages."""

from __future__ import annotations

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
    items_of,
    json_of,
    need,
    quoted_names,
    text_of,
)
from peergauge.exports.readers import Reader, reader
from peergauge.exports.records import Export, State, table


@reader(
    "crowdgrader",
    label="CrowdGrader submissions and reviews (JSON)",
    source="CrowdGrader, de Alfaro and Shavlovsky 2014",
    platform="CrowdGrader",
    suffixes=(".json",),
    assigned=True,
)
@dataclass(frozen=True)
class CrowdGrader(Reader):
    """Submissions with authors and groups; reviews with grades, including declined reviews.

    The name of a submission is the e-mail address of the student who handed it in. Reviews are read
    from the list of submissions, or from a file of their own that has the name of the submission.
    """

    def recognises(self, file: Opened) -> bool:
        value = file.json
        if not isinstance(value, dict):
            return False
        return isinstance(value.get("Submission list"), list) or (
            bool({"Review author", "Review grade"} & first_item(value.get("Reviews")).keys())
        )

    def read(self, file: Opened) -> Export:
        value = json_of(file, "the submissions or reviews of CrowdGrader")
        if not isinstance(value, dict) or not {"Submission list", "Reviews"} & value.keys():
            found = quoted_names(value) if isinstance(value, dict) else "a list"
            raise TableError(
                f"{file.name} should be an object with 'Submission list' or 'Reviews', but has "
                f"{found}."
            )
        notes = Notes(file.name)
        assignment = text_of(value.get("Assignment")) or ""
        if "Submission list" not in value:
            own = text_of(value.get("User email")) or text_of(file.path.stem)
            comments = CommentList()
            reviews = reviews_of(value, assignment, own, 0, notes, file, comments)
            return Export(
                reviews=table("reviews", reviews), comments=comments.table, notes=notes.all()
            )
        return read_submissions(value["Submission list"], assignment, notes, file)


def read_submissions(listed: Any, assignment: str, notes: Notes, file: Opened) -> Export:
    """Read the submissions of a list, their authors, and the reviews listed with them."""
    numbered = list(items_of(listed, "A submission", notes))
    need([item for _, item in numbered], "User email", "the author", "submission", file)
    reviews: list[Row] = []
    comments = CommentList()
    submissions: list[Row] = []
    people: dict[str, Row] = {}
    for row, item in numbered:
        own = notes.id(item.get("User email"), "The author of a submission", row)
        members = item.get("Group members")
        group = [text_of(one) for one in members] if isinstance(members, list) else []
        authors = dict.fromkeys([own, *(one for one in group if one)])
        submissions += [
            {"assignment": assignment, "submission": own, "author": author} for author in authors
        ]
        if own is not None:
            names = (text_of(item.get(key)) for key in ("First name", "Last name"))
            name = " ".join(part for part in names if part) or None
            people.setdefault(own, {"person": own, "name": name, "email": own})
        given = item.get("Reviews")
        if isinstance(given, list | dict):
            holder = given if isinstance(given, dict) else {"Reviews": given}
            reviews += reviews_of(holder, assignment, own, len(reviews), notes, file, comments)
        elif given is not None:
            notes.add("missed", "Only the address of the reviews is given; save them too.", row)
    return Export(
        reviews=table("reviews", reviews),
        submissions=table("submissions", submissions).unique(maintain_order=True),
        people=table("people", people.values()),
        comments=comments.table,
        notes=notes.all(),
    )


def reviews_of(
    holder: Item,
    assignment: str,
    own: str | None,
    before: int,
    notes: Notes,
    file: Opened,
    comments: CommentList,
) -> list[Row]:
    """The reviews of one submission, numbered after those *before* them."""
    numbered = list(items_of(holder.get("Reviews"), "A review", notes))
    need([item for _, item in numbered], "Review author", "who reviews", "review", file)
    reviews: list[Row] = []
    for place, item in numbered:
        row = before + place
        score = notes.score(item.get("Review grade"), "The grade of a review", row)
        state = State.ASSIGNED if score is None else State.DONE
        if flag_of(item.get("Declined")):
            state = State.DECLINED
        reviews.append(
            {
                "assignment": assignment,
                "submission": own,
                "grader": notes.id(item.get("Review author"), "Who reviews", row),
                "score": score,
                "state": state.value,
                "row": row,
                "source": file.name,
                "comments": comments.add([("", text_of(item.get("Reviewer comments")), True)]),
            }
        )
    return reviews
