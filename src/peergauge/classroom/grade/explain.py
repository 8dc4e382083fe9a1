"""Explanations of grades and points, in sentences whose numbers add up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.classroom.grade import GradedClass
from peergauge.core.text import counted, percent
from peergauge.tables import Reports, named

GRADE_DIGITS = 2

MAX_ORDER_DIGITS = 9
"""Decimals of numbers that decide about the order of reviews."""

NO_GRADE_SENTENCE = "This submission has no grade, because it has no review that counts."

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
    reviews = in_shown_order(
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
    if np.isnan(weight):
        weight = 0.0  # without any review, there is neither a grade nor a weight
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


def in_shown_order(reviews: Iterable[ReviewPart]) -> tuple[ReviewPart, ...]:
    """Reviews in the order in which students see them, the highest grade first.

    The order follows from the numbers that students see anyway. The rows of reports are in the
    order of the graders' names, from which an author could guess who wrote which review.
    """
    return tuple(sorted(reviews, key=shown_key))


def shown_key(review: ReviewPart) -> tuple[float, float, float]:
    """What reviews are sorted by for students: equal keys have equal printed numbers."""
    # The last digits depend on the order of sums, which is that of the graders' names.
    given, corrected, weight = (
        0.0 if math.isnan(one) else -round(one, MAX_ORDER_DIGITS)
        for one in (review.given, review.corrected, review.weight)
    )
    return given, corrected, weight


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
    return grade_sentences(
        explain_grade(graded, submission), graded.settings.level, plain=graded.grades.parts is None
    )


def grade_sentences(why: GradeExplanation, level: float, *, plain: bool) -> list[str]:
    """Explanation of a grade with an interval of this level; *plain* if reviews count as given."""
    digits = GRADE_DIGITS
    if why.staff is not None:
        return [f"Staff graded this submission, so the staff grade of {why.staff:g} is final."]
    if np.isnan(why.grade):
        return [NO_GRADE_SENTENCE]
    *parts, mean_part = rounded_to_sum(why.contributions)
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
        f"{percent(level)}, the mean that many more such peers would give lies "
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

    judged: float = float("nan")
    reference: float = float("nan")
    """The review as it is judged, and what it was compared with; NaN if the mechanism does not pay
    by a distance."""


class PointsExplanation(NamedTuple):
    """The parts that the points of a grader are made of.

    ``own_mean`` is the mean reward of the reviews of this run, minus the deduction; over the
    semester it is the mean of all reviews. ``estimate`` is ``own_mean`` times ``weight`` plus
    ``class_mean`` times the rest. All numbers are rounded as they are printed.
    """

    paid: tuple[PaidReview, ...]
    """Empty if the mechanism does not split rewards into reviews."""

    reviews: int
    """Number of rewarded reviews that points are for."""

    run_reviews: int
    run_mean: float
    """Number of rewarded reviews of this run, and their mean reward minus the deduction."""

    deduction: float
    """What is subtracted from the mean reward of the reviews of this run; 0 if nothing is."""

    earlier_reviews: int
    earlier_mean: float
    """Number of reviews in earlier runs that points are for, and their mean reward."""

    own_mean: float
    weight: float
    class_mean: float
    estimate: float
    digits: int
    """Decimals of all rewards."""

    points: str
    """The points in words, with the rule."""

    semester_points: float | str | None
    week_points: float | str | None
    """Points for all weeks so far and for this run alone; both None without an earlier run."""


def explain_points(graded: GradedClass, grader: int) -> PointsExplanation:
    """Explain the points of one grader."""
    payment, reports, estimated = graded.payment, graded.reports, graded.reward_per_review
    over_week = graded.settings.points_over == "week"
    earlier, earlier_mean = graded.earlier_rewards
    deduction, week = payment.deduction, payment.estimated
    counts = 0 if over_week else int(earlier[grader])
    continues = graded.earlier is not None
    return PointsExplanation(
        paid=_paid_reviews(graded, _rows_of(reports, grader)),
        reviews=int(estimated.reviews[grader]),
        run_reviews=int(week.reviews[grader]),
        run_mean=float(week.own_mean[grader]),
        deduction=0.0 if deduction is None else float(deduction[grader]),
        earlier_reviews=counts,
        earlier_mean=round(float(earlier_mean[grader]), payment.digits) if counts else float("nan"),
        own_mean=float(estimated.own_mean[grader]),
        weight=float(estimated.weight[grader]),
        class_mean=estimated.class_mean,
        estimate=float(estimated.estimate[grader]),
        digits=payment.digits,
        points=(
            graded.points_rule.describe(estimated.estimate, grader)
            if estimated.reviews[grader]
            else ""
        ),
        semester_points=graded.points_by_period["semester"][grader] if continues else None,
        week_points=graded.points_by_period["week"][grader] if continues else None,
    )


def _paid_reviews(graded: GradedClass, rows: NDArray[np.integer[Any]]) -> tuple[PaidReview, ...]:
    reports, each, compared = graded.reports, graded.payment.each, graded.payment.comparison
    if each is None:
        return ()
    found = []
    for row in rows:
        one = PaidReview(int(reports.submission[row]), float(reports.grade[row]), float(each[row]))
        if compared is not None:
            one = one._replace(
                judged=float(compared.judged[row]), reference=float(compared.reference[row])
            )
        found.append(one)
    return tuple(found)


def grader_sentences(graded: GradedClass, grader: int) -> list[str]:
    """Explanation of the points for the grader, with the names of the submissions."""
    why = explain_points(graded, grader)
    if not why.reviews:
        return [NO_REWARD_SENTENCE]
    submissions = np.array([one.submission for one in why.paid], dtype=np.int64)
    names = named(submissions, graded.reports.submission_names)
    rewards = reward_sentences(graded.mechanism.label, names, why)
    return [*rewards, *points_sentences(graded, why)]


def reward_sentences(
    mechanism: str, submissions: Sequence[Any], why: PointsExplanation
) -> list[str]:
    """The rewards of a grader's reviews with the names of the submissions, if reviews have any."""
    if not why.paid:
        return []
    rewards = ", ".join(
        f"{one.reward:.{why.digits}f} for {name}"
        for name, one in zip(submissions, why.paid, strict=True)
        if not np.isnan(one.reward)
    )
    return [f"Your rewards by {mechanism} are {rewards}."]


