"""What reports were compared with, for mechanisms that pay reports by a distance."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.tables.base import Table, kept

DISTANCE_POWERS = (1, 2)
"""Powers of the distance that can be declared: the distance itself, and its square."""


@dataclass(frozen=True, eq=False)
class Comparison(Table):
    r"""The reference of each report, and the formula by which their distance becomes a reward.

    .. math:: \text{highest} - \text{cost} \cdot |\text{judged} - \text{reference}|^\text{power}

    Parameters
    ----------
    judged
        Each report as it is judged, for example minus the bias of its grader.
    reference
        The score that each report was compared with; NaN for a report that is not paid.
    reference_words
        What the reference is, in words that complete "compared with".
    highest
        Reward of a report without any distance.
    cost
        Loss of reward for a distance (or a squared distance) of one point.
    power
        Power of the distance: 1 or 2.
    deduction_words
        Why a grader may get less than the mean of these rewards, as a clause that begins with
        "because"; empty if graders get exactly these rewards.

    >>> near = Comparison(np.array([8.0, 5.0]), np.array([7.0, 7.0]), "the mean of all reviews")
    >>> near.reward.tolist(), near.formula
    ([-1.0, -4.0], 'minus the square of the difference')
    """

    judged: Floats
    reference: Floats
    reference_words: str
    highest: float = 0.0
    cost: float = 1.0
    power: int = 2
    deduction_words: str = ""

    def __post_init__(self) -> None:
        for name in ("judged", "reference"):
            object.__setattr__(self, name, kept(getattr(self, name), np.float64))
        if self.judged.shape != self.reference.shape or self.judged.ndim != 1:
            raise TableError(
                f"{self.judged.shape} judged reports cannot be compared with "
                f"{self.reference.shape} references; give one reference for each report."
            )
        if self.power not in DISTANCE_POWERS:
            raise TableError(f"The power of a distance is 1 or 2, not {self.power}.")

    @property
    def difference(self) -> Floats:
        """Judged report minus its reference."""
        return self.judged - self.reference

    @property
    def reward(self) -> Floats:
        """Reward of each report by the formula; NaN without a reference."""
        return np.asarray(self.highest - self.cost * np.abs(self.difference) ** self.power)

    @property
    def is_squared_distance(self) -> bool:
        """Whether a reward is minus a squared distance, so that its root is a distance."""
        return (self.highest, self.cost, self.power) == (0.0, 1.0, 2) and not self.deduction_words

    @property
    def formula(self) -> str:
        """The formula in words."""
        if self.power == 2:
            what = "the square of the difference"
        else:
            what = "the difference without its sign"
        if self.cost != 1:
            times = 1 / self.cost
            whole = abs(times - round(times)) < 1e-9
            what += f" divided by {times:g}" if whole else f" times {self.cost:g}"
        return f"{self.highest:g} minus {what}" if self.highest else f"minus {what}"

    def rounded(self, digits: int) -> Comparison:
        """The comparison with reports and references rounded to some decimals."""
        return replace(
            self, judged=np.round(self.judged, digits), reference=np.round(self.reference, digits)
        )

    def __repr__(self) -> str:
        return f"<Comparison: {len(self.judged)} reports with {self.reference_words}>"

    def to_polars(self) -> pl.DataFrame:
        """Return a Polars frame with one row for each report."""
        columns = {"judged": self.judged, "reference": self.reference, "reward": self.reward}
        return pl.DataFrame(columns).with_columns(pl.all().fill_nan(None))
