"""Effort as a choice: gains and equilibria by hand, and by the formula of output agreement."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from peergauge.core.errors import ParameterError, TableError
from peergauge.lab.effort_choice import EffortPay, effort_pay
from peergauge.simulate import Setting, label_setting

# Two classes; all others low: pay 1 for low and 1 ± 0 for high. All others high: 2 and 4 or 6.
BY_HAND = EffortPay((0.0, 1.0), np.array([[[1.0, 1.0], [2.0, 4.0]], [[1.0, 1.0], [2.0, 6.0]]]))


def test_gains_by_hand() -> None:
    low_low, low_high, high_low, high_high = BY_HAND.gains((0.0, 1.0), scale=2.0)
    assert (low_low.pay, low_low.utility, low_low.gain) == (2.0, 2.0, 0.0)
    assert (low_high.utility, low_high.gain, low_high.gain_error) == (1.0, -1.0, 0.0)
    # Twice the mean of 4 and 6, minus the cost; the standard error is 2 · √2 / √2.
    assert (high_high.pay, high_high.pay_error) == pytest.approx((10.0, 2.0))
    assert high_high.utility == 9.0
    # Less effort loses 4 or 8 of pay and saves a cost of 1.
    assert (high_low.gain, high_low.gain_error) == pytest.approx((-5.0, 2.0))


def test_best_responses_and_paths_by_hand() -> None:
    assert BY_HAND.best_response(1.0, (0.0, 1.0)).own == 1.0
    assert BY_HAND.best_response(0.0, (0.0, 1.0)).own == 0.0
    assert BY_HAND.best_response(1.0, (0.0, 4.0)).own == 0.0
    assert BY_HAND.path(1.0, (0.0, 1.0)) == [1.0]
    assert BY_HAND.path(1.0, (0.0, 4.0)) == [1.0, 0.0]
    # Whoever is paid for doing what others do not do goes round in circles.
    contrary = EffortPay((0.0, 1.0), np.array([[[0.0, 1.0], [1.0, 0.0]]] * 2))
    assert contrary.path(0.0, (0.0, 0.0)) == [0.0, 1.0, 0.0]


def test_equilibria_by_hand() -> None:
    # Gains of less effort: 1 - 3 ± 1 in pay, with a standard error of 1.
    verdicts = {
        cost: [one.verdict for one in BY_HAND.equilibria((0.0, cost))] for cost in (0.5, 2.5, 6.0)
    }
    assert verdicts == {0.5: ["yes", "yes"], 2.5: ["yes", "unclear"], 6.0: ["yes", "no"]}
    best = BY_HAND.equilibria((0.0, 6.0))[1]
    assert (best.best, best.gain, best.gain_error) == pytest.approx((0.0, 3.0, 1.0))


def test_the_needed_scale_by_hand() -> None:
    found = BY_HAND.needed_scale(1.0, (0.0, 6.0))
    # A cost of 6 for a pay of 3 ± 1; the error is 6 / 3² · 1.
    assert (found.scale, found.error, found.against) == pytest.approx((2.0, 6 / 9, 0.0))
    assert BY_HAND.best_response(1.0, (0.0, 6.0), scale=2.01).own == 1.0
    assert BY_HAND.best_response(1.0, (0.0, 6.0), scale=1.99).own == 0.0
    assert BY_HAND.needed_scale(0.0, (0.0, 6.0)).scale == 0.0
    flat = EffortPay((0.0, 1.0), np.ones((2, 2, 2)))
    assert flat.needed_scale(1.0, (0.0, 6.0)).scale == np.inf


@pytest.mark.statistical
def test_output_agreement_pays_effort_by_its_formula() -> None:
    # Claim: with two equally likely labels, graders who see the right one with probability a if
    # they work, and efforts e and e', two reports agree with probability
    # ½ + e e' (2a − 1)² / 2. An agent gives 8 reports. Deviations of 4.5 standard errors are
    # allowed for each of nine means; the seed is fixed.
    levels, accuracy = (0.0, 0.5, 1.0), 0.9
    crowd = label_setting(accuracy=accuracy, students=20, assignments=2)
    found = effort_pay("oa", crowd, levels, classes=60, seed=3)
    for one in found.gains((0.0, 0.0, 0.0)):
        expected = 8 * (0.5 + one.own * one.others * (2 * accuracy - 1) ** 2 / 2)
        assert abs(one.pay - expected) < 4.5 * one.pay_error
        more = 8 * (one.own - one.others) * one.others * (2 * accuracy - 1) ** 2 / 2
        assert abs(one.gain - more) <= 4.5 * one.gain_error
    # Full effort is worth its cost c if the scale is above c / (8 · 0.32); idleness always pays.
    needed = found.needed_scale(1.0, (0.0, 0.5, 1.0))
    assert abs(needed.scale - 1 / 2.56) < 4.5 * needed.error
    assert [one.verdict for one in found.equilibria((0.0, 0.5, 1.0), scale=1.0)] == [
        "yes",
        "no",
        "yes",
    ]


def test_everything_but_the_effort_stays_the_same() -> None:
    # Under the same seed, the pay of the same class does not depend on which levels are compared.
    crowd = label_setting(students=12, assignments=2)
    two = effort_pay("ca", crowd, (0.0, 1.0), classes=3, seed=2)
    three = effort_pay("ca", crowd, (0.0, 0.5, 1.0), classes=3, seed=2)
    np.testing.assert_array_equal(three.pay[:, ::2, ::2], two.pay)


def test_the_paper_s_model_and_other_payments_work_too() -> None:
    setting = Setting(students=12, assignments=2)
    found = effort_pay(
        "mse", setting, (0.0, 2.0), payment="tournament:top=0.5,prize=2", classes=4, agents=2
    )
    assert found.pay.shape == (4, 2, 2)
    assert ((found.pay >= 0) & (found.pay <= 2)).all()
    assert found.to_polars((0, 1)).height == 4


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"levels": (1.0,)}, "at least two"),
        ({"levels": (1.0, 1.0)}, "different levels"),
        ({"classes": 1}, "at least two classes"),
        ({"agents": 0}, "From 1 to 12 agents"),
        ({"levels": (0.0, 2.0)}, r"lies in 0\.\.1"),
    ],
)
def test_games_that_cannot_be_simulated_are_refused(arguments: dict[str, Any], why: str) -> None:
    given = {"levels": (0.0, 1.0), "classes": 2, "agents": 1, **arguments}
    with pytest.raises(ParameterError, match=why):
        effort_pay("oa", label_setting(students=12, assignments=1), **given)


def test_costs_and_levels_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ParameterError, match="2 finite costs are needed"):
        BY_HAND.gains((1.0,))
    with pytest.raises(ParameterError, match="not one of the levels"):
        BY_HAND.best_response(0.5, (0, 1))
    with pytest.raises(ParameterError, match="finite and not negative"):
        BY_HAND.equilibria((0, 1), scale=-1.0)


def test_infinite_pay_has_no_mean() -> None:
    setting = Setting(students=12, assignments=1)
    with pytest.raises(TableError, match="needs finite scores"):
        effort_pay("phi-div:divergence=kl", setting, (0.0, 2.0), classes=4)
