"""The report of a graded class: what an instructor needs to know, the most important first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from markupsafe import Markup

from peergauge._version import __version__
from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.explain import (
    GRADE_DIGITS,
    PointsExplanation,
    explain_grade,
    explain_points,
    grade_points_off,
    rounded_to_sum,
)
from peergauge.classroom.grade.flags import FLAG_KINDS
from peergauge.classroom.grade.gaming import strategy_label
from peergauge.classroom.grade.shown_points import ShownPoints, ShownReview, shown_points
from peergauge.core.arrays import Floats
from peergauge.core.text import counted
from peergauge.mechanisms.priors import brief_label
from peergauge.models import models
from peergauge.pages import percent, render, script_safe
from peergauge.pages.charts import bundle
from peergauge.pages.grading_charts import (
    MAX_CHART_POINTS,
    NORMAL_QUANTILE_95,
    colours,
    distribution,
    gains,
    graders,
    intervals,
    leniency_range,
    thinned,
)
from peergauge.tables import Scale

if TYPE_CHECKING:
    from peergauge.classroom.grade.gaming import GamingResult

MAX_TABLE_ROWS = 5000
"""Submissions or graders that a table shows; the CSV files have all of them."""

ROWS_PER_PAGE = 25
"""Rows of a table that are shown at a time."""


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
    grade: float
    low: float
    high: float
    mean: float
    median: float
    reviews: int
    staff: float | None
    bar: tuple[float, float, float]
    """Ends of the interval, and the grade, in percent of the scale."""

    explanation: ShownExplanation


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


class Card(NamedTuple):
    """One question at the top of the page, with its answer."""

    question: str
    answer: str
    words: str
    where: str
    tone: str = ""


class _Rows(NamedTuple):
    """Rows of the tables and charts, by the numbers of submissions and graders."""

    grades: dict[int, GradeRow]
    graders: dict[int, GraderRow]
    grade_order: list[int]
    grader_order: list[int]
    charted_grades: list[GradeRow]
    charted_graders: list[GraderRow]


def page(graded: GradedClass) -> str:
    """The report as HTML: one file that needs no network."""
    rows = _rows(graded)
    points = [_grader_point(row) for row in rows.charted_graders]
    low, high = leniency_range(points)
    gaming = None if graded.gaming is None else gaming_section(graded.gaming, graded.reports.scale)
    return render(
        "grading.html",
        graded=graded,
        title=_title(graded),
        cards=cards(graded),
        quartiles=_quartiles(graded.grades.score),
        grades=[rows.grades[place] for place in rows.grade_order[:MAX_TABLE_ROWS]],
        graders=[rows.graders[place] for place in rows.grader_order[:MAX_TABLE_ROWS]],
        max_rows=MAX_TABLE_ROWS,
        per_page=ROWS_PER_PAGE,
        charted=MAX_CHART_POINTS,
        cut=any(one["low"] < low or one["high"] > high for one in points),
        many_assignments=graded.reports.assignments > 1,
        with_authors=any(graded.names.authors),
        with_staff=bool(graded.staff_graded.any()),
        level=percent(graded.settings.level),
        moved=_moved(graded),
        compare=script_safe(_comparable(graded, sorted(rows.grader_order[:MAX_TABLE_ROWS]))),
        look=_second_look(graded, rows.grades),
        no_checks=no_checks_sentence(graded),
        flags=_flags(graded),
        gaming=gaming,
        facts=list(replace(graded.opened.report, notes=()).lines()),
        continued=list(graded.continued(MAX_TABLE_ROWS)),
        notes=[(note, Path(note.source).name) for note in graded.opened.report.notes],
        other_models=_other_models(graded),
        version=__version__,
        specs=_charts(graded, rows.charted_grades, points, gaming),
        bundle=Markup(bundle()),
    )


def _rows(graded: GradedClass) -> _Rows:
    """Rows of all that is shown; in a very large class, nothing else is computed."""
    by_grade = _descending(graded.grades.score)
    by_reward = _descending(graded.reward_per_review.estimate)
    in_chart = by_grade if len(by_grade) <= MAX_TABLE_ROWS else thinned(by_grade)
    points = by_reward if len(by_reward) <= MAX_TABLE_ROWS else thinned(by_reward)
    points = list(dict.fromkeys([*points, *(one.grader for one in graded.flags.found)]))
    checked = (one.place for one in graded.second_look.submissions)
    submissions = sorted({*by_grade[:MAX_TABLE_ROWS], *in_chart, *checked})
    people = sorted({*by_reward[:MAX_TABLE_ROWS], *points})
    grades = {row.place: row for row in grade_rows(graded, submissions)}
    of_graders = dict(zip(people, grader_rows(graded, people), strict=True))
    return _Rows(
        grades,
        of_graders,
        by_grade,
        by_reward,
        [grades[place] for place in in_chart if not np.isnan(grades[place].grade)],
        [of_graders[place] for place in points if of_graders[place].reviews],
    )


def _charts(
    graded: GradedClass,
    charted_grades: Sequence[GradeRow],
    points: Sequence[dict[str, Any]],
    gaming: dict[str, Any] | None,
) -> dict[str, Markup]:
    level = graded.settings.level
    charts = {
        "distribution": distribution(graded.grades.score, graded.reports.scale),
        "intervals": intervals([_grade_point(row) for row in reversed(charted_grades)], level),
        "leniency": graders(points, level),
    }
    if gaming is not None:
        charts["gains"] = gains(gaming["gains"], gaming["mechanisms"])
    return {name: script_safe(chart) for name, chart in charts.items()}


# ------------------------------------------------------------------------------------------ rows


def _descending(values: Floats) -> list[int]:
    """Indices from the highest value to the lowest; NaN last."""
    return [int(place) for place in np.argsort(-values, kind="stable")]


def grade_rows(graded: GradedClass, places: Sequence[int] | None = None) -> list[GradeRow]:
    """Rows of some submissions, or of all, the highest grade first."""
    reports, estimate, names = graded.reports, graded.grades, graded.names
    low, high = graded.interval
    reviews = np.diff(reports.submission_bounds)
    graders = [one.label for one in names.graders]
    rows = []
    for place in _descending(estimate.score) if places is None else places:
        staff = float(estimate.staff[place])
        rows.append(
            GradeRow(
                place,
                names.submissions[place],
                names.assignments[place],
                ", ".join(one.label for one in names.authors[place]),
                float(estimate.score[place]),
                float(low[place]),
                float(high[place]),
                float(graded.model_scores["mean"][place]),
                float(graded.model_scores["median"][place]),
                int(reviews[place]),
                None if np.isnan(staff) else staff,
                interval_bar(graded, place),
                shown_explanation(graded, place, graders),
            )
        )
    return rows


def interval_bar(graded: GradedClass, place: int) -> tuple[float, float, float]:
    """Ends of a submission's interval, and its grade, in percent of the scale."""
    scale, (low, high) = graded.reports.scale, graded.interval
    values = np.array([low[place], high[place], graded.grades.score[place]])
    at = (100 * (values - scale.lowest) / (scale.highest - scale.lowest)).round(1)
    return float(at[0]), float(at[1]), float(at[2])


