"""From what graders earned to what they get: points or letters, never less for more."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError

HOW = (
    "give points as FLOOR..CEILING (5..10, or 5@-4..10@-0.5 with what earns them), shares as "
    "LETTER:PERCENT (A:20,B:50,C:30), or thresholds as LETTER>=EARNED (A>=-0.5,B>=-1.5,C)"
)

REACH = 1.645
"""Deviations from the average at which the floor and the ceiling are reached: a twentieth lies
beyond either."""


class Points(ABC):
    """A monotone map: who earned more never gets less, and who earned the same gets the same."""

    @abstractmethod
    def of(self, earned: Floats) -> list[float | str | None]:
        """What each grader gets; None for those who earned nothing that could be told (NaN)."""

    @abstractmethod
    def words(self, earned: Floats, place: int) -> str:
        """How one grader's points come about."""

    @property
    def highest(self) -> float | None:
        """The most points that there are, if there are points."""
        return None

    @abstractmethod
    def fitted(self, average: float, between: float, own: Floats) -> Points:
        """The map for a class.

        Parameters
        ----------
        average, between
            Around what, and by how much (variance), graders truly differ.
        own
            What each grader earned on average; NaN for one without reviews.
        """

    @classmethod
    def parse(cls, text: str) -> Points:
        """Read a map as people write it.

        >>> Points.parse("5@-4..10@-0.5")
        PointRange(floor=5.0, ceiling=10.0, low=-4.0, high=-0.5)
        >>> Points.parse("A:20,B:50,C:30").of(np.array([3.0, 1.0, 2.0, 5.0, 4.0]))
        ['B', 'C', 'B', 'A', 'B']
        """
        number = r"\s*(-?\d*\.?\d+)\s*"
        found = re.fullmatch(rf"{number}(?:@{number})?\.\.{number}(?:@{number})?", text)
        try:
            if found:
                floor, low, ceiling, high = (float(one) if one else None for one in found.groups())
                return PointRange(floor or 0.0, ceiling or 0.0, low, high)
            listed = [part.strip() for part in text.split(",")]
            if all(":" in part for part in listed):
                pairs = [part.rsplit(":", 1) for part in listed]
                shares = tuple(float(share.strip().rstrip("%")) for _, share in pairs)
                return LetterShares(tuple(letter.strip() for letter, _ in pairs), shares)
            if all(">=" in part for part in listed[:-1]) and len(listed) > 1:
                pairs = [part.split(">=", 1) for part in listed[:-1]]
                letters = (*(letter.strip() for letter, _ in pairs), listed[-1])
                return LetterThresholds(letters, tuple(float(at) for _, at in pairs))
        except ValueError as error:
            raise ParameterError(f"'{text}' is no map to points: {error}; {HOW}.") from error
        raise ParameterError(f"'{text}' is no map to points; {HOW}.")


@dataclass(frozen=True)
class PointRange(Points):
    """Points between a floor and a ceiling, in proportion.

    Unless it is said what earns them, the floor is for graders who are as poor as a twentieth of
    them truly are, and the ceiling for those who are as good, but neither for more than anybody
    earned. What is known of a grader from few reviews lies close to the average, and so do their
    points.

    Parameters
    ----------
    floor, ceiling
        The fewest and the most points.
    low, high
        What earns them.
    """

    floor: float
    ceiling: float
    low: float | None = None
    high: float | None = None

    def __post_init__(self) -> None:
        if not self.floor < self.ceiling:
            raise ParameterError(
                f"Points go from a floor up to a ceiling, but {self.floor:g}..{self.ceiling:g} "
                "was given."
            )
        if (self.low is None) != (self.high is None):
            raise ParameterError("Say what earns the floor and what earns the ceiling, or neither.")
        if self.low is not None and self.high is not None and self.low > self.high:
            raise ParameterError("The floor is for earning less than what the ceiling is for.")

    @property
    def highest(self) -> float:
        return self.ceiling

    def fitted(self, average: float, between: float, own: Floats) -> PointRange:
        if self.low is not None or np.isnan(own).all():
            return self
        reach = REACH * float(np.sqrt(between))
        # Nobody should be asked for more than anybody earned.
        lowest = min(float(np.nanmin(own)), average)
        highest = max(float(np.nanmax(own)), average)
        return replace(self, low=max(average - reach, lowest), high=min(average + reach, highest))

    def of(self, earned: Floats) -> list[float | str | None]:
        if self.low is None or self.high is None:
            raise ParameterError("It is not known yet what earns the floor and the ceiling.")
        if self.high <= self.low:
            return [None if np.isnan(one) else self.ceiling for one in earned]
        share = np.clip((earned - self.low) / (self.high - self.low), 0, 1)
        points = self.floor + (self.ceiling - self.floor) * share
        return [None if np.isnan(one) else float(one) for one in points]

    def words(self, earned: Floats, place: int) -> str:
        (got,) = self.of(earned[place : place + 1])
        if got is None or self.low is None or self.high is None:
            return "no points, since nothing could be told"
        if self.high <= self.low:
            return f"{got:.2f} points, since what was earned tells nobody apart"
        own = earned[place]
        if own <= self.low:
            return f"{got:.2f} points: the floor, for {self.low:.3f} or less"
        if own >= self.high:
            return f"{got:.2f} points: the ceiling, for {self.high:.3f} or more"
        return (
            f"{got:.2f} points: {self.floor:g} for {self.low:.3f} and {self.ceiling:g} for "
            f"{self.high:.3f}, and in proportion between them"
        )


