"""Helper functions of payment rules: known scores, ties, and shares by score."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError, TableError

MAX_TIE_DIFFERENCE = 1e-12
"""Largest difference between tied scores, as a share of the largest absolute score."""


def among_scored(score: Floats, rule: Callable[[Floats], Floats]) -> Floats:
    """Apply a rule to the known scores; graders without a score stay unpaid."""
    known = ~np.isnan(score)
    pay = np.full(len(score), np.nan)
    if known.any():
        pay[known] = rule(score[known])
    return pay


def finite(score: Floats, rule: str) -> Floats:
    """Return the scores; raise an error if some of them are infinite."""
    infinite = int(np.count_nonzero(np.isinf(score)))
    if infinite:
        raise TableError(
            f"The payment rule '{rule}' needs finite scores, but {infinite} of {len(score)} are "
            "infinite; pay by a tournament, which only uses their order, or choose another "
            "mechanism."
        )
    return score


def positive_amount(value: float, what: str) -> None:
    """Raise an error unless a parameter is positive and finite."""
    if not 0 < value < np.inf:
        raise ParameterError(f"The {what} must be positive and finite, but is {value:g}.")


def places(score: Floats) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first and the last place of each grader, from 0 for the best; tied graders share places.

    Scores that differ only by rounding errors are tied.

    >>> [side.tolist() for side in places(np.array([3.0, 8.0, 3.0]))]
    [[1, 0, 1], [2, 0, 2]]
    """
    order = np.argsort(-score, kind="stable")
    ranked = score[order]
    # Scaled first, so that a difference of two huge scores does not overflow.
    size = np.abs(ranked[np.isfinite(ranked)]).max(initial=0.0) or 1.0
    with np.errstate(invalid="ignore"):
        falls = ranked[:-1] / size - ranked[1:] / size > MAX_TIE_DIFFERENCE
    begin = np.concatenate([[True], falls])
    group = np.cumsum(begin) - 1
    first = np.flatnonzero(begin)
    last = np.append(first[1:], len(score)) - 1
    both = np.empty((2, len(score)), dtype=np.int64)
    both[0, order], both[1, order] = first[group], last[group]
    return both[0], both[1]


def shares_above(score: Floats, floor: float | None) -> Floats:
    """Shares in proportion to the part of each score above *floor*, the lowest score if None.

    If all scores are equal and no floor is given, all shares are equal. If no score is above a
    given floor, all shares are zero.

    >>> shares_above(np.array([1.0, 2.0, 4.0]), None).tolist()
    [0.0, 0.25, 0.75]
    """
    size = _power_of_two(np.abs(score).max())
    low = float(score.min()) if floor is None else floor
    above = np.maximum(score / size - low / size, 0.0)
    if floor is None and above.max() <= MAX_TIE_DIFFERENCE:
        return np.full(len(score), 1 / len(score))
    # Divided twice, so that tiny parts do not underflow to a sum of zero.
    above /= _power_of_two(above.max())
    return np.asarray(above / (above.sum() or 1.0))


def _power_of_two(value: float) -> float:
    """The power of two below a number, by which divisions are exact; 1 for zero."""
    return float(np.ldexp(1.0, int(np.frexp(value)[1]) - 1)) if value else 1.0
