"""Whether grades by peers follow staff: enough grades, no appeals, and the rule of the settings."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.classroom.grade import Settings, grade
from peergauge.classroom.grade.decisions import Action, Decision, Decisions
from peergauge.classroom.grade.staff_level import staff_to_follow, unfollowed_sentences
from peergauge.exports.records import Export, table
from peergauge.exports.validate import OpenedClass, validate
from peergauge.models.posterior import PG1Posterior
from peergauge.simulate import NormalBias, Setting, simulate
from peergauge.tables import Reports

FEW = PG1Posterior(draws=200, warmup=100)


@pytest.fixture(scope="module")
def reports() -> Reports:
    return simulate(Setting(students=30, assignments=2), 1).reports


def staff_of(count: int, other: int = 0) -> np.ndarray:
    staff = np.full(60, np.nan)
    staff[:count], staff[30 : 30 + other] = 5.0, 6.0
    return staff


def test_ten_staff_grades_of_an_assignment_are_followed(reports: Reports) -> None:
    found = staff_to_follow(reports, staff_of(10, 9), None, "auto")
    assert (~np.isnan(found)).sum() == 10
    assert np.isnan(found[30:]).all()
    assert np.isnan(staff_to_follow(reports, staff_of(9, 9), None, "auto")).all()


def test_always_and_never(reports: Reports) -> None:
    staff = staff_of(2)
    np.testing.assert_array_equal(staff_to_follow(reports, staff, None, "always"), staff)
    assert np.isnan(staff_to_follow(reports, staff_of(30), None, "never")).all()


def test_a_difference_that_is_not_followed_is_stated(reports: Reports) -> None:
    staff, peers = staff_of(2), np.full(60, 7.0)
    (said,) = unfollowed_sentences(reports, staff, np.full(60, np.nan), peers)
    assert said.startswith("On the 2 submissions that staff graded")
    assert "would be 2.00 points higher on average" in said
    assert not list(unfollowed_sentences(reports, staff, staff, peers))


def opened() -> OpenedClass:
    semester = simulate(Setting(students=30, assignments=1, bias=NormalBias(mean=1.5)), 3)
    reviews = table("reviews", semester.reports.to_polars().rename({"grade": "score"}))
    return validate(Export(reviews=reviews, format="simulated"), scale="0..10")


@pytest.fixture(scope="module")
def lenient() -> OpenedClass:
    return opened()


def graded_with(opened: OpenedClass, action: Action, count: int, rule: str = "auto") -> np.ndarray:
    names = list(opened.reports.submission_names or ())[:count]
    more = {"decision": "accepted", "reason": "x"} if action is Action.APPEAL else {}
    decisions = Decisions(
        tuple(Decision(action, submission=one, grade=2.0, **more) for one in names)  # type: ignore[arg-type]
    )
    settings = Settings(model=FEW, follow_staff=rule)  # type: ignore[arg-type]
    return grade(opened, settings, decisions=decisions).grades.score[15:]


@pytest.mark.filterwarnings("ignore::peergauge.core.errors.ConvergenceWarning")
def test_neither_appeals_nor_a_few_staff_grades_move_the_grades_of_others(
    lenient: OpenedClass,
) -> None:
    alone = grade(lenient, Settings(model=FEW)).grades.score[15:]
    # The grade of each appeal is far below what peers gave.
    np.testing.assert_allclose(graded_with(lenient, Action.APPEAL, 12), alone)
    np.testing.assert_allclose(graded_with(lenient, Action.STAFF_GRADE, 9), alone)
    followed = graded_with(lenient, Action.STAFF_GRADE, 10)
    assert (alone - followed).mean() > 1
    assert (alone - graded_with(lenient, Action.STAFF_GRADE, 9, "always")).mean() > 1
