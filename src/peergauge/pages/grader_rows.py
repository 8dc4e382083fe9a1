"""Rows of the table of graders: each grader with points, and how they were computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.explain import PointsExplanation, explain_points, grade_points_off
from peergauge.classroom.grade.shown_points import ShownPoints, ShownReview, shown_points
from peergauge.pages.grade_rows import descending


class GraderRow(NamedTuple):
    """One grader in the table of graders."""

    grader: str
    reviews: int
    points: str
    reward: float
    above: float
    best: float
    worst: float
    bias: float
    low: float
    high: float
    error: float
    constant: float
    hedging: float
    flagged: bool
    explanation: PointsExplanation
    shown: ShownPoints
    """The table behind the points, in printed numbers."""

    paid: tuple[tuple[str, ShownReview], ...]
    """For each review: the submission, and its printed numbers."""

    off: float
    """Root of minus the reward, in grade points; NaN if rewards are not squared distances."""

    place: int
    """Number of the grader."""


def grader_rows(graded: GradedClass, places: Sequence[int] | None = None) -> list[GraderRow]:
    """Rows of some graders, or of all, the highest reward first and those without reviews last."""
    posterior, estimated = graded.posterior, graded.reward_per_review
    estimate, above = estimated.estimate, estimated.probability_above_mean()
    groups = graded.groups
    best, worst = groups.rank_interval(estimated, graded.settings.level, graded.settings.seed)
    leniency = graded.leniency
    error = np.median(posterior.reliability_draws**-0.5, axis=0)
    flagged = {one.grader for one in graded.flags.found}
    rows = []
    for place in descending(estimate) if places is None else places:
        why = explain_points(graded, place)
        shown = shown_points(graded, why)
        rows.append(
            GraderRow(
                graded.names.graders[place].label,
                why.reviews,
                as_points(graded.points[place]),
                float(estimate[place]) if why.reviews else float("nan"),
                float(above[place]) if why.reviews else float("nan"),
                float(best[place]),
                float(worst[place]),
                float(leniency.mean[place]),
                float(leniency.low[place]),
                float(leniency.high[place]),
                float(error[place]),
                float(posterior.traits.constant[place]),
                float(posterior.traits.hedging[place]),
                place in flagged,
                why,
                shown,
                tuple((graded.names.submissions[one.submission], one) for one in shown.reviews),
                _distance(graded, why),
                place,
            )
        )
    return rows


def _distance(graded: GradedClass, why: PointsExplanation) -> float:
    """The reward of a grader as a distance in grade points, if it is a squared distance."""
    if not graded.payment.pays_squared_distances or not why.reviews:
        return float("nan")
    return grade_points_off(why.estimate)


def as_points(points: float | str | None) -> str:
    """Points or letter of a grader, as they are shown."""
    if points is None:
        return "–"
    return points if isinstance(points, str) else f"{points:.2f}"
