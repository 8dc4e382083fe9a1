"""Why: each grade as a sum of what went into it, in words whose numbers add up."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.classroom.grade import Graded
from peergauge.core.arrays import Floats
from peergauge.core.text import counted, percent
from peergauge.tables import Reports, named

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
    level = percent(graded.settings.level)
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
            f"grader's leniency is taken off, counts for {percent(review.weight, 1)}, and adds "
            f"{adds:.{DIGITS}f}."
        )
    lines.append(
        f"The mean of the class, {why.mean:.{DIGITS}f}, counts for "
        f"{percent(why.mean_weight, 1)} and adds {parts[-1]:.{DIGITS}f}."
    )
    total = f"{sum(parts):.{DIGITS}f}"
    lines.append(
        f"Together that is {total}"
        + (f", and {why.grade:g} is the end of the scale." if why.cut else ".")
    )
    return lines


class Paid(NamedTuple):
    """What one review earned its grader."""

    submission: int
    said: float
    earned: float
    """NaN for a review that could not be paid."""


class Grader(NamedTuple):
    """What a grader's points are made of.

    ``estimate`` is ``own`` times ``weight`` and ``average`` for the rest.
    """

    paid: tuple[Paid, ...]
    """Empty where the mechanism does not say what each review adds."""

    reviews: int
    """How many reviews could be paid, earlier ones among them."""

    before: int
    before_each: float
    """How many were paid earlier, and what each earned."""

    own: float
    weight: float
    average: float
    estimate: float
    points: str
    """What that makes, in words."""


def grader(graded: Graded, place: int) -> Grader:
    """What one grader's points are made of."""
    earned, reports, each = graded.earned, graded.reports, graded.rewards.each
    rows = _rows_of(reports, place) if each is not None else ()
    estimate, (before, before_each) = earned.estimate, graded.earned_before
    return Grader(
        tuple(
            Paid(int(reports.submission[row]), float(reports.grade[row]), float(each[row]))
            for row in rows
            if each is not None
        ),
        int(earned.reviews[place]),
        int(before[place]),
        float(before_each[place]),
        float(earned.own[place]),
        float(earned.weight[place]),
        earned.average,
        float(estimate[place]),
        graded.points_map.words(estimate, place) if earned.reviews[place] else "",
    )


def words_for_grader(graded: Graded, place: int) -> list[str]:
    """Why a grader has their points, in sentences whose numbers add up."""
    why = grader(graded, place)
    if not why.reviews:
        return ["No review of yours could be paid, so there is nothing to be told from."]
    lines = []
    if why.paid:
        places = np.array([one.submission for one in why.paid])
        names = named(places, graded.reports.submission_names)
        told = ", ".join(
            f"{one.earned:.3f} for {name}"
            for name, one in zip(names, why.paid, strict=True)
            if not np.isnan(one.earned)
        )
        lines.append(f"By {graded.mechanism.label} your reviews earned {told}.")
    return [*lines, *averaged(why)]


def averaged(why: Grader) -> list[str]:
    """How what reviews earned becomes points; no review is named."""
    earlier = (
        [f"Earlier, {counted(why.before, 'review')} earned {why.before_each:.3f} each."]
        if why.before
        else []
    )
    return [
        *earlier,
        f"On average that is {why.own:.3f}, from {counted(why.reviews, 'review')}.",
        f"With so many reviews your own average counts for {percent(why.weight, 1)}, and that of "
        f"the class, {why.average:.3f}, for the rest: {why.estimate:.3f}.",
        f"That makes {why.points}.",
    ]


def _rows_of(reports: Reports, place: int) -> NDArray[np.integer[Any]]:
    """The rows of one grader's reports, in their order."""
    rows, bounds, _ = reports.tasks
    found = [
        rows[bounds[group] : bounds[group + 1]]
        for group in range(place, reports.assignments * reports.graders, reports.graders)
    ]
    return np.sort(np.concatenate(found))


def corrected(graded: Graded, grade: Floats) -> Floats:
    """Grades less the biases of those who gave them, for charts."""
    reports = graded.reports
    return np.asarray(grade - reports.of_graders(graded.posterior.bias))
