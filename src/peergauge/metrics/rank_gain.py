"""How many ranks does a grader gain by deviating?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.metrics import DeviationMetric, metric
from peergauge.tables import Rewards

Unpaid: TypeAlias = Literal["undefined", "first"]
"""Rank of a grader who is not paid at all."""


@metric(
    "rank-gain",
    label="Rank gain of a deviator",
    source="Burrell & Schoenebeck 2022",
    of="deviation",
    needs="rewards before and after",
    lowest=float("-inf"),
    highest=float("inf"),
    better="lower",
)
@dataclass(frozen=True)
class RankGain(DeviationMetric):
    """The number of ranks that a grader gains by deviating, everything else unchanged.

    The rank of a grader is the number of payments at least as large as their own; the gain is the
    rank before minus the rank after.

    Parameters
    ----------
    unpaid
        The rank of a grader who is not paid at all: ``undefined``, or ``first``, since no payment
        is at least as large as NaN, as the authors' published numbers were computed.
    out_of
        Scale ranks as if this many graders were paid, so that classes of different sizes can be
        compared; 0 does not scale them.
    """

    unpaid: Unpaid = "undefined"
    out_of: int = 0

    def measure(self, before: Rewards, after: Rewards, grader: int) -> float:
        return self.between(before.total, after.total, grader)

    def between(self, before: Floats, after: Floats, grader: int) -> float:
        """The same where pay is one number for each grader, such as the mean pay per review."""
        return self._rank(before, grader) - self._rank(after, grader)

    def _rank(self, pay: Floats, grader: int) -> float:
        own = rank(pay, grader)
        if self.unpaid == "first" and math.isnan(own):
            return 0.0
        if self.out_of:
            own *= self.out_of / max(1, int(np.count_nonzero(~np.isnan(pay))))
        return own


def rank(total: Floats, grader: int) -> float:
    """The number of payments at least as large as that of *grader*; NaN if they are not paid."""
    if not 0 <= grader < len(total):
        raise ParameterError(f"There is no grader {grader} among {len(total)}, counted from 0.")
    own = total[grader]
    return math.nan if math.isnan(own) else float(np.count_nonzero(total >= own))


class GainSummary(NamedTuple):
    """Mean, median and variance of rank gains over many deviations."""

    mean: float
    median: float
    variance: float
    n: int


def summarise(gains: Sequence[float] | Floats) -> GainSummary:
    """Mean, median and variance of the gains that are defined.

    The variance is the sample variance (divisor n − 1).
    """
    defined = np.asarray(gains, dtype=np.float64)
    defined = defined[~np.isnan(defined)]
    if len(defined) < 2:
        only = float(defined[0]) if len(defined) else float("nan")
        return GainSummary(only, only, float("nan"), len(defined))
    return GainSummary(
        float(defined.mean()),
        float(np.median(defined)),
        float(defined.var(ddof=1)),
        len(defined),
    )
