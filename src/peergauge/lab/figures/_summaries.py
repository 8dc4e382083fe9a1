"""Rows of repetitions in; for each cell a middle and the ends of its 95 % interval out."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import comb, nan
from typing import TypeAlias

from peergauge.core.lazy import pl
from peergauge.engine.results import CELL, cells

Summary: TypeAlias = Callable[["pl.DataFrame"], "pl.DataFrame"]


def means(rows: pl.DataFrame) -> pl.DataFrame:
    """The mean of each cell, with 1.96 standard errors on either side."""
    reach = 1.96 * pl.col("sd") / pl.col("n").sqrt()
    middle = pl.col("mean")
    return cells(rows).with_columns(middle=middle, low=middle - reach, high=middle + reach)


def medians(rows: pl.DataFrame) -> pl.DataFrame:
    """The median of each cell, with the order statistics that hold the true one at 95 %.

    Nothing is assumed of the distribution. Fewer than six values have no such interval.
    """
    value = pl.col("value").drop_nans()
    held = rows.group_by(CELL, maintain_order=True).agg(
        n=value.len(), middle=value.median(), ordered=value.sort()
    )
    low, high = [], []
    for ordered in held["ordered"]:
        rank = lowest_rank(len(ordered))
        low.append(ordered[rank - 1] if rank else nan)
        high.append(ordered[-rank] if rank else nan)
    ends = [pl.Series("low", low, pl.Float64), pl.Series("high", high, pl.Float64)]
    return held.drop("ordered").with_columns(ends)


@cache
def lowest_rank(n: int) -> int:
    """The rank k for which the k-th lowest and k-th highest of n values hold the median at 95 %.

    The highest k with P(Binomial(n, 1/2) < k) ≤ 0.025; 0 if there is none.
    """
    below, rank = 0, 0
    # In whole numbers: 0.025 is 1/40, and probabilities are counts over 2^n.
    while rank < n and 40 * (below + comb(n, rank)) <= 2**n:
        below += comb(n, rank)
        rank += 1
    return rank


def variances(rows: pl.DataFrame) -> pl.DataFrame:
    """The sample variance of each cell, with 1.96 standard errors on either side, from 0 up.

    The standard error is that of any distribution with a fourth moment,
    (m₄ − s⁴ (n − 3) / (n − 1)) / n under the root.
    """
    value = pl.col("value").drop_nans()
    held = rows.group_by(CELL, maintain_order=True).agg(
        n=value.len(), middle=value.var(), fourth=((value - value.mean()) ** 4).mean()
    )
    n, middle = pl.col("n").cast(pl.Float64), pl.col("middle")
    square = (pl.col("fourth") - middle**2 * (n - 3) / (n - 1)) / n
    reach = 1.96 * square.clip(lower_bound=0.0).sqrt()
    low = (middle - reach).clip(lower_bound=0.0)
    return held.with_columns(low=low, high=middle + reach).drop("fourth")
