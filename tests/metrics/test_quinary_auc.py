from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from peergauge.core.arrays import Floats
from peergauge.metrics.quinary_auc import QuinaryAUC
from tests.metrics.classes import columns, few, grades, inf, nan, paid, uneven

quinary_auc = QuinaryAUC()
people = columns(few, grades)
diverse_people = columns(few, st.integers(0, 100).map(float), least=5, most=30)


def by_brute_force(totals: Floats, errors: Floats) -> float:
    quintile = pd.qcut(-errors, 5, labels=False)
    values = []
    for worse, better in combinations(range(5), 2):
        pairs = [(x, y) for x in totals[quintile == better] for y in totals[quintile == worse]]
        if pairs:
            values.append(np.mean([(x > y) + (x == y) / 2 for x, y in pairs]))
    return float(np.mean(values))


def test_it_is_the_mean_over_pairs_of_quintiles() -> None:
    # One grader in each quintile. Of ten pairs, only the best two are paid the wrong way round,
    # and the last two tie.
    assert quinary_auc.measure(*paid([4, 5, 3, 1, 1], [0, 1, 2, 3, 4])) == pytest.approx(8.5 / 10)


def test_a_quintile_that_ties_leave_empty_has_no_pairs() -> None:
    # Errors 0, 1, 1, 1, 1 make two quintiles: 3 beats two of the rewards 1, 2, 4, 5.
    assert quinary_auc.measure(*paid([3, 1, 2, 4, 5], [0, 1, 1, 1, 1])) == 2 / 4


@pytest.mark.parametrize(
    ("totals", "grade"),
    [([1, 2, 3], [1, 1, 1]), ([nan, nan], [0, 1]), ([1, nan], [0, 1])],
    ids=["equal errors", "nobody paid", "one paid"],
)
def test_it_is_not_defined_with_one_quintile(totals: list[float], grade: list[float]) -> None:
    assert np.isnan(quinary_auc.measure(*paid(totals, grade)))


def test_it_is_not_defined_without_true_scores() -> None:
    assert np.isnan(quinary_auc.measure(*paid([1, 2], [0, 1], scores=nan)))


def test_equal_rewards_tell_nothing() -> None:
    assert quinary_auc.measure(*paid(np.ones(7), np.arange(7))) == 0.5


def test_graders_without_reward_are_left_out() -> None:
    assert quinary_auc.measure(*paid([3, nan, 2, nan, 1], [0, 9, 1, 0, 2])) == 1.0


def test_infinite_rewards_count_by_their_order() -> None:
    assert quinary_auc.measure(*paid([1, inf, -inf], [0, 1, 2])) == pytest.approx(2 / 3)


def test_per_report_means_are_compared() -> None:
    assert quinary_auc.measure(*uneven()) == 1.0
    assert QuinaryAUC(per="report").measure(*uneven()) == 0.0


def test_int64_takes_a_missing_reward_as_zero() -> None:
    drawn = paid([nan, -1], [0, 1])
    assert np.isnan(quinary_auc.measure(*drawn))
    assert QuinaryAUC(int64=True).measure(*drawn) == 1.0


@given(diverse_people)
def test_it_agrees_with_brute_force_over_the_quintiles_of_pandas(
    drawn: tuple[Floats, Floats],
) -> None:
    totals, grade = drawn
    try:
        expected = by_brute_force(totals, grade**2)
    except ValueError:
        assume(False)
    assert quinary_auc.measure(*paid(totals, grade)) == pytest.approx(expected)


@given(people)
def test_negated_rewards_flip_it(drawn: tuple[Floats, Floats]) -> None:
    totals, grade = drawn
    flipped = 1 - quinary_auc.measure(*paid(totals, grade))
    assert quinary_auc.measure(*paid(-totals, grade)) == pytest.approx(flipped, nan_ok=True)


@given(people)
def test_only_the_order_of_rewards_counts(drawn: tuple[Floats, Floats]) -> None:
    totals, grade = drawn
    same = quinary_auc.measure(*paid(totals, grade))
    assert quinary_auc.measure(*paid(np.exp(totals), grade)) == pytest.approx(same, nan_ok=True)


def test_pay_is_compared_with_errors_as_they_are() -> None:
    """The grader with the least error is best; of ten pairs, only those of the first two differ."""
    assert quinary_auc.compare(np.arange(5.0), np.arange(5.0)[::-1]) == 1.0
    assert quinary_auc.compare(np.array([3.0, 4, 2, 1, 0]), np.arange(5.0)) == 9 / 10


@given(diverse_people)
def test_comparing_is_what_measuring_does(drawn: tuple[Floats, Floats]) -> None:
    totals, grade = drawn
    measured = quinary_auc.measure(*paid(totals, grade))
    assert quinary_auc.compare(totals, grade**2) == pytest.approx(measured, nan_ok=True)
