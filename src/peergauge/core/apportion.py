"""Apportionment: a whole number of things split by shares into whole numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats


def whole_parts(count: int, shares: Floats | Sequence[float]) -> NDArray[np.int64]:
    """Split *count* by shares into whole numbers, by largest remainders; the first wins a tie.

    >>> whole_parts(10, [3, 1]).tolist()
    [8, 2]
    """
    exact = count * np.asarray(shares, dtype=np.float64) / np.sum(shares)
    # A number that is whole but for rounding errors is whole.
    parts = np.floor(exact + 1e-9).astype(np.int64)
    order = np.argsort(-np.round(exact - parts, 9), kind="stable")
    parts[order[: count - int(parts.sum())]] += 1
    return parts
