"""What a student did not do: every sentence is true, and nothing that was done is listed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from peergauge.classroom.grade import GradedClass
from peergauge.core.lazy import pl
from peergauge.exports.records import table
from peergauge.pages.undone import undone_sentences
from tests.classroom.grade.classes import graded


@pytest.fixture(scope="module")
def found() -> GradedClass:
    return graded(students=8, staff=0)


def with_submissions(found: GradedClass, **more: str) -> GradedClass:
    """The class without the submission of p0, and with further ones, by author."""
    kept = found.opened.submissions.filter(pl.col("author") != "p0")
    rows = [{"assignment": "A1", "submission": s, "author": a} for a, s in more.items()]
    added = kept.vstack(table("submissions", rows))
    return replace(found, opened=replace(found.opened, submissions=added))


def test_who_did_everything_is_not_mentioned(found: GradedClass) -> None:
    assert undone_sentences(found) == {}


def test_a_missing_submission_and_a_missing_review_are_named(found: GradedClass) -> None:
    told = undone_sentences(with_submissions(found, new="x1"))
    assert told == {
        "p0": ["There is no submission of yours."],
        "new": ["Nobody reviewed your work, so it has no grade.", "You gave no review."],
    }


def test_unknown_authors_are_not_accused() -> None:
    assert undone_sentences(graded(students=6, graders=2, authors=False)) == {}


def test_several_assignments_are_named() -> None:
    found = graded(students=8, assignments=2, staff=0)
    told = undone_sentences(with_submissions(found))
    assert told["p0"] == [f"There is no submission of yours for A{k}." for k in (1, 2)]


def test_assigned_reviews_are_counted(found: GradedClass) -> None:
    assigned = pl.DataFrame(
        {
            "assignment": ["A1"] * 3,
            "person": ["p1", "p2", "p3"],
            "assigned": [4, 3, 1],
            "done": [3, 3, 0],
        }
    )
    assert undone_sentences(found, assigned) == {
        "p1": ["You were assigned 4 reviews and gave 3 of them."],
        "p3": ["You were assigned 1 review and gave none of them."],
    }
