"""Explanations of grades, points and marks in words, made once more from the numbers of an audit.

A text may end with sentences that the audit cannot make, such as those on decisions. So a text is
compared with the beginning that the audit can make.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from peergauge.classroom.grade.audit_columns import array, columns_over
from peergauge.classroom.grade.audit_of_marks import audited_final
from peergauge.classroom.grade.awarded import award, awarded_sentence
from peergauge.classroom.grade.explain import (
    GradeExplanation,
    PaidReview,
    PointsExplanation,
    grade_sentences,
    points_sentences,
    reward_sentences,
)
from peergauge.classroom.grade.final_mark import final_sentences
from peergauge.classroom.grade.points import PointsRule
from peergauge.classroom.grade.settings_file import earlier_settings, merged_settings
from peergauge.mechanisms import mechanisms
from peergauge.tables import Comparison

if TYPE_CHECKING:
    from peergauge.classroom.grade.recomputed import AuditedNumbers


def grade_reasons(audited: AuditedNumbers) -> list[str]:
    """How each grade was computed."""
    content, submissions = audited.content, audited.content["submissions"]
    settings = merged_settings(earlier_settings(audited.settings))
    estimate, scale = array(submissions["grade"]), audited.reports.scale
    awarded = award(estimate, audited.assignment.astype(np.int32), scale, settings.grades)
    plain = content["reviews"].get("parts") is None
    found = []
    for place in range(len(estimate)):
        sentences = grade_sentences(
            _grade_explanation(audited, place), audited.settings["level"], plain=plain
        )
        became = awarded_sentence(
            awarded, place, float(estimate[place]), settings.grades, int(audited.assignment[place])
        )
        found.append(" ".join([*sentences, *([became] if became else [])]))
    return found


def _grade_explanation(audited: AuditedNumbers, place: int) -> GradeExplanation:
    submissions = audited.content["submissions"]
    parts = audited.review_parts(place)
    mean = _number(audited.content["assignments"]["mean"][audited.assignment[place]])
    weight = submissions["mean_weight"][place] or 0.0
    staff = submissions["staff"][place]
    grade, low, high = (_number(submissions[name][place]) for name in ("grade", "low", "high"))
    added = mean * weight if weight else 0.0
    total = added + sum(one.contribution for one in parts)
    truncated = staff is None and abs(total - grade) > 1e-9
    return GradeExplanation(
        grade, low, high, parts, mean, weight, added, staff, bool(truncated and parts)
    )


def points_reasons(audited: AuditedNumbers) -> list[str]:
    """How the points of each grader were computed; empty for people who graded nothing."""
    return [" ".join(sentences) for sentences in points_sentences_of_all(audited)]


def points_sentences_of_all(audited: AuditedNumbers) -> list[list[str]]:
    """How the points of each grader were computed, in sentences."""
    if audited.has_older_rule:
        return []
    graders = audited.content["graders"]
    label = mechanisms.make(audited.content["mechanism"]).label
    names = audited.content["submissions"]["submission"]
    seen = _seen_by_explanations(audited)
    rewards = audited.rewards
    rule = PointsRule.parse(audited.settings["points"]).fitted(
        rewards.class_mean, rewards.between_variance, rewards.estimate, rewards.digits
    )
    found: list[list[str]] = []
    for place in range(len(graders["grader"])):
        why = _points_explanation(audited, rule, place)
        told = [names[one.submission] for one in why.paid]
        sentences = [*reward_sentences(label, told, why), *points_sentences(seen, why)]
        found.append(sentences if why.reviews else [])
    return found


def _seen_by_explanations(audited: AuditedNumbers) -> Any:
    """What the explanation of points reads from a graded class."""
    compared = audited.content.get("comparison")
    comparison = None
    if compared:
        comparison = Comparison(
            array(compared["judged"]),
            array(compared["reference"]),
            compared["reference_words"],
            compared["highest"],
            compared["cost"],
            compared["power"],
            compared["deduction_words"],
        )
    return SimpleNamespace(
        payment=SimpleNamespace(
            comparison=comparison,
            pays_squared_distances=comparison is not None and comparison.is_squared_distance,
        ),
        earlier=None,
    )


def _points_explanation(audited: AuditedNumbers, rule: Any, place: int) -> PointsExplanation:
    content, rewards = audited.content, audited.rewards
    reviews, compared = content["reviews"], content.get("comparison") or {}
    earned, deductions = reviews["earned"], compared.get("deduction")
    week = columns_over(content, "week")
    rows = [] if earned is None else audited.rows_by("grader")[place]
    count = int(rewards.reviews[place])
    here = int(week["reviews"][place])
    over_week = audited.settings.get("points_over") == "week" or not content["earlier"]
    before = 0 if over_week else count - here
    own_mean = float(rewards.own_mean[place])
    run_mean = _number(week["own_average"][place])
    return PointsExplanation(
        paid=tuple(
            PaidReview(
                reviews["submission"][row], float(reviews["grade"][row]), _number(earned[row])
            )
            for row in rows
        ),
        reviews=count,
        run_reviews=here,
        run_mean=run_mean,
        deduction=0.0 if deductions is None else float(deductions[place]),
        earlier_reviews=before,
        earlier_mean=_earlier_mean(audited, place) if before else math.nan,
        own_mean=own_mean,
        weight=float(rewards.weight[place]),
        class_mean=rewards.class_mean,
        estimate=float(rewards.estimate[place]),
        digits=content["class"]["digits"],
        points=rule.describe(rewards.estimate, place) if count else "",
        semester_points=None,
        week_points=None,
    )


def _earlier_mean(audited: AuditedNumbers, place: int) -> float:
    """Mean reward of a grader's reviews in earlier runs."""
    earlier, person = audited.content["earlier"], audited.content["graders"]["grader"][place]
    places = {name: number for number, name in enumerate(earlier["grader"])}
    if earlier.get("continuation"):
        places = earlier["continuation"]["places"]
    found = places.get(person)
    mean = math.nan if found is None else _number(earlier["own_average"][found])
    return float(round(mean, int(audited.content["class"]["digits"])))


def mark_reasons(audited: AuditedNumbers) -> list[str]:
    """How each final mark was computed."""
    marks = audited_final(audited.content)
    return [] if marks is None else [" ".join(final_sentences(marks, row)) for row in marks.rows]


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


REASONS: dict[str, Callable[[AuditedNumbers], list[str]]] = {
    "grades": grade_reasons,
    "graders": points_reasons,
    "final": mark_reasons,
}
"""Explanations of the rows of a table in words."""
