"""Smaller sections of the report: histograms by group, titles, and differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.class_groups import groups_of
from peergauge.exports.records import table
from peergauge.pages.grading_sections import (
    MAX_HISTOGRAMS,
    comparable_graders,
    histograms,
    moved_grades,
    quartiles,
    report_title,
)
from peergauge.pages.texts import PageTexts
from tests.classroom.grade.classes import graded


@pytest.fixture(scope="module")
def semester() -> GradedClass:
    found = graded(assignments=3)
    rows = [{"person": f"p{k}", "section": "AB"[k % 2]} for k in range(12)]
    return replace(found, opened=replace(found.opened, people=table("people", rows)))


def test_every_assignment_and_every_section_has_a_histogram(semester: GradedClass) -> None:
    found = histograms(semester, groups_of(semester))
    assert [(one.kind, one.title) for one in found] == [
        ("assignment", "A1"), ("assignment", "A2"), ("assignment", "A3"),
        ("section", "A"), ("section", "B"),
    ]  # fmt: skip
    assert len({one.id for one in found}) == 5
    median = np.median(semester.grades.score[:12])
    assert found[0].words == f"12 submissions, median {median:.2f}"
    assert found[3].words.startswith("18 submissions")


def test_one_assignment_or_far_too_many_have_one_histogram(
    semester: GradedClass, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = graded()
    assert [one.id for one in histograms(found, groups_of(found))] == ["distribution"]
    monkeypatch.setattr("peergauge.pages.grading_sections.MAX_HISTOGRAMS", 1)
    assert [one.id for one in histograms(semester, groups_of(semester))] == ["distribution"]
    assert MAX_HISTOGRAMS > 12


def test_the_title_is_what_the_instructor_calls_the_work() -> None:
    found = graded()
    assert report_title(found) == "Grades for A1"
    assert report_title(found, PageTexts(title="Essay 1")) == "Grades for Essay 1"
    assert report_title(found, PageTexts(course="Logic")) == "Grades for A1"


def test_graders_of_different_parts_can_be_told_apart() -> None:
    found = graded()
    groups = groups_of(found)._replace(grader_parts=np.arange(1, 13))
    people = comparable_graders(found, range(12), groups)
    assert [person[3] for person in people] == list(range(1, 13))


def test_moved_grades_are_counted_by_a_twentieth_of_the_scale() -> None:
    found = graded()
    mean = found.model_scores["mean"]
    score = mean + np.array([0.51, -0.51, 0.49, *[0.0] * 8, np.nan])
    moved = moved_grades(replace(found, grades=replace(found.grades, score=score)))
    assert moved == {"far": "0.5", "many": 2, "of": 11}


def test_quartiles_ignore_submissions_without_a_grade() -> None:
    assert quartiles(np.array([4.0, np.nan, 1.0, 2.0, 3.0, 0.0])) == [0.0, 1.0, 2.0, 3.0, 4.0]