@dataclass(frozen=True)
class LetterShares(Points):
    """Letters by rank: so many percent of the graders get each, from the best down.

    Those who earned the same get the same letter, the better one.
    """

    letters: tuple[str, ...]
    percent: tuple[float, ...]

    def __post_init__(self) -> None:
        _check_letters(self.letters)
        if min(self.percent) < 0 or abs(sum(self.percent) - 100) > 1e-6:
            raise ParameterError(
                f"The shares add up to 100 percent, but these add up to {sum(self.percent):g}."
            )

    def fitted(self, average: float, between: float, own: Floats) -> LetterShares:  # noqa: ARG002
        return self

    def of(self, earned: Floats) -> list[float | str | None]:
        told = np.sort(earned[~np.isnan(earned)])
        return [None if np.isnan(one) else self._letter(told, one) for one in earned]

    def _letter(self, told: Floats, one: float) -> str:
        """The letter for one of those who earned what was *told*, in rising order."""
        above = (len(told) - int(np.searchsorted(told, one, side="right"))) / len(told)
        place = int(np.searchsorted(np.cumsum(self.percent) / 100, above, side="right"))
        return self.letters[min(place, len(self.letters) - 1)]

    def words(self, earned: Floats, place: int) -> str:
        if np.isnan(earned[place]):
            return "no letter, since nothing could be told"
        told = np.sort(earned[~np.isnan(earned)])
        got = self._letter(told, float(earned[place]))
        better = int((told > earned[place]).sum())
        begin = sum(self.percent[: self.letters.index(got)])
        end = begin + self.percent[self.letters.index(got)]
        return (
            f"{got}: {better} of {len(told)} graders earned more, and those from the best "
            f"{begin:g} to {end:g} percent get {got}"
        )


@dataclass(frozen=True)
class LetterThresholds(Points):
    """Letters by what was earned: each from a threshold on, the last for all below."""

    letters: tuple[str, ...]
    thresholds: tuple[float, ...]

    def __post_init__(self) -> None:
        _check_letters(self.letters)
        if list(self.thresholds) != sorted(set(self.thresholds), reverse=True):
            raise ParameterError("Thresholds go down from letter to letter; put them in order.")

    def fitted(self, average: float, between: float, own: Floats) -> LetterThresholds:  # noqa: ARG002
        return self

    def of(self, earned: Floats) -> list[float | str | None]:
        return [None if np.isnan(one) else self._letter(float(one)) for one in earned]

    def _letter(self, earned: float) -> str:
        reached = zip(self.letters, self.thresholds, strict=False)
        return next((letter for letter, at in reached if earned >= at), self.letters[-1])

    def words(self, earned: Floats, place: int) -> str:
        (got,) = self.of(earned[place : place + 1])
        if got is None:
            return "no letter, since nothing could be told"
        index = self.letters.index(str(got))
        if index == len(self.thresholds):
            return f"{got}: less than {self.thresholds[-1]:g}"
        return f"{got}: {self.thresholds[index]:g} or more"


def _check_letters(letters: tuple[str, ...]) -> None:
    if len(set(letters)) < len(letters) or not all(letters):
        raise ParameterError("Every letter is given once, from the best down.")
