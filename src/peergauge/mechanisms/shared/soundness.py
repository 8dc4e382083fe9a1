"""What every payment must be, checked whenever a mechanism pays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from peergauge.core.errors import PluginError
from peergauge.tables import Rewards

if TYPE_CHECKING:
    from peergauge.mechanisms import Mechanism

MAX_RELATIVE_GAP = 1e-6
"""Relative and absolute difference between parts and amounts that rounding may make."""


def is_ours(mechanism: Mechanism) -> bool:
    """Whether a mechanism is part of this package, whose tests hold it to its facts."""
    return type(mechanism).__module__.startswith("peergauge.")


def refuse_unsound(mechanism: Mechanism, paid: Any, *, drew: bool) -> None:
    """Raise an error that names the mechanism if what it paid contradicts its facts.

    Parameters
    ----------
    mechanism
        The mechanism that paid.
    paid
        What it returned.
    drew
        Whether it used the random generator that it was given.
    """
    if not isinstance(paid, Rewards):
        raise broken_by(
            mechanism,
            f"should return Rewards, but returns a {type(paid).__name__}; write "
            "Rewards.from_parts(reports, part) or Rewards(amount, reports)",
        )
    if drew and not mechanism.facts.random:
        raise broken_by(
            mechanism, "draws from rng, but does not declare random=True; declare it in @mechanism"
        )
    if not parts_add_up(paid):
        raise broken_by(
            mechanism,
            "pays parts that do not add up to the amounts; use Rewards.from_parts, or leave the "
            "parts out",
        )


def broken_by(mechanism: Mechanism, why: str) -> PluginError:
    """The error about a mechanism, as one sentence."""
    return PluginError(f"The mechanism '{mechanism.spec}'", why)


def refuse_infinite(mechanism: Mechanism, paid: Rewards) -> None:
    """Raise an error that names the mechanism and a grader if it paid an infinite amount."""
    # Counting is faster than asking for any, and this is asked whenever a mechanism pays.
    if not np.count_nonzero(np.isinf(paid.amount)):
        return
    sign = "+∞" if np.isposinf(paid.amount).any() else "−∞"
    if sign == "−∞" and mechanism.facts.minus_infinity:
        return
    assignment, grader = np.argwhere(
        np.isposinf(paid.amount) if sign == "+∞" else np.isneginf(paid.amount)
    )[0]
    names = paid.reports.grader_names
    who = grader if names is None else names[grader]
    hint = "" if sign == "+∞" else ", or declare minus_infinity=True"
    raise broken_by(
        mechanism,
        f"pays {sign} to grader {who} in assignment number {assignment + 1}; divide by nothing "
        f"that may be 0, and leave NaN where nothing can be paid{hint}",
    )


def parts_add_up(paid: Rewards) -> bool:
    """Whether the parts of each grader in each assignment add up to the amount."""
    if paid.part is None:
        return True
    reports = paid.reports
    known = ~np.isnan(paid.part)
    place = reports.assignment[known].astype(np.int64) * reports.graders + reports.grader[known]
    size = paid.amount.size
    with np.errstate(invalid="ignore"):
        total = np.bincount(place, paid.part[known], minlength=size).astype(np.float64)
    total[np.bincount(place, minlength=size) == 0] = np.nan
    amount = paid.amount if paid.for_undone is None else paid.amount - paid.for_undone
    return np.allclose(
        amount.ravel(), total, rtol=MAX_RELATIVE_GAP, atol=MAX_RELATIVE_GAP, equal_nan=True
    )
