"""The numbers behind a grader's points as pages print them.

Every printed number follows from the numbers printed before it: the reward of a review from its
difference, the mean from the rewards, the result from the mean, and the points from the result.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.explain import PointsExplanation, grade_points_off
from peergauge.classroom.grade.payment import reference_digits
from peergauge.core.text import counted
from peergauge.mechanisms.priors import without_prior

NOTHING_SHOWN = "–"


class ShownReview(NamedTuple):
    """One review in the table behind a grader's points."""

    submission: int
    given: str
    counted_as: str
    """The grade that was given minus the leniency of the grader, if leniency is forgiven."""

    compared_with: str
    difference: str
    reward: str


class ShownMean(NamedTuple):
    """One line below the reviews: a mean reward, or what is deducted from it."""

    label: str
    reward: str


class ShownPoints(NamedTuple):
    """The table behind a grader's points."""

    how: str
    """How reviews are rewarded, in a sentence or two."""

    compares: bool
    corrects: bool
    """Whether reviews are compared with a reference, and whether leniency is subtracted before."""

    reviews: tuple[ShownReview, ...]
    means: tuple[ShownMean, ...]
    """The last one is the mean of all reviews that points are for."""

    weight: str
    class_mean: str
    estimate: str
    off: str
    """Sentence on the mean distance in grade points; empty if rewards are no squared distances."""


def shown_points(graded: GradedClass, why: PointsExplanation) -> ShownPoints:
    """The explanation of a grader's points in printed numbers."""
    payment, digits = graded.payment, why.digits
    compared = payment.comparison
    corrects = compared is not None and graded.forgives_leniency is True
    return ShownPoints(
        how=how_rewarded(graded),
        compares=compared is not None,
        corrects=corrects,
        reviews=_reviews(graded, why, corrects=corrects),
        means=_means(why),
        weight=f"{100 * why.weight:.1f}",
        class_mean=f"{why.class_mean:.{digits}f}",
        estimate=f"{why.estimate:.{digits}f}",
        off=_off(graded, why),
    )


def how_rewarded(graded: GradedClass) -> str:
    """How the mechanism rewards reviews, and whether this can be computed again."""
    label, compared = without_prior(graded.mechanism).label, graded.payment.comparison
    if compared is None:
        what = "reviews one by one" if graded.payment.each is not None else "all reviews together"
        return (
            f"{label} rewards {what}, but not by the distance to a number, so that the rewards "
            "cannot be computed again from the numbers on this page alone."
        )
    first = ""
    if graded.forgives_leniency:
        first = "The estimated leniency of a grader is subtracted from each grade first. "
    last = ""
    if compared.deduction_words:
        last = f" Something may be deducted from the mean, {compared.deduction_words}."
    return (
        f"{first}{label} compares each review with {compared.reference_words}. The reward is "
        f"{compared.formula}.{last}"
    )


def _reviews(
    graded: GradedClass, why: PointsExplanation, *, corrects: bool
) -> tuple[ShownReview, ...]:
    decimals = reference_digits(graded.reports.scale)
    return tuple(
        ShownReview(
            one.submission,
            trimmed(one.given, decimals),
            _number(one.judged, decimals) if corrects else "",
            _number(one.reference, decimals),
            _number(one.judged - one.reference, decimals, "+"),
            _number(one.reward, why.digits),
        )
        for one in why.paid
    )


def _means(why: PointsExplanation) -> tuple[ShownMean, ...]:
    def line(label: str, value: float) -> ShownMean:
        return ShownMean(label, _number(value, why.digits))

    lines = []
    here, minus_it = counted(why.run_reviews, "review"), ""
    if why.deduction:
        minus_it = ", minus the deduction"
        lines.append(line(f"Mean of {here}", why.run_mean + why.deduction))
        lines.append(line("Deduction", -why.deduction))
    if why.earlier_reviews:
        if why.run_reviews:
            lines.append(line(f"Mean of {here} of this run{minus_it}", why.run_mean))
        lines.append(
            line(f"Mean of {counted(why.earlier_reviews, 'earlier review')}", why.earlier_mean)
        )
        minus_it = ""
    both = f"all {counted(why.reviews, 'review')}" if why.reviews > 1 else "1 review"
    lines.append(line(f"Mean of {both}{minus_it}", why.own_mean))
    return tuple(lines)


def _off(graded: GradedClass, why: PointsExplanation) -> str:
    if not graded.payment.pays_squared_distances:
        return ""
    return (
        f"In grade points, these reviews were {grade_points_off(why.own_mean):.2f} off on average, "
        f"and those of the class {grade_points_off(why.class_mean):.2f} (the roots of the mean "
        "squares)."
    )


def trimmed(number: float, decimals: int) -> str:
    """A number rounded to some decimals, without zeros at its end.

    >>> trimmed(8.0, 3), trimmed(7.33333, 3), trimmed(70.0, 2), trimmed(-0.0, 2)
    ('8', '7.333', '70', '0')
    """
    text = f"{round(number, decimals) + 0.0:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _number(value: float, decimals: int, sign: str = "") -> str:
    """A number with its decimals; a dash for what is not there."""
    if math.isnan(value):
        return NOTHING_SHOWN
    return f"{round(value, decimals) + 0.0:{sign}.{decimals}f}"
