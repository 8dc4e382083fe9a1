"""Rows of the table of grades: the numbers of the class, and explanations that add up."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.explain import explain_grade
from peergauge.classroom.grade.reward_per_review import subset
from peergauge.exports.records import table
from peergauge.pages.grade_rows import descending, grade_rows, shown_explanation, staff_interval
from tests.classroom.grade.classes import SETTINGS, graded


@pytest.fixture(scope="module")
def found() -> GradedClass:
    return graded()


def test_every_submission_has_a_row_with_its_grade(found: GradedClass) -> None:
    rows = grade_rows(found)
    assert [row.place for row in rows] == np.argsort(-found.grades.score, kind="stable").tolist()
    low, high = found.interval
    for row in rows:
        assert row.grade == found.grades.score[row.place]
        assert (row.low, row.high) == (low[row.place], high[row.place])
        assert row.mean == found.model_scores["mean"][row.place]
        assert row.submission == f"s{row.place}"
        assert f"p{row.place}" in row.authors
        assert 0 <= row.bar[0] <= row.bar[1] <= 100


def test_the_shown_parts_add_up_to_the_grade(found: GradedClass) -> None:
    for place in range(found.reports.submissions):
        told = shown_explanation(found, place)
        cents = sum(round(100 * float(part.contribution)) for part in told.parts)
        assert cents == round(100 * float(told.total))
        assert sum(round(10 * float(part.weight)) for part in told.parts) == 1000
        grade = found.grades.score[place]
        if not told.truncated and not told.staff:
            assert told.total == f"{grade:.2f}"
        for part in told.parts:
            exact = float(part.corrected) * float(part.weight) / 100
            # Half a cent of the value, half a tenth of a percent of up to 10, and rounding.
            assert float(part.contribution) == pytest.approx(exact, abs=0.005 + 0.01 * 1.2 + 0.01)


def test_reviews_are_named_for_staff_and_numbered_for_others(found: GradedClass) -> None:
    assert [part.label for part in shown_explanation(found, 3).parts] == [
        "Review 1", "Review 2", "Review 3", "Mean of the class",
    ]  # fmt: skip
    names = [f"n{place}" for place in range(found.reports.graders)]
    assert [part.label for part in shown_explanation(found, 3, names).parts[:-1]] == [
        f"n{one.grader}" for one in explain_grade(found, 3).reviews
    ]


def test_values_that_are_missing_come_last() -> None:
    assert descending(np.array([1.0, np.nan, 3.0, 3.0])) == [2, 3, 0, 1]


def test_an_interval_for_the_staff_grade_is_shown_only_if_there_is_one(found: GradedClass) -> None:
    assert staff_interval(found, 0) is None
    assert {row.staff_interval for row in grade_rows(found)} == {None}


def test_a_grade_by_staff_needs_no_interval() -> None:
    found = graded(staff=6)
    shown = [staff_interval(found, place) is not None for place in range(12)]
    assert shown == [False] * 6 + [True] * 6


def test_an_estimator_without_the_mean_of_the_class_does_not_show_it() -> None:
    found = graded(staff=0, settings=replace(SETTINGS, estimator="median"))
    told = shown_explanation(found, 3)
    assert [part.label for part in told.parts] == ["Review 1", "Review 2", "Review 3"]
    assert sum(round(10 * float(part.weight)) for part in told.parts) == 1000


def test_a_submission_without_reviews_has_no_parts_and_a_bar_without_an_interval() -> None:
    found = graded(staff=0)
    kept = found.reports.submission != 3
    reports = subset(found.reports, kept)
    value, weight = found.grades.value[kept], found.grades.weight[kept]
    score = np.where(np.arange(12) == 3, np.nan, found.grades.score)
    grades = replace(found.grades, score=score, low=score, high=score, value=value, weight=weight)
    left = replace(found, opened=replace(found.opened, reports=reports), grades=grades)
    row = next(row for row in grade_rows(left) if row.place == 3)
    assert row.explanation == ((), "–", False, "")
    assert row.bar == (0.0, 0.0, 0.0)
    assert np.isnan(row.grade)


def test_rows_have_the_sections_of_all_authors(found: GradedClass) -> None:
    known = table("people", [{"person": "p3", "section": "B"}, {"person": "p4", "section": None}])
    opened = replace(found.opened, people=known)
    rows = {row.place: row for row in grade_rows(replace(found, opened=opened))}
    section = {row.authors: row.section for row in rows.values()}
    assert section["p3"] == "B"
    assert section["p4"] == section["p5"] == ""
