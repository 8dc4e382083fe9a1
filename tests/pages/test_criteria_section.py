"""The class by criterion on the report: the numbers of the criteria view, by submission."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.classroom.grade import GradedClass
from peergauge.pages.criteria_section import WHOLE_REVIEW, criteria_section
from tests.classroom.grade.classes import graded
from tests.pages.full_class import with_criteria


@pytest.fixture(scope="module")
def found() -> GradedClass:
    return with_criteria(graded())


def test_a_class_without_criteria_has_no_section() -> None:
    assert criteria_section(graded()) is None


def test_each_criterion_has_mean_spread_and_agreement(found: GradedClass) -> None:
    section = criteria_section(found)
    assert section is not None
    clarity, depth = section.criteria
    grade = found.reports.grade
    assert (clarity.criterion, clarity.scale) == ("Clarity", "0 to 10")
    assert (depth.criterion, depth.scale) == ("Depth", "−1 to 10")
    assert (clarity.submissions, clarity.reviews) == (12, len(grade))
    assert clarity.mean == pytest.approx(grade.mean())
    # Depth is Clarity minus 1, so that all but the mean are the same.
    assert depth.mean == pytest.approx(grade.mean() - 1)
    assert depth.deviation == pytest.approx(np.std(grade, ddof=1))
    assert depth.agreement == pytest.approx(clarity.agreement)
    assert depth.correlation == pytest.approx(clarity.correlation)


def test_each_submission_has_its_mean_on_each_criterion(found: GradedClass) -> None:
    section = criteria_section(found)
    assert section is not None
    (table,) = section.assignments
    assert table.criteria == ((0, "Clarity"), (1, "Depth"))
    assert len(table.rows) == 12
    mean = found.model_scores["mean"]
    for row in table.rows:
        assert [cell and cell[1] for cell in row.cells] == [3, 3]
        assert [cell and cell[0] for cell in row.cells] == pytest.approx(
            [mean[row.place], mean[row.place] - 1]
        )


def test_submissions_are_in_the_given_order(found: GradedClass) -> None:
    section = criteria_section(found, [5, 2])
    assert section is not None
    assert [row.place for row in section.assignments[0].rows] == [5, 2]


def test_assignments_have_tables_of_their_own_and_criteria_may_lack_a_name() -> None:
    section = criteria_section(with_criteria(graded(assignments=2), ("",)))
    assert section is not None
    assert section.several
    assert [one.assignment for one in section.assignments] == ["A1", "A2"]
    assert len({one.id for one in section.assignments}) == 2
    assert [one.criteria for one in section.assignments] == [
        ((0, WHOLE_REVIEW),), ((1, WHOLE_REVIEW),),
    ]  # fmt: skip
