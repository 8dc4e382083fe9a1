"""Moodle's comparison with the best review, worked by hand from its definition."""

from __future__ import annotations

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
)
from peergauge.tables import Reports, Scale
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


def test_three_reviews_of_two_criteria() -> None:
    """Reviews (40, 50), (60, 50), (80, 80).

    First criterion: mean 60, variance (400 + 0 + 400) / 3 = 800/3.
    Second: mean 60, variance (100 + 100 + 400) / 3 = 200. With c = 5, c σ² is 4000/3 and 1000.

    From the mean (60, 60):
    first, 20 · 400 / (4000/3) = 6 and 10 · 100 / 1000 = 1, mean 3.5;
    second, alike on the first criterion, which does not count, and 1: 1;
    third, 6 and 20 · 400 / 1000 = 8, mean 7. The second review is best.

    From the second: the first is 20 off on the first criterion alone, 6; the third 20 off there
    and 30 on the other, 30 · 900 / 1000 = 27, mean 16.5.
    """
    assert graded([[40, 50], [60, 50], [80, 80]]) == pytest.approx([94, 100, 83.5])


def test_criteria_weigh_in_the_mean_over_those_on_which_reviews_differ() -> None:
    """As above, with weights 3 and 1.

    From the mean: first (3 · 6 + 1) / 4 = 4.75, second 1, third (18 + 8) / 4 = 6.5.
    From the second: first 6, since the other criterion does not count; third (18 + 27) / 4.
    """
    assert graded([[40, 50], [60, 50], [80, 80]], criteria=[3, 1]) == pytest.approx(
        [94, 100, 88.75]
    )


def test_a_criterion_of_weight_0_does_not_count() -> None:
    """The first criterion alone: 6 from the best on either side."""
    assert graded([[40, 50], [60, 50], [80, 80]], criteria=[1, 0]) == pytest.approx([94, 100, 94])


@pytest.mark.parametrize(("c", "third"), [(1, 17.5), (3, 72.5), (9, 100 - 16.5 * 5 / 9)])
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
    ends are 33.33333 off the nearer best: 37037.03 / 6944.44 = 5.33333.
    """
    reviews = out_of_hundred(np.array([[0.0], [1], [2], [3]]), np.zeros(1), np.full(1, 3.0))
    assert graded(reviews.tolist()) == pytest.approx([94.66667, 100, 100, 94.66667], abs=1e-5)


def test_reviews_that_agree_all_but_a_hundredth_are_all_best() -> None:
    """50, 50.1, 50.2: variance 0.02 / 3 = 0.0067, at most 0.01, so nothing counts.

    50, 50.1, 50.25 has variance 0.0106: mean 50.11667, best 50.1; 50.25 is 0.15 off it, which is
    0.003375 / 0.05278 = 0.06395, and 50 is 0.1 off, 0.001 / 0.05278 = 0.01895.
    """
    assert graded([[50.0], [50.1], [50.2]]).tolist() == [100, 100, 100]
    assert graded([[50.0], [50.1], [50.25]]) == pytest.approx([99.98105, 100, 99.93605], abs=2e-5)


def test_a_distance_without_a_criterion_that_counts_is_0() -> None:
    one, other = np.array([10.0, 20.0]), np.array([30.0, 20.0])
    alike, unknown = np.array([0.01, 50.0]), np.full(2, np.nan)
    assert distance(one, other, alike, np.ones(2), 5) == 0
    assert distance(one, other, unknown, np.ones(2), 5) == 0
    # 20 · 400 / (5 · 50) = 32 on the first criterion.
    assert distance(one, other, np.array([50.0, 50.0]), np.ones(2), 5) == 32


def test_a_review_of_weight_0_is_graded_but_counts_for_nothing() -> None:
    """60, 70, 80 and a 50 of weight 0: mean 70, variance 200/3, c σ² 1000/3.

    70 is best; 60 and 80 are 10 off: 1000 / (1000/3) = 3; 50 is 20 off: 24. With the 50 counted
    the mean would be 65, with two best.
    """
    assert graded([[60], [70], [80], [50]], weights=[1, 1, 1, 0]) == pytest.approx(
        [97, 100, 97, 76]
    )
    # It is not the best either, not even at the mean of the others, where 60 and 80 tie.
    assert graded([[60], [80], [70]], weights=[1, 1, 0]) == pytest.approx([100, 100, 98])


def test_a_review_that_weighs_more_draws_the_best_to_itself() -> None:
    """20 with weight 3 and 60: mean 30, variance (3 · 100 + 900) / 4 = 300, c σ² 1500.

    20 is 10 off, 60 is 30 off. From 20, 60 is 40 off: 64000 / 1500 = 42.66667.
    """
    assert graded([[20], [60]], weights=[3, 1]) == pytest.approx([100, 57.33333])


def test_one_weighted_review_has_no_variance_and_everybody_the_maximum() -> None:
    assert graded([[20], [60]], weights=[1, 0]).tolist() == [100, 100]


def test_without_any_weight_there_is_nothing_to_compare_with() -> None:
    assert np.isnan(graded([[20], [60]], weights=[0, 0])).all()


def test_criteria_are_taken_to_a_hundred_by_their_own_ends() -> None:
    """3 of 1..5 is half of it. A criterion that can only be 4 counts as 4."""
    grade = np.array([[3.0, 4.0], [5.0, 4.0]])
    hundred = out_of_hundred(grade, np.array([1.0, 4.0]), np.array([5.0, 4.0]))
    assert hundred.tolist() == [[50, 4], [100, 4]]


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
    assert rewards.amount[0, 0] == pytest.approx(100 - 15 / number, abs=1e-5)


def test_another_strictness_is_refused() -> None:
    with pytest.raises(UnknownNameError):
        peergauge.mechanisms.mechanisms.make("moodle:strictness=4")
    with pytest.raises(ParameterError, match="very-strict"):
        Moodle(4)  # type: ignore[arg-type]


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
        assert np.nanmax(fast[weights > 0]) == 100
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
