from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from sklearn.metrics import roc_auc_score

from peergauge.core.arrays import Floats
from peergauge.metrics.binary_auc import BinaryAUC
from tests.metrics.classes import columns, few, grades, inf, nan, paid, uneven

binary_auc = BinaryAUC()
people = columns(few, grades)


def test_it_is_the_share_of_pairs_in_which_the_better_grader_is_paid_more() -> None:
    # Errors 0, 1, 4, 9 have median 2.5. The better earn 5 and 1, the worse 1 and 0:
    # 5 beats both, 1 ties with 1 and beats 0.
    assert binary_auc.measure(*paid([5, 1, 1, 0], [0, 1, 2, 3])) == 3.5 / 4


def test_pay_is_compared_with_any_errors_in_the_same_way() -> None:
    # As above, and with errors of graders who are paid by another mechanism.
    pay, error = np.array([5.0, 1.0, 1.0, 0.0]), np.array([0.0, 1.0, 4.0, 9.0])
    assert binary_auc.compare(pay, error) == 3.5 / 4
    assert binary_auc.compare(-pay, error) == 0.5 / 4


def test_an_error_equal_to_the_median_is_in_the_worse_half() -> None:
    # Errors 0, 1, 1, 4: only the first is better than the median of 1, and earns more than one.
    assert binary_auc.measure(*paid([2, 1, 3, 4], [0, 1, 1, 2])) == 1 / 3


@pytest.mark.parametrize(
    ("totals", "grade"),
    [([1, 2, 3], [1, 1, 1]), ([nan, nan], [0, 1]), ([1, nan], [0, 1])],
    ids=["equal errors", "nobody paid", "one paid"],
)
def test_it_is_not_defined_without_two_halves(totals: list[float], grade: list[float]) -> None:
    assert np.isnan(binary_auc.measure(*paid(totals, grade)))


def test_it_is_not_defined_without_true_scores() -> None:
    assert np.isnan(binary_auc.measure(*paid([1, 2], [0, 1], scores=nan)))


def test_equal_rewards_tell_nothing() -> None:
    assert binary_auc.measure(*paid([1, 1, 1, 1], [0, 1, 2, 3])) == 0.5


def test_graders_without_reward_are_left_out() -> None:
    assert binary_auc.measure(*paid([3, nan, 2, nan], [0, 9, 1, 0])) == 1.0


def test_infinite_rewards_count_by_their_order() -> None:
    assert binary_auc.measure(*paid([inf, 1, 2, -inf], [0, 1, 2, 3])) == 3 / 4


def test_per_report_means_are_compared() -> None:
    assert binary_auc.measure(*uneven()) == 1.0
    assert BinaryAUC(per="report").measure(*uneven()) == 0.0


def test_int64_takes_a_missing_reward_as_zero() -> None:
    # The unpaid first grader is the better one, and 0 is more than -1.
    drawn = paid([nan, -1], [0, 1])
    assert np.isnan(binary_auc.measure(*drawn))
    assert BinaryAUC(int64=True).measure(*drawn) == 1.0


@given(people)
def test_it_agrees_with_scikit_learn(drawn: tuple[Floats, Floats]) -> None:
    totals, grade = drawn
    better = grade**2 < np.median(grade**2)
    assume(better.any())
    expected = roc_auc_score(better, totals)
    assert binary_auc.measure(*paid(totals, grade)) == pytest.approx(expected)


@given(people)
def test_negated_rewards_flip_it(drawn: tuple[Floats, Floats]) -> None:
    totals, grade = drawn
    flipped = 1 - binary_auc.measure(*paid(totals, grade))
    assert binary_auc.measure(*paid(-totals, grade)) == pytest.approx(flipped, nan_ok=True)


@given(people)
def test_only_the_order_of_rewards_counts(drawn: tuple[Floats, Floats]) -> None:
    totals, grade = drawn
    same = binary_auc.measure(*paid(totals, grade))
    assert binary_auc.measure(*paid(np.exp(totals), grade)) == pytest.approx(same, nan_ok=True)
