"""Letters for grades and marks, by thresholds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from peergauge.classroom.grade.rounding import printed
from peergauge.core.errors import ParameterError

PercentRule: TypeAlias = Callable[[float], float]
"""The grade at a percentage."""

LETTERS_SYNTAX = (
    "write LETTER>=THRESHOLD from the best letter to the worst, and the last letter without a "
    "threshold: A>=90%,B>=80%,C>=70%,D or A>=9,B>=8,C"
)

MAX_PERCENT = 100.0
"""The highest threshold in percent."""


@dataclass(frozen=True)
class LetterScale:
    """Letters from thresholds: each letter from its threshold on, the last one below all of them.

    Parameters
    ----------
    letters
        All letters, the best first.
    thresholds
        The lowest grade that gets each letter, except the last one.
    in_percent
        Whether thresholds are percentages.

    >>> scale = LetterScale.parse("A>=90%,B>=75%,C")
    >>> [scale.of(grade, lambda percent: percent / 10) for grade in (9.0, 8.9999, 7.4)]
    ['A', 'B', 'C']
    """

    letters: tuple[str, ...]
    thresholds: tuple[float, ...]
    in_percent: bool = False

    def __post_init__(self) -> None:
        if len(set(self.letters)) < len(self.letters) or not all(self.letters):
            raise ParameterError(f"Name every letter once; {LETTERS_SYNTAX}.")
        if any(not math.isfinite(one) for one in self.thresholds) or list(
            self.thresholds
        ) != sorted(set(self.thresholds), reverse=True):
            raise ParameterError(
                f"The thresholds of letters must decrease from letter to letter; {LETTERS_SYNTAX}."
            )
        if self.in_percent and not all(0 <= one <= MAX_PERCENT for one in self.thresholds):
            raise ParameterError(f"A threshold in percent is between 0 and 100; {LETTERS_SYNTAX}.")

    @classmethod
    def parse(cls, text: str) -> LetterScale:
        """Read letters as users write them."""
        *listed, last = [part.strip() for part in text.split(",")]
        try:
            if not listed or ">=" in last:
                raise ValueError("the last letter has no threshold, and the others have one")
            pairs = [part.split(">=", 1) for part in listed]
            if any(len(pair) < 2 for pair in pairs):
                raise ValueError("a letter has no threshold")
            percents = [at.strip().endswith("%") for _, at in pairs]
            if len(set(percents)) > 1:
                raise ValueError("some thresholds are percentages, and others are not")
            thresholds = tuple(float(at.strip().removesuffix("%")) for _, at in pairs)
        except ValueError as error:
            raise ParameterError(
                f"'{text}' is not a rule for letters: {error}; {LETTERS_SYNTAX}."
            ) from error
        return cls((*(letter.strip() for letter, _ in pairs), last), thresholds, percents[0])

    def of(self, grade: float, at_percent: PercentRule) -> str:
        """The letter of a grade; *at_percent* gives the grade at a percentage. "" for NaN."""
        if math.isnan(grade):
            return ""
        for letter, threshold in self.limits(at_percent):
            if printed(grade) >= printed(threshold):
                return letter
        return self.letters[-1]

    def limits(self, at_percent: PercentRule) -> Iterator[tuple[str, float]]:
        """The letters with thresholds, as grades."""
        for letter, threshold in zip(self.letters, self.thresholds, strict=False):
            yield letter, at_percent(threshold) if self.in_percent else threshold
