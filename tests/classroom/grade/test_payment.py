"""Payment of one run: rounded numbers that follow from each other."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace

import numpy as np
import pytest

from peergauge import score
from peergauge.classroom.grade.payment import (
    Payment,
    pay_graders,
    payment_of,
    reference_digits,
)
from peergauge.core.acceleration import compiled_twins, plain_numpy
from peergauge.mechanisms import comparison, mechanisms
from peergauge.simulate import Setting, simulate
from peergauge.tables import Comparison, Reports, Rewards, Scale
from peergauge.testing.classes import class_of
from tests.classroom.grade.test_grade import classroom

REPORTS = class_of({"s": {"ann": 6, "bob": 8, "cy": 9}, "t": {"ann": 5, "bob": 6}})


def paid(mechanism: str, reports: Reports, compared: Comparison | None = None) -> Payment:
    def pay(some: Reports) -> Rewards:
        return score(mechanism, some)

    return payment_of(pay(reports), pay, compared or comparison(mechanism, reports))


def test_rewards_are_those_of_the_rounded_references() -> None:
    """The mean of 6, 8 and 9 is 7.667: ann is 1.667 off, which costs 2.779; and 0.5 on t."""
    found = paid("mse", REPORTS)
    assert found.comparison is not None
    assert found.comparison.reference.tolist() == [7.667, 7.667, 7.667, 5.5, 5.5]
    assert found.each is not None
    assert found.each[0] == pytest.approx(-2.779)
    assert found.estimated.own_mean[0] == pytest.approx((-2.779 - 0.25) / 2, abs=0.0005)
    assert found.pays_squared_distances


def test_a_comparison_that_does_not_give_the_rewards_is_left_out() -> None:
    wrong = comparison("mse", REPORTS)
    assert wrong is not None
    found = paid("mse", REPORTS, replace(wrong, cost=2.0))
    assert found.comparison is None
    assert not found.pays_squared_distances


def test_mechanisms_without_a_reference_are_rounded_only() -> None:
    found = paid("oa", REPORTS)
    assert found.comparison is None
    assert found.each is not None
    together = paid("corr", simulate(Setting(students=20, assignments=3), 1).reports)
    assert together.each is None
    assert together.estimated.digits == together.digits


def test_a_deduction_is_what_is_missing_from_the_mean_of_the_rewards() -> None:
    semester = simulate(Setting(students=30, assignments=2, strategies={"all-tens": 3}), 1)
    found = paid("guarded-mse-p", semester.reports)
    assert found.deduction is not None
    assert found.each is not None
    # Everybody who reports 10 for all work has a deduction.
    constant = [
        one
        for one in range(30)
        if (semester.reports.grade[semester.reports.grader == one] == 10).all()
    ]
    assert len(constant) >= 3
    assert (found.deduction[constant] > 1).all()
    assert (found.deduction > -1e-9).all()
    exact = score("guarded-mse-p", semester.reports).per_report
    np.testing.assert_allclose(found.estimated.own_mean, exact, atol=0.01)


@pytest.mark.parametrize(
    ("scale", "digits"), [("0..10", 3), ("0..5", 3), ("0..100", 2), ("0..1:0.1", 4)]
)
def test_references_have_decimals_in_proportion_to_the_scale(scale: str, digits: int) -> None:
    assert reference_digits(Scale.parse(scale)) == digits


@pytest.mark.parametrize(("mechanism", "compiles"), [("mse-p", False), ("oa", True)])
def test_a_large_class_is_paid_by_compiled_loops_and_plain_formulas(
    mechanism: str, compiles: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("peergauge.classroom.grade.payment.MAX_PLAIN_PAID_REVIEWS", 4)
    used: list[bool] = []

    def chosen() -> AbstractContextManager[None]:
        used.append(True)
        return compiled_twins()

    monkeypatch.setattr("peergauge.classroom.grade.payment.compiled_twins", chosen)
    opened = classroom(students=8)
    with plain_numpy():
        paid_plainly = pay_graders(mechanisms.make(mechanism), opened, seed=1)
    assert bool(used) == compiles
    assert paid_plainly.rewards.total.shape == (8,)
