"""A graded class with everything that a report can show, for tests of pages."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.decisions import (
    Action,
    AppliedDecision,
    AppliedDecisions,
    Decision,
    ExcludedReview,
    Outcome,
)
from peergauge.classroom.grade.settings import FinalRules, GradeRules, OwedRules
from peergauge.core.lazy import pl
from tests.classroom.grade.classes import SETTINGS, graded

HOSTILE_TEXT = "</td></tr></table><script>alert(1)</script> & <i>me</i>"

RULES = GradeRules(round_to=0.5, letters="A>=80%,B>=50%,C", curve_mean=7.0)

FULL_SETTINGS = replace(
    SETTINGS,
    course="Logic & <b>Writing</b>",
    assignment_title="Essay 1",
    grades=RULES,
    final=FinalRules(use=True, letters="A>=80%,B"),
    owed=OwedRules(rule="per review"),
)


def reviews_of(found: GradedClass) -> list[tuple[str, str, str]]:
    """The assignment, the submission and the grader of each review."""
    reports, names = found.reports, found.names
    return [
        (names.assignments[submission], names.submissions[submission], names.graders[grader].id)
        for submission, grader in zip(
            reports.submission.tolist(), reports.grader.tolist(), strict=True
        )
    ]


def with_comments(found: GradedClass, texts: list[tuple[str, str, bool]]) -> GradedClass:
    """The class with the same comments in every review: criterion, text, visible or not."""
    rows = [
        {
            **dict(zip(("assignment", "submission", "grader"), review, strict=True)),
            "criterion": criterion,
            "text": text,
            "visible_to_author": visible,
        }
        for review in reviews_of(found)
        for criterion, text, visible in texts
    ]
    schema = found.opened.comments.schema
    return replace(found, opened=replace(found.opened, comments=pl.DataFrame(rows, schema=schema)))


def with_criteria(found: GradedClass, names: tuple[str, ...] = ("Clarity", "Depth")) -> GradedClass:
    """The class with scores on criteria: the grade of each review, and 1 less, and so on."""
    rows: list[dict[str, Any]] = [
        {
            **dict(zip(("assignment", "submission", "grader"), review, strict=True)),
            "criterion": name,
            "score": float(grade) - number,
            "lowest": -float(number),
            "highest": 10.0,
        }
        for review, grade in zip(reviews_of(found), found.reports.grade.tolist(), strict=True)
        for number, name in enumerate(names)
    ]
    schema = found.opened.criterion_scores.schema
    opened = replace(found.opened, criterion_scores=pl.DataFrame(rows, schema=schema))
    return replace(found, opened=opened)


def with_decisions(found: GradedClass) -> GradedClass:
    """The class with a log of decisions; nothing is computed again."""
    said = [
        AppliedDecision(
            Decision(
                Action.EXCLUDE_REVIEW, "A1", "s3", "p99", reason=HOSTILE_TEXT, date="2026-11-02"
            ),
            "applied", "A1", 3, -1, 1,
        ),
        AppliedDecision(
            Decision(Action.STAFF_GRADE, "A1", "s1", grade=8.5, reason="Checked."),
            "applied", "A1", 1, replaced=7.0,
        ),
        AppliedDecision(
            Decision(
                Action.APPEAL, "A1", "s4", decision=Outcome.REJECTED, reason="They agree.",
                asked="More points",
            ),
            "logged", "A1", 4,
        ),
        AppliedDecision(Decision(Action.EXCLUDE_GRADER, grader="p2"), "earlier", ""),
    ]  # fmt: skip
    excluded = (ExcludedReview("A1", "s3", "p99", 2.0),)
    decisions = AppliedDecisions(tuple(said), excluded, (3,), (-1,), (5,), found.names)
    return replace(found, decisions=decisions)


def full_class(**options: Any) -> GradedClass:
    """A class with rules, final marks, owed reviews, decisions, criteria and comments."""
    found = graded(settings=FULL_SETTINGS, **options)
    owed = pl.DataFrame(
        {
            "assignment": ["A1"] * 12,
            "person": [f"p{number}" for number in range(12)],
            "assigned": [4] * 12,
            "done": [1] + [3] * 10 + [4],
            "declined": [0] * 12,
        }
    )
    found = replace(found, assigned=owed)
    texts = [("", f"Line one\nline two {HOSTILE_TEXT}", True), ("Clarity", "long " * 200, False)]
    return with_comments(with_criteria(with_decisions(found)), texts)
