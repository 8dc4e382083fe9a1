"""Rows of the table of graders: rewards, points, and explanations that add up."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.classroom.grade import GradedClass
from peergauge.pages.grader_rows import as_points, grader_rows
from tests.classroom.grade.classes import graded


@pytest.fixture(scope="module")
def found() -> GradedClass:
    return graded()


def test_graders_see_the_reward_of_each_review(found: GradedClass) -> None:
    rows = grader_rows(found)
    assert [row.reward for row in rows] == sorted((row.reward for row in rows), reverse=True)
    each = found.payment.each
    assert each is not None
    for row in rows:
        place = next(
            number for number, one in enumerate(found.names.graders) if one.label == row.grader
        )
        mine = each[found.reports.grader == place]
        assert [one.reward for one in row.explanation.paid] == mine.tolist()
        half_a_unit = 0.5 * 10.0**-row.explanation.digits + 1e-12
        assert row.explanation.own_mean == pytest.approx(mine.mean(), abs=half_a_unit)
        rest = (1 - row.explanation.weight) * row.explanation.class_mean
        assert row.explanation.weight * row.explanation.own_mean + rest == pytest.approx(
            row.explanation.estimate, abs=half_a_unit
        )
        assert row.off == pytest.approx(np.sqrt(-row.reward))
        assert row.flagged == (place in {0, 4})


def test_some_graders_have_rows_in_the_given_order(found: GradedClass) -> None:
    assert [row.place for row in grader_rows(found, [4, 1])] == [4, 1]
    assert len(grader_rows(found)) == found.reports.graders


@pytest.mark.parametrize(
    ("points", "shown"), [(None, "–"), ("B", "B"), (7.005, "7.00"), (10.0, "10.00")]
)
def test_points_and_letters_are_shown_as_they_are(points: float | str | None, shown: str) -> None:
    assert as_points(points) == shown
