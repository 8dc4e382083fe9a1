"""Grades that can be given: from where to where, and in which steps."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Bools, Floats, Ints
from peergauge.core.errors import ScaleError, TableError


@dataclass(frozen=True)
class Scale:
    """The grades that can be given: from *lowest* to *highest* in steps, or any between.

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

    def __post_init__(self) -> None:
        # People write 10 for 10.0; one scale should not be two.
        for name in ("lowest", "highest", "step"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, float(getattr(self, name)))
        if not (np.isfinite(self.lowest) and np.isfinite(self.highest)):
            raise ScaleError("A scale has two finite ends, such as 0..10.")
        if not self.lowest < self.highest:
            raise ScaleError(f"The scale {self} should end higher than it begins.")
        if self.step is not None:
            fits = 0 < self.step <= self.highest - self.lowest
            steps = (self.highest - self.lowest) / self.step if fits else 0.5
            if abs(steps - round(steps)) > 1e-9 * max(steps, 1.0):
                raise ScaleError(f"The scale {self} cannot be walked in steps of {self.step:g}.")

    @classmethod
    def parse(cls, text: str | Scale) -> Scale:
        """Read ``LOW..HIGH``, ``LOW..HIGH:STEP`` or ``LOW..HIGH:any``."""
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
        """Whether the grades that can be given can be counted."""
        return self.step is not None

    @property
    def levels(self) -> int:
        """How many different grades can be given."""
        return round((self.highest - self.lowest) / self.steps_needed()) + 1

    @property
    def unit(self) -> float:
        """A tenth of the scale: what the paper, on its scale of 0..10, calls one point."""
        return (self.highest - self.lowest) / 10.0

    def steps_needed(self) -> float:
        """The step, or a refusal where any grade between the ends can be given."""
        if self.step is None:
            raise ScaleError(
                f"Counting how often each grade was given needs a scale with steps, but {self} "
                "allows any grade between its ends; coarsen the reports first, for instance to "
                f"{replace(self, step=self.unit)}."
            )
        return self.step

    def values(self) -> Floats:
        """The grades that can be given, in order."""
        return self._grade_of(np.arange(self.levels))

    def level(self, grade: Floats) -> Ints:
        """Which of the possible grades each grade is, counted from 0."""
        return np.rint((grade - self.lowest) / self.steps_needed()).astype(np.int32)

    def nearest(self, grade: Floats) -> Floats:
        """The nearest grades that can be given; exact halves go to the even level."""
        inside = np.clip(grade, self.lowest, self.highest)
        if self.step is None:
            return inside
        return self._grade_of(self.level(inside))

    def holds(self, grade: Floats) -> Bools:
        """Which grades can be given on this scale."""
        inside = (grade >= self.lowest) & (grade <= self.highest)
        if self.step is not None:
            with np.errstate(invalid="ignore"):
                steps = (grade - self.lowest) / self.step
                inside &= np.abs(steps - np.rint(steps)) <= 1e-6
        return np.asarray(inside)

    def _grade_of(self, level: NDArray[Any]) -> Floats:
        # Steps such as 0.1 are not exact, and must not carry the last level over the end.
        return np.minimum(self.lowest + self.steps_needed() * level, self.highest)

    def __str__(self) -> str:
        step = ":any" if self.step is None else "" if self.step == 1 else f":{_short(self.step)}"
        return f"{_short(self.lowest)}..{_short(self.highest)}{step}"

    def __repr__(self) -> str:
        return f"Scale('{self}')"


def refuse_off_scale(grade: Floats, scale: Scale, where: Callable[[int], str]) -> None:
    """Refuse grades that are missing or cannot be given on *scale*."""
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
    """A number in as few digits as tell it exactly."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)
