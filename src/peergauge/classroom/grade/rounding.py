"""Rounding of grades and marks, in decimal arithmetic."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_FLOOR, ROUND_HALF_EVEN, Decimal
from typing import Literal, TypeAlias

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError

Halves: TypeAlias = Literal["up", "even"]

HALVES_CHOICES: tuple[Halves, ...] = ("up", "even")
"""What may become of a number in the middle between two steps."""

PRINTED_DECIMALS = 4
"""Decimals of a number that is not rounded otherwise. Tables, gradebooks and audits print as many,
so that a mark can be computed again from printed numbers."""

NOISE_DECIMALS = 9
"""Decimals beyond which two numbers differ by floating-point errors only."""

MAX_DISTANCE_TO_HALF = 1e-3
"""Distance to a half, in units of the last printed decimal, at which decimal arithmetic decides."""

MAX_FAST_NUMBER = 1e6
"""Absolute value up to which a number is rounded without decimal arithmetic."""


@dataclass(frozen=True)
class Rounding:
    """Rounding to multiples of a step.

    Parameters
    ----------
    step
        Distance between two rounded numbers; None for four decimals.
    halves
        What becomes of a number in the middle between two multiples: the higher one for ``up``, and
        the even multiple for ``even``.

    >>> [Rounding(0.5).of(one) for one in (7.24, 7.25, 7.74)]
    [7.0, 7.5, 7.5]
    >>> Rounding(1, "even").of(6.5), Rounding(1, "even").of(7.5), Rounding().of(1 / 3)
    (6.0, 8.0, 0.3333)
    """

    step: float | None = None
    halves: Halves = "up"

    def __post_init__(self) -> None:
        if self.step is not None and not (math.isfinite(self.step) and self.step > 0):
            raise ParameterError(
                f"Grades are rounded to a step above 0, such as 0.5, not {self.step:g}."
            )
        if self.halves not in HALVES_CHOICES:
            raise ParameterError(
                f"Halves are rounded {' or '.join(HALVES_CHOICES)}, not '{self.halves}'."
            )

    def of(self, number: float) -> float:
        """The rounded number; NaN for NaN."""
        if math.isnan(number):
            return number
        step = Decimal(1).scaleb(-PRINTED_DECIMALS) if self.step is None else _exact(self.step)
        steps = _exact(round(number, NOISE_DECIMALS)) / step
        if self.halves == "up":
            whole = (steps + Decimal("0.5")).to_integral_value(ROUND_FLOOR)
        else:
            whole = steps.to_integral_value(ROUND_HALF_EVEN)
        # Adding zero turns -0.0 into 0.0.
        return float(whole * step) + 0.0

    def of_all(self, numbers: Floats) -> Floats:
        """Many rounded numbers, each as :meth:`of` rounds it.

        Decimal arithmetic decides only where a half is near, and for numbers that are so large that
        they have few decimals.

        >>> Rounding().of_all(np.array([1 / 3, 0.00005, 7.0])).tolist()
        [0.3333, 0.0001, 7.0]
        """
        if self.step is not None:
            return np.array([self.of(one) for one in numbers.tolist()], dtype=np.float64)
        steps = numbers * 10.0**PRINTED_DECIMALS
        with np.errstate(invalid="ignore"):
            half = np.abs(steps - np.floor(steps) - 0.5) <= MAX_DISTANCE_TO_HALF
            clear = (np.abs(numbers) <= MAX_FAST_NUMBER) & ~half
        # The nearest double of a whole number of steps, as for the decimal number.
        rounded = np.floor(steps + 0.5) / 10.0**PRINTED_DECIMALS + 0.0
        for place in np.flatnonzero(~clear).tolist():
            rounded[place] = self.of(float(numbers[place]))
        return rounded

    def within(self, number: float, lowest: float, highest: float) -> float:
        """The rounded number, but never beyond the ends of a scale."""
        return min(max(self.of(number), lowest), highest)

    def __str__(self) -> str:
        if self.step is None:
            return "not rounded"
        halves = "halves up" if self.halves == "up" else "halves to the even step"
        step = "whole numbers" if self.step == 1 else f"steps of {self.step:g}"
        return f"rounded to {step}, {halves}"


def printed(number: float) -> float:
    """A number with as many decimals as are printed."""
    return Rounding().of(number)


def as_text(number: float) -> str:
    """A printed number, with at least two and at most four decimals.

    >>> as_text(7.5), as_text(59.3848), as_text(-0.5)
    ('7.50', '59.3848', '−0.50')
    """
    whole, _, decimals = f"{printed(number):.{PRINTED_DECIMALS}f}".partition(".")
    return f"{whole}.{decimals[:2]}{decimals[2:].rstrip('0')}".replace("-", "−")


def _exact(number: float) -> Decimal:
    return Decimal(repr(float(number)))
