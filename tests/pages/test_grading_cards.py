"""Cards of the report: answers by the numbers of the class, in plain words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from peergauge.classroom.grade import GradedClass
from peergauge.pages.grading import cards
from peergauge.pages.grading_cards import precision_card, staff_sentence
from peergauge.pages.grading_charts import NORMAL_QUANTILE_95
from tests.classroom.grade.classes import graded


@pytest.fixture(scope="module")
def found() -> GradedClass:
    return graded()


def test_the_cards_answer_by_the_numbers(found: GradedClass) -> None:
    sure, check, out, game = cards(found)
    low, high = found.interval
    half = ((high - low) / 2)[np.isnan(found.posterior.staff)]
    assert sure.answer == f"±{np.median(half):.2f}"
    assert f"±{half.max():.2f}" in sure.words
    assert "Staff gave 2 grades" in sure.words
    assert check.answer == "2 submissions"
    # The checks lower the sum of 5.36 over 12 grades by 0.84 + 0.5: from a root mean square of
    # (5.36 / 12) ** 0.5 to one of (4.02 / 12) ** 0.5.
    assert "from 0.67 to 0.58" in check.words
    assert out.answer == "2 graders"
    assert "0.2 flags" in out.words
    assert game.answer == "yes"
    assert "‘Hedge’, gains 6.2" in game.words
    assert f"± {NORMAL_QUANTILE_95 * 0.5:.1f} ranks out of 100" in game.words


def test_the_claim_is_about_peers_and_never_about_a_true_grade(found: GradedClass) -> None:
    words = precision_card(found).words
    assert "the mean that many more such peers would give" in words
    assert "true grade" not in words


def test_without_staff_grades_nothing_is_said_about_grades_by_staff(found: GradedClass) -> None:
    assert "needs 5 staff grades, and there are only 2" in staff_sentence(found)
    none = replace(found.grades, staff=np.full_like(found.grades.staff, np.nan))
    assert "needs 5 staff grades, and there are none" in staff_sentence(replace(found, grades=none))


def test_with_staff_grades_there_is_an_interval_for_them() -> None:
    found = graded(students=12, staff=6)
    low, high = found.grades.staff_low, found.grades.staff_high
    assert low is not None
    assert high is not None
    half = np.median((high - low)[found.peer_graded]) / 2
    assert f"within ±{half:.2f}" in staff_sentence(found)


def test_if_staff_graded_everything_the_grades_are_exact(found: GradedClass) -> None:
    everything = replace(found.grades, staff=np.full_like(found.grades.staff, 7.0))
    assert precision_card(replace(found, grades=everything)).answer == "exact"