def shown_explanation(
    graded: GradedClass, place: int, graders: Sequence[str] | None = None
) -> ShownExplanation:
    """Explanation of a submission's grade; without names of *graders*, reviews are numbered."""
    why = explain_grade(graded, place)
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
    mean, last = f"{why.class_mean:.{digits}f}", f"{contributions[-1]:.{digits}f}"
    parts.append(GradePart("Mean of the class", "", mean, f"{weights[-1]:.1f}", last))
    staff = "" if why.staff is None else f"{why.staff:g}"
    return ShownExplanation(tuple(parts), f"{sum(contributions):.{digits}f}", why.truncated, staff)


def grader_rows(graded: GradedClass, places: Sequence[int] | None = None) -> list[GraderRow]:
    """Rows of some graders, or of all, the highest reward first and those without reviews last."""
    posterior, estimated = graded.posterior, graded.reward_per_review
    estimate, above = estimated.estimate, estimated.probability_above_mean()
    best, worst = estimated.rank_interval(graded.settings.level, graded.settings.seed)
    leniency = graded.leniency
    error = np.median(posterior.reliability_draws**-0.5, axis=0)
    flagged = {one.grader for one in graded.flags.found}
    rows = []
    for place in _descending(estimate) if places is None else places:
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


def _grade_point(row: GradeRow) -> dict[str, Any]:
    """A submission in the chart of intervals."""
    return {
        "submission": row.submission,
        "author": row.authors or "not known",
        "grade": round(row.grade, 3),
        "low": round(row.low, 3),
        "high": round(row.high, 3),
        "mean": round(row.mean, 3),
        "between": f"{row.low:.2f} to {row.high:.2f}",
        "by": "peers" if row.staff is None else "staff",
    }


