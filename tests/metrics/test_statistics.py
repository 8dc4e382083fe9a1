from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import kendalltau, pearsonr, rankdata
from sklearn.metrics import roc_auc_score

from peergauge.compiled.metrics.statistics import MAX_PAIRWISE_VALUES
from peergauge.core.acceleration import plain_numpy
from peergauge.core.arrays import Floats
from peergauge.metrics.statistics import (
    auc,
    both_known,
    covariance_of_pairs,
    kendall_tau_b,
    mean_pairwise_auc,
    mean_with_error,
    midranks,
    pairwise_auc,
    pearson,
    quantile_classes,
    rank_shares,
    spread_within,
)
from tests.metrics.classes import columns, few, few_or_infinite, inf, nan

pairs = columns(few, few)
infinite_pairs = columns(few_or_infinite, few_or_infinite)


# --- midranks


def test_equal_values_share_the_mean_of_their_ranks() -> None:
    assert midranks(np.array([7.0, 3.0, 7.0, inf])).tolist() == [2.5, 1.0, 2.5, 4.0]


@given(columns(few_or_infinite, least=1))
def test_midranks_are_those_of_scipy(drawn: tuple[Floats]) -> None:
    np.testing.assert_array_equal(midranks(drawn[0]), rankdata(drawn[0]))


def test_nobody_has_no_ranks() -> None:
    assert len(midranks(np.array([]))) == 0


# --- AUC


def test_auc_counts_wins_and_half_the_ties() -> None:
    # The positives 3 and 1 meet the negatives 1 and 0: three wins and a tie, of four.
    score, positive = np.array([3.0, 1.0, 1.0, 0.0]), np.array([True, True, False, False])
    assert auc(score, positive) == 3.5 / 4


@pytest.mark.parametrize("positive", [True, False])
def test_auc_of_one_class_is_not_defined(positive: bool) -> None:
    assert np.isnan(auc(np.array([1.0, 2.0]), np.full(2, positive)))


@given(pairs)
def test_auc_is_that_of_scikit_learn(drawn: tuple[Floats, Floats]) -> None:
    score, positive = drawn[0], drawn[1] > 0
    assume(0 < positive.sum() < len(positive))
    assert auc(score, positive) == pytest.approx(roc_auc_score(positive, score))


@given(infinite_pairs)
def test_auc_takes_infinite_scores_by_their_order(drawn: tuple[Floats, Floats]) -> None:
    score, positive = drawn[0], drawn[1] > 0
    assume(0 < positive.sum() < len(positive))
    assert auc(score, positive) == pytest.approx(roc_auc_score(positive, rankdata(score)))


@given(infinite_pairs)
def test_plain_and_compiled_auc_are_equal(drawn: tuple[Floats, Floats]) -> None:
    score, positive = drawn[0], drawn[1] > 0
    with plain_numpy():
        plain = auc(score, positive)
    np.testing.assert_equal(auc(score, positive), plain)


# --- quantile classes


def test_nobody_has_no_class() -> None:
    assert len(quantile_classes(np.array([]), 5)) == 0


def test_values_at_a_cut_go_to_the_lower_class() -> None:
    # The median of 1, 2, 2, 3 is 2.
    assert quantile_classes(np.array([3.0, 2.0, 1.0, 2.0]), 2).tolist() == [1, 0, 0, 0]


@given(columns(st.integers(0, 100).map(float), least=1), st.sampled_from([2, 5]))
def test_quantile_classes_are_those_of_pandas(drawn: tuple[Floats], classes: int) -> None:
    try:
        label = pd.qcut(drawn[0], classes, labels=False)
    except ValueError:
        assume(False)
    np.testing.assert_array_equal(quantile_classes(drawn[0], classes), label)


@pytest.mark.parametrize("n", range(1, 107, 5))
def test_no_rounding_moves_a_value_that_is_exactly_at_a_cut(n: int) -> None:
    # Cut k of 5 lies at position k(n - 1)/5, a whole number for these n.
    expected = [sum(i > Fraction(k * (n - 1), 5) for k in range(1, 5)) for i in range(n)]
    assert quantile_classes(np.arange(n) / 10, 5).tolist() == expected


# --- mean pairwise AUC


def test_pairwise_auc_is_the_mean_over_pairs_of_classes() -> None:
    # 1 against 0: a tie; 2 against 0 and 2 against 1: won.
    assert mean_pairwise_auc(np.array([1.0, 1.0, 2.0]), np.array([0, 1, 2])) == 2.5 / 3


def test_a_class_without_members_has_no_pairs() -> None:
    assert mean_pairwise_auc(np.array([1.0, 2.0]), np.array([0, 4])) == 1.0


def test_a_single_class_has_no_pairwise_auc() -> None:
    assert np.isnan(mean_pairwise_auc(np.array([1.0, 2.0]), np.array([3, 3])))


