from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from scipy.stats import rankdata
from sklearn.metrics import roc_auc_score

from peergauge.core.arrays import Floats
from peergauge.core.errors import NeedsTruthError
from peergauge.metrics.effort_auc import EffortAUC
from peergauge.tables import Rewards, Truth
from tests.metrics.classes import columns, few, few_or_infinite, inf, nan, paid, uneven

effort_auc = EffortAUC()
people = columns(few, few)


def effort(totals: list[float] | Floats, active: list[bool]) -> tuple[Rewards, Truth]:
    return paid(totals, np.zeros(len(totals)), active=np.array(active))


def test_it_is_the_share_of_pairs_in_which_the_active_grader_is_paid_more() -> None:
    # 3 and 1 against 1 and 0: three wins and a tie.
    assert effort_auc.measure(*effort([3, 1, 1, 0], [True, True, False, False])) == 3.5 / 4


def test_it_is_refused_where_nobody_knows_who_is_active() -> None:
    with pytest.raises(NeedsTruthError, match="'active' of every grader"):
        effort_auc.measure(*paid([1, 2], [0, 1], effort=np.ones(2)))


@pytest.mark.parametrize(
    ("totals", "active"),
    [
        ([1, 2], [True, True]),
        ([1, 2], [False, False]),
        ([1, nan], [True, False]),
        ([nan, nan], [True, False]),
    ],
    ids=["all active", "all passive", "no passive one paid", "nobody paid"],
)
def test_it_is_not_defined_without_both_kinds(totals: list[float], active: list[bool]) -> None:
    assert np.isnan(effort_auc.measure(*effort(totals, active)))


def test_graders_without_reward_are_left_out() -> None:
    drawn = effort([2, nan, 1, nan], [True, True, False, False])
    assert effort_auc.measure(*drawn) == 1.0


def test_true_scores_are_not_needed() -> None:
    drawn = paid([2, 1], [0, 0], scores=nan, active=np.array([True, False]))
    assert effort_auc.measure(*drawn) == 1.0


def test_per_report_means_are_compared() -> None:
    drawn = uneven(active=np.array([True, False]))
    assert effort_auc.measure(*drawn) == 1.0
    assert EffortAUC(per="report").measure(*drawn) == 0.0


def test_int64_takes_a_missing_reward_as_zero_and_ties_what_is_beyond_its_range() -> None:
    # The active earn 0 and 2⁶³, the passive one 2⁶³.
    drawn = effort([nan, inf, 1e300], [True, True, False])
    assert effort_auc.measure(*drawn) == 1.0
    assert EffortAUC(int64=True).measure(*drawn) == 0.5 / 2


def test_a_file_may_say_who_is_active_by_0_and_1() -> None:
    rewards, _ = paid([1, 2, 3], [0, 0, 0])
    graders = {"grader": [0, 1, 2], "active": [0, 0, 1]}
    truth = Truth.from_frame({"submission": [0], "score": [0.0]}, graders)
    assert effort_auc.measure(rewards, truth) == 1.0


@given(columns(few_or_infinite, few))
def test_it_agrees_with_scikit_learn(drawn: tuple[Floats, Floats]) -> None:
    totals, active = drawn[0], drawn[1] > 0
    assume(0 < active.sum() < len(active))
    expected = roc_auc_score(active, rankdata(totals))
    assert effort_auc.measure(*effort(totals, active.tolist())) == pytest.approx(expected)


@given(people)
def test_negated_rewards_flip_it(drawn: tuple[Floats, Floats]) -> None:
    totals, active = drawn[0], (drawn[1] > 0).tolist()
    flipped = 1 - effort_auc.measure(*effort(totals, active))
    assert effort_auc.measure(*effort(-totals, active)) == pytest.approx(flipped, nan_ok=True)


@given(people)
def test_only_the_order_of_rewards_counts(drawn: tuple[Floats, Floats]) -> None:
    totals, active = drawn[0], (drawn[1] > 0).tolist()
    same = effort_auc.measure(*effort(totals, active))
    assert effort_auc.measure(*effort(np.exp(totals), active)) == pytest.approx(same, nan_ok=True)
