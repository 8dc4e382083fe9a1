"""Decisions of staff on the report: exclusions and staff grades, and a log of appeals."""

from __future__ import annotations

from typing import NamedTuple

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.decisions import Action, AppliedDecision

STATUS_WORDS = {
    "applied": "applied",
    "logged": "logged only",
    "earlier": "part of an earlier run",
}
"""What became of a decision, as the page says it."""


class DecisionRow(NamedTuple):
    """One decision in the log."""

    place: int
    """Number of the decision in the log."""

    date: str
    action: str
    assignment: str
    submission: str
    grader: str
    grade: float | None
    decision: str
    asked: str
    reason: str
    status: str
    note: str


class DecisionsSection(NamedTuple):
    """Decisions that change the class, appeals, and sentences on what they leave open."""

    changes: tuple[DecisionRow, ...]
    appeals: tuple[DecisionRow, ...]
    sentences: tuple[str, ...]
    several: bool
    """Whether the assignment of a decision is shown."""


def decisions_section(graded: GradedClass) -> DecisionsSection | None:
    """The decisions as the page shows them; None if there are none."""
    log = () if graded.decisions is None else graded.decisions.log
    # The first sentences are the log itself, which the tables show.
    more = tuple(graded.decided())[len(log) :]
    if not log and not more:
        return None
    rows = [_row(graded, place, one) for place, one in enumerate(log)]
    appeals = [row for row in rows if row.action == Action.APPEAL]
    changes = [row for row in rows if row.action != Action.APPEAL]
    several = len({row.assignment for row in rows if row.assignment}) > 1
    return DecisionsSection(
        tuple(changes), tuple(appeals), more, several or graded.reports.assignments > 1
    )


def _row(graded: GradedClass, place: int, one: AppliedDecision) -> DecisionRow:
    said = one.decision
    notes = [one.note] if one.note else []
    if one.replaced is not None:
        notes.append(f"This replaces the staff grade {one.replaced:g}.")
    if one.reviews > 1:
        notes.append(f"{one.reviews} reviews are excluded.")
    return DecisionRow(
        place,
        said.date,
        str(said.action),
        one.assignment,
        said.submission,
        graded.names.person(said.grader).label if said.grader else "",
        said.grade,
        said.decision,
        said.asked,
        said.reason,
        STATUS_WORDS[one.status],
        " ".join(notes),
    )