def points_sentences(
    graded: GradedClass, why: PointsExplanation, *, below_table: bool = False
) -> list[str]:
    """Explanation of how rewards become points; no submission is named.

    Below a table that ends with the mean reward, the mean is not told again.
    """
    return [
        *([] if below_table else _mean_sentences(graded, why)),
        *_distance_sentences(graded, why),
        f"With this number of reviews, your own mean has a weight of {percent(why.weight, 1)}, and "
        f"the mean of the class, {why.class_mean:.{why.digits}f}, has the rest. The result is "
        f"{why.estimate:.{why.digits}f}.",
        f"For this you get {why.points}.",
        *_period_sentences(graded, why),
    ]


def _mean_sentences(graded: GradedClass, why: PointsExplanation) -> list[str]:
    """The mean reward of the reviews that points are for."""
    digits, compared = why.digits, graded.payment.comparison
    reviews = counted(why.reviews, "review")
    if why.paid or why.earlier_reviews:
        sentences = [f"The mean over your {reviews} is {why.own_mean:.{digits}f}."]
    else:
        sentences = [
            f"Your {reviews} are rewarded together, with a mean of {why.own_mean:.{digits}f} per "
            "review."
        ]
    if why.earlier_reviews:
        earlier = counted(why.earlier_reviews, "review")
        sentences.insert(
            0, f"Earlier, you had {earlier} with a mean reward of {why.earlier_mean:.{digits}f}."
        )
    if compared is not None and why.deduction:
        sentences.insert(
            0,
            f"From the mean reward of your {counted(why.run_reviews, 'review')}, "
            f"{why.run_mean + why.deduction:.{digits}f}, {why.deduction:.{digits}f} is deducted, "
            f"{compared.deduction_words}: {why.run_mean:.{digits}f}.",
        )
    return sentences


def _distance_sentences(graded: GradedClass, why: PointsExplanation) -> list[str]:
    """The mean reward as a distance in grade points, if it is a squared distance."""
    if not graded.payment.pays_squared_distances:
        return []
    off, usual = grade_points_off(why.own_mean), grade_points_off(why.class_mean)
    return [
        f"In grade points, your reviews were {off:.2f} off on average, and those of the class "
        f"{usual:.2f} (the roots of the mean squares)."
    ]


def _period_sentences(graded: GradedClass, why: PointsExplanation) -> list[str]:
    """Which reviews the points are for, if there are earlier weeks."""
    if graded.earlier is None:
        return []
    if graded.settings.points_over == "week":
        other = _told(why.semester_points)
        return [
            f"These points are for {graded.period} alone. For your reviews of all weeks so far you "
            f"would get {other}."
        ]
    if why.week_points is None:
        return [f"These points are for {graded.period}, and replace the points of earlier weeks."]
    return [
        f"These points are for {graded.period}, and replace the points of earlier weeks. For this "
        f"week's reviews alone you would get {_told(why.week_points)}."
    ]


def _told(points: float | str | None) -> str:
    if points is None:
        return "no points"
    return points if isinstance(points, str) else f"{points:.2f} points"


def grade_points_off(mean_reward: float) -> float:
    """Root of the mean squared distance, in grade points, if a reward is minus its square.

    >>> grade_points_off(-0.25)
    0.5
    """
    return math.sqrt(max(-mean_reward, 0.0)) if not math.isnan(mean_reward) else math.nan


def _rows_of(reports: Reports, grader: int) -> NDArray[np.integer[Any]]:
    """Rows of one grader's reports, in the order of the reports."""
    rows, bounds, _ = reports.tasks
    found = [
        rows[bounds[group] : bounds[group + 1]]
        for group in range(grader, reports.assignments * reports.graders, reports.graders)
    ]
    return np.sort(np.concatenate(found))
