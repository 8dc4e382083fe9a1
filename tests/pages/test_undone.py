"""What a student did not do: every sentence is true, and nothing that was done is listed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from peergauge.classroom.grade import GradedClass, grade
from peergauge.classroom.grade.decisions import Action, Decision, Decisions
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
    rows = [
        ("A1", "p1", 4, 3, 0),
        ("A1", "p2", 3, 3, 0),
        ("A1", "p3", 2, 0, 1),
        ("A1", "x", 0, 0, 0),
    ]
    columns = ("assignment", "person", "assigned", "done", "declined")
    assigned = pl.DataFrame(rows, schema=columns, orient="row")
    told = undone_sentences(replace(found, assigned=assigned), ["x"])
    assert told == {
        "p1": ["You were assigned 4 reviews and did 3, so that 1 is missing."],
        "p3": ["You were assigned 2 reviews and did none, declined 1, so that 1 is missing."],
        # Who was assigned no review owes none.
        "x": ["There is no submission of yours."],
    }


def test_excluded_reviews_were_given(found: GradedClass) -> None:
    rows = tuple(
        Decision(Action.EXCLUDE_GRADER, grader=f"p{one}", reason="x")
        for one in found.reports.grader[: found.reports.submission_bounds[1]]
    )
    decided = grade(found.opened, found.settings, decisions=Decisions(rows))
    author = found.names.authors[0][0].id
    told = undone_sentences(decided)
    assert told[author] == ["Staff excluded all reviews of your work, so it has no grade."]
    assert not any("You gave no review" in one for some in told.values() for one in some)
