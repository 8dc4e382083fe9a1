"""Helpers for strategies with parameters in points of 0..10, rescaled for other scales."""

from __future__ import annotations

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.registry import written
from peergauge.simulate.strategies import Situation
from peergauge.tables import Scale

SHARE_NAMES = {
    0.1: "a tenth", 0.2: "a fifth", 0.25: "a quarter", 0.3: "three tenths", 0.4: "two fifths",
    0.5: "half", 0.6: "three fifths", 0.7: "seven tenths", 0.75: "three quarters",
    0.8: "four fifths", 0.9: "nine tenths",
}  # fmt: skip


def share_in_words(share: float) -> str:
    """Format a share in words.

    >>> share_in_words(0.2), share_in_words(0.37)
    ('a fifth', '37 %')
    """
    return SHARE_NAMES.get(round(share, 9), f"{100 * share:.3g} %")


def finite(value: float, what: str) -> None:
    """Raise an error if a parameter is not finite."""
    if not np.isfinite(value):
        raise ParameterError(f"The {what} is a finite number, not {value}.")


def to_points(grade: Floats, scale: Scale) -> Floats:
    """Convert grades to points of 0..10; rounded, because 0.3 is inexact in binary."""
    return np.round((grade - scale.lowest) / scale.unit, 9)


def from_points(points: Floats, scale: Scale) -> Floats:
    """Convert points of 0..10 to grades."""
    return scale.lowest + scale.unit * points


def centre_of(centre: float | None, situation: Situation) -> float | Floats:
    """Convert a centre in points to a grade; the expected true score if it is None."""
    if centre is None:
        return situation.prior_mean
    return situation.scale.lowest + situation.scale.unit * centre


def named_centre(centre: float | None) -> str:
    """Format a centre in words."""
    return "the expected grade" if centre is None else written(centre)


def listed(text: str, what: str) -> tuple[float, ...]:
    """Parse the points in a spec that are separated by dashes, such as 1-4-7-10."""
    try:
        points = tuple(float(one) for one in text.split("-"))
    except ValueError:
        points = ()
    if not points or not all(0 <= one <= 10 for one in points):
        raise ParameterError(
            f"The {what} is a list of numbers in 0..10 with dashes between, such as 1-4-7-10, "
            f"but is '{text}'."
        )
    return points


def as_listed(points: Floats | tuple[float, ...]) -> str:
    """Format points for a spec."""
    return "-".join(written(float(one)) for one in points)


def enumerated(points: tuple[float, ...]) -> str:
    """Format points for a sentence."""
    *most, last = map(written, points)
    return f"{', '.join(most)} and {last}" if most else last


def centres(mean: float) -> list[str]:
    """Two centres, one point below and one point above the mean, for a spec."""
    middle = round(2 * mean) / 2
    return [written(float(np.clip(one, 0, 10))) for one in (middle - 1, middle + 1)]


def one_moved(points: tuple[float, ...], rng: np.random.Generator) -> tuple[float, ...]:
    """The points, one of them moved at random by about a point."""
    which = int(rng.integers(len(points)))
    moved = float(np.clip(round(points[which] + 1.2 * rng.standard_normal()), 0, 10))
    return (*points[:which], moved, *points[which + 1 :])
