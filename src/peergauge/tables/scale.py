"""Scales: the grades that can be given."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Bools, Floats, Ints
from peergauge.core.errors import ScaleError, TableError
from peergauge.core.files import numbers
from peergauge.core.lazy import pl
from peergauge.tables.base import tidy

MAX_SCALE_END = 1e15
"""Largest distance of a grade from 0: beyond it, grades are no longer exact to a tenth."""

MIN_SCALE_WIDTH = 1e-9
"""Smallest distance between the ends of a scale, whose square still is an exact number."""

MAX_SCALE_LEVELS = 10**7
"""Largest number of different grades, each of which is counted."""


@dataclass(frozen=True)
class Scale:
    """The grades that can be given: from *lowest* to *highest* in steps, or any in between.

    >>> Scale(0, 10)
    Scale('0..10')
    >>> Scale.parse("0..14:0.25").levels
    57
    >>> Scale.parse("0..1:any").finite
    False
    """

    lowest: float = 0.0
    highest: float = 10.0
    step: float | None = 1.0

    ordered: ClassVar[bool] = True
    """Whether grades have an order and a distance; labels have neither."""
    column: ClassVar[str] = "grade"
    """Name of the column of a table of reports that holds grades on such a scale."""

    def __post_init__(self) -> None:
        # 10 and 10.0 must give the same scale.
        for name in ("lowest", "highest", "step"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, float(getattr(self, name)))
        if not (np.isfinite(self.lowest) and np.isfinite(self.highest)):
            raise ScaleError("A scale has two finite ends, such as 0..10.")
        if not self.lowest < self.highest:
            raise ScaleError(f"The scale {self} should end higher than it begins.")
        if max(-self.lowest, self.highest) > MAX_SCALE_END:
            raise ScaleError(
                f"The scale {self} should lie between {-MAX_SCALE_END:g} and {MAX_SCALE_END:g}; "
                "divide the grades by a constant."
            )
        if self.highest - self.lowest < MIN_SCALE_WIDTH:
            raise ScaleError(
                f"The scale {self} should be at least {MIN_SCALE_WIDTH:g} wide; multiply the "
                "grades by a constant."
            )
        if self.step is not None:
            fits = 0 < self.step <= self.highest - self.lowest
            steps = (self.highest - self.lowest) / self.step if fits else 0.5
            if abs(steps - round(steps)) > 1e-9 * max(steps, 1.0):
                raise ScaleError(f"The scale {self} cannot be divided into steps of {self.step:g}.")
            if steps >= MAX_SCALE_LEVELS:
                raise ScaleError(
                    f"The scale {self} has more than {MAX_SCALE_LEVELS} grades; write "
                    f"{replace(self, step=None)} if any grade between its ends is possible."
                )

    @classmethod
    def parse(cls, text: str | Scale) -> Scale:
        """Parse ``LOW..HIGH``, ``LOW..HIGH:STEP`` or ``LOW..HIGH:any``."""
        if isinstance(text, Scale):
            return text
        number = r"\s*([-+]?[0-9]*\.?[0-9]+(?:e[-+]?[0-9]+)?)\s*"
        match = re.fullmatch(rf"{number}\.\.{number}(?::{number}|:(any))?", text)
        if not match:
            raise ScaleError(
                f"'{text}' is not a scale; write LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH:any, "
                "such as 0..10, 0..14:0.25 or 0..1:any."
            )
        low, high, step, any_between = match.groups()
        return cls(float(low), float(high), None if any_between else float(step or 1))

    @property
    def finite(self) -> bool:
        """Whether the scale has steps, and thus finitely many grades."""
        return self.step is not None

    @property
    def levels(self) -> int:
        """Number of different grades."""
        return round((self.highest - self.lowest) / self.steps_needed()) + 1

    @property
    def unit(self) -> float:
        """A tenth of the scale, which is one point on the paper's scale 0..10."""
        return (self.highest - self.lowest) / 10.0

    def steps_needed(self) -> float:
        """Return the step; raise an error if the scale has no steps."""
        if self.step is None:
            raise ScaleError(
                f"Counting how often each grade was given needs a scale with steps, but {self} "
                "allows any grade between its ends; coarsen the reports first, for instance to "
                f"{replace(self, step=self.unit)}."
            )
        return self.step

    def values(self) -> Floats:
        """All grades, in ascending order."""
        return self._grade_of(np.arange(self.levels))

    def level(self, grade: Floats) -> Ints:
        """Index of each grade among all grades, counted from 0."""
        return np.rint((grade - self.lowest) / self.steps_needed()).astype(np.int32)

    def nearest(self, grade: Floats) -> Floats:
        """Round grades to the scale; exact halves are rounded to the even level."""
        inside = np.clip(grade, self.lowest, self.highest)
        if self.step is None:
            return inside
        return self._grade_of(self.level(inside))

    def holds(self, grade: Floats) -> Bools:
        """Mask of the grades that are on this scale."""
        inside = (grade >= self.lowest) & (grade <= self.highest)
        if self.step is not None:
            with np.errstate(invalid="ignore"):
                steps = (grade - self.lowest) / self.step
                inside &= np.abs(steps - np.rint(steps)) <= 1e-6
        return np.asarray(inside)

    def read(self, table: pl.DataFrame, column: str, where: Callable[[int], str]) -> Floats:
        """Read the grades in a column of a table, NaN for empty cells; an error names the row."""
        return numbers(table, column, where)

    def written(self, grade: Floats) -> list[Any]:
        """Grades as they are written to a table."""
        return tidy(grade)

    def error(self, grade: Floats, score: Floats) -> Floats:
        """Squared distance of each grade from the true score."""
        return np.asarray((grade - score) ** 2)

    def numbers_needed(self, what: str) -> None:
        """Raise an error if *what* cannot compute with grades on this scale: if they are labels."""

    def _grade_of(self, level: NDArray[Any]) -> Floats:
        # Steps such as 0.1 are inexact, so the last level could exceed the end of the scale.
        return np.minimum(self.lowest + self.steps_needed() * level, self.highest)

    def __str__(self) -> str:
        step = ":any" if self.step is None else "" if self.step == 1 else f":{_short(self.step)}"
        return f"{_short(self.lowest)}..{_short(self.highest)}{step}"

    def __repr__(self) -> str:
        return f"Scale('{self}')"


def refuse_off_scale(grade: Floats, scale: Scale, where: Callable[[int], str]) -> None:
    """Raise an error if a grade is missing or not on *scale*.

    Examples
    --------
    >>> refuse_off_scale(np.array([7.0, 10.0]), Scale(), lambda row: f"Row {row + 1}")
    """
    good = scale.holds(grade)
    if good.all():
        return
    bad = np.flatnonzero(~good)
    row = int(bad[0])
    if not np.isfinite(grade[row]):
        raise TableError(
            f"{where(row)} has no finite grade ({grade[row]}); fill it in or drop the row."
        )
    others = "" if len(bad) == 1 else f" ({len(bad)} such grades in all)"
    raise ScaleError(
        f"{where(row)} has grade {grade[row]:g}, which is not on the scale {scale}{others}; "
        "correct it, or name the scale of this class."
    )


def _short(number: float) -> str:
    """Format a number with the fewest digits that represent it exactly."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)
