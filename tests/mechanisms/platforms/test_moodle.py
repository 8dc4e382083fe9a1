"""Moodle's comparison with the best review, worked by hand from its definition."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peergauge
from peergauge.core.acceleration import plain_numpy
from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError, UnknownNameError
from peergauge.mechanisms.platforms.moodle import (
    Moodle,
    compare_with_best,
    distance,
    out_of_hundred,
    rounded,
)
from peergauge.tables import Reports, Rubric, Scale
from tests.generators import class_of, parts_of
from tests.generators import reports as any_reports


def graded(
    reviews: list[list[float]],
    *,
    criteria: list[float] | None = None,
    weights: list[float] | None = None,
    strictness: float = 5,
) -> Floats:
    """The grades of the reviews of one submission, fast and plain."""
    grade = np.array(reviews, dtype=np.float64)
    given = (
        grade,
        np.array([0, len(grade)]),
        np.array(criteria or [1.0] * grade.shape[1]),
        np.array(weights or [1.0] * len(grade)),
        float(strictness),
    )
    fast = compare_with_best(*given)
    np.testing.assert_allclose(fast, compare_with_best.plain(*given), rtol=0, atol=1e-5)
    return fast


@pytest.mark.parametrize(
    ("reviews", "weights", "grades"),
    [
        ([[50, 50], [50, 90], [50, 70]], [1, 1, 1], [97, 97, 100]),
        ([[50], [90]], [1, 0], [100, 0]),
        ([[10], [100], [55]], [1, 1, 0], [91, 91, 100]),
    ],
)
def test_worked_cases(reviews: list[list[float]], weights: list[float], grades: Any) -> None:
    """Cases that a running Moodle was asked for, with strictness 5.

    First: all agree on the first criterion. Second criterion: mean 70, variance 800/3, c σ² 4000/3;
    the ends are 20 off the best: 8000 / (4000/3) = 6, divided by both criteria: 3.
    Second: one review has a weight, so that the variance is raised to 0.01, and 40 off is too far.
    Third: mean 55, variance 2025, c σ² 10125. The review of weight 0 is at the mean and best; the
    others are 45 off: 91125 / 10125 = 9.
    """
    assert graded(reviews, weights=weights).tolist() == grades


def test_three_reviews_of_two_criteria() -> None:
    """Reviews (40, 50), (60, 50), (80, 80).

    First criterion: mean 60, variance (400 + 0 + 400) / 3 = 800/3.
    Second: mean 60, variance (100 + 100 + 400) / 3 = 200. With c = 5, c σ² is 4000/3 and 1000.

    From the mean (60, 60):
    first, 20 · 400 / (4000/3) = 6 and 10 · 100 / 1000 = 1, mean 3.5;
    second, 0 on the first criterion and 1, mean 0.5;
    third, 6 and 20 · 400 / 1000 = 8, mean 7. The second review is best.

    From the second: the first is 20 off on the first criterion, 6, and alike on the other: mean 3;
    the third 20 off there and 30 on the other, 30 · 900 / 1000 = 27, mean 16.5.
    """
    assert graded([[40, 50], [60, 50], [80, 80]]) == pytest.approx([97, 100, 83.5])


def test_criteria_weigh_in_the_mean_over_all_of_them() -> None:
    """As above, with weights 3 and 1.

    From the mean: first (3 · 6 + 1) / 4 = 4.75, second 1 / 4, third (18 + 8) / 4 = 6.5.
    From the second: first 3 · 6 / 4 = 4.5; third (18 + 27) / 4.
    """
    assert graded([[40, 50], [60, 50], [80, 80]], criteria=[3, 1]) == pytest.approx(
        [95.5, 100, 88.75]
    )


def test_a_criterion_of_weight_0_does_not_count() -> None:
    """The first criterion alone: 6 from the best on either side."""
    assert graded([[40, 50], [60, 50], [80, 80]], criteria=[1, 0]) == pytest.approx([94, 100, 94])


@pytest.mark.parametrize(("c", "third"), [(1, 17.5), (3, 72.5), (9, 100 - 9.1667)])
def test_distances_are_divided_by_the_strictness(c: int, third: float) -> None:
    """The third review is 16.5 off with c = 5, so 82.5, 27.5 and 9.1667 with 1, 3 and 9."""
    assert graded([[40, 50], [60, 50], [80, 80]], strictness=c)[2] == pytest.approx(third)


def test_a_review_is_held_against_the_nearest_of_several_best() -> None:
    """Reviews 20, 40, 60, 80: mean 50, variance (900 + 100 + 100 + 900) / 4 = 500, c σ² 2500.

    40 and 60 are both 10 off the mean, and best. 20 is 20 off the nearer one: 8000 / 2500 = 3.2.
    Held against 60 it would be 40 off: 64000 / 2500 = 25.6.
    """
    assert graded([[20], [40], [60], [80]]) == pytest.approx([96.8, 100, 100, 96.8])


def test_ties_do_not_depend_on_the_last_bits() -> None:
    """Thirds of the scale, whose mean 50 is not hit exactly: 33.33333 and 66.66667 tie.

    Grades 0, 1, 2, 3 of 3: mean 50, variance (2500 + 277.78 + 277.78 + 2500) / 4 = 1388.89; the
    ends are 33.33333 off the nearer best: 37037.03 / 6944.44 = 5.3333.
    """
    reviews = out_of_hundred(np.array([[0.0], [1], [2], [3]]), np.zeros(1), np.full(1, 3.0))
    assert graded(reviews.tolist()) == pytest.approx([94.6667, 100, 100, 94.6667], abs=1e-9)


def test_a_small_variance_is_raised_to_a_hundredth() -> None:
    """50, 50.1, 50.2: variance 0.02 / 3 = 0.0067, raised to 0.01, so c σ² is 0.05.

    50.1 is best, and the others are 0.1 off: 0.001 / 0.05 = 0.02.
    50, 50.1, 50.25 has variance 0.0106: mean 50.11667, best 50.1; 50.25 is 0.15 off it, which is
    0.003375 / 0.05278 = 0.06395, and 50 is 0.1 off, 0.001 / 0.05278 = 0.01895; four decimals.
    """
    assert graded([[50.0], [50.1], [50.2]]) == pytest.approx([99.98, 100, 99.98], abs=1e-9)
    assert graded([[50.0], [50.1], [50.25]]) == pytest.approx([99.9811, 100, 99.9361], abs=1e-9)


def test_a_distance_is_divided_by_the_weights_of_all_criteria() -> None:
    """20 · 400 / (5 · 50) = 32 on the first criterion, 0 on the second."""
    one, other = np.array([10.0, 20.0]), np.array([30.0, 20.0])
    variance = np.array([50.0, 50.0])
    assert distance(one, other, variance, np.ones(2), 5) == 16
    assert distance(one, other, variance, np.array([3.0, 1.0]), 5) == 24
    assert distance(one, other, variance, np.zeros(2), 5) == 0


def test_a_review_of_weight_0_is_graded_and_can_be_the_best() -> None:
    """60, 70, 80 and a 50 of weight 0: mean 70, variance 200/3, c σ² 1000/3.

    70 is best; 60 and 80 are 10 off: 1000 / (1000/3) = 3; 50 is 20 off: 24. With the 50 counted
    the mean would be 65, with two best.
    """
    assert graded([[60], [70], [80], [50]], weights=[1, 1, 1, 0]) == pytest.approx(
        [97, 100, 97, 76]
    )
    # At the mean of the others it is the best: variance 100, 10 off: 1000 / 500 = 2.
    assert graded([[60], [80], [70]], weights=[1, 1, 0]) == pytest.approx([98, 98, 100])


def test_a_review_that_weighs_more_draws_the_best_to_itself() -> None:
    """20 with weight 3 and 60: mean 30, variance (3 · 100 + 900) / 4 = 300, c σ² 1500.

    20 is 10 off, 60 is 30 off. From 20, 60 is 40 off: 64000 / 1500 = 42.6667.
    """
    assert graded([[20], [60]], weights=[3, 1]) == pytest.approx([100, 57.3333], abs=1e-9)


def test_without_any_weight_there_is_nothing_to_compare_with() -> None:
    assert np.isnan(graded([[20], [60]], weights=[0, 0])).all()


def test_criteria_are_taken_to_a_hundred_by_their_own_ends() -> None:
    """3 of 1..5 is half of it. A criterion that can only be 4 counts as 4."""
    grade = np.array([[3.0, 4.0], [5.0, 4.0]])
    hundred = out_of_hundred(grade, np.array([1.0, 4.0]), np.array([5.0, 4.0]))
    assert hundred.tolist() == [[50, 4], [100, 4]]


def test_halves_are_rounded_away_from_zero() -> None:
    """2.00005 is a half of four decimals, whose binary fraction is a little below it."""
    assert rounded(np.array([2.00005, -0.5, 0.49]), 1e4).tolist() == [2.0001, -0.5, 0.49]
    assert rounded(np.array([2.5, -2.5]), 1.0).tolist() == [3, -3]


def test_grades_get_no_lower_than_0() -> None:
    """0, 0, 0, 100: mean 25, variance 1875; 100 is 100 off: 10⁶ / 9375 = 106.7."""
    assert graded([[0], [0], [0], [100]]).tolist() == [100, 100, 100, 0]


# ------------------------------------------------------------------------------- the mechanism


def test_graders_earn_the_mean_over_their_reviews() -> None:
    """On 0..10, s has 2, 4, 6, 8 as above: 96.8, 100, 100, 96.8; t has 6, 7, 8: 97, 100, 97."""
    reports = class_of(
        {"s": {"ann": 2, "bob": 4, "cy": 6, "dee": 8}, "t": {"ann": 6, "bob": 7, "cy": 8}}
    )
    rewards = peergauge.score("moodle", reports)
    np.testing.assert_allclose(rewards.amount, [[96.9, 100, 98.5, 96.8]])
    np.testing.assert_allclose(parts_of(rewards), [48.4, 50, 50, 96.8, 48.5, 50, 48.5])


def test_with_one_or_two_reviews_everybody_earns_the_maximum() -> None:
    reports = class_of(
        {"s": {"ann": 2}, "t": {"ann": 0, "bob": 10}, "u": {"cy": 0, "dee": 5, "eve": 10}}
    )
    rewards = peergauge.score("moodle:strictness=very-strict", reports)
    assert rewards.amount[0, :2].tolist() == [100, 100]
    assert Moodle.undecided(reports).tolist() == [True, True, False]
    # u: mean 50, variance 5000/3; the ends are 50 off the best: 125000 / (5000/3) = 75.
    np.testing.assert_allclose(rewards.amount[0, 2:], [25, 100, 25])


@pytest.mark.parametrize(
    ("name", "number"),
    [("very-strict", 1), ("strict", 3), ("fair", 5), ("lax", 7), ("very-lax", 9)],
)
def test_the_strictness_has_a_name_and_a_number(name: str, number: int) -> None:
    make = peergauge.mechanisms.mechanisms.make
    assert make(f"moodle:strictness={name}") == make(f"moodle:strictness={number}")
    assert Moodle(number) == Moodle(name)  # type: ignore[arg-type]
    reports = class_of({"u": {"cy": 4, "dee": 5, "eve": 6}})
    rewards = peergauge.score(f"moodle:strictness={number}", reports)
    # 10 off, variance 200/3: 1000 / (200/3) = 15, over c.
    assert rewards.amount[0, 0] == pytest.approx(100 - round(15 / number, 4), abs=1e-9)


def test_another_strictness_is_refused() -> None:
    with pytest.raises(UnknownNameError):
        peergauge.mechanisms.mechanisms.make("moodle:strictness=4")
    with pytest.raises(ParameterError, match="very-strict"):
        Moodle(4)  # type: ignore[arg-type]


def small_rubric() -> tuple[Reports, Rubric]:
    """Two assignments; in the second, a self-assessment and a review of weight 0.

    The criteria of the first are those of the first worked case, on 0..10 and 0..100.
    """
    everything = class_of(
        {"s": {"ann": 5, "bob": 7, "cy": 6}, "t": {"ann": 1, "bob": 10, "dee": 5.5}},
        scale=Scale(0, 10, None),
    )
    everything = replace(
        everything,
        assignment=np.repeat([0, 1], 3).astype(np.int32),
        assignments=2,
        assignment_names=("a", "b"),
    )
    nan = np.nan
    rubric = Rubric(
        reviews=everything,
        score=np.array([[5, 50], [5, 90], [5, 70], [10, nan], [100, nan], [55, nan]]),
        lowest=np.array([[0, 0], [0, nan]]),
        highest=np.array([[10, 100], [100, nan]]),
        criterion_weight=np.array([[1, 1], [1, nan]]),
        review_weight=np.array([1, 1, 1, 1, 1, 0]),
        strictness=np.array([nan, 9]),
    )
    return everything.among([0, 1, 2]), rubric


def test_a_rubric_is_compared_by_all_of_its_criteria() -> None:
    """97, 97, 100 with the usual strictness; 91, 91, 100 with 5 is 9 off, so 5 off with 9."""
    _, rubric = small_rubric()
    rewards = peergauge.score("moodle", rubric.reviews, rubric=rubric)
    assert rewards.each is not None
    np.testing.assert_allclose(rewards.each, [97, 97, 100, 95, 95, 100])
    frame = rewards.parts_to_polars()
    assert frame["each"].to_list() == [97, 97, 100, 95, 95, 100]


def test_reports_are_paid_as_in_the_rubric_of_everything() -> None:
    reports, rubric = small_rubric()
    rewards = peergauge.score("moodle", reports, rubric=rubric)
    assert rewards.reports is reports
    np.testing.assert_allclose(parts_of(rewards), [97, 97, 100, 95, 95])


def test_the_strictness_of_the_spec_comes_before_that_of_the_workshop() -> None:
    """On b, 9 off with 5 is 45 off with 1."""
    _, rubric = small_rubric()
    rewards = peergauge.score("moodle:strictness=very-strict", rubric.reviews, rubric=rubric)
    np.testing.assert_allclose(parts_of(rewards), [85, 85, 100, 55, 55, 100])


def test_other_mechanisms_do_not_see_the_rubric() -> None:
    reports, rubric = small_rubric()
    with_rubric = peergauge.score("mse", reports, rubric=rubric).amount
    np.testing.assert_array_equal(with_rubric, peergauge.score("mse", reports).amount)


def any_rubrics() -> st.SearchStrategy[tuple[Floats, Floats, Floats]]:
    """Reviews × criteria, the weights of the criteria and those of the reviews."""
    shape = st.tuples(st.integers(1, 6), st.integers(1, 3))

    def of(size: tuple[int, int]) -> st.SearchStrategy[tuple[Floats, Floats, Floats]]:
        reviews, criteria = size
        levels = st.lists(
            st.integers(0, 4), min_size=reviews * criteria, max_size=reviews * criteria
        )

        def weights(n: int) -> st.SearchStrategy[Floats]:
            some = st.lists(st.integers(0, 3), min_size=n, max_size=n)
            return some.map(lambda w: np.array(w, dtype=np.float64))

        grades = levels.map(lambda level: 25.0 * np.array(level).reshape(reviews, criteria))
        return st.tuples(grades, weights(criteria), weights(reviews))

    return shape.flatmap(of)


@given(any_rubrics(), st.sampled_from([1.0, 3.0, 5.0, 7.0, 9.0]))
def test_plain_and_compiled_agree_on_any_rubric(
    rubric: tuple[Floats, Floats, Floats], strictness: float
) -> None:
    grade, criteria, weights = rubric
    given = grade, np.array([0, len(grade)]), criteria, weights, strictness
    fast, plain = compare_with_best(*given), compare_with_best.plain(*given)
    np.testing.assert_allclose(fast, plain, rtol=0, atol=1e-5)
    if weights.any():
        assert np.nanmax(fast) == 100
        assert ((fast >= 0) & (fast <= 100)).all()


@given(any_reports(scales=(Scale(0, 10),)))
def test_it_is_the_same_on_every_scale_and_shifted(reports: Reports) -> None:
    wide = Reports(
        reports.assignment, reports.submission, reports.grader,
        20 + 5 * reports.grade, Scale(20, 70), graders=reports.graders,
    )  # fmt: skip
    np.testing.assert_allclose(
        peergauge.score("moodle", wide).amount, peergauge.score("moodle", reports).amount, atol=1e-5
    )


def test_the_plain_definition_pays_the_same() -> None:
    reports = class_of({"s": {"ann": 2, "bob": 4, "cy": 6, "dee": 8}})
    with plain_numpy():
        np.testing.assert_allclose(
            peergauge.score("moodle", reports).amount, [[96.8, 100, 100, 96.8]]
        )
