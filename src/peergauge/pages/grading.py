"""The report of a graded class: what an instructor needs to know, the most important first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from peergauge._version import __version__
from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.awarded import rule_sentences
from peergauge.classroom.grade.class_groups import ClassGroups
from peergauge.classroom.grade.estimate import ESTIMATORS
from peergauge.classroom.grade.settings_file import SETTINGS_FILE, settings_text
from peergauge.pages import percent, render, script_safe
from peergauge.pages.charts import bundle
from peergauge.pages.criteria_section import criteria_section
from peergauge.pages.decisions_section import decisions_section
from peergauge.pages.final_marks_section import marks_section
from peergauge.pages.gaming_section import gaming_card, gaming_section, measured_advice
from peergauge.pages.grade_rows import GradeRow, descending, grade_rows, has_awarded
from peergauge.pages.grader_rows import GraderRow, as_points, grader_rows
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
    gains,
    graders,
    intervals,
    leniency_range,
    thinned,
    trusted_charts,
)
from peergauge.pages.grading_sections import (
    comparable_graders,
    final_grades,
    flags_section,
    histograms,
    moved_grades,
    other_models,
    quartiles,
    report_title,
)
from peergauge.pages.review_comments import CommentsOnPage, comments_on_page
from peergauge.pages.second_look_section import second_look_section
from peergauge.pages.table_layout import grade_layout, grader_layout
from peergauge.pages.texts import PageTexts
from peergauge.pages.workbook_sheets import COMMENTS_SHEET, comments_sheet

__all__ = ["as_points", "cards", "page"]

MAX_TABLE_ROWS, MAX_TABLE_REVIEWS = 5000, 50_000
"""Submissions or graders, and reviews, up to which the tables show all of them."""

HUGE_TABLE_ROWS, HUGE_TABLE_REVIEWS = 1000, 10_000
"""Rows of each table of a larger class, and reviews that the rows explain, about; the CSV files
have everybody."""

ROWS_PER_PAGE = 25
"""Rows of a table that are shown at a time."""


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
    groups, most_rows = graded.groups, max_rows(graded)
    comments = comments_on_page(graded, _where_comments_are(graded))
    rows = _rows(graded, groups, comments, most_rows)
    points = [_grader_point(row) for row in rows.charted_graders]
    low, high = leniency_range(points)
    gaming = None if graded.gaming is None else gaming_section(graded.gaming, graded.reports.scale)
    shown = rows.grader_order[:most_rows]
    with trusted_charts():
        bars = histograms(graded, groups)
        specs = _charts(graded, rows.charted_grades, points, gaming)
    return render(
        "grading.html",
        graded=graded,
        title=report_title(graded, texts),
        course="" if texts is None else texts.course,
        semester=semester,
        cards=cards(graded),
        quartiles=quartiles(final_grades(graded)),
        awarded=has_awarded(graded),
        rules=list(rule_sentences(graded.settings.grades, graded.reports.scale)),
        with_letters=bool(graded.settings.grades.letters),
        with_comments=bool(comments.of),
        comment_note=comments.note,
        marks=marks_section(graded),
        decisions=decisions_section(graded),
        advice=measured_advice(graded),
        criteria=criteria_section(graded, rows.grade_order[:most_rows]),
        settings_file=SETTINGS_FILE,
        settings_text=settings_text(graded.settings),
        histograms=bars,
        grades=[rows.grades[place] for place in rows.grade_order[:most_rows]],
        graders=[rows.graders[place] for place in shown],
        groups=groups,
        grade_layout=grade_layout(graded, groups),
        grader_layout=grader_layout(graded, groups),
        grader_groups=[
            (groups.grader_sections[place], int(groups.grader_parts[place])) for place in shown
        ],
        max_rows=most_rows,
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
        flags=flags_section(graded, most_rows),
        gaming=gaming,
        facts=list(replace(graded.opened.report, notes=()).lines()),
        continued=list(graded.continued(most_rows)),
        notes=[(note, Path(note.source).name) for note in graded.opened.report.notes],
        other_models=other_models(graded),
        version=__version__,
        specs=specs | {one.id: script_safe(one.chart) for one in bars},
        bundle=Markup(bundle()),
    )


def _where_comments_are(graded: GradedClass) -> str:
    """Where all comments are in full."""
    if comments_sheet(graded) is None:
        return "the export"
    return f"grades.xlsx, on the sheet {COMMENTS_SHEET}"


def max_rows(graded: GradedClass) -> int:
    """Rows that each table of the page shows at most."""
    reports = graded.reports
    most = max(reports.submissions, reports.graders)
    if most <= MAX_TABLE_ROWS and len(reports) <= MAX_TABLE_REVIEWS:
        return MAX_TABLE_ROWS
    graders = max(int(np.count_nonzero(np.bincount(reports.grader))), 1)
    explained = HUGE_TABLE_REVIEWS * graders // max(len(reports), 1)
    return max(1, min(HUGE_TABLE_ROWS, MAX_TABLE_ROWS, explained))


def _rows(
    graded: GradedClass, groups: ClassGroups, comments: CommentsOnPage, most_rows: int
) -> _Rows:
    """Rows of all that is shown; in a very large class, nothing else is computed.

    Parts of the class that cannot be compared come one after the other.
    """
    by_grade = _by_part(descending(graded.grades.score), groups.submission_parts)
    by_reward = _by_part(descending(graded.reward_per_review.estimate), groups.grader_parts)
    in_chart = by_grade if len(by_grade) <= most_rows else thinned(by_grade)
    points = by_reward if len(by_reward) <= most_rows else thinned(by_reward)
    points = list(dict.fromkeys([*points, *(one.grader for one in graded.flags.found[:most_rows])]))
    checked = (one.place for one in graded.second_look.submissions)
    submissions = sorted({*by_grade[:most_rows], *in_chart, *checked})
    people = sorted({*by_reward[:most_rows], *points})
    grades = {row.place: row for row in grade_rows(graded, submissions, groups, comments.of)}
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
    name = "estimate" if has_awarded(graded) else "grade"
    charts = {
        "intervals": intervals(
            [_grade_point(row) for row in ascending],
            level,
            f"part after part, sorted by {name}" if several else f"sorted by {name}",
            name,
        ),
        "leniency": graders(points, level),
    }
    if gaming is not None:
        charts["gains"] = gains(gaming["gains"], gaming["mechanisms"])
    return {name: script_safe(chart) for name, chart in charts.items()}


# ------------------------------------------------------------------------------------------ rows


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
        gaming_card(graded),
    ]
