"""PeerPal: reviews as fractions of the points of a rubric, and the authors of submissions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from peergauge.core.errors import TableError
from peergauge.exports.comments import CommentList
from peergauge.exports.formats.opening import Opened
from peergauge.exports.formats.trees import (
    Item,
    Notes,
    Row,
    id_of,
    json_of,
    quoted_names,
    score_of,
    text_of,
    titles,
)
from peergauge.exports.readers import Reader, reader
from peergauge.exports.records import Export, Role, State, table


@reader(
    "peerpal",
    label="PeerPal reviews or matching (JSON)",
    source="PeerPal, Hartline",
    platform="PeerPal",
    suffixes=(".json",),
)
@dataclass(frozen=True)
class PeerPal(Reader):
    """Scores on each criterion, as points; reviewers among ``graders`` are staff.

    ``reviews`` lists ``[reviewer, submission, {scores: [[fraction, comment], …]}]``, ``rubric``
    ``[points, title]``; a file of the matching lists ``[student, submission]`` in ``submissions``,
    several students for a group.
    """

    def recognises(self, file: Opened) -> bool:
        value = file.json
        if not isinstance(value, dict):
            return False
        reviews = value.get("reviews")
        if isinstance(reviews, list) and {"rubric", "graders"} & value.keys():
            return not reviews or isinstance(reviews[0], list)
        pairs = value.get("submissions")
        return (
            isinstance(pairs, list)
            and bool({"graders", "peers"} & value.keys())
            and (not pairs or isinstance(pairs[0], list))
        )

    def read(self, file: Opened) -> Export:
        value = json_of(file, "reviews or a matching of PeerPal")
        if not isinstance(value, dict) or not {"reviews", "submissions"} & value.keys():
            found = quoted_names(value) if isinstance(value, dict) else "a list"
            raise TableError(
                f"{file.name} should be an object with 'reviews' or 'submissions', but has {found}."
            )
        if "reviews" in value and not isinstance(value.get("rubric"), list):
            raise TableError(
                f"{file.name} should list the points and titles of its criteria in 'rubric', but "
                f"has only {quoted_names(value)}."
            )
        notes = Notes(file.name)
        graders = value.get("graders")
        staff = {id_of(one) for one in (graders if isinstance(graders, list) else [])} - {None}
        submissions = [
            {
                "submission": notes.id(pair[1], "A submission", row),
                "author": notes.id(pair[0], "An author", row),
            }
            for row, pair in lists_of(value.get("submissions"), 2, "A submission", notes)
        ]
        comments = CommentList()
        return Export(
            reviews=table("reviews", reviews_of(value, staff, notes, file, comments)),
            submissions=table("submissions", submissions).unique(maintain_order=True),
            comments=comments.table,
            notes=notes.all(),
        )


def reviews_of(
    value: dict[str, Any],
    staff: set[str | None],
    notes: Notes,
    file: Opened,
    comments: CommentList,
) -> list[Row]:
    """One row for each review and criterion; a review without scores has one empty row."""
    rubric = [line for _, line in lists_of(value.get("rubric"), 1, "A line of the rubric", notes)]
    points = [score_of(line[0]) for line in rubric]
    names = titles(
        [text_of(line[1]) if len(line) > 1 else None for line in rubric], [None] * len(rubric)
    )
    reviews: list[Row] = []
    for row, entry in lists_of(value.get("reviews"), 2, "A review", notes):
        grader = notes.id(entry[0], "Who reviews", row)
        review = {
            "submission": notes.id(entry[1], "The submission of a review", row),
            "grader": grader,
            "role": (Role.STAFF if grader in staff else Role.PEER).value,
            "row": row,
            "source": file.name,
        }
        given = entry[2] if len(entry) > 2 else None
        scores = given.get("scores") if isinstance(given, dict) else None
        if isinstance(given, dict):
            review["comments"] = comments.add(texts_of(given, names))
        if not isinstance(scores, list) or not scores:
            reviews.append({**review, "state": State.ASSIGNED.value})
            continue
        if len(scores) > len(rubric):
            notes.add("missed", "A review has more scores than the rubric has lines.", row)
        for place, score in enumerate(scores):
            fraction = notes.score(
                score[0] if isinstance(score, list) and score else score,
                "The score of a criterion",
                row,
            )
            highest = points[place] if place < len(points) else None
            worth = None if fraction is None or highest is None else round(fraction * highest, 9)
            reviews.append(
                {
                    **review,
                    "criterion": names[place] if place < len(names) else f"criterion {place + 1}",
                    "score": score_of(worth),
                    "lowest": None if highest is None else 0.0,
                    "highest": highest,
                }
            )
    return reviews


def texts_of(given: Item, names: Sequence[str]) -> Iterator[tuple[str, str | None, bool]]:
    """The comments of a review on each criterion and on the whole, for the author."""
    scores = given.get("scores")
    for place, score in enumerate(scores if isinstance(scores, list) else []):
        if isinstance(score, list) and len(score) > 1:
            title = names[place] if place < len(names) else f"criterion {place + 1}"
            yield title, text_of(score[1]), True
    yield "", text_of(given.get("comments")), True


def lists_of(value: Any, least: int, what: str, notes: Notes) -> Iterator[tuple[int, list[Any]]]:
    """Iterate over the lists in a list, numbered from 1; other values are dropped, and noted."""
    for row, entry in enumerate(value if isinstance(value, list) else [], 1):
        if isinstance(entry, list) and len(entry) >= least:
            yield row, entry
        else:
            notes.add("dropped", f"{what} should be a list of {least} or more, but is not.", row)
