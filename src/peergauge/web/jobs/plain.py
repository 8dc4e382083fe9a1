"""Results of jobs as plain values of JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """A value made of dictionaries, lists, texts, finite numbers, true, false and None.

    Numbers that are not finite become None, because JSON has no such numbers.

    >>> plain({"a": (1, float("nan")), "b": np.float64(2)})
    {'a': [1, None], 'b': 2.0}
    """
    if isinstance(value, Mapping):
        return {str(name): plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    # A marked-up text is a text of another type.
    return str(value) if isinstance(value, str) else value
