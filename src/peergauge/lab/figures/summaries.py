"""Summaries of repetitions: for each cell, a middle and the ends of its 95 % interval."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import comb, nan
from typing import TypeAlias

from peergauge.core.lazy import pl
from peergauge.engine.results import cell_columns, cells

Summary: TypeAlias = Callable[["pl.DataFrame"], "pl.DataFrame"]


def means(rows: pl.DataFrame) -> pl.DataFrame:
    """The mean of each cell, with 1.96 standard errors on either side."""
    reach = 1.96 * pl.col("sd") / pl.col("n").sqrt()
    middle = pl.col("mean")
    return cells(rows).with_columns(middle=middle, low=middle - reach, high=middle + reach)


def medians(rows: pl.DataFrame) -> pl.DataFrame:
    """The median of each cell, with a distribution-free 95 % interval from order statistics.

    Fewer than six values have no such interval.
    """
    value = pl.col("value").drop_nans()
    held = rows.group_by(cell_columns(rows), maintain_order=True).agg(
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
    """The rank k such that the k-th lowest and k-th highest of n values cover the median at 95 %.

    It is the highest k with P(Binomial(n, 1/2) < k) ≤ 0.025; 0 if there is none.
    """
    below, rank = 0, 0
    # Computed in whole numbers: 0.025 is 1/40, and probabilities are counts over 2^n.
    while rank < n and 40 * (below + comb(n, rank)) <= 2**n:
        below += comb(n, rank)
        rank += 1
    return rank


def variances(rows: pl.DataFrame) -> pl.DataFrame:
    """The sample variance of each cell, with 1.96 standard errors on either side, but not below 0.

    The standard error is √((m₄ − s⁴ (n − 3) / (n − 1)) / n), which holds for every distribution
    with a fourth moment.
    """
    value = pl.col("value").drop_nans()
    held = rows.group_by(cell_columns(rows), maintain_order=True).agg(
        n=value.len(), middle=value.var(), fourth=((value - value.mean()) ** 4).mean()
    )
    n, middle = pl.col("n").cast(pl.Float64), pl.col("middle")
    square = (pl.col("fourth") - middle**2 * (n - 3) / (n - 1)) / n
    reach = 1.96 * square.clip(lower_bound=0.0).sqrt()
    low = (middle - reach).clip(lower_bound=0.0)
    return held.with_columns(low=low, high=middle + reach).drop("fourth")
