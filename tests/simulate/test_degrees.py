"""Numbers of reports, and who grades what with these numbers: by hand and by counting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.simulate.degrees import MIN_DISCLOSED_COUNT, Degrees, meetings, random_bipartite


def counts(*values: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(values, dtype=np.int64)


def test_numbers_that_five_people_have_are_kept_with_their_shares() -> None:
    assert Degrees.of(counts(*[3] * 15, *[4] * 5)) == Degrees((3, 4), (0.75, 0.25))


def test_a_rare_number_is_counted_as_the_nearest_common_one() -> None:
    # Nobody can be recognised by a 6 that only one person has.
    assert Degrees.of(counts(*[3] * 9, *[5] * 10, 6)) == Degrees((3, 5), (0.45, 0.55))


def test_many_large_numbers_are_described_by_their_share_and_mean_excess() -> None:
    # 7, 8, 9, 10 and 11 are 4 to 8 above 3: 6 on average.
    assert Degrees.of(counts(*[3] * 15, 7, 8, 9, 10, 11)) == Degrees((3,), (0.75,), 0.25, 6.0)


def test_of_fewer_than_five_people_only_the_mean_is_kept() -> None:
    assert MIN_DISCLOSED_COUNT == 5
    assert Degrees.of(counts(2, 3, 3, 3)) == Degrees((2, 3), (0.25, 0.75))
    assert Degrees.of(counts(1, 5)) == Degrees((3,), (1.0,))


def test_drawn_numbers_come_from_the_values_and_the_tail() -> None:
    rng = np.random.default_rng(1)
    assert set(Degrees((2, 4), (0.5, 0.5)).draw(200, rng).tolist()) == {2, 4}
    # Everybody is in the tail, and a mean excess of 1 is always 1.
    assert set(Degrees((2,), (0.0,), 1.0, 1.0).draw(50, rng).tolist()) == {3}


@given(st.integers(1, 30), st.integers(0, 1000))
def test_drawn_numbers_add_up_within_their_bounds(size: int, seed: int) -> None:
    degrees = Degrees((1, 4), (0.5, 0.4), 0.1, 5.0)
    drawn = degrees.draw_total(size, 3 * size, 1, 6, np.random.default_rng(seed))
    assert drawn.sum() == 3 * size
    assert drawn.min() >= 1
    assert drawn.max() <= 6


def test_a_total_beyond_the_bounds_comes_as_near_as_they_allow() -> None:
    drawn = Degrees((3,), (1.0,)).draw_total(4, 100, 1, 5, np.random.default_rng(1))
    assert drawn.tolist() == [5, 5, 5, 5]


@given(st.integers(0, 500))
def test_a_random_design_keeps_all_numbers_and_nobody_grades_their_own(seed: int) -> None:
    loads, sizes = counts(3, 2, 2, 2, 1), counts(2, 2, 2, 2, 2)
    pairs = random_bipartite(loads, sizes, np.arange(5), 0, np.random.default_rng(seed))
    assert pairs is not None
    assert len(set(pairs)) == 10
    assert pairs == sorted(pairs)
    submission, grader = np.array(pairs).T
    assert np.bincount(grader, minlength=5).tolist() == loads.tolist()
    assert np.bincount(submission, minlength=5).tolist() == sizes.tolist()
    assert (submission != grader).all()


@pytest.mark.parametrize(
    ("loads", "sizes"),
    [
        (counts(2, 2), counts(3)),  # other sums
        (counts(3, 1), counts(2, 2)),  # three reports on two submissions
        (counts(2, 2, 0), counts(3, 1)),  # three graders of one submission, but two grade
    ],
)
def test_numbers_that_no_design_has_are_refused(loads: np.ndarray, sizes: np.ndarray) -> None:
    author = np.full(len(sizes), -1)
    assert random_bipartite(loads, sizes, author, 0, np.random.default_rng(1)) is None


def test_meetings_are_pairs_of_graders_who_share_pairs_of_submissions() -> None:
    # Graders 0 and 1 share submissions 0 and 1: one meeting. Grader 2 joins on submission 1 only.
    submission = np.array([0, 0, 1, 1, 1], dtype=np.int32)
    grader = np.array([0, 1, 0, 1, 2], dtype=np.int32)
    assert meetings(submission, grader) == 1
    # Three graders of the same two submissions: three pairs meet again.
    assert (
        meetings(np.repeat([0, 1], 3).astype(np.int32), np.tile([0, 1, 2], 2).astype(np.int32)) == 3
    )


def test_people_meet_again_as_often_as_asked() -> None:
    loads, sizes, author = np.full(12, 3), np.full(12, 3), np.full(12, -1)
    for again in (6, 12):
        pairs = random_bipartite(loads, sizes, author, again, np.random.default_rng(3))
        assert pairs is not None
        submission, grader = np.array(pairs, dtype=np.int32).T
        assert meetings(submission, grader) == again