def _grader_point(row: GraderRow) -> dict[str, Any]:
    """A grader in the chart of leniency."""
    return {
        "grader": row.grader,
        "reviews": row.reviews,
        "bias": round(row.bias, 3),
        "low": round(row.low, 3),
        "high": round(row.high, 3),
        "error": round(row.error, 3),
        "between": f"{row.low:+.2f} to {row.high:+.2f}",
        "points": row.points,
        "flagged": "flagged" if row.flagged else "not flagged",
    }


# ----------------------------------------------------------------------------------------- cards


def cards(graded: GradedClass) -> list[Card]:
    """Questions of an instructor, with answers in plain words."""
    return [
        _precision_card(graded),
        _checks_card(graded),
        _flags_card(graded),
        _gaming_card(graded),
    ]


def _precision_card(graded: GradedClass) -> Card:
    question, where = "How precise are the grades?", "grades"
    low, high = graded.interval
    by_peers, staff = graded.peer_graded, int(graded.staff_graded.sum())
    if not by_peers.any():
        return Card(question, "exact", "Staff graded every submission.", where, "good")
    half = np.where(by_peers, (high - low) / 2, -np.inf)
    median, widest = float(np.median(half[by_peers])), int(half.argmax())
    words = (
        "Half of the grades are as precise as this or better, with a probability of "
        f"{percent(graded.settings.level)}. The least precise is the grade of "
        f"{graded.names.submissions[widest]}: ±{half[widest]:.2f}."
    )
    if staff:
        words += f" Staff gave {counted(staff, 'grade')}, which count as exact."
    return Card(question, f"±{median:.2f}", words, where)


def no_checks_sentence(graded: GradedClass) -> str:
    """Why nothing is listed for staff to check."""
    if not graded.settings.budget:
        return "You asked for no second look."
    return "No further check would make the grades more precise."


def _checks_card(graded: GradedClass) -> Card:
    look = graded.second_look
    question, where = "What should staff check?", "second-look"
    if not look.submissions and not look.graders:
        return Card(question, "nothing", no_checks_sentence(graded), where)
    reduction = sum(one.error_reduction for one in look.submissions)
    share = reduction / look.error if look.error > 0 else 0.0
    them = "it" if len(look.submissions) == 1 else "them"
    words = (
        f"Checking {them} is expected to reduce the squared error of all grades by "
        f"{percent(share)}."
    )
    if look.graders:
        words += f" The reviews of {counted(len(look.graders), 'grader')} are worth a check, too."
    return Card(question, counted(len(look.submissions), "submission"), words, where)


def _flags_card(graded: GradedClass) -> Card:
    flags = graded.flags
    question, where = "Are any graders unusual?", "flags"
    expected = sum(one.expected for one in flags.false_flags)
    chance = f"In an honest class like this one, {expected:.1f} flags are expected by chance."
    if not flags.found:
        return Card(question, "none", chance, where, "good")
    people = len({one.grader for one in flags.found})
    found = f"{counted(len(flags.found), 'flag')} among {graded.reports.graders} graders."
    return Card(question, counted(people, "grader"), f"{found} {chance}", where, "part")


def _gaming_card(graded: GradedClass) -> Card:
    question, where, gaming = "Can students game the points?", "game", graded.gaming
    if gaming is None:
        return Card(question, "not tested", "The gaming test takes longer than the rest.", where)
    own = [one for one in gaming.gains if one.mechanism == gaming.chosen]
    tempting = [one for one in own if one.gain > NORMAL_QUANTILE_95 * one.standard_error]
    if not tempting:
        words = f"None of the {len(own)} tested strategies gains anything. {gaming.recommendation}"
        return Card(question, "not by these", words, where, "good")
    best = max(tempting, key=lambda one: one.gain)
    gain = "strategy gains" if len(tempting) == 1 else "strategies gain"
    words = (
        f"The best strategy, ‘{strategy_label(best.strategy, graded.reports.scale)}’, gains "
        f"{best.gain:.1f} ± {NORMAL_QUANTILE_95 * best.standard_error:.1f} ranks out of 100. "
        f"{len(tempting)} of {len(own)} tested {gain} something. {gaming.recommendation}"
    )
    return Card(question, "yes", words, where, "bad")


# -------------------------------------------------------------------------------------- sections


