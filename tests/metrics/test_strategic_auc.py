from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from scipy.stats import rankdata
from sklearn.metrics import roc_auc_score

from peergauge.core.arrays import Floats
from peergauge.core.errors import NeedsTruthError
from peergauge.metrics.strategic_auc import StrategicAUC
from peergauge.tables import Rewards, Truth
from tests.metrics.classes import columns, few, few_or_infinite, inf, nan, paid, uneven

strategic_auc = StrategicAUC()
people = columns(few, few)


def mixed(totals: list[float] | Floats, strategic: list[bool]) -> tuple[Rewards, Truth]:
    return paid(totals, np.zeros(len(totals)), strategic=np.array(strategic))


def test_it_is_the_share_of_pairs_in_which_the_truthful_grader_is_paid_more() -> None:
    # The truthful 3 and 1 against the strategic 1 and 0: three wins and a tie.
    assert strategic_auc.measure(*mixed([1, 3, 0, 1], [True, False, True, False])) == 3.5 / 4


def test_it_is_refused_where_nobody_knows_who_is_strategic() -> None:
    with pytest.raises(NeedsTruthError, match="'strategic' of every grader"):
        strategic_auc.measure(*paid([1, 2], [0, 1]))


@pytest.mark.parametrize(
    ("totals", "strategic"),
    [
        ([1, 2], [True, True]),
        ([1, 2], [False, False]),
        ([1, nan], [True, False]),
        ([nan, nan], [True, False]),
    ],
    ids=["all strategic", "all truthful", "no truthful one paid", "nobody paid"],
)
def test_it_is_not_defined_without_both_kinds(totals: list[float], strategic: list[bool]) -> None:
    assert np.isnan(strategic_auc.measure(*mixed(totals, strategic)))


def test_graders_without_reward_are_left_out() -> None:
    drawn = mixed([1, nan, 2, nan], [True, True, False, False])
    assert strategic_auc.measure(*drawn) == 1.0


def test_per_report_means_are_compared() -> None:
    drawn = uneven(strategic=np.array([False, True]))
    assert strategic_auc.measure(*drawn) == 1.0
    assert StrategicAUC(per="report").measure(*drawn) == 0.0


def test_int64_takes_a_missing_reward_as_zero_and_ties_what_is_beyond_its_range() -> None:
    # The truthful earn 0 and 2⁶³, the strategic one 2⁶³.
    drawn = mixed([nan, inf, 1e300], [False, False, True])
    assert strategic_auc.measure(*drawn) == 1.0
    assert StrategicAUC(int64=True).measure(*drawn) == 0.5 / 2


@given(columns(few_or_infinite, few))
def test_it_agrees_with_scikit_learn(drawn: tuple[Floats, Floats]) -> None:
    totals, strategic = drawn[0], drawn[1] > 0
    assume(0 < strategic.sum() < len(strategic))
    expected = roc_auc_score(~strategic, rankdata(totals))
    assert strategic_auc.measure(*mixed(totals, strategic.tolist())) == pytest.approx(expected)


@given(people)
def test_negated_rewards_flip_it(drawn: tuple[Floats, Floats]) -> None:
    totals, strategic = drawn[0], (drawn[1] > 0).tolist()
    flipped = 1 - strategic_auc.measure(*mixed(totals, strategic))
    assert strategic_auc.measure(*mixed(-totals, strategic)) == pytest.approx(flipped, nan_ok=True)


@given(people)
def test_only_the_order_of_rewards_counts(drawn: tuple[Floats, Floats]) -> None:
    totals, strategic = drawn[0], (drawn[1] > 0).tolist()
    same = strategic_auc.measure(*mixed(totals, strategic))
    mapped = strategic_auc.measure(*mixed(np.exp(totals), strategic))
    assert mapped == pytest.approx(same, nan_ok=True)
