"""Why: each grade as a sum of what went into it, in words whose numbers add up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.grading import Graded
from peergauge.grouping import Floats
from peergauge.naming import counted
from peergauge.tables import named

DIGITS = 2


class Review(NamedTuple):
    """What one review adds to a grade."""

    grader: int
    said: float
    """The grade that was given."""

    value: float
    """What it comes to without its grader's leniency."""

    weight: float
    """Its share in the grade."""

    adds: float
    """Value times weight."""


class Submission(NamedTuple):
    """What the grade of a submission is made of.

    ``grade`` is the sum of what the reviews and the class's mean add, cut at the ends of the scale;
    or what staff gave.
    """

    grade: float
    low: float
    high: float
    reviews: tuple[Review, ...]
    mean: float
    mean_weight: float
    mean_adds: float
    staff: float | None
    cut: bool
    """Whether the sum lies beyond an end of the scale."""

    @property
    def total(self) -> float:
        """What everything adds up to."""
        return self.mean_adds + sum(review.adds for review in self.reviews)


def submission(graded: Graded, place: int) -> Submission:
    """What the grade of one submission is made of."""
    reports, posterior = graded.reports, graded.posterior
    rows = range(reports.submission_bounds[place], reports.submission_bounds[place + 1])
    reviews = tuple(
        Review(
            int(reports.grader[row]),
            float(reports.grade[row]),
            float(posterior.value[row]),
            float(posterior.weight[row]),
            float(posterior.value[row] * posterior.weight[row]),
        )
        for row in rows
    )
    assignment = reports.assignment[rows[0]] if rows else 0
    mean, weight = float(posterior.prior_mean[assignment]), float(posterior.prior_weight[place])
    low, high = graded.bounds
    staff = posterior.staff[place]
    grade = float(posterior.score[place])
    total = mean * weight + sum(review.adds for review in reviews)
    return Submission(
        grade, float(low[place]), float(high[place]), reviews, mean, weight, mean * weight,
        None if np.isnan(staff) else float(staff),
        bool(np.isnan(staff)) and abs(total - grade) > 1e-9,
    )  # fmt: skip


def adding_up(parts: list[float], digits: int = DIGITS) -> list[float]:
    """Parts rounded so that they add up to their rounded sum: those with most left go up.

    >>> adding_up([0.333, 0.333, 0.334])
    [0.33, 0.33, 0.34]
    >>> adding_up([1.256, 2.256, 3.256])
    [1.26, 2.26, 3.25]
    """
    unit = 10.0**digits
    down: NDArray[np.int64] = np.floor(np.array(parts) * unit + 1e-9).astype(np.int64)
    left = np.array(parts) * unit - down
    missing = round(sum(parts) * unit) - int(down.sum())
    # Of equal ones the first go up, so that the same parts are always rounded alike.
    up = np.argsort(-np.round(left, 6), kind="stable")[: max(missing, 0)]
    down[up] += 1
    return [float(one / unit) for one in down]


def words_for_author(graded: Graded, place: int) -> list[str]:
    """Why a submission has its grade, for its author: reviews are numbered, and nobody is named."""
    why = submission(graded, place)
    level = f"{graded.settings.level:.0%}"
    between = f"{why.low:.{DIGITS}f} to {why.high:.{DIGITS}f}"
    if why.staff is not None:
        return [f"Staff graded this submission, and their {why.staff:g} is the grade."]
    parts = adding_up([*(review.adds for review in why.reviews), why.mean_adds])
    lines = [
        f"The grade is {why.grade:.{DIGITS}f}. With a probability of {level}, the true one lies "
        f"between {between.replace(' to ', ' and ')}."
    ]
    for number, (review, adds) in enumerate(zip(why.reviews, parts, strict=False), 1):
        lines.append(
            f"Review {number} said {review.said:g}. It comes to {review.value:.{DIGITS}f} when its "
            f"grader's leniency is taken off, counts for {review.weight:.1%}, and adds "
            f"{adds:.{DIGITS}f}."
        )
    lines.append(
        f"The mean of the class, {why.mean:.{DIGITS}f}, counts for {why.mean_weight:.1%} and adds "
        f"{parts[-1]:.{DIGITS}f}."
    )
    total = f"{sum(parts):.{DIGITS}f}"
    lines.append(
        f"Together that is {total}"
        + (f", and {why.grade:g} is the end of the scale." if why.cut else ".")
    )
    return lines


def words_for_grader(graded: Graded, place: int) -> list[str]:
    """Why a grader has their points, in sentences whose numbers add up."""
    earned = graded.earned
    reviews = int(earned.reviews[place])
    if not reviews:
        return ["No review of yours could be paid, so there is nothing to be told from."]
    each = graded.rewards.each
    own, weight = float(earned.own[place]), float(earned.weight[place])
    lines = []
    if each is not None:
        rows = np.flatnonzero(graded.reports.grader == place)
        names = named(graded.reports.submission[rows], graded.reports.submission_names)
        told = ", ".join(
            f"{value:.3f} for {name}"
            for name, value in zip(names, each[rows], strict=True)
            if not np.isnan(value)
        )
        lines.append(f"By {graded.mechanism.label} your reviews earned {told}.")
    if graded.earlier is not None:
        before, average = (one[place] for one in graded.earlier.earned_before(graded.reports))
        if before:
            lines.append(f"Earlier, {counted(int(before), 'review')} earned {average:.3f} each.")
    estimate = float(earned.estimate[place])
    lines += [
        f"On average that is {own:.3f}, from {counted(reviews, 'review')}.",
        f"With so many reviews your own average counts for {weight:.1%}, and that of the class, "
        f"{earned.average:.3f}, for the rest: {estimate:.3f}.",
        f"That makes {graded.points_map.words(earned.estimate, place)}.",
    ]
    return lines


def corrected(graded: Graded, grade: Floats) -> Floats:
    """Grades less the biases of those who gave them, for charts."""
    reports = graded.reports
    return np.asarray(grade - reports.of_graders(graded.posterior.bias))
