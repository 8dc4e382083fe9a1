"""Explanations of grades and points, in sentences whose numbers add up."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.classroom.grade import GradedClass
from peergauge.core.text import counted, percent
from peergauge.tables import Reports, named

GRADE_DIGITS = 2

NO_REWARD_SENTENCE = "None of your reviews could be rewarded, so no points can be computed."


# ---------------------------------------------------------------------------- grade of a submission


class ReviewPart(NamedTuple):
    """Contribution of one review to a grade."""

    grader: int
    given: float
    """The grade that the review gave."""

    corrected: float
    """The grade as it counts: corrected for leniency and for a difference from staff, and pulled in
    if it is far from the others."""

    weight: float
    contribution: float
    """Corrected grade times weight."""


class GradeExplanation(NamedTuple):
    """The parts that the grade of a submission is made of.

    The grade is the sum of the contributions of all reviews and of the mean of the class, truncated
    to the scale; or the staff grade.
    """

    grade: float
    low: float
    high: float
    reviews: tuple[ReviewPart, ...]
    class_mean: float
    class_mean_weight: float
    class_mean_contribution: float
    staff: float | None
    truncated: bool
    """Whether the sum lies beyond an end of the scale."""

    @property
    def contributions(self) -> list[float]:
        """Contributions of the reviews, and of the mean of the class."""
        return [*(one.contribution for one in self.reviews), self.class_mean_contribution]

    @property
    def total(self) -> float:
        """Sum of all contributions."""
        return self.class_mean_contribution + sum(one.contribution for one in self.reviews)


def explain_grade(graded: GradedClass, submission: int) -> GradeExplanation:
    """Explain the grade of one submission."""
    reports, grades = graded.reports, graded.grades
    rows = range(reports.submission_bounds[submission], reports.submission_bounds[submission + 1])
    reviews = tuple(
        ReviewPart(
            int(reports.grader[row]),
            float(reports.grade[row]),
            float(grades.value[row]),
            float(grades.weight[row]),
            float(grades.value[row] * grades.weight[row]),
        )
        for row in rows
    )
    assignment = reports.assignment[rows[0]] if rows else 0
    mean, weight = (
        float(grades.prior_mean[assignment]),
        float(grades.prior_weight[submission]),
    )
    low, high = graded.interval
    staff = grades.staff[submission]
    grade = float(grades.score[submission])
    total = mean * weight + sum(review.contribution for review in reviews)
    return GradeExplanation(
        grade, float(low[submission]), float(high[submission]), reviews, mean, weight,
        mean * weight,
        None if np.isnan(staff) else float(staff),
        bool(np.isnan(staff)) and abs(total - grade) > 1e-9,
    )  # fmt: skip


def rounded_to_sum(parts: list[float], digits: int = GRADE_DIGITS) -> list[float]:
    """Round parts so that they add up to their rounded sum (largest remainder method).

    >>> rounded_to_sum([0.333, 0.333, 0.334])
    [0.33, 0.33, 0.34]
    >>> rounded_to_sum([1.256, 2.256, 3.256])
    [1.26, 2.26, 3.25]
    """
    unit = 10.0**digits
    rounded: NDArray[np.int64] = np.floor(np.array(parts) * unit + 1e-9).astype(np.int64)
    remainder = np.array(parts) * unit - rounded
    missing = round(sum(parts) * unit) - int(rounded.sum())
    # Among equal remainders the first are rounded up, so that equal parts are rounded alike.
    up = np.argsort(-np.round(remainder, 6), kind="stable")[: max(missing, 0)]
    rounded[up] += 1
    return [float(one / unit) for one in rounded]


def author_sentences(graded: GradedClass, submission: int) -> list[str]:
    """Explanation of a grade for the author; reviews are numbered, and graders are not named."""
    why = explain_grade(graded, submission)
    digits = GRADE_DIGITS
    if why.staff is not None:
        return [f"Staff graded this submission, so the staff grade of {why.staff:g} is final."]
    *parts, mean_part = rounded_to_sum(why.contributions)
    plain = graded.grades.parts is None
    reviews = [
        f"Review {number} gave {review.given:g}. "
        + ("" if plain else f"Corrected for leniency, it counts as {review.corrected:.{digits}f}. ")
        + f"It has a weight of {percent(review.weight, 1)} and contributes {part:.{digits}f}."
        for number, (review, part) in enumerate(zip(why.reviews, parts, strict=True), 1)
    ]
    mean = (
        [
            f"The mean of the class, {why.class_mean:.{digits}f}, has a weight of "
            f"{percent(why.class_mean_weight, 1)} and contributes {mean_part:.{digits}f}."
        ]
        if why.class_mean_weight > 0
        else []
    )
    total = f"{sum([*parts, mean_part]):.{digits}f}"
    return [
        f"The grade is {why.grade:.{digits}f}. With a probability of "
        f"{percent(graded.settings.level)}, the mean that many more such peers would give lies "
        f"between {why.low:.{digits}f} and {why.high:.{digits}f}.",
        *reviews,
        *mean,
        f"The sum is {total}"
        + (
            f", which is beyond the scale, so the grade is {why.grade:g}." if why.truncated else "."
        ),
    ]


# ------------------------------------------------------------------------------- points of a grader


class PaidReview(NamedTuple):
    """Reward of one review."""

    submission: int
    given: float
    reward: float
    """NaN if the review could not be rewarded."""


class PointsExplanation(NamedTuple):
    """The parts that the points of a grader are made of.

    ``estimate`` is ``own_mean`` times ``weight`` plus ``class_mean`` times the rest.
    """

    paid: tuple[PaidReview, ...]
    """Empty if the mechanism does not split rewards into reviews."""

    reviews: int
    """Number of rewarded reviews, including earlier ones."""

    earlier_reviews: int
    earlier_mean: float
    """Number of reviews in earlier runs, and their mean reward."""

    own_mean: float
    weight: float
    class_mean: float
    estimate: float
    points: str
    """The points in words, with the rule."""


def explain_points(graded: GradedClass, grader: int) -> PointsExplanation:
    """Explain the points of one grader."""
    estimated, reports, each = graded.reward_per_review, graded.reports, graded.rewards.each
    rows = _rows_of(reports, grader) if each is not None else ()
    estimate, (earlier, earlier_mean) = estimated.estimate, graded.earlier_rewards
    return PointsExplanation(
        tuple(
            PaidReview(int(reports.submission[row]), float(reports.grade[row]), float(each[row]))
            for row in rows
            if each is not None
        ),
        int(estimated.reviews[grader]),
        int(earlier[grader]),
        float(earlier_mean[grader]),
        float(estimated.own_mean[grader]),
        float(estimated.weight[grader]),
        estimated.class_mean,
        float(estimate[grader]),
        graded.points_rule.describe(estimate, grader) if estimated.reviews[grader] else "",
    )


def grader_sentences(graded: GradedClass, grader: int) -> list[str]:
    """Explanation of the points for the grader, with the names of the submissions."""
    why = explain_points(graded, grader)
    if not why.reviews:
        return [NO_REWARD_SENTENCE]
    sentences = []
    if why.paid:
        submissions = np.array([one.submission for one in why.paid])
        names = named(submissions, graded.reports.submission_names)
        rewards = ", ".join(
            f"{one.reward:.3f} for {name}"
            for name, one in zip(names, why.paid, strict=True)
            if not np.isnan(one.reward)
        )
        sentences.append(f"Your rewards by {graded.mechanism.label} are {rewards}.")
    return [*sentences, *points_sentences(why)]


def points_sentences(why: PointsExplanation) -> list[str]:
    """Explanation of how rewards become points; no submission is named."""
    earlier = (
        [
            f"Earlier, you had {counted(why.earlier_reviews, 'review')} with a mean reward of "
            f"{why.earlier_mean:.3f}."
        ]
        if why.earlier_reviews
        else []
    )
    return [
        *earlier,
        f"The mean over your {counted(why.reviews, 'review')} is {why.own_mean:.3f}.",
        f"With this number of reviews, your own mean has a weight of {percent(why.weight, 1)}, and "
        f"the mean of the class, {why.class_mean:.3f}, has the rest. The result is "
        f"{why.estimate:.3f}.",
        f"For this you get {why.points}.",
    ]


def _rows_of(reports: Reports, grader: int) -> NDArray[np.integer[Any]]:
    """Rows of one grader's reports, in the order of the reports."""
    rows, bounds, _ = reports.tasks
    found = [
        rows[bounds[group] : bounds[group + 1]]
        for group in range(grader, reports.assignments * reports.graders, reports.graders)
    ]
    return np.sort(np.concatenate(found))
