"""Rows of the table of grades: each submission with its grade, and how it was computed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.class_groups import ClassGroups
from peergauge.classroom.grade.explain import GRADE_DIGITS, explain_grade, rounded_to_sum
from peergauge.classroom.grade.rounding import as_text
from peergauge.classroom.grade.tables import mark_sentences
from peergauge.core.arrays import Floats
from peergauge.pages.review_comments import ReviewComments


class GradePart(NamedTuple):
    """One line of the explanation of a grade, as it is shown."""

    label: str
    given: str
    corrected: str
    weight: str
    contribution: str


class ShownExplanation(NamedTuple):
    """Explanation of a grade, in rounded numbers that add up."""

    parts: tuple[GradePart, ...]
    total: str
    truncated: bool
    staff: str


class GradeRow(NamedTuple):
    """One submission in the table of grades."""

    place: int
    submission: str
    assignment: str
    authors: str
    section: str
    part: int
    grade: float
    low: float
    high: float
    mean: float
    median: float
    reviews: int
    staff: float | None
    staff_interval: tuple[float, float] | None
    """Interval for the staff grade; None if it cannot be given."""

    bar: tuple[float, float, float]
    """Ends of the interval, and the grade, in percent of the scale."""

    explanation: ShownExplanation
    awarded: str
    """The grade that students get; the estimated one if no rule changes it."""

    letter: str
    sentences: tuple[str, ...] = ()
    """What became of the estimated grade, and decisions about the submission."""

    reviews_with_comments: tuple[ReviewComments, ...] = ()


def descending(values: Floats) -> list[int]:
    """Indices from the highest value to the lowest; NaN last."""
    return [int(place) for place in np.argsort(-values, kind="stable")]


def grade_rows(
    graded: GradedClass,
    places: Sequence[int] | None = None,
    groups: ClassGroups | None = None,
    comments: Mapping[int, tuple[ReviewComments, ...]] | None = None,
) -> list[GradeRow]:
    """Rows of some submissions, or of all, the highest grade first.

    *comments* are those of the reviewers, by the number of the submission.
    """
    reports, estimate, names = graded.reports, graded.grades, graded.names
    groups = groups or graded.groups
    low, high = graded.interval
    reviews = np.diff(reports.submission_bounds)
    graders = [one.label for one in names.graders]
    rows = []
    for place in descending(estimate.score) if places is None else places:
        staff = float(estimate.staff[place])
        rows.append(
            GradeRow(
                place,
                names.submissions[place],
                names.assignments[place],
                ", ".join(one.label for one in names.authors[place]),
                groups.submission_sections[place],
                int(groups.submission_parts[place]),
                float(estimate.score[place]),
                float(low[place]),
                float(high[place]),
                float(graded.model_scores["mean"][place]),
                float(graded.model_scores["median"][place]),
                int(reviews[place]),
                None if np.isnan(staff) else staff,
                staff_interval(graded, place),
                interval_bar(graded, place),
                shown_explanation(graded, place, graders),
                awarded_text(graded, place),
                graded.awarded.letter[place],
                tuple(mark_sentences(graded, place)),
                (comments or {}).get(place, ()),
            )
        )
    return rows


def has_awarded(graded: GradedClass) -> bool:
    """Whether a curve or rounding makes the awarded grades differ from the estimated ones."""
    rules = graded.settings.grades
    return rules.round_to is not None or rules.curve is not None


def awarded_text(graded: GradedClass, place: int) -> str:
    """The grade that students get for a submission, with all of its decimals."""
    grade = float(graded.awarded.grade[place])
    return "–" if np.isnan(grade) else as_text(grade)


def staff_interval(graded: GradedClass, place: int) -> tuple[float, float] | None:
    """Interval for the grade that staff would give; None without staff grades to learn from."""
    low, high = graded.grades.staff_low, graded.grades.staff_high
    if low is None or high is None or np.isnan(low[place]) or graded.staff_graded[place]:
        return None
    return float(low[place]), float(high[place])


def interval_bar(graded: GradedClass, place: int) -> tuple[float, float, float]:
    """Ends of a submission's interval, and its grade, in percent of the scale."""
    scale, (low, high) = graded.reports.scale, graded.interval
    values = np.array([low[place], high[place], graded.grades.score[place]])
    at = (100 * (np.nan_to_num(values, nan=scale.lowest) - scale.lowest)) / (
        scale.highest - scale.lowest
    )
    at = at.round(1)
    return float(at[0]), float(at[1]), float(at[2])


def shown_explanation(
    graded: GradedClass, place: int, graders: Sequence[str] | None = None
) -> ShownExplanation:
    """Explanation of a submission's grade; without names of *graders*, reviews are numbered."""
    why = explain_grade(graded, place)
    staff = "" if why.staff is None else f"{why.staff:g}"
    if not why.reviews:
        return ShownExplanation((), "–", False, staff)
    contributions = rounded_to_sum(why.contributions)
    shares = [*(100 * one.weight for one in why.reviews), 100 * why.class_mean_weight]
    weights = rounded_to_sum(shares, 1)
    digits = GRADE_DIGITS
    parts = [
        GradePart(
            f"Review {number}" if graders is None else graders[one.grader],
            f"{one.given:g}",
            f"{one.corrected:.{digits}f}",
            f"{weight:.1f}",
            f"{contribution:.{digits}f}",
        )
        for number, (one, weight, contribution) in enumerate(
            zip(why.reviews, weights, contributions, strict=False), 1
        )
    ]
    if why.class_mean_weight > 0:
        mean, last = f"{why.class_mean:.{digits}f}", f"{contributions[-1]:.{digits}f}"
        parts.append(GradePart("Mean of the class", "", mean, f"{weights[-1]:.1f}", last))
    return ShownExplanation(tuple(parts), f"{sum(contributions):.{digits}f}", why.truncated, staff)
