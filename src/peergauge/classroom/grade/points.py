"""Rules that turn rewards into points or letters; a higher reward never gets less."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.text import counted

MAX_RULE_NUMBER = 1e15
"""Largest number in a rule, as on a scale."""

POINTS_SYNTAX = (
    "write points as FLOOR..CEILING (5..10, or 5@-4..10@-0.5 with the rewards for both), shares as "
    "LETTER:PERCENT (A:20,B:50,C:30), or thresholds as LETTER>=REWARD (A>=-0.5,B>=-1.5,C)"
)

FLOOR_STANDARD_DEVIATIONS = 1.645
"""Standard deviations of true quality below the mean of the class at which the floor is reached:
5 % of a normal distribution lie below."""

BEST_GRADERS_SHARE = 0.05
"""Share of the graders who reach the ceiling, at least."""

SHOWN_REWARD_DIGITS = 3
"""Decimals of rewards in sentences, unless the rule was fitted to a class with others."""


class PointsRule(ABC):
    """A monotone function of rewards: a higher reward never gets less, and equal ones the same."""

    @abstractmethod
    def of(self, reward: Floats) -> list[float | str | None]:
        """Points or letter of each grader; None for graders without a reward (NaN)."""

    @abstractmethod
    def describe(self, reward: Floats, place: int) -> str:
        """Points or letter of one grader in words, with the reason."""

    @property
    def highest(self) -> float | None:
        """The highest number of points; None if the rule gives letters."""
        return None

    @property
    def lowest(self) -> float | None:
        """The lowest number of points; None if the rule gives letters."""
        return None

    @property
    def letter_names(self) -> tuple[str, ...]:
        """All letters, the best first; none if the rule gives points."""
        return ()

    def summary(self, reward: Floats, *, squared: bool = False) -> str:  # noqa: ARG002
        """How many graders get the highest and the lowest number of points; empty for letters.

        If rewards are minus *squared* distances, the sentence has the distances.
        """
        return ""

    @abstractmethod
    def fitted(
        self, class_mean: float, variance: float, estimate: Floats, digits: int | None = None
    ) -> PointsRule:
        """Fit the rule to a class.

        Parameters
        ----------
        class_mean, variance
            Mean of the class, and variance of true quality between graders.
        estimate
            Estimated reward of each grader; NaN for a grader without reviews.
        digits
            Decimals of the rewards for floor and ceiling; not rounded if left out.
        """

    @classmethod
    def parse(cls, text: str) -> PointsRule:
        """Read a rule as users write it.

        >>> PointsRule.parse("5@-4..10@-0.5")
        PointRange(floor=5.0, ceiling=10.0, low=-4.0, high=-0.5)
        >>> PointsRule.parse("A:20,B:50,C:30").of(np.array([3.0, 1.0, 2.0, 5.0, 4.0]))
        ['B', 'C', 'B', 'A', 'B']
        """
        number = r"\s*(-?\d*\.?\d+)\s*"
        found = re.fullmatch(rf"{number}(?:@{number})?\.\.{number}(?:@{number})?", text)
        try:
            if found:
                floor, low, ceiling, high = (float(one) if one else None for one in found.groups())
                _check_ends(low, high)
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
            raise ParameterError(
                f"'{text}' is not a rule for points: {error}; {POINTS_SYNTAX}."
            ) from error
        raise ParameterError(f"'{text}' is not a rule for points; {POINTS_SYNTAX}.")


@dataclass(frozen=True)
class PointRange(PointsRule):
    """Points between a floor and a ceiling, linear in the reward.

    If the rewards for floor and ceiling are not given, they are fitted to the class:

    - The ceiling is the estimate that at least the best twentieth of the graders reach, and at
      least one grader; graders with equal estimates get the same.
    - The floor is 1.645 standard deviations of true quality below the mean of the class (or below
      the ceiling, if that is lower). Estimates from few reviews are close to the mean of the class,
      so that only graders with enough reviews can reach the floor.
    - If rewards do not differ by more than chance, everybody gets the ceiling.

    Both ends depend on the class. A careless majority lowers the mean and raises the standard
    deviation, and thereby lowers the floor for itself. It lowers the ceiling only if fewer than a
    twentieth of the graders are careful. Give the rewards for both ends if points should not depend
    on the other graders.

    Parameters
    ----------
    floor, ceiling
        The lowest and the highest number of points.
    low, high
        Rewards that get the floor and the ceiling. If they are equal, everybody gets the ceiling.
    digits
        Decimals of rewards in sentences.
    """

    floor: float
    ceiling: float
    low: float | None = None
    high: float | None = None
    digits: int = field(default=SHOWN_REWARD_DIGITS, repr=False)

    def __post_init__(self) -> None:
        ends = (self.floor, self.ceiling, self.low or 0.0, self.high or 0.0)
        _check_finite("Points, and the rewards that get them,", ends)
        if not self.floor < self.ceiling:
            raise ParameterError(
                f"The floor of the points must be below the ceiling, but {self.floor:g}.."
                f"{self.ceiling:g} was given."
            )
        if (self.low is None) != (self.high is None):
            raise ParameterError(
                "Give the rewards for both the floor and the ceiling, or for neither."
            )

    @property
    def highest(self) -> float:
        return self.ceiling

    @property
    def lowest(self) -> float:
        return self.floor

    def fitted(
        self, class_mean: float, variance: float, estimate: Floats, digits: int | None = None
    ) -> PointRange:
        shown = SHOWN_REWARD_DIGITS if digits is None else digits
        if self.low is not None and self.high is not None:
            return replace(self, digits=max(shown, _decimals(self.low), _decimals(self.high)))
        known = np.sort(estimate[~np.isnan(estimate)])
        if not len(known) or variance <= 0:
            return replace(self, low=class_mean, high=class_mean, digits=shown)
        best = math.ceil(BEST_GRADERS_SHARE * len(known) - 1e-9)
        high = float(known[-best])
        low = min(class_mean, high) - FLOOR_STANDARD_DEVIATIONS * math.sqrt(variance)
        return replace(
            self, low=low if digits is None else round(low, digits), high=high, digits=shown
        )

    @property
    def is_same_for_all(self) -> bool:
        """Whether everybody gets the ceiling."""
        return self.low is not None and self.high is not None and self.high <= self.low

    def of(self, reward: Floats) -> list[float | str | None]:
        if self.low is None or self.high is None:
            raise ParameterError(
                "Fit the rule to a class first: the rewards for floor and ceiling are missing."
            )
        if self.is_same_for_all:
            return [None if np.isnan(one) else self.ceiling for one in reward]
        share = np.clip((reward - self.low) / (self.high - self.low), 0, 1)
        points = self.floor + (self.ceiling - self.floor) * share
        return [None if np.isnan(one) else float(one) for one in points]

    def describe(self, reward: Floats, place: int) -> str:
        (got,) = self.of(reward[place : place + 1])
        if got is None or self.low is None or self.high is None:
            return "no points, because no review got a reward"
        if self.is_same_for_all:
            return (
                f"{got:.2f} points, because rewards in this class do not differ by more than chance"
            )
        own, digits = float(reward[place]), self.digits
        low, high = f"{self.low:.{digits}f}", f"{self.high:.{digits}f}"
        if own <= self.low:
            return f"{got:.2f} points, the lowest number, for a reward of {low} or less"
        if own >= self.high:
            return f"{got:.2f} points, the highest number, for a reward of {high} or more"
        return (
            f"{got:.2f} points: a reward of {low} gets {self.floor:g} points, one of {high} gets "
            f"{self.ceiling:g}, and rewards between them get points in proportion: "
            f"{self.floor:g} + {self.ceiling - self.floor:g} × {own - self.low:.{digits}f} / "
            f"{self.high - self.low:.{digits}f} = {got:.2f}"
        )

    def summary(self, reward: Floats, *, squared: bool = False) -> str:
        known = reward[~np.isnan(reward)]
        if self.low is None or self.high is None or not len(known):
            return ""
        if self.is_same_for_all:
            everybody = (
                "The only grader gets" if len(known) == 1 else f"All {len(known)} graders get"
            )
            return (
                f"{everybody} {self.ceiling:g} points, because rewards do not differ by more than "
                "chance."
            )
        if squared and self.high <= 0:
            near, far = math.sqrt(abs(self.high)), math.sqrt(abs(self.low))
            best_words = f"if their reviews are estimated to be {near:.2f} grade points off or less"
            worst_words = f"if they are {far:.2f} off or more"
        else:
            best_words = f"for a reward of {self.high:.{self.digits}f} or more"
            worst_words = f"for {self.low:.{self.digits}f} or less"
        best, worst = int((known >= self.high).sum()), int((known <= self.low).sum())
        return (
            f"{best} of {counted(len(known), 'grader')} {'gets' if best == 1 else 'get'} the "
            f"highest number of points, {self.ceiling:g}, {best_words}, and {worst} "
            f"{'gets' if worst == 1 else 'get'} the lowest, {self.floor:g}, {worst_words}."
        )


@dataclass(frozen=True)
class LetterShares(PointsRule):
    """Letters by rank: a given percentage of the graders gets each letter, the best first.

    Graders with equal rewards get the same letter, the better one.
    """

    letters: tuple[str, ...]
    percent: tuple[float, ...]

    def __post_init__(self) -> None:
        _check_letters(self.letters)
        _check_finite("The shares of letters", self.percent)
        if min(self.percent) < 0 or abs(sum(self.percent) - 100) > 1e-6:
            raise ParameterError(
                f"The shares of all letters must add up to 100 percent, not {sum(self.percent):g}."
            )

    @property
    def letter_names(self) -> tuple[str, ...]:
        return self.letters

    def fitted(
        self,
        class_mean: float,  # noqa: ARG002
        variance: float,  # noqa: ARG002
        estimate: Floats,  # noqa: ARG002
        digits: int | None = None,  # noqa: ARG002
    ) -> LetterShares:
        return self

    def of(self, reward: Floats) -> list[float | str | None]:
        known = np.sort(reward[~np.isnan(reward)])
        return [None if np.isnan(one) else self._letter(known, one) for one in reward]

    def _letter(self, known: Floats, one: float) -> str:
        """The letter for one of the *known* rewards, which are in ascending order."""
        above = (len(known) - int(np.searchsorted(known, one, side="right"))) / len(known)
        place = int(np.searchsorted(np.cumsum(self.percent) / 100, above, side="right"))
        return self.letters[min(place, len(self.letters) - 1)]

    def describe(self, reward: Floats, place: int) -> str:
        if np.isnan(reward[place]):
            return "no letter, because no review got a reward"
        known = np.sort(reward[~np.isnan(reward)])
        got = self._letter(known, float(reward[place]))
        better = int((known > reward[place]).sum())
        begin = sum(self.percent[: self.letters.index(got)])
        end = begin + self.percent[self.letters.index(got)]
        return (
            f"{got}: {better} of {len(known)} graders have a higher reward, and graders from the "
            f"best {begin:g} to {end:g} percent get {got}"
        )


@dataclass(frozen=True)
class LetterThresholds(PointsRule):
    """Letters by reward: each letter from a threshold on, the last one for all rewards below."""

    letters: tuple[str, ...]
    thresholds: tuple[float, ...]

    def __post_init__(self) -> None:
        _check_letters(self.letters)
        _check_finite("The thresholds of letters", self.thresholds)
        if list(self.thresholds) != sorted(set(self.thresholds), reverse=True):
            raise ParameterError(
                "Thresholds must decrease from letter to letter; put them in order."
            )

    @property
    def letter_names(self) -> tuple[str, ...]:
        return self.letters

    def fitted(
        self,
        class_mean: float,  # noqa: ARG002
        variance: float,  # noqa: ARG002
        estimate: Floats,  # noqa: ARG002
        digits: int | None = None,  # noqa: ARG002
    ) -> LetterThresholds:
        return self

    def of(self, reward: Floats) -> list[float | str | None]:
        return [None if np.isnan(one) else self._letter(float(one)) for one in reward]

    def _letter(self, reward: float) -> str:
        reached = zip(self.letters, self.thresholds, strict=False)
        return next((letter for letter, at in reached if reward >= at), self.letters[-1])

    def describe(self, reward: Floats, place: int) -> str:
        (got,) = self.of(reward[place : place + 1])
        if got is None:
            return "no letter, because no review got a reward"
        index = self.letters.index(str(got))
        if index == len(self.thresholds):
            return f"{got}: the reward is below {self.thresholds[-1]:g}"
        return f"{got}: the reward is {self.thresholds[index]:g} or more"


def _check_finite(what: str, values: Sequence[float]) -> None:
    """Raise an error if a number of a rule is infinite or too large, or is not a number."""
    wrong = [one for one in values if not abs(one) <= MAX_RULE_NUMBER]
    if wrong:
        raise ParameterError(
            f"{what} are numbers up to {MAX_RULE_NUMBER:g}, but {wrong[0]:g} was given."
        )


def _check_letters(letters: tuple[str, ...]) -> None:
    if len(set(letters)) < len(letters) or not all(letters):
        raise ParameterError("Name every letter once, the best first.")


def _check_ends(low: float | None, high: float | None) -> None:
    if low is not None and high is not None and low >= high:
        raise ParameterError("The reward for the floor must be below the reward for the ceiling.")


def _decimals(number: float) -> int:
    """Decimals that a number needs, up to twelve.

    >>> _decimals(-0.5), _decimals(4.0), _decimals(0.0625)
    (1, 0, 4)
    """
    return len(f"{number:.12f}".rstrip("0").partition(".")[2])
