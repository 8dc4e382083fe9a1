"""Fixed-point iteration that iterative models share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

State = TypeVar("State")


def iterate(
    state: State,
    update: Callable[[State], State],
    change: Callable[[State, State], float],
    tolerance: float,
    most_rounds: int,
) -> tuple[State, int, bool]:
    """Update *state* until it changes by at most *tolerance*, for at most *most_rounds* rounds.

    Returns the last state, the number of rounds, and whether the iteration converged.
    """
    for rounds in range(1, most_rounds + 1):
        before, state = state, update(state)
        if change(before, state) <= tolerance:
            return state, rounds, True
    return state, most_rounds, False
