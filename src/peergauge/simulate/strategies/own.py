"""Helpers for strategies that use the mean and the spread of a grader's own signals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Situation

Signals: TypeAlias = Literal["so-far", "all"]
"""Which of their own signals graders use: those up to and including the current assignment, or all
signals of the semester, as an experienced grader would know them."""


@dataclass(frozen=True)
class OwnSignals:
    """Statistics of the signals that the grader of each report uses."""

    count: Floats
    """Number of signals."""

    above: Floats
    """Sum of the differences between the signals and the expected true score."""

    mean: Floats
    """Mean signal; the expected true score if there are none."""

    variance: Floats
    """Sample variance of the signals; 0 for fewer than two."""


def own_signals(situation: Situation, signals: Signals | Literal["before"]) -> OwnSignals:
    """Return statistics of each grader's own signals.

    The signals of reviews that are not done (NaN) are left out. ``before`` uses the assignments
    before the current one only.
    """
    above = situation.signal - situation.prior_mean
    known = ~np.isnan(above)
    value = np.where(known, above, 0.0)
    who, when = situation.grader, situation.assignment
    shape = int(when.max(initial=-1)) + 1, int(who.max(initial=-1)) + 1
    place = when.astype(np.int64) * shape[1] + who

    def summed(what: Floats) -> Floats:
        each = np.bincount(place, what, shape[0] * shape[1]).reshape(shape).astype(np.float64)
        total = each.cumsum(axis=0)
        if signals == "all":
            return np.asarray(total[np.full_like(when, shape[0] - 1), who])
        return np.asarray((total - each if signals == "before" else total)[when, who])

    count = summed(known.astype(np.float64))
    total, squares = summed(value), summed(value**2)
    mean = np.divide(total, count, out=np.zeros_like(total), where=count > 0)
    spread = np.maximum(squares - count * mean**2, 0.0)
    variance = np.divide(spread, count - 1, out=np.zeros_like(spread), where=count > 1)
    return OwnSignals(count, total, mean + situation.prior_mean, variance)


def which_signals(signals: Signals) -> str:
    """Format the signals that are used in words."""
    return "this semester" if signals == "all" else "so far"
