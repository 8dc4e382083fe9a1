"""Guessing a scale from grades: its ends, typing errors, and grades in two units.

Every function looks at the distinct grades and their frequencies only, so that a million reviews
cost no more than a hundred.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from peergauge.core.arrays import Bools, Floats, Ints
from peergauge.core.lazy import pl

COMMON_ENDS = (1.0, 5.0, 10.0, 20.0, 100.0)
"""Highest grades that are so common that they need no further evidence."""

USUAL_ENDS = (1, 2, 3, 4, 5, 6, 7, 10, 12, 15, 20, 25, 30, 40, 50, 60, 100)
"""Usual highest grades up to 100; above, the same leading digits are usual."""

ROUND_ENDS = (15, 25, 30, 40, 50, 60)
"""Highest grades that are clear if several reviews reach them."""

UNUSUAL_ENDS = (8, 16, 18, 80)
"""Highest grades that are possible if so many reviews have them that none higher can exist."""

MIN_SHARE_AT_CROWDED_TOP, MIN_REVIEWS_AT_CROWDED_TOP = 0.25, 100
"""Share of reviews with the highest grade, and number of reviews, that make any grade the end."""

GRADE_STEPS = (1.0, 0.5, 0.25, 0.2, 0.1)
"""Usual steps of grades; finer grades count as continuous."""

MIN_REVIEWS_FOR_LOWEST_ONE = 30
"""Number of reviews without a 0 from which on a scale is guessed to begin at 1."""

MIN_REVIEWS_AT_TOP, MIN_SHARE_AT_TOP = 10, 0.1
"""Number and share of reviews with the highest grade that show that no higher grade exists."""

MIN_REVIEWS_AT_ROUND_TOP = 3
"""Number of reviews with a round highest grade that show that no higher grade exists."""

MAX_TYPO_SHARE = 0.05
"""Largest share of reviews that can be typing errors."""

NO_ANSWER_CODES = (88, 99, 888, 999, 9999, -1, -9, -99, -999)
"""Numbers by which surveys say that there is no answer."""

MAX_NO_ANSWER_SHARE = 0.3
"""Largest share of reviews that can be codes for no answer."""

MIN_REVIEWS_FOR_NEAR_TYPO = 20
"""Number of reviews from which on a grade less than four times too high is suspected."""

MIN_REVIEWS_FOR_NEGATIVE_TYPO = 8
"""Number of reviews from which on a single negative grade is suspected."""

MIN_REVIEWS_OF_A_UNIT, MIN_SHARE_OF_A_UNIT = 3, 0.03
"""Number and share of reviews from which on grades can be in a unit of their own."""

MIN_RATIO_OF_GAPS = 1.2
"""Smallest ratio of the gap between two units to the gaps between grades in one unit."""

MIN_RATIO_OF_UNITS = 4.0
"""Smallest ratio between the ends of two scales that are in use side by side."""


class Spread(NamedTuple):
    """The distinct grades in ascending order, and how often each was given."""

    values: Floats
    counts: Ints

    @classmethod
    def of(cls, scores: pl.Series) -> Spread:
        """The spread of a column of grades without nulls."""
        found = scores.to_frame("value").group_by("value").len().sort("value")
        return cls(found["value"].to_numpy(), found["len"].to_numpy().astype(np.int64))

    @property
    def reviews(self) -> int:
        """The number of reviews."""
        return int(self.counts.sum())

    @property
    def highest(self) -> float:
        """The highest grade that was given."""
        return float(self.values[-1])

    @property
    def whole(self) -> bool:
        """Whether all grades are whole numbers."""
        return bool((self.values == np.rint(self.values)).all())

    @property
    def ends_abruptly(self) -> bool:
        """Whether so many reviews have the highest grade that a higher one cannot exist."""
        top = int(self.counts[-1])
        return top >= MIN_REVIEWS_AT_TOP and top >= MIN_SHARE_AT_TOP * self.reviews

    def where(self, kept: Bools) -> Spread:
        """The grades that a mask selects."""
        return Spread(self.values[kept], self.counts[kept])

    def middle(self) -> float:
        """The median grade."""
        half = np.searchsorted(np.cumsum(self.counts), (self.reviews + 1) / 2)
        return float(self.values[half])


class Ends(NamedTuple):
    """A guess of the ends of a scale."""

    lowest: float
    highest: float
    others: tuple[float, ...] = ()
    """Other possible highest grades; empty if the evidence is clear."""

    why: str = ""
    """The evidence."""


class Units(NamedTuple):
    """Grades in two units, such as 8 (out of 10) beside 80 (out of 100)."""

    small: float
    """The highest grade in the smaller unit."""

    large: float
    """The highest grade in the larger unit."""

    within: Floats
    """The grades in the smaller unit."""


def usual_ends(at_least: float) -> list[float]:
    """Usual highest grades in ascending order, the first of them at least as high as a grade.

    >>> usual_ends(8)[:3], usual_ends(93)[:2], usual_ends(130)[:3]
    ([10.0, 12.0, 15.0], [100.0, 120.0], [150.0, 200.0, 250.0])
    """
    power = 1.0
    ends = [float(one) for one in USUAL_ENDS]
    while ends[-1] < 4 * at_least:
        power *= 10
        ends += [power * one for one in USUAL_ENDS[USUAL_ENDS.index(10) + 1 :]]
    return [one for one in ends if one >= at_least]


MIN_REVIEWS_ON_USUAL_FROM_ONE = 12
"""The same for scales up to 5 and 7, which usually begin at 1."""


def guessed_ends(spread: Spread, *, lowest_is_best: bool = False) -> Ends:
    """Guess the ends of the scale of some grades without typing errors."""
    high, low = spread.highest, float(spread.values[0])
    if lowest_is_best and low >= 1:
        return _school_grades(spread)
    highest, others, why = _highest_of(spread)
    start = 0.0 if low >= 0 else float(np.floor(low))
    if low < 0 and start == -high:
        return Ends(start, high, (), f"the grades lie between {low:g} and {high:g}")
    many = spread.reviews >= (
        MIN_REVIEWS_ON_USUAL_FROM_ONE if highest in (5, 7) else MIN_REVIEWS_FOR_LOWEST_ONE
    )
    if low == 1 and high <= 10 and many and spread.whole:
        # If many graded and nobody gave 0, it probably could not be given.
        start = 1.0
    if start >= highest:
        highest = start + 1
    return Ends(start, highest, others, why)


def _school_grades(spread: Spread) -> Ends:
    """The ends of a scale on which 1 is best: 1..6 at school, 1..5 at many universities."""
    high = spread.highest
    thirds = np.isin(np.round(spread.values % 1, 2), (0.3, 0.7)).any()
    if high > 6:
        highest = usual_ends(high)[0]
        return Ends(1.0, highest, (), f"the highest grade is {high:g}")
    if high > 5:
        return Ends(1.0, 6.0, (), "1 is the best grade, and grades go up to 6")
    if thirds:
        return Ends(1.0, 5.0, (), "grades such as 1.3 and 1.7 are given on 1..5")
    return Ends(1.0, 6.0, (5.0,), f"1 is the best grade, and the highest is {high:g}")


def _highest_of(spread: Spread) -> tuple[float, tuple[float, ...], str]:
    """The most likely highest grade, other possible ones, and the evidence."""
    high, top = spread.highest, int(spread.counts[-1])
    told = f"the highest grade is {high:g}, in {top} of {spread.reviews} reviews"
    if high <= 1:
        return 1.0, (), told
    ends = usual_ends(high)
    if high in COMMON_ENDS:
        return high, (), told
    crowded = top >= MIN_SHARE_AT_CROWDED_TOP * spread.reviews
    if high == int(high) and crowded and spread.reviews >= MIN_REVIEWS_AT_CROWDED_TOP:
        return high, (), told
    if ends[0] == high:
        clear = spread.ends_abruptly or (high in ROUND_ENDS and top >= MIN_REVIEWS_AT_ROUND_TOP)
        if clear:
            return high, (), told
    elif ends[0] in COMMON_ENDS:
        unusual = spread.ends_abruptly and high in UNUSUAL_ENDS
        return ends[0], (high,) if unusual else (), told
    common = next((place for place, end in enumerate(ends) if end in COMMON_ENDS), 2)
    possible = [end for end in ends[: common + 1] if end <= max(2 * high, ends[0])][:4]
    if ends[0] == high and high in (2.0, *ROUND_ENDS):
        likely = high
    else:
        likely = next((end for end in possible if end in COMMON_ENDS), possible[0])
    return likely, tuple(end for end in possible if end != likely), told


def typos_in(spread: Spread) -> Floats:
    """Grades that are probably typing errors: few, and far from a usual scale of all others."""
    none = np.empty(0)
    reviews = spread.reviews
    if reviews < 3:
        return none
    few = max(1, math.ceil(MAX_TYPO_SHARE * reviews))
    codes = np.isin(spread.values, NO_ANSWER_CODES)
    below = (spread.values < 0) & (reviews >= MIN_REVIEWS_FOR_NEGATIVE_TYPO)
    most = MAX_NO_ANSWER_SHARE * reviews if codes[below].all() else few
    wrong = below if 0 < spread.counts[below].sum() <= most else np.zeros_like(below)
    rest = spread.where(~wrong)
    for end in usual_ends(0):
        above = rest.values > end
        number = int(rest.counts[above].sum())
        if not number:
            break
        coded = np.isin(rest.values[above], NO_ANSWER_CODES).all()
        far = coded and rest.values[above][0] >= 4 * end
        most = MAX_NO_ANSWER_SHARE * reviews if far else few
        if number <= most and _stand_out(rest, end, number):
            return np.concatenate([spread.values[wrong], rest.values[above]])
    return spread.values[wrong]


def _stand_out(spread: Spread, end: float, number: int) -> bool:
    """Whether the few grades above an end do not belong to the same scale as the others."""
    inside = spread.values <= end
    first = float(spread.values[~inside][0])
    last, reached = float(spread.values[inside][-1]), int(spread.counts[inside][-1])
    many = spread.reviews >= MIN_REVIEWS_FOR_NEAR_TYPO
    if end < 4 and (not many or spread.where(inside).whole):
        return False  # few steps say little about where a scale ends
    if first >= 4 * end:
        return True
    if not many:
        return False
    if first >= 2 * end or (end not in ROUND_ENDS and first >= 1.5 * end and reached > number):
        return True
    if end not in COMMON_ENDS:
        return False
    if end < 20:
        return last == end and reached >= max(5, 4 * number)
    return last >= 0.8 * end


def units_in(spread: Spread) -> Units | None:
    """Find two groups of grades in different units; None if all can be on one scale."""
    least = max(MIN_REVIEWS_OF_A_UNIT, MIN_SHARE_OF_A_UNIT * spread.reviews)
    for small in (1.0, 5.0, 10.0, 20.0):
        lower = (spread.values > 0) & (spread.values <= small)
        upper = spread.values > small
        if spread.counts[lower].sum() < least or spread.counts[upper].sum() < least:
            continue
        below, above = spread.where(lower), spread.where(upper)
        large = guessed_ends(above).highest
        if large / small < MIN_RATIO_OF_UNITS or not _are_apart(below, above, small):
            continue
        as_large = below.middle() * large / small
        if above.values[0] / 2 <= as_large <= 1.5 * above.highest:
            return Units(small, large, below.values)
    return None


def graders_in_units(lows: Floats, highs: Floats, counts: Ints) -> tuple[float, Bools] | None:
    """Find the few graders who use a larger unit than all others; None if there are none.

    Parameters
    ----------
    lows, highs, counts
        The lowest and the highest grade of each grader, and the number of grades.

    Returns
    -------
    The highest grade in the smaller unit, and a mask of the graders with the larger one.
    """
    for end in COMMON_ENDS:
        larger = (lows > end) & (counts >= MIN_REVIEWS_OF_A_UNIT)
        within = highs <= end
        if not larger.any() or not (larger | within).all() or larger.sum() > within.sum():
            continue
        if usual_ends(float(highs[larger].max()))[0] / end >= MIN_RATIO_OF_UNITS:
            return end, larger
    return None


def _are_apart(below: Spread, above: Spread, small: float) -> bool:
    """Whether no grade lies between two groups of grades, as if each had a unit of its own."""
    gap = above.values[0] / below.highest
    if small == 1:
        fractions = below.values[below.values != np.rint(below.values)]
        return bool(
            (gap >= 4 and len(fractions) >= 1)
            or (len(fractions) >= 3 and above.whole and above.values[0] >= 2)
        )
    # Grades in steps of four or five have such a ratio, too, but no wider gap than elsewhere.
    inside = np.diff(above.values).max(initial=0.0)
    if above.values[0] - below.highest < MIN_RATIO_OF_GAPS * inside:
        return False
    share = below.reviews / (below.reviews + above.reviews)
    return bool(gap >= 3 or (gap >= 2 and share >= 0.1))


def step_of(scores: pl.Series, start: float) -> float | None:
    """The largest usual step of grades that begin at *start*; None if they are continuous."""
    steps_from = scores.unique().to_numpy() - start
    for step in GRADE_STEPS:
        steps = steps_from / step
        if np.abs(steps - np.rint(steps)).max(initial=0.0) <= 1e-6:
            return step
    return None
