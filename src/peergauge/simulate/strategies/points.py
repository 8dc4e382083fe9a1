"""What strategies share that are told in points: amounts on 0..10, and in proportion elsewhere."""

from __future__ import annotations

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.registry import written
from peergauge.simulate.strategies import Situation
from peergauge.tables import Scale

SHARES = {
    0.1: "a tenth", 0.2: "a fifth", 0.25: "a quarter", 0.3: "three tenths", 0.4: "two fifths",
    0.5: "half", 0.6: "three fifths", 0.7: "seven tenths", 0.75: "three quarters",
    0.8: "four fifths", 0.9: "nine tenths",
}  # fmt: skip


def share_in_words(share: float) -> str:
    """A share as people say it.

    >>> share_in_words(0.2), share_in_words(0.37)
    ('a fifth', '37 %')
    """
    return SHARES.get(round(share, 9), f"{100 * share:.3g} %")


def finite(value: float, what: str) -> None:
    """Refuse what is no number of points."""
    if not np.isfinite(value):
        raise ParameterError(f"The {what} is a finite number, not {value}.")


def to_points(grade: Floats, scale: Scale) -> Floats:
    """Grades as points of 0..10; rounded, since 0.3 on 0..1 is not quite three tenths."""
    return np.round((grade - scale.lowest) / scale.unit, 9)


def from_points(points: Floats, scale: Scale) -> Floats:
    """Points of 0..10 as grades."""
    return scale.lowest + scale.unit * points


def centre_of(centre: float | None, situation: Situation) -> float | Floats:
    """A centre in points as a grade; what is expected of a submission if there is none."""
    if centre is None:
        return situation.prior_mean
    return situation.scale.lowest + situation.scale.unit * centre


def named_centre(centre: float | None) -> str:
    """A centre as people say it."""
    return "the expected grade" if centre is None else written(centre)


def listed(text: str, what: str) -> tuple[float, ...]:
    """Points that a spec lists with dashes between, such as 1-4-7-10."""
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
    """Points as a spec lists them."""
    return "-".join(written(float(one)) for one in points)


def enumerated(points: tuple[float, ...]) -> str:
    """Points as a sentence lists them."""
    *most, last = map(written, points)
    return f"{', '.join(most)} and {last}" if most else last