@given(columns(few_or_infinite, st.integers(0, 4).map(float)))
def test_plain_and_compiled_pairwise_auc_are_equal(drawn: tuple[Floats, Floats]) -> None:
    score, of = drawn[0], drawn[1].astype(np.int64)
    with plain_numpy():
        plain = pairwise_auc(score, of)
    np.testing.assert_array_equal(pairwise_auc(score, of), plain)


# --- Pearson's ρ


@given(pairs)
def test_pearson_is_that_of_scipy(drawn: tuple[Floats, Floats]) -> None:
    x, y = drawn
    assume(np.ptp(x) > 0 and np.ptp(y) > 0)
    assert pearson(x, y) == pytest.approx(pearsonr(x, y).statistic, abs=1e-12)


@pytest.mark.parametrize(
    "x",
    [
        [2.0, 2.0, 2.0],
        [1.0, 2.0, inf],
        pytest.param([0.1, 0.1, 0.1]),
    ],
)
def test_pearson_is_not_defined_without_finite_variation(x: list[float]) -> None:
    y = np.array([1.0, 2.0, 4.0])
    assert np.isnan(pearson(np.array(x), y))
    assert np.isnan(pearson(y, np.array(x)))


@pytest.mark.parametrize("n", [0, 1])
def test_pearson_needs_two(n: int) -> None:
    assert np.isnan(pearson(np.ones(n), np.ones(n)))


def test_pearson_of_payments_whose_squares_overflow_is_that_of_small_ones() -> None:
    x, y = np.array([1.0, 2.0, 4.0]), np.array([3.0, 1.0, 2.0])
    assert pearson(1e300 * x, y) == pytest.approx(pearson(x, y))


def test_pearson_of_payments_whose_sum_overflows_is_that_of_small_ones() -> None:
    x, y = np.array([1.0, 1.5, 0.5]), np.array([3.0, 1.0, 2.0])
    assert pearson(1e308 * x, y) == pytest.approx(pearson(x, y))


@given(pairs)
def test_pearson_never_leaves_its_range(drawn: tuple[Floats, Floats]) -> None:
    x, _ = drawn
    assume(np.ptp(x) > 0)
    assert pearson(x, 2 * x + 1) <= 1
    assert pearson(x, -x) >= -1


# --- Kendall's τ_B


@given(pairs)
def test_compiled_tau_is_that_of_scipy(drawn: tuple[Floats, Floats]) -> None:
    expected = kendalltau(*drawn).statistic
    assert kendall_tau_b(*drawn) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(infinite_pairs)
def test_compiled_tau_takes_infinite_values_by_their_order(drawn: tuple[Floats, Floats]) -> None:
    expected = kendalltau(rankdata(drawn[0]), rankdata(drawn[1])).statistic
    assert kendall_tau_b(*drawn) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@given(columns(few_or_infinite, few_or_infinite, least=3))
