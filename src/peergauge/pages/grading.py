"""The report of a graded class: what an instructor needs to know, the most important first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from peergauge._version import __version__
from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.class_groups import ClassGroups, groups_of
from peergauge.classroom.grade.estimate import ESTIMATORS
from peergauge.classroom.grade.explain import PointsExplanation, explain_points, grade_points_off
from peergauge.classroom.grade.gaming import strategy_label
from peergauge.classroom.grade.shown_points import ShownPoints, ShownReview, shown_points
from peergauge.mechanisms.priors import brief_label
from peergauge.models import models
from peergauge.pages import percent, render, script_safe
from peergauge.pages.charts import bundle
from peergauge.pages.grade_rows import GradeRow, descending, grade_rows
from peergauge.pages.grading_cards import (
    Card,
    checks_card,
    flags_card,
    no_checks_sentence,
    precision_card,
    staff_sentence,
)
from peergauge.pages.grading_charts import (
    MAX_CHART_POINTS,
    NORMAL_QUANTILE_95,
    colours,
    gains,
    graders,
    intervals,
    leniency_range,
    thinned,
)
from peergauge.pages.grading_sections import (
    comparable_graders,
    flags_section,
    histograms,
    moved_grades,
    other_models,
    quartiles,
    report_title,
)
from peergauge.pages.second_look_section import second_look_section
from peergauge.pages.table_layout import grade_layout, grader_layout
from peergauge.pages.texts import PageTexts
from peergauge.tables import Scale

if TYPE_CHECKING:
    from peergauge.classroom.grade.gaming import GamingResult

MAX_TABLE_ROWS = 5000
"""Submissions or graders that a table shows; the CSV files have all of them."""

ROWS_PER_PAGE = 25
"""Rows of a table that are shown at a time."""


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


class _Rows(NamedTuple):
    """Rows of the tables and charts, by the numbers of submissions and graders."""

    grades: dict[int, GradeRow]
    graders: dict[int, GraderRow]
    grade_order: list[int]
    grader_order: list[int]
    charted_grades: list[GradeRow]
    charted_graders: list[GraderRow]


def page(graded: GradedClass, texts: PageTexts | None = None, *, semester: bool = False) -> str:
    """The report as HTML: one file that needs no network.

    Parameters
    ----------
    texts
        Course, title and so on, as the instructor calls them.
    semester
        Whether there is a page of the semester to link to.
    """
    groups = groups_of(graded)
    rows = _rows(graded, groups)
    points = [_grader_point(row) for row in rows.charted_graders]
    low, high = leniency_range(points)
    gaming = None if graded.gaming is None else gaming_section(graded.gaming, graded.reports.scale)
    shown = rows.grader_order[:MAX_TABLE_ROWS]
    bars = histograms(graded, groups)
    return render(
        "grading.html",
        graded=graded,
        title=report_title(graded, texts),
        course="" if texts is None else texts.course,
        semester=semester,
        cards=cards(graded),
        quartiles=quartiles(graded.grades.score),
        histograms=bars,
        grades=[rows.grades[place] for place in rows.grade_order[:MAX_TABLE_ROWS]],
        graders=[rows.graders[place] for place in shown],
        groups=groups,
        grade_layout=grade_layout(graded, groups),
        grader_layout=grader_layout(graded, groups),
        grader_groups=[
            (groups.grader_sections[place], int(groups.grader_parts[place])) for place in shown
        ],
        max_rows=MAX_TABLE_ROWS,
        per_page=ROWS_PER_PAGE,
        charted=MAX_CHART_POINTS,
        cut=any(one["low"] < low or one["high"] > high for one in points),
        many_assignments=graded.reports.assignments > 1,
        with_authors=any(graded.names.authors),
        with_staff=bool(graded.staff_graded.any()),
        staff_sentence=staff_sentence(graded),
        estimator=ESTIMATORS[graded.grades.estimator],
        shifts=list(graded.shift_sentences()),
        level=percent(graded.settings.level),
        moved=moved_grades(graded),
        compare=script_safe(comparable_graders(graded, sorted(shown), groups)),
        look=second_look_section(graded, rows.grades),
        no_checks=no_checks_sentence(graded),
        flags=flags_section(graded),
        gaming=gaming,
        facts=list(replace(graded.opened.report, notes=()).lines()),
        continued=list(graded.continued(MAX_TABLE_ROWS)),
        notes=[(note, Path(note.source).name) for note in graded.opened.report.notes],
        other_models=other_models(graded),
        version=__version__,
        specs=_charts(graded, rows.charted_grades, points, gaming)
        | {one.id: script_safe(one.chart) for one in bars},
        bundle=Markup(bundle()),
    )


def _rows(graded: GradedClass, groups: ClassGroups) -> _Rows:
    """Rows of all that is shown; in a very large class, nothing else is computed.

    Parts of the class that cannot be compared come one after the other.
    """
    by_grade = _by_part(descending(graded.grades.score), groups.submission_parts)
    by_reward = _by_part(descending(graded.reward_per_review.estimate), groups.grader_parts)
    in_chart = by_grade if len(by_grade) <= MAX_TABLE_ROWS else thinned(by_grade)
    points = by_reward if len(by_reward) <= MAX_TABLE_ROWS else thinned(by_reward)
    points = list(dict.fromkeys([*points, *(one.grader for one in graded.flags.found)]))
    checked = (one.place for one in graded.second_look.submissions)
    submissions = sorted({*by_grade[:MAX_TABLE_ROWS], *in_chart, *checked})
    people = sorted({*by_reward[:MAX_TABLE_ROWS], *points})
    grades = {row.place: row for row in grade_rows(graded, submissions, groups)}
    of_graders = dict(zip(people, grader_rows(graded, people), strict=True))
    return _Rows(
        grades,
        of_graders,
        by_grade,
        by_reward,
        [grades[place] for place in in_chart if not np.isnan(grades[place].grade)],
        [of_graders[place] for place in points if of_graders[place].reviews],
    )


def _by_part(places: Sequence[int], parts: NDArray[np.int64]) -> list[int]:
    """Numbers in the same order, but the first part first."""
    return sorted(places, key=lambda place: int(parts[place]))


def _charts(
    graded: GradedClass,
    charted_grades: Sequence[GradeRow],
    points: Sequence[dict[str, Any]],
    gaming: dict[str, Any] | None,
) -> dict[str, Markup]:
    level = graded.settings.level
    ascending = sorted(charted_grades, key=lambda row: (row.part, row.grade))
    several = any(row.part > 1 for row in charted_grades)
    charts = {
        "intervals": intervals(
            [_grade_point(row) for row in ascending],
            level,
            "part after part, sorted by grade" if several else "sorted by grade",
        ),
        "leniency": graders(points, level),
    }
    if gaming is not None:
        charts["gains"] = gains(gaming["gains"], gaming["mechanisms"])
    return {name: script_safe(chart) for name, chart in charts.items()}


# ------------------------------------------------------------------------------------------ rows


def grader_rows(graded: GradedClass, places: Sequence[int] | None = None) -> list[GraderRow]:
    """Rows of some graders, or of all, the highest reward first and those without reviews last."""
    posterior, estimated = graded.posterior, graded.reward_per_review
    estimate, above = estimated.estimate, estimated.probability_above_mean()
    groups = groups_of(graded)
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
        precision_card(graded),
        checks_card(graded),
        flags_card(graded),
        _gaming_card(graded),
    ]


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
