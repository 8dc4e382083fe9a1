"""Guessing scales: usual ends, typing errors and grades in two units."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.exports.scales import (
    Ends,
    Spread,
    graders_in_units,
    guessed_ends,
    step_of,
    typos_in,
    units_in,
    usual_ends,
)


def spread(*scores: float, times: int = 1) -> Spread:
    return Spread.of(pl.Series("score", [float(one) for one in scores] * times))


@pytest.mark.parametrize(
    ("scores", "highest"),
    [
        ((7, 5, 3, 10), 10),
        ((7, 5, 3, 9), 10),
        ((7, 5, 3, 8), 10),
        ((3, 5, 1, 4), 5),
        ((85, 93, 40), 100),
        ((61, 72), 100),
        ((11, 17), 20),
        ((0.6, 0.85), 1),
        ((0, 0), 1),
        ((12, 45, 50, 50, 50), 50),
    ],
)
def test_clear_ends_need_no_question(scores: tuple[float, ...], highest: float) -> None:
    found = guessed_ends(spread(*scores))
    assert (found.highest, found.others) == (highest, ())


@pytest.mark.parametrize(
    ("scores", "highest", "others"),
    [
        ((2, 4, 5, 6), 10, (6, 7)),
        ((2, 4), 5, (4,)),
        ((2, 11), 20, (12, 15)),
        ((2, 13), 20, (15,)),
        ((90, 110), 120, (150, 200)),
    ],
)
def test_unclear_ends_have_several_possibilities(
    scores: tuple[float, ...], highest: float, others: tuple[float, ...]
) -> None:
    found = guessed_ends(spread(*scores))
    assert (found.highest, found.others) == (highest, others)


def test_many_reviews_at_the_top_show_that_it_is_the_end() -> None:
    assert guessed_ends(spread(1, 2, 3, 4, 5, 6, times=12)).highest == 6
    # Eight is possible then, and unusual.
    assert guessed_ends(spread(2, 4, 6, 8, times=12)).others == (8,)


def test_a_scale_from_minus_one_to_one() -> None:
    assert guessed_ends(spread(-1, 0, 1))[:3] == Ends(-1, 1)[:3]


def test_school_grades() -> None:
    found = guessed_ends(spread(1, 2, 6), lowest_is_best=True)
    assert found[:3] == (1, 6, ())
    assert guessed_ends(spread(1.3, 2.7, 5), lowest_is_best=True)[:3] == (1, 5, ())
    assert guessed_ends(spread(1, 2, 3), lowest_is_best=True)[:3] == (1, 6, (5,))


@pytest.mark.parametrize(
    ("scores", "typos"),
    [
        ([*range(11)] * 4 + [77], [77]),
        ([1, 2, 3, 4, 5] * 8 + [100], [100]),
        ([*range(11)] * 4 + [-3], [-3]),
        ([60, 75, 88, 92, 95] * 8 + [950], [950]),
        ([*range(11)] * 4 + [11], []),
        ([2, 7, 10] * 10 + [11], [11]),
        ([1, 4, 7] * 10 + [99] * 5, [99]),
        ([7, 5, 3, 77], [77]),
        ([7, 5, 3, 10], []),
        ([85, 92, 77, 64], []),
        ([0, 1], []),
    ],
)
def test_typing_errors_are_few_and_far_from_all_others(
    scores: list[float], typos: list[float]
) -> None:
    assert typos_in(spread(*scores)).tolist() == typos


@pytest.mark.parametrize(
    ("scores", "ends"),
    [
        ([6, 7, 8, 9, 60, 70, 80], (10, 100)),
        ([0.6, 0.85, 0.7, 60, 85, 70], (1, 100)),
        ([3, 4, 5, 60, 85, 70], (5, 100)),
        ([0, 60, 85, 70, 0], None),
        ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], None),
        ([5, 15, 25, 35, 45, 55, 75, 95], None),
        ([0.5, 1, 1.5, 3, 4.5, 5], None),
    ],
)
def test_two_units_have_a_gap_between_them(
    scores: list[float], ends: tuple[float, float] | None
) -> None:
    found = units_in(spread(*scores, times=4))
    assert (None if found is None else (found.small, found.large)) == ends


@given(
    st.sampled_from([5, 10, 20, 100]),
    st.integers(0, 2**32 - 1),
    st.integers(25, 200),
    st.floats(4.5, 12),
)
def test_one_far_typo_is_found_on_every_common_scale(
    end: int, seed: int, reviews: int, factor: float
) -> None:
    rng = np.random.default_rng(seed)
    scores = [0.0, float(end), *rng.integers(0, end + 1, reviews).astype(float)]
    typo = float(round(end * factor))
    found = typos_in(spread(*scores, typo))
    assert typo in found
    assert guessed_ends(spread(*scores)).highest == end


@given(st.floats(0.1, 1e6))
def test_usual_ends_are_sorted_and_high_enough(grade: float) -> None:
    ends = usual_ends(grade)
    assert ends == sorted(set(ends))
    assert grade <= ends[0] <= max(1, 2 * grade)


def test_the_step_is_the_largest_that_fits() -> None:
    assert step_of(pl.Series([1.0, 2.5]), 0) == 0.5
    assert step_of(pl.Series([1.0, 2.0]), 1) == 1
    assert step_of(pl.Series([1.01]), 0) is None


def test_graders_with_a_unit_of_their_own() -> None:
    lows, highs = np.array([1.0, 2, 3, 50]), np.array([9.0, 10, 8, 90])
    four = np.array([4, 4, 4, 4])
    found = graders_in_units(lows, highs, four)
    assert found is not None
    assert (found[0], found[1].tolist()) == (10, [False, False, False, True])
    # On one scale to 100, grades by different graders overlap.
    assert graders_in_units(lows, np.array([60.0, 70, 80, 95]), four) is None
    assert graders_in_units(np.array([1.0, 2, 3, 10]), highs, four) is None