def test_plain_and_compiled_tau_agree(drawn: tuple[Floats, Floats]) -> None:
    with plain_numpy():
        plain = kendall_tau_b(*drawn)
    assert kendall_tau_b(*drawn) == pytest.approx(plain, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("n", [MAX_PAIRWISE_VALUES, MAX_PAIRWISE_VALUES + 1])
def test_tau_of_many_is_that_of_scipy(n: int) -> None:
    rng = np.random.default_rng(1)
    x, y = np.floor(rng.uniform(0, 50, n)), np.floor(rng.uniform(0, 50, n))
    assert kendall_tau_b(x, y) == pytest.approx(kendalltau(x, y).statistic)


@pytest.mark.parametrize("sign", [1, -1])
def test_compiled_tau_never_leaves_its_range(sign: int) -> None:
    for n in range(2, 50):
        ranking = np.arange(float(n))
        tau = kendall_tau_b(ranking, sign * ranking)
        assert tau == pytest.approx(sign)
        assert abs(tau) <= 1


def test_compiled_tau_leaves_its_arguments_as_they_are() -> None:
    x, y = np.array([3.0, 1.0, 2.0]), np.array([2.0, 3.0, 1.0])
    kendall_tau_b(x, y)
    assert (x.tolist(), y.tolist()) == ([3, 1, 2], [2, 3, 1])


@pytest.mark.parametrize("n", [0, 1])
def test_compiled_tau_needs_two(n: int) -> None:
    assert np.isnan(kendall_tau_b(np.ones(n), np.ones(n)))


@pytest.mark.parametrize("n", [0, 1])
def test_plain_tau_needs_two(n: int) -> None:
    with plain_numpy():
        assert np.isnan(kendall_tau_b(np.ones(n), np.ones(n)))


def test_plain_tau_of_two_is_defined() -> None:
    with plain_numpy():
        assert kendall_tau_b(np.array([1.0, 2.0]), np.array([4.0, 3.0])) == -1


# --- what is known


def test_known_is_where_no_column_is_nan() -> None:
    known = both_known([1.0, nan, inf, nan], [1.0, 1.0, -inf, nan])
    assert known.tolist() == [True, False, True, False]


def test_the_mean_of_defined_values_has_its_standard_error() -> None:
    # The sample variance of 1, 2, 6 is 7, and so the standard error √(7 / 3).
    mean, error, n = mean_with_error(np.array([1.0, nan, 2.0, 6.0]))
    assert (mean, n) == (3.0, 3)
    assert error == pytest.approx((7 / 3) ** 0.5)


def test_one_value_has_no_standard_error_and_none_has_no_mean() -> None:
    mean, error, n = mean_with_error(np.array([4.0, nan]))
    assert (mean, n) == (4.0, 1)
    assert np.isnan(error)
    assert np.isnan(mean_with_error(np.array([nan]))[:2]).all()
    assert mean_with_error(np.array([]))[2] == 0


def test_means_of_submissions_and_the_variance_within_by_hand() -> None:
    """3 and 5 lie 1 from their mean, and a submission without a second report adds nothing."""
    n, mean, variance = spread_within(np.array([0, 0, 2]), np.array([3.0, 5.0, 8.0]), 4)
    assert n.tolist() == [2, 0, 1, 0]
    assert mean.tolist() == [4, 0, 8, 0]
    assert variance == 2.0
    assert np.isnan(spread_within(np.array([0, 1]), np.array([3.0, 5.0]))[2])


# --- boundaries, each worked by hand


def test_shares_of_ranks_need_two_paid_graders() -> None:
    np.testing.assert_array_equal(rank_shares(np.array([nan, 2.0])), [nan, nan])
    np.testing.assert_array_equal(rank_shares(np.array([nan, 2.0, 5.0])), [nan, 0.0, 1.0])
    shares = rank_shares(np.array([3.0, 1.0, nan, 3.0, -inf]))
    np.testing.assert_allclose(shares, [2.5 / 3, 1 / 3, nan, 2.5 / 3, 0.0])
    assert len(rank_shares(np.array([]))) == 0


def test_two_values_have_a_correlation_and_one_has_none() -> None:
    assert pearson(np.array([1.0, 2.0]), np.array([5.0, 3.0])) == pytest.approx(-1.0)
    assert np.isnan(pearson(np.array([1.0]), np.array([5.0])))
    # The first two values are equal, and the column varies.
    assert pearson(np.array([1.0, 1.0, 4.0]), np.array([2.0, 2.0, 3.0])) == pytest.approx(1.0)
    assert pearson(np.array([1.0, 4.0, 1.0]), np.array([2.0, 3.0, 2.0])) == pytest.approx(1.0)


def test_rounding_never_takes_a_correlation_out_of_its_range() -> None:
    """Of a thousand linear functions, some would be beyond 1 or -1 in the last digit."""
    rng = np.random.default_rng(5)
    for _ in range(1000):
        x = rng.standard_normal(5)
        for factor in (-3.7, 0.3):
            assert -1.0 <= pearson(x, factor * x + 0.1) <= 1.0


def test_the_spread_within_submissions_has_degrees_of_freedom_of_its_own() -> None:
    """1, 3 around 2 and 4, 4, 7 around 5: (1 + 1 + 1 + 1 + 4) / (1 + 2); a single 9 has none."""
    submission = np.array([0, 0, 1, 1, 1, 3])
    count, mean, variance = spread_within(submission, np.array([1.0, 3, 4, 4, 7, 9]), 5)
    assert count.tolist() == [2, 3, 0, 1, 0]
    assert mean.tolist() == [2.0, 5.0, 0.0, 9.0, 0.0]
    assert variance == pytest.approx(8 / 3)
    nobody = spread_within(np.array([], dtype=np.int64), np.array([]))
    assert (len(nobody[0]), len(nobody[1])) == (0, 0)
    assert np.isnan(nobody[2])
    assert np.isnan(spread_within(np.array([0, 1]), np.array([1.0, 5.0]))[2])


def test_the_covariance_of_pairs_is_a_mean_over_all_ordered_pairs() -> None:
    """Products 2·3 twice, and 1·(-1), 1·4 and -1·4 twice each: (12 - 2 + 8 - 8) / 8."""
    group, value = np.array([0, 0, 1, 1, 1, 2]), np.array([2.0, 3, 1, -1, 4, 9])
    assert covariance_of_pairs(group, value) == pytest.approx(10 / 8)
    assert covariance_of_pairs(np.array([0, 1, 2]), np.array([1.0, 2, 3])) == 0.0
    assert covariance_of_pairs(np.array([], dtype=np.int64), np.array([])) == 0.0


def test_a_mean_needs_one_value_and_its_error_two() -> None:
    assert mean_with_error(np.array([nan, 4.0]))[::2] == (4.0, 1)
    assert np.isnan(mean_with_error(np.array([nan, 4.0])).error)
    assert np.isnan(mean_with_error(np.array([nan])).mean)
    # Around 3: squares 4, 1, 1, 4 make 10 / 3, and the root of 10 / 12 is the error.
    found = mean_with_error(np.array([1.0, 2.0, nan, 4.0, 5.0]))
    assert found == pytest.approx((3.0, np.sqrt(10 / 12), 4))
