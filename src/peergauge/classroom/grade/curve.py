"""Curves: grades that are shifted, and stretched if wanted, to a target mean."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from peergauge.classroom.grade.rounding import printed
from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.tables import Scale


class FittedCurve(NamedTuple):
    """The line of a curve: a grade becomes ``to_mean + slope * (grade - from_mean)``.

    All three have at most four decimals, so that a curved grade can be computed from printed
    numbers.
    """

    from_mean: float
    to_mean: float
    slope: float


@dataclass(frozen=True)
class Curve:
    r"""A linear curve to a target mean.

    .. math:: g' = m' + \frac{s'}{s} (g - m)

    with the mean *m* and the standard deviation *s* of the grades of an assignment, clipped to the
    scale. The slope is not negative, so that a better grade never becomes a worse one. Clipping may
    move the mean away from its target.

    Parameters
    ----------
    mean
        Target mean *m'*.
    sd
        Target standard deviation *s'*; None to shift the grades only.
    lowers
        Whether a grade may become lower. If not, a grade above its curved value stays as it is.
    """

    mean: float
    sd: float | None = None
    lowers: bool = True

    def __post_init__(self) -> None:
        if not math.isfinite(self.mean):
            raise ParameterError("The mean of a curve is a grade on the scale of the class.")
        if self.sd is not None and not (math.isfinite(self.sd) and self.sd > 0):
            raise ParameterError(
                f"The standard deviation of a curve is a number above 0, not {self.sd:g}."
            )

    def refuse_off_scale(self, scale: Scale) -> None:
        """Raise an error if the target mean is not a grade that can be reached."""
        if not scale.lowest <= self.mean <= scale.highest:
            raise ParameterError(
                f"The curve has a target mean of {self.mean:g}, but grades are between "
                f"{scale.lowest:g} and {scale.highest:g}; give a mean between them."
            )

    def fitted(self, grade: Floats) -> FittedCurve:
        """The curve for the grades of one assignment; NaN is left out."""
        known = grade[~np.isnan(grade)]
        if not len(known):
            return FittedCurve(math.nan, printed(self.mean), 1.0)
        spread = float(known.std())
        # Equal grades have no spread that could be stretched.
        alike = spread < 1e-9
        slope = 1.0 if self.sd is None or alike else self.sd / spread
        return FittedCurve(printed(float(known.mean())), printed(self.mean), printed(slope))

    def of(self, grade: Floats, line: FittedCurve, scale: Scale) -> Floats:
        """The curved grades, on the scale."""
        curved = line.to_mean + line.slope * (grade - line.from_mean)
        if not self.lowers:
            curved = np.maximum(curved, grade)
        return np.asarray(np.clip(curved, scale.lowest, scale.highest))

    def __str__(self) -> str:
        spread = "" if self.sd is None else f" and a standard deviation of {self.sd:g}"
        how = "shifted" if self.sd is None else "shifted and stretched"
        never = "" if self.lowers else "; no grade becomes lower"
        return (
            f"The grades of each assignment, staff grades included, are {how} to a mean of "
            f"{self.mean:g}{spread}, but not beyond the scale{never}. A better grade never becomes "
            "a worse one."
        )