def gaming_section(gaming: GamingResult, scale: Scale) -> dict[str, Any]:
    """The gaming test as the page shows it: the mechanisms that matter first, then all others.

    Those that matter are the one that pays this class, the recommended one and the most accurate.
    """
    integrity = {one.mechanism: one for one in gaming.integrities}
    found = dict.fromkeys([*integrity, *(one.mechanism for one in gaming.gains)])
    # The mechanism with the highest integrity comes first, those without a value come last.
    order = sorted(found, key=lambda spec: -integrity[spec].integrity if spec in integrity else 9.0)
    roles = {
        "pays this class": gaming.chosen,
        "recommended": gaming.recommended_mechanism,
        "most accurate": gaming.most_accurate,
    }
    important = list(dict.fromkeys(spec for spec in roles.values() if spec in found))
    labels = {spec: brief_label(spec) for spec in found}
    tried = list(dict.fromkeys(one.strategy for one in gaming.gains))
    by_cell = {(one.mechanism, one.strategy): one for one in gaming.gains}

    def row(spec: str) -> tuple[str, str, Any, list[Any]]:
        marks = ", ".join(role for role, other in roles.items() if other == spec)
        return labels[spec], marks, integrity.get(spec), [by_cell.get((spec, n)) for n in tried]

    shown = [labels[spec] for spec in important]
    return {
        "mechanisms": shown,
        "legend": list(zip(colours(len(shown)), shown, strict=True)),
        "strategies": [strategy_label(name, scale) for name in tried],
        "gains": [
            {
                "strategy": strategy_label(one.strategy, scale),
                "mechanism": labels[one.mechanism],
                "gain": one.gain,
                "error": one.standard_error,
            }
            for one in gaming.gains
            if one.mechanism in important
        ],
        "table": [row(spec) for spec in important],
        "others": [row(spec) for spec in order if spec not in important],
        "model_errors": [(models.label_of(one.model), one) for one in gaming.model_errors],
        "quantile": NORMAL_QUANTILE_95,
    }


def _second_look(graded: GradedClass, rows: dict[int, GradeRow]) -> dict[str, Any]:
    look = graded.second_look
    return {
        "submissions": [(rows[one.place], one) for one in look.submissions],
        "graders": [(graded.names.graders[one.place].label, one) for one in look.graders],
        "error": look.error,
        "reduction": sum(one.error_reduction for one in look.submissions),
    }


def _flags(graded: GradedClass) -> dict[str, Any]:
    """Flags of this class, and flags to expect in an honest class."""
    found, people = graded.flags.found, graded.names.graders
    return {
        "found": [
            (
                people[one.grader].label,
                FLAG_KINDS.get(one.kind, one.kind),
                None if one.other is None else people[one.other].label,
                one,
            )
            for one in found
        ],
        "others": any(one.other is not None for one in found),
        "expected": [
            (FLAG_KINDS.get(one.kind, one.kind), sum(f.kind == one.kind for f in found), one)
            for one in graded.flags.false_flags
        ],
    }


def _title(graded: GradedClass) -> str:
    names = [name for name in dict.fromkeys(graded.names.assignments) if name]
    return f"Grades for {names[0]}" if len(names) == 1 else "Grades of the class"


def _quartiles(score: Floats) -> list[float]:
    """Lowest grade, quartiles and highest grade."""
    return [float(one) for one in np.nanquantile(score, [0, 0.25, 0.5, 0.75, 1])]


def _moved(graded: GradedClass) -> dict[str, Any]:
    """Number of grades that differ from the plain mean by more than a twentieth of the scale."""
    far = graded.reports.scale.unit / 2
    off = np.abs(graded.grades.score - graded.model_scores["mean"])
    return {"far": f"{far:g}", "many": int((off > far).sum()), "of": int((~np.isnan(off)).sum())}


def _comparable(graded: GradedClass, places: Sequence[int]) -> list[tuple[str, float, float]]:
    """Name, reward and standard error of graders, by which the page compares two of them."""
    estimated = graded.reward_per_review
    estimate, error = estimated.estimate, estimated.standard_error
    return [
        (graded.names.graders[place].label, round(float(estimate[place]), 6),
         round(float(error[place]), 6))
        for place in places
        if estimated.reviews[place]
    ]  # fmt: skip


def _other_models(graded: GradedClass) -> list[tuple[str, float, float]]:
    """Mean and largest difference between the scores of other models and the grades."""
    rows = []
    for name, score in graded.model_scores.items():
        off = np.abs(score - graded.grades.score)
        off = off[~np.isnan(off)]
        if len(off):
            rows.append((models.label_of(name), float(off.mean()), float(off.max())))
    return rows
