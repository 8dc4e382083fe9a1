"""Decisions about a class: what they change, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade.deciding import apply_decisions
from peergauge.classroom.grade.decisions import Action, Decision, Decisions
from peergauge.classroom.grade.earlier import EarlierRun
from peergauge.core.errors import TableError
from peergauge.exports.records import Export, table
from peergauge.exports.validate import OpenedClass, validate
from peergauge.models.posterior import Traits

REVIEWS = {
    ("A1", "w1"): {"bob": 6, "cy": 8},
    ("A1", "w2"): {"ann": 7, "cy": 9},
    ("A1", "w3"): {"ann": 5, "bob": 4},
    ("A2", "w1"): {"bob": 3, "cy": 2, "dan": 9},
    ("A2", "w4"): {"ann": 6},
}


def opened_class(**more: Any) -> OpenedClass:
    """Two small assignments; staff graded w3, and nobody reviewed w9."""
    rows = [
        {"assignment": assignment, "submission": submission, "grader": grader, "score": grade}
        for (assignment, submission), grades in REVIEWS.items()
        for grader, grade in grades.items()
    ]
    wrote = [
        {"assignment": assignment, "submission": submission, "author": "zoe"}
        for assignment, submission in (*REVIEWS, ("A1", "w9"))
    ]
    truth = [{"assignment": "A1", "submission": "w3", "score": 4.5}]
    people = [{"person": "cy", "name": "Cyrus Smith"}]
    export = Export(
        reviews=table("reviews", rows),
        submissions=table("submissions", wrote),
        people=table("people", people),
        truth=table("truth", truth),
        format="made",
        **more,
    )
    return validate(export, scale="0..10")


def exclude_review(submission: str, grader: str, assignment: str = "") -> Decision:
    return Decision(Action.EXCLUDE_REVIEW, assignment, submission, grader, reason="copied")


def exclude_grader(grader: str, assignment: str = "") -> Decision:
    return Decision(Action.EXCLUDE_GRADER, assignment, grader=grader, reason="absent")


def staff_grade(submission: str, grade: float, assignment: str = "", date: str = "") -> Decision:
    return Decision(Action.STAFF_GRADE, assignment, submission, grade=grade, date=date)


def appeal(submission: str, date: str, grade: float | None = None, **more: Any) -> Decision:
    decision = "rejected" if grade is None else "accepted"
    return Decision(Action.APPEAL, submission=submission, date=date, grade=grade,
                    decision=decision, reason="read again", **more)  # fmt: skip


def numbered(*decisions: Decision) -> Decisions:
    """Decisions as a file has them."""
    rows = (one._replace(row=number) for number, one in enumerate(decisions, 2))
    return Decisions(tuple(rows), "d.csv")


def rows_of(opened: OpenedClass) -> set[tuple[Any, ...]]:
    return set(opened.reports.to_polars().rows())


def scores_of(opened: OpenedClass) -> dict[tuple[str, str], float]:
    """Staff grades by assignment and submission."""
    reports = opened.reports
    assert opened.truth is not None
    names = [str(one) for one in reports.submission_names or ()]
    titles = [str((reports.assignment_names or ())[k]) for k in reports.assignment_of_submission]
    scores = opened.truth.scores_of(reports).tolist()
    pairs = zip(titles, names, scores, strict=True)
    return {(a, s): x for a, s, x in pairs if not np.isnan(x)}


def test_an_excluded_review_leaves_and_numbers_stay() -> None:
    before = opened_class()
    after, found = apply_decisions(before, numbered(exclude_review("w2", "ann")))
    assert rows_of(before) - rows_of(after) == {("A1", "w2", "ann", 7)}
    same = ("assignments", "submissions", "graders", "submission_names", "grader_names")
    assert all(getattr(before.reports, x) == getattr(after.reports, x) for x in same)
    assert found.excluded_by_grader() == {"ann": 1}
    assert rows_of(before) == rows_of(opened_class()), "the class that was given does not change"


def test_a_grader_is_excluded_from_all_assignments_or_from_one() -> None:
    before = opened_class()
    after, found = apply_decisions(before, numbered(exclude_grader("bob")))
    assert {row[:3] for row in rows_of(before) - rows_of(after)} == {
        ("A1", "w1", "bob"), ("A1", "w3", "bob"), ("A2", "w1", "bob"),
    }  # fmt: skip
    assert found.log[0].reviews == 3
    after, _ = apply_decisions(before, numbered(exclude_grader("bob", "A2")))
    assert {row[:3] for row in rows_of(before) - rows_of(after)} == {("A2", "w1", "bob")}


def test_a_submission_may_lose_all_reviews_and_keeps_its_assignment() -> None:
    after, found = apply_decisions(opened_class(), numbered(exclude_review("w4", "ann")))
    place = (after.reports.submission_names or ()).index("w4")
    assert after.reports.assignment_of_submission[place] == 1
    assert found.without_reviews == (place,)
    assert list(found.lines())[-1] == (
        "w4 in A2 has no grade, because all of its reviews are excluded; enter a staff grade."
    )
    with_grade = numbered(exclude_review("w4", "ann"), staff_grade("w4", 8))
    after, found = apply_decisions(opened_class(), with_grade)
    assert found.without_reviews == ()
    assert scores_of(after) == {("A1", "w3"): 4.5, ("A2", "w4"): 8}


def test_a_later_staff_grade_joins_or_replaces_those_of_the_export() -> None:
    decisions = numbered(staff_grade("w3", 6), staff_grade("w1", 2.5, "A2"))
    after, found = apply_decisions(opened_class(), decisions)
    assert scores_of(after) == {("A1", "w3"): 6, ("A2", "w1"): 2.5}
    first, second = found.lines()
    assert first == "Staff grade of w3 in A1: 6. This replaces the staff grade 4.5."
    assert second == "Staff grade of w1 in A2: 2.5."


def test_a_class_without_staff_grades_gets_its_first() -> None:
    without = replace(opened_class(), truth=None)
    after, _ = apply_decisions(without, numbered(staff_grade("w2", 6)))
    assert scores_of(after) == {("A1", "w2"): 6}


def test_staff_grade_a_submission_that_nobody_reviewed() -> None:
    before = opened_class()
    after, found = apply_decisions(before, numbered(staff_grade("w9", 7), staff_grade("w4", 5)))
    assert rows_of(after) == rows_of(before)
    assert scores_of(after) == {("A1", "w3"): 4.5, ("A1", "w9"): 7, ("A2", "w4"): 5}
    assert [one.assignment for one in found.log] == ["A1", "A2"]


def test_the_latest_appeal_decides() -> None:
    decisions = numbered(
        staff_grade("w2", 6, date="2026-11-01"),
        appeal("w2", "2026-11-09", 9),
        appeal("w2", "2026-11-05", 8),
        appeal("w4", "2026-11-05"),
    )
    after, found = apply_decisions(opened_class(), decisions)
    assert scores_of(after)[("A1", "w2")] == 9
    assert [one.status for one in found.log] == ["applied", "applied", "applied", "logged"]


def test_names_may_be_guarded_or_numbers_of_a_spreadsheet() -> None:
    rows = [{"assignment": "A", "submission": s, "grader": g, "score": k}
            for k, (s, g) in enumerate([("12", "=x"), ("12", "y"), ("13", "=x")])]  # fmt: skip
    opened = validate(Export(reviews=table("reviews", rows), format="made"), scale="0..10")
    after, _ = apply_decisions(opened, numbered(exclude_review("12.0", "'=x")))
    assert len(after.reports) == 2


def test_other_tables_of_reviews_lose_the_review_too() -> None:
    opened = opened_class()
    comments = pl.DataFrame(
        {"assignment": ["A1", "A2"], "submission": ["w1", "w1"], "grader": ["bob", "bob"]}
    )
    # A table of reviews stands in for any that a class may have besides its reports.
    after, _ = apply_decisions(
        replace(opened, people=comments.with_columns(person=pl.lit("x"), name=pl.lit("x"))),
        numbered(exclude_review("w1", "bob", "A1")),
    )
    assert after.people["assignment"].to_list() == ["A2"]


@pytest.mark.parametrize(
    ("decisions", "said"),
    [
        ([exclude_review("w7", "ann")], "Row 2 of d.csv names the submission 'w7', .*did you mean"),
        ([exclude_review("essay", "ann")], "write it as grades.csv spells it"),
        ([exclude_review("w2", "anne")], "names the grader 'anne', .* did you mean 'ann'"),
        ([exclude_grader("Cyrus Smith")], "the person of this name is called 'cy'"),
        ([exclude_grader("Cyrus Smit")], "did you mean 'cy'"),
        ([exclude_review("w2", "ann", "A3")], "names the assignment 'A3', .* did you mean"),
        ([exclude_review("w1", "bob")], "in the assignments 'A1', 'A2'; write the assignment"),
        ([exclude_review("w2", "bob")], "who gave none; it was reviewed by ann, cy"),
        ([exclude_review("w9", "bob")], "who gave none; it was reviewed by nobody"),
        ([exclude_grader("dan", "A1")], "who reviewed nothing there"),
        ([exclude_review("w2", "ann")] * 2, "Row 3 .* excluded already, by row 2 of d.csv"),
        ([exclude_grader("ann"), exclude_review("w2", "ann")], "excluded already, by row 2"),
        ([exclude_grader("ann", "A1"), exclude_grader("ann")], "excluded already, by row 2"),
        ([staff_grade("w2", 11)], "the grade 11, which is not between 0 and 10"),
        ([appeal("w2", "2026-11-01", -1)], "the grade -1, which is not between 0 and 10"),
        ([staff_grade("w2", 7)] * 2, "repeats the staff grade 7 for 'w2' in row 2"),
        ([staff_grade("w2", 7), staff_grade("w2", 8)], "contradicts the staff grade 7"),
        ([appeal("w2", "2026-11-01")] * 2, "the same appeal as row 2"),
        ([appeal("w2", "2026-11-01", 7), appeal("w2", "2026-11-01", 8, asked="more")],
         "both give a new grade"),
        ([staff_grade("w2", 7, date="2026-11-09"), appeal("w2", "2026-11-01", 8)],
         "after the appeal in row 3"),
        ([exclude_grader(one) for one in ("ann", "bob", "cy", "dan")], "exclude every review"),
    ],
)  # fmt: skip
def test_wrong_decisions_are_refused(decisions: list[Decision], said: str) -> None:
    with pytest.raises(TableError, match=said):
        apply_decisions(opened_class(), numbered(*decisions))


@given(st.sets(st.sampled_from([(a, s, g) for (a, s), x in REVIEWS.items() for g in x])))
def test_exactly_the_excluded_reviews_leave(chosen: set[tuple[str, str, str]]) -> None:
    before = opened_class()
    decisions = numbered(*(exclude_review(s, g, a) for a, s, g in sorted(chosen)))
    if len(chosen) == len(before.reports):
        with pytest.raises(TableError, match="every review"):
            apply_decisions(before, decisions)
        return
    after, found = apply_decisions(before, decisions)
    assert {row[:3] for row in rows_of(before) - rows_of(after)} == chosen
    assert {one[:3] for one in found.excluded} == chosen


# ------------------------------------------------------------------------------ week by week


def earlier_run(*decisions: tuple[Decision, str]) -> EarlierRun:
    """A run that graded A0."""
    none = np.empty(0)
    return EarlierRun((), Traits(*(none for _ in Traits._fields)), ("A0",),
                      none.astype(np.int64), none, "oa", "0..10", decisions=decisions)  # fmt: skip


def test_decisions_of_an_earlier_run_are_not_applied_again() -> None:
    old = exclude_review("w5", "eve")
    named = staff_grade("w5", 7, "A0")
    earlier = earlier_run((old, "A0"), (named, "A0"))
    edited = old._replace(reason="copied from a friend")
    new = exclude_review("w2", "ann")
    after, found = apply_decisions(opened_class(), numbered(edited, named, new), earlier)
    assert [one.status for one in found.log] == ["earlier", "earlier", "applied"]
    assert len(after.reports) == len(opened_class().reports) - 1
    assert "This decision was part of an earlier run." in next(iter(found.lines()))


def test_a_new_decision_about_an_earlier_assignment_is_refused() -> None:
    with pytest.raises(TableError, match="'A0', which the earlier run graded without this"):
        apply_decisions(opened_class(), numbered(staff_grade("w5", 7, "A0")), earlier_run())
    late = appeal("w5", "2026-11-20")._replace(assignment="A0")
    _, found = apply_decisions(opened_class(), numbered(late), earlier_run())
    assert found.log[0].status == "logged"
    with pytest.raises(TableError, match="if it is in an assignment that the earlier run graded"):
        apply_decisions(opened_class(), numbered(staff_grade("w5", 7)), earlier_run())


def test_a_decision_that_fits_two_weeks_needs_its_assignment() -> None:
    same = exclude_review("w2", "ann")
    with pytest.raises(TableError, match="also fits 'A1'; write the assignment"):
        apply_decisions(opened_class(), numbered(same), earlier_run((same, "A0")))


def test_a_grader_who_is_excluded_stays_excluded() -> None:
    always = exclude_grader("bob")
    after, found = apply_decisions(opened_class(), numbered(always), earlier_run((always, "")))
    assert "bob" not in {row[2] for row in rows_of(after)}
    assert found.log[0].note == ""
    gone = exclude_grader("eve")
    _, found = apply_decisions(opened_class(), numbered(gone), earlier_run((gone, "")))
    assert found.log[0].status == "earlier"
    _, found = apply_decisions(opened_class(), numbered(always), earlier_run())
    assert found.log[0].note == "Reviews of earlier runs stay as they are."
