from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.metrics import metrics
from peergauge.metrics.letter_loss import LetterLoss, mean_loss
from tests.metrics.classes import columns, few, few_or_infinite, grades, inf, nan, paid, uneven

people = columns(few, grades, least=1)
losses = columns(*[st.integers(0, 9).map(float)] * 5, least=5, most=5)
A_TO_F = [5, 4, 3, 2, 1]
ERRING = [0, 1, 2, 3, 4]


def letters(values: list[float]) -> list[int]:
    """0 for A to 4 for F: how many of the four cuts, linearly interpolated, are not exceeded."""
    ordered = [*map(Fraction, sorted(values)), Fraction(0)]
    cuts = []
    for k in range(1, 5):
        position = Fraction(k * (len(values) - 1), 5)
        below = floor(position)
        share = position - below
        cuts.append((1 - share) * ordered[below] + share * ordered[below + 1])
    return [sum(value <= cut for cut in cuts) for value in values]


@pytest.mark.parametrize("power", [0, 0.5, 1, 2])
def test_letters_as_deserved_cost_nothing(power: float) -> None:
    assert LetterLoss(power=power).measure(*paid(A_TO_F, ERRING)) == 0.0


@pytest.mark.parametrize(
    ("loss", "cost"),
    [
        # The A gets an F, all others one letter more than they deserve.
        (LetterLoss(), 4 + 1 + 1 + 1 + 1),
        (LetterLoss(power=2), 16 + 1 + 1 + 1 + 1),
        (LetterLoss(power=2, too_low=10), 160 + 1 + 1 + 1 + 1),
        (LetterLoss(power=2, too_high=10), 16 + 10 + 10 + 10 + 10),
        (LetterLoss(power=0), 1 + 1 + 1 + 1 + 1),
        (LetterLoss(too_low=0, too_high=0), 0),
    ],
    ids=str,
)
def test_wrong_letters_cost_by_their_direction_and_distance(loss: LetterLoss, cost: float) -> None:
    assert loss.measure(*paid([1, 5, 4, 3, 2], ERRING)) == pytest.approx(cost / 5)


def test_ties_go_to_the_worse_letter() -> None:
    # Equal rewards give everybody an F, which is 4, 3, 2, 1 and 0 steps too low.
    loss = LetterLoss(too_high=100)
    assert loss.measure(*paid([1, 1, 1, 1, 1], ERRING)) == pytest.approx(10 / 5)


def test_a_spec_string_sets_the_costs() -> None:
    assert metrics.make("letter-loss:too_low=2,power=2") == LetterLoss(too_low=2, power=2)


@pytest.mark.parametrize("parameter", ["too_low", "too_high", "power"])
def test_a_negative_cost_is_refused(parameter: str) -> None:
    with pytest.raises(ParameterError, match="not negative"):
        metrics.make(f"letter-loss:{parameter}=-1")


def test_a_cost_that_is_not_a_number_is_refused() -> None:
    with pytest.raises(ParameterError, match="not negative"):
        LetterLoss(too_low=nan)


def test_a_mistake_cannot_cost_more_than_anything() -> None:
    with pytest.raises(ParameterError, match="finite"):
        LetterLoss(too_low=inf)


@pytest.mark.parametrize("shape", [(4, 4), (5,), (5, 6)])
def test_a_loss_that_is_not_5_by_5_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ParameterError, match="5 × 5"):
        mean_loss(np.ones(3), np.ones(3), np.zeros(shape))


def test_it_is_not_defined_where_nobody_is_paid() -> None:
    assert np.isnan(LetterLoss().measure(*paid([nan, nan], [0, 1])))


def test_it_is_not_defined_without_true_scores() -> None:
    assert np.isnan(LetterLoss().measure(*paid([1, 2], [0, 1], scores=nan)))


def test_graders_without_reward_are_left_out() -> None:
    assert LetterLoss().measure(*paid([nan, *A_TO_F, nan], [9, *ERRING, 0])) == 0.0


def test_per_report_means_are_compared() -> None:
    # Of two graders one gets an A and one an F: both as deserved, or both 4 steps off.
    assert LetterLoss().measure(*uneven()) == 0.0
    assert LetterLoss(per="report").measure(*uneven()) == 4.0


def test_int64_takes_a_missing_reward_as_zero() -> None:
    # Of three graders each gets another letter: A, C or F. Rewards 0, -1 and 1 give C, F and A.
    drawn = paid([nan, -1, 1], [0, 1, 2])
    assert LetterLoss(int64=True).measure(*drawn) == pytest.approx((2 + 2 + 4) / 3)


@given(columns(few, grades, least=1), losses)
def test_any_loss_agrees_with_a_brute_force_count(
    drawn: tuple[Floats, Floats], loss: tuple[Floats, ...]
) -> None:
    totals, grade = drawn
    pairs = zip(letters((-(grade**2)).tolist()), letters(totals.tolist()), strict=True)
    expected = sum(loss[deserved][got] for deserved, got in pairs) / len(totals)
    assert mean_loss(totals, grade**2, np.array(loss)) == pytest.approx(expected)


@given(columns(few_or_infinite, grades, least=1))
def test_infinite_rewards_count_by_their_order(drawn: tuple[Floats, Floats]) -> None:
    totals, grade = drawn
    loss = LetterLoss(too_low=3)
    finite = np.clip(totals, -9, 9)
    assert loss.measure(*paid(totals, grade)) == loss.measure(*paid(finite, grade))


@given(people)
def test_only_the_order_of_rewards_counts(drawn: tuple[Floats, Floats]) -> None:
    totals, grade = drawn
    loss = LetterLoss(too_low=3)
    assert loss.measure(*paid(np.exp(totals), grade)) == loss.measure(*paid(totals, grade))


@pytest.mark.parametrize(
    ("line", "cost"),
    [
        # The A gets an F, and all others one letter more: the F passes, and the A does not.
        ("below-d", 3 + 1),
        ("below-c", 3 + 1),
        ("below-a", 3 + 1),
        ("every", 3 * 4 + 4),
    ],
)
def test_only_one_line_may_count(line: str, cost: float) -> None:
    loss = metrics.make(f"letter-loss:line={line},too_low=3")
    assert isinstance(loss, LetterLoss)
    assert loss.measure(*paid([1, 5, 4, 3, 2], ERRING)) == pytest.approx(cost / 5)


def test_who_only_cares_for_failing_has_this_matrix() -> None:
    loss = LetterLoss(too_low=10, line="below-d").matrix()
    expected = np.zeros((5, 5))
    expected[:4, 4], expected[4, :4] = 10, 1
    np.testing.assert_array_equal(loss, expected)
