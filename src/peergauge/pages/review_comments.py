"""Comments of reviewers, as the report shows them to the teacher beside their scores."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.explain import explain_grade

MAX_SHOWN_BYTES = 700_000
"""Size of all comments on a page, so that it opens quickly; if they have more, each is cut."""

MAX_SHOWN_COMMENTS = 15_000
"""Comments up to which a page shows them, because each needs some markup."""

MAX_COMMENT_LETTERS = 6000
"""Letters of a comment that are shown at most."""

FOLDED_LETTERS, FOLDED_LINES = 400, 6
"""Letters and lines from which on a comment is folded."""

SUMMARY_LETTERS = 100
"""Letters of a folded comment that are in sight."""


class ShownComment(NamedTuple):
    """One comment of a review.

    Parameters
    ----------
    criterion
        The criterion or question that it is about; empty for the whole review.
    text
        The text, or its beginning; plain text of strangers, never markup.
    visible
        Whether the author of the submission may read it.
    """

    criterion: str
    text: str
    visible: bool

    @property
    def summary(self) -> str:
        """The beginning of a long comment, which is folded; empty for a short one."""
        if len(self.text) < FOLDED_LETTERS and self.text.count("\n") < FOLDED_LINES:
            return ""
        return shortened(" ".join(self.text.split()), SUMMARY_LETTERS)


class ReviewComments(NamedTuple):
    """All comments of one review.

    Parameters
    ----------
    grader
        Name of the grader.
    given
        The grade that the review gave; empty if it is not known.
    excluded
        Whether staff excluded the review.
    comments
        The comments, those on the whole review first.
    """

    grader: str
    given: str
    excluded: bool
    comments: tuple[ShownComment, ...]


class CommentsOnPage(NamedTuple):
    """Comments by the number of their submission, and a sentence about what is left out."""

    of: dict[int, tuple[ReviewComments, ...]]
    note: str


def comments_on_page(graded: GradedClass, rest: str = "the export") -> CommentsOnPage:
    """The comments of a class; *rest* says where all of them are in full."""
    table = graded.opened.comments
    if table.height > MAX_SHOWN_COMMENTS:
        note = f"The comments are too many for this page ({table.height}); they are in {rest}."
        return CommentsOnPage({}, note)
    most = letter_limit(table["text"].to_list())
    place = _places(graded)
    given, excluded = _given_grades(graded), _excluded_grades(graded)
    found: dict[tuple[int, str], list[ShownComment]] = defaultdict(list)
    longest = 0
    columns = ("assignment", "submission", "grader", "criterion", "text", "visible_to_author")
    for assignment, submission, grader, criterion, text, visible in table.select(
        columns
    ).iter_rows():
        number = place.get((assignment or "", submission))
        if number is None or not text:
            continue
        longest = max(longest, len(text))
        comment = ShownComment(criterion or "", shortened(text, most), bool(visible))
        found[number, grader].append(comment)
    of: dict[int, list[ReviewComments]] = defaultdict(list)
    # Reviewers are in the order in which the grade is explained, excluded ones last.
    counting = _explained_order(graded, {number for number, _ in found})
    order = {key: at for at, key in enumerate([*counting, *excluded])}
    for key in sorted(found, key=lambda key: order.get(key, len(order))):
        (number, grader), comments = key, found[key]
        grade = given.get(key, excluded.get(key))
        of[number].append(
            ReviewComments(
                graded.names.person(grader).label,
                "" if grade is None else f"{grade:g}",
                key not in given and key in excluded,
                tuple(sorted(comments, key=lambda one: bool(one.criterion))),
            )
        )
    note = f"The page shows the first {most} letters of long comments; the rest is in {rest}."
    return CommentsOnPage(
        {number: tuple(some) for number, some in of.items()}, note if longest > most else ""
    )


def letter_limit(texts: Sequence[str | None]) -> int:
    """Letters to which every text is cut, so that all of them together fit the page."""
    lengths = np.sort([len(one) for one in texts if one])
    letters = int(lengths.sum())
    if not letters:
        return MAX_COMMENT_LETTERS
    # Letters beyond ASCII, and those that mean something in HTML, need several bytes.
    size = sum(len(one.encode("utf-8", "replace")) + 4 * _special(one) for one in texts if one)
    budget = MAX_SHOWN_BYTES * letters / size
    if letters <= budget:
        return MAX_COMMENT_LETTERS
    # If all texts longer than the k-th are cut to its length, the sum is this.
    cut_to = np.cumsum(lengths) + lengths * np.arange(len(lengths) - 1, -1, -1)
    kept = int(np.searchsorted(cut_to, budget))
    whole = int(lengths[:kept].sum())
    limit = int((budget - whole) / (len(lengths) - kept))
    return min(max(limit, SUMMARY_LETTERS), MAX_COMMENT_LETTERS)


def shortened(text: str, most: int) -> str:
    """The beginning of a text that has more than *most* letters."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _special(text: str) -> int:
    return sum(map(text.count, "<>&\"'"))


def _places(graded: GradedClass) -> dict[tuple[str, str], int]:
    names = graded.names
    pairs = zip(names.assignments, names.submissions, strict=True)
    return {pair: number for number, pair in enumerate(pairs)}


def _given_grades(graded: GradedClass) -> dict[tuple[int, str], float]:
    reports, people = graded.reports, graded.names.graders
    columns = (reports.submission.tolist(), reports.grader.tolist(), reports.grade.tolist())
    return {
        (submission, people[grader].id): grade
        for submission, grader, grade in zip(*columns, strict=True)
    }


def _explained_order(graded: GradedClass, submissions: Iterable[int]) -> list[tuple[int, str]]:
    """The reviews of some submissions in the order in which their grades are explained."""
    people = graded.names.graders
    return [
        (number, people[one.grader].id)
        for number in submissions
        for one in explain_grade(graded, number).reviews
    ]


def _excluded_grades(graded: GradedClass) -> dict[tuple[int, str], float]:
    if graded.decisions is None:
        return {}
    of, excluded = graded.decisions.submission_of, graded.decisions.excluded
    return {(number, one.grader): one.grade for number, one in zip(of, excluded, strict=True)}
