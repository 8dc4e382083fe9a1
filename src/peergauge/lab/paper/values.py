"""Means with their standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class Value(NamedTuple):
    """A mean and its standard error."""

    mean: float
    error: float


def mean_of(values: Sequence[Value]) -> Value:
    """The mean of independent values, with the standard error that theirs give it."""
    errors = np.array([value.error for value in values])
    mean = float(np.mean([value.mean for value in values]))
    return Value(mean, float(np.sqrt((errors**2).sum()) / len(values)))
