"""The contract of payment rules, checked for every rule that is found and for generated scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peergauge.core.arrays import Floats
from peergauge.payments import PaymentRule, payments
from peergauge.testing import parametrize_with_checks
from peergauge.testing import payments as contract
from peergauge.testing.promises import Check

ALL = [
    *payments.all(),
    *map(
        payments.make,
        (
            "linear:slope=2,base=10,lowest=0",
            "linear:slope=0.5,lowest=-1,highest=3",
            "tournament:prizes=100+50+25",
            "tournament:prizes=9",
            "tournament:top=1,prize=4",
            "budget:total=40,floor=0",
            "lottery:prizes=3,prize=20",
            "lottery:prizes=3,prize=20,once=yes",
            "lottery:prizes=2,floor=1,once=yes",
            "limited-liability:budget=7,slope=3",
            "limited-liability:threshold=1",
        ),
    ),
]
every_rule = pytest.mark.parametrize("rule", ALL, ids=str)


@st.composite
def scores(draw: st.DrawFn) -> Floats:
    """Scores of up to twelve graders, some of them tied or missing, at least one known."""
    one = st.one_of(
        st.floats(-100, 100, allow_subnormal=False), st.integers(-3, 3).map(float), st.just(np.nan)
    )
    found = draw(st.lists(one, min_size=1, max_size=12))
    return np.array([*found, draw(st.integers(-3, 3))], dtype=np.float64)


@parametrize_with_checks(ALL)
def test_contract(plugin: PaymentRule, check: Check) -> None:
    check(plugin)


@every_rule
@settings(max_examples=40)
@given(score=scores(), data=st.data())
def test_promises_hold_for_generated_scores(
    rule: PaymentRule, score: Floats, data: st.DataObject
) -> None:
    contract.check_exactly_the_unscored_stay_unpaid(rule, score)
    contract.check_equal_scores_are_paid_alike(rule, score)
    contract.check_higher_scores_are_not_paid_less(rule, score)
    contract.check_a_better_score_never_costs_pay(rule, score)
    contract.check_limited_liability(rule, score)
    contract.check_exact_budget(rule, score)
    new = data.draw(st.permutations(range(len(score))))
    contract.check_grader_numbers_do_not_matter(rule, score, new=new)
