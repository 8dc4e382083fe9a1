"""Fixed-point iteration: stopping and convergence."""

from __future__ import annotations

import pytest

from peergauge.models.base import iterate


def halve(state: float) -> float:
    return state / 2


def distance(before: float, after: float) -> float:
    return abs(before - after)


@pytest.mark.parametrize(
    ("tolerance", "state", "rounds"),
    [
        # From 1, the changes are 1/2, 1/4, 1/8, 1/16.
        (0.6, 1 / 2, 1),
        (0.125, 1 / 8, 3),
        (0.1, 1 / 16, 4),
    ],
)
def test_updates_stop_at_the_first_change_within_the_tolerance(
    tolerance: float, state: float, rounds: int
) -> None:
    assert iterate(1.0, halve, distance, tolerance, 100) == (state, rounds, True)


def test_updates_stop_at_the_cap_without_having_converged() -> None:
    assert iterate(1.0, halve, distance, 0.0, 3) == (1 / 8, 3, False)


def test_converging_in_the_last_round_allowed_is_converging() -> None:
    assert iterate(1.0, halve, distance, 0.125, 3) == (1 / 8, 3, True)
    assert iterate(1.0, halve, distance, 0.125, 2) == (1 / 4, 2, False)


def test_a_fixed_point_takes_one_round_to_be_seen() -> None:
    assert iterate(0.0, halve, distance, 0.0, 100) == (0.0, 1, True)


def test_the_rounds_are_the_updates_that_were_made() -> None:
    seen: list[float] = []

    def update(state: float) -> float:
        seen.append(state)
        return halve(state)

    _, rounds, _ = iterate(1.0, update, distance, 0.2, 100)
    assert seen == [1, 1 / 2, 1 / 4]
    assert rounds == 3


def test_a_change_that_is_no_number_is_not_convergence() -> None:
    _, rounds, converged = iterate(float("nan"), halve, distance, 1.0, 5)
    assert (rounds, converged) == (5, False)
