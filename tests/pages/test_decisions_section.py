"""Decisions on the report: the log with its status, and appeals with outcome and reason."""

from __future__ import annotations

import pytest

from peergauge.classroom.grade import GradedClass
from peergauge.pages.decisions_section import decisions_section
from tests.classroom.grade.classes import graded
from tests.pages.full_class import with_decisions


@pytest.fixture(scope="module")
def found() -> GradedClass:
    return with_decisions(graded())


def test_a_class_without_decisions_has_no_section() -> None:
    assert decisions_section(graded()) is None


def test_every_decision_is_in_one_of_the_tables(found: GradedClass) -> None:
    section = decisions_section(found)
    assert section is not None
    assert [(row.place, row.action, row.status) for row in section.changes] == [
        (0, "exclude review", "applied"),
        (1, "staff grade", "applied"),
        (3, "exclude grader", "part of an earlier run"),
    ]
    (appeal,) = section.appeals
    assert (appeal.place, appeal.decision, appeal.status) == (2, "rejected", "logged only")
    assert (appeal.asked, appeal.reason) == ("More points", "They agree.")


def test_what_a_decision_replaced_or_left_open_is_said(found: GradedClass) -> None:
    section = decisions_section(found)
    assert section is not None
    assert section.changes[1].note == "This replaces the staff grade 7."
    (sentence,) = section.sentences
    assert sentence.startswith("s5 in A1 has no grade")
