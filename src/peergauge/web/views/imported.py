"""How the files of a week were understood: "This is what I read"."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import Field

from peergauge.classroom.abilities import abilities
from peergauge.classroom.grade.names import ClassNames
from peergauge.core.acceleration import plain_numpy
from peergauge.core.errors import PeergaugeError
from peergauge.core.lazy import pl
from peergauge.exports.formats.columns import ColumnMap
from peergauge.exports.formats.guessing import guess_of_file
from peergauge.exports.formats.opening import Opened
from peergauge.exports.questions import PARTS_OF_INTERPRETATION, OpenQuestionsError, Question
from peergauge.exports.validate import OpenedClass
from peergauge.tables import Scale
from peergauge.web.context import Context
from peergauge.web.drawing import FRONT_COLOUR, POINT_COLOUR
from peergauge.web.state import WeekState
from peergauge.web.store.records import Week
from peergauge.web.views import Bar, View, bars, number

MAX_SHOWN_CELLS = 3
MAX_SHOWN_PEOPLE = 100
MAX_HISTOGRAM_BARS = 21
MAX_COLUMNS = 200
MIN_CHART_POINTS = 3
"""Number of points from which on a chart says more than their numbers."""


class ChoiceView(View):
    """A possible answer to a question."""

    value: str
    meaning: str


class QuestionView(View):
    """A question about the files."""

    key: str
    text: str
    about: str
    choices: list[ChoiceView]
    default: str
    form: str
    answer: str | None


class ColumnView(View):
    """A column of the table, what it holds, and some of its cells."""

    name: str
    part: str
    words: str
    cells: list[str]


class PartView(View):
    """What was decided about one part of the interpretation."""

    part: str
    lines: list[str]


class NoteView(View):
    """Something that was repaired, left out or missed."""

    kind: str
    text: str
    file: str
    rows: list[int]


class StaffPoint(View):
    """A submission that staff and peers graded."""

    submission: str
    staff: float
    peers: float
    """Mean of the grades of peers."""


class ImportView(View):
    """The interpretation of the files of a week."""

    week: str
    revision: int
    files: list[str]
    error: str
    """Why the class cannot be read; empty if it can."""

    format: str = ""
    read: int = 0
    reviews: int = 0
    submissions: int = 0
    graders: int = 0
    assignments: list[str] = Field(default_factory=list)
    scale: str = ""
    scale_from: str = ""
    criteria: list[str] = Field(default_factory=list)
    questions: list[QuestionView] = Field(default_factory=list)
    open_questions: int = 0
    parts: list[PartView] = Field(default_factory=list)
    notes: list[NoteView] = Field(default_factory=list)
    columns: list[ColumnView] = Field(default_factory=list)
    sample: list[dict[str, Any]] = Field(default_factory=list)
    histogram: list[Bar] = Field(default_factory=list)
    staff_graded: int = 0
    staff_mean: float | None = None
    peer_mean_of_same: float | None = None
    staff_points: list[StaffPoint] = Field(default_factory=list)
    """Submissions that staff and peers graded, the largest difference first."""

    people: list[dict[str, str]] = Field(default_factory=list)
    people_count: int = 0
    abilities: list[dict[str, Any]] = Field(default_factory=list)
    can_grade: bool = False
    continued: list[str] = Field(default_factory=list)


def import_view(context: Context, week: Week) -> ImportView:
    """How the files of a week were understood."""
    state = WeekState.from_json(week.state)
    names = [context.store.file(one).name for one in state.files]
    start: dict[str, Any] = {"week": week.id, "revision": week.revision, "files": names}
    columns = _column_views(context, week)
    try:
        with plain_numpy():
            found = context.workbench.opened(week)
            able = abilities(found.opened)
    except OpenQuestionsError as error:
        # With other answers than the defaults, the files may be readable.
        asked = _distinct(error.questions)
        return ImportView(
            **start, error=error.refusal, columns=columns,
            questions=[question_view(one, None) for one in asked], open_questions=len(asked),
        )  # fmt: skip
    except PeergaugeError as error:
        return ImportView(**start, error=str(error), columns=columns)
    opened = found.opened
    talk, report, reports = opened.interpretation, opened.report, opened.reports
    people = _people(opened)
    open_keys = {one.key for one in talk.open_questions}
    continuation = None if found.earlier is None else found.earlier.continuation
    return ImportView(
        **start,
        error="",
        format=report.format,
        read=report.read,
        reviews=len(reports),
        submissions=reports.submissions,
        graders=reports.graders,
        assignments=[str(one) for one in reports.assignment_names or () if one],
        scale=str(reports.scale),
        scale_from=report.scale_from,
        criteria=list(report.criteria),
        questions=[
            question_view(one, talk.answers.get(one.key)) for one in _distinct(talk.questions)
        ],
        open_questions=len(open_keys),
        parts=_parts(opened),
        notes=[
            NoteView(
                kind=one.kind,
                text=one.text,
                file=one.source.rpartition("/")[2],
                rows=list(one.rows),
            )
            for one in report.notes
        ],
        columns=columns,
        sample=[_sample_row(dict(row)) for row in talk.sample[:8]],
        histogram=grade_histogram(reports.grade, reports.scale),
        **_staff(opened),
        people=people[:MAX_SHOWN_PEOPLE],
        people_count=len(people),
        abilities=[one._asdict() for one in able],
        can_grade=not open_keys,
        continued=[*found.notes, *(() if continuation is None else continuation.lines())],
    )


def question_view(question: Question, answer: str | None) -> QuestionView:
    """A question as plain values."""
    return QuestionView(
        key=question.key,
        text=question.text,
        about=question.about.rpartition("/")[2],
        choices=[ChoiceView(value=one.value, meaning=one.meaning) for one in question.choices],
        default=question.default,
        form=question.form,
        answer=answer,
    )


def _distinct(questions: Sequence[Question]) -> list[Question]:
    """The questions, each once: the same question about two files has the same answer."""
    return list({one.key: one for one in questions}.values())


def _parts(opened: OpenedClass) -> list[PartView]:
    found = []
    for part in PARTS_OF_INTERPRETATION:
        lines = [
            one.text
            + (f" ({one.evidence.rstrip('.')})" if one.evidence else "")
            + (" This is doubtful." if one.confidence == "doubtful" else "")
            for one in opened.interpretation.decisions
            if one.part == part
        ]
        if lines:
            found.append(PartView(part=part, lines=lines))
    return found


def _sample_row(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: number(value) if isinstance(value, float) else value
        for name, value in row.items()
        if isinstance(value, str | int | float | None)
    }


def grade_histogram(grades: Any, scale: Scale) -> list[Bar]:
    """How often each grade was given; grades are grouped if there are many."""
    values = np.asarray(grades, dtype=np.float64)
    values = values[np.isfinite(values)]
    levels, counts = np.unique(values, return_counts=True)
    steps = None
    if scale.step:
        steps = round((scale.highest - scale.lowest) / scale.step) + 1
    if steps is not None and steps <= MAX_HISTOGRAM_BARS and scale.step:
        known = dict(zip(levels.tolist(), counts.tolist(), strict=True))
        marks = [scale.lowest + place * scale.step for place in range(steps)]
        on_steps = {f"{mark:g}": 0 for mark in marks}
        for value, count in known.items():
            nearest = min(marks, key=lambda mark: abs(mark - value))
            on_steps[f"{nearest:g}"] += count
        return bars(on_steps)
    many = 20
    edges = np.linspace(scale.lowest, scale.highest, many + 1)
    binned, _ = np.histogram(np.clip(values, edges[0], edges[-1]), edges)
    return bars({
        f"{low:g} to {high:g}": int(count)
        for low, high, count in zip(edges[:-1], edges[1:], binned, strict=True)
    })  # fmt: skip


def _staff(opened: OpenedClass) -> dict[str, Any]:
    """Staff grades against the means of peers on the same submissions."""
    if opened.truth is None:
        return {}
    reports = opened.reports
    staff = np.asarray(opened.truth.scores_of(reports), dtype=np.float64)
    known = ~np.isnan(staff)
    counts = np.bincount(reports.submission, minlength=reports.submissions)
    sums = np.bincount(reports.submission, reports.grade, minlength=reports.submissions)
    both = np.flatnonzero(known & (counts > 0))
    means = sums[both] / counts[both]
    names = reports.submission_names
    points = [
        StaffPoint(
            submission=str(place if names is None else names[place]),
            staff=float(staff[place]),
            peers=round(float(mean), 6),
        )
        for place, mean in zip(both.tolist(), means.tolist(), strict=True)
    ]
    return {
        "staff_graded": int(known.sum()),
        "staff_mean": number(staff[both].mean()) if len(both) else None,
        "peer_mean_of_same": number(means.mean()) if len(both) else None,
        "staff_points": sorted(points, key=lambda one: -abs(one.staff - one.peers)),
    }


def staff_chart(view: ImportView) -> dict[str, Any] | None:
    """Staff grades against the means of peers, for Vega-Lite; None with fewer than three."""
    if len(view.staff_points) < MIN_CHART_POINTS:
        return None
    values = [one.model_dump() for one in view.staff_points]
    ends = [one[name] for one in values for name in ("staff", "peers")]
    scale = {"domain": [min(ends), max(ends)], "nice": True, "zero": False}
    x = {"field": "peers", "type": "quantitative", "title": "mean of peers", "scale": scale}
    y = {"field": "staff", "type": "quantitative", "title": "staff grade", "scale": scale}
    line = [{"peers": end, "staff": end} for end in (min(ends), max(ends))]
    return {
        "description": "Staff grades against the means of peers on the same submissions.",
        "width": 300,
        "height": 220,
        "layer": [
            {
                "data": {"values": line},
                "mark": {"type": "line", "strokeDash": [4, 3], "color": FRONT_COLOUR},
                "encoding": {"x": x, "y": y},
            },
            {
                "data": {"values": values},
                "mark": {"type": "point", "filled": True, "size": 60, "color": POINT_COLOUR},
                "encoding": {"x": x, "y": y},
            },
        ],
    }


def _people(opened: OpenedClass) -> list[dict[str, str]]:
    """Everybody who graded, wrote or is listed, with what is known and what they did."""
    names = ClassNames(opened)
    frame = opened.people.with_columns(pl.all().cast(pl.String))
    details = [
        name for name in frame.columns if name != "person" and frame[name].is_not_null().any()
    ]
    known = {row["person"]: row for row in frame.select("person", *details).to_dicts()}
    given = np.bincount(opened.reports.grader, minlength=opened.reports.graders).tolist()
    reviews = {one.id: many for one, many in zip(names.graders, given, strict=True)}
    works = Counter(author.id for authors in names.authors for author in authors)
    return [
        {
            "person": person,
            **{name: known.get(person, {}).get(name) or "" for name in details},
            "reviews given": str(reviews.get(person, 0)),
            "submissions": str(works[person]),
        }
        for person in sorted({*known, *reviews, *works}, key=str.casefold)
    ]


# ---------------------------------------------------------------------------------------- columns


def column_map_of(context: Context, week: Week) -> ColumnMap | None:
    """The column map by which the table of a week was read, or would be; None if there is none."""
    state = WeekState.from_json(week.state)
    try:
        found = context.workbench.opened(week).opened.interpretation
    except PeergaugeError:
        found = None
    if found is not None:
        return found.column_map
    if state.columns:
        from peergauge.web.workbench import column_map_file

        with column_map_file(state.columns) as path:
            return None if path is None else ColumnMap.read(path)
    with context.workbench.files(week) as paths:
        for path in paths:
            try:
                guessed = guess_of_file(path)
            except PeergaugeError:
                continue
            if guessed.columns:
                return guessed
    return None


def _column_views(context: Context, week: Week) -> list[ColumnView]:
    """The columns of the table of a week with what they hold, all columns of the file included."""
    found = column_map_of(context, week)
    if found is None:
        return []
    cells = _cells(context, week, {one.name for one in found.columns})
    listed = [
        ColumnView(
            name=one.name, part=str(one.part), words=one.describe(), cells=cells.get(one.name, [])
        )
        for one in found.columns
    ]
    return listed[:MAX_COLUMNS]


def _cells(context: Context, week: Week, names: set[str]) -> dict[str, list[str]]:
    """The first cells of the columns of the first table that has them."""
    with context.workbench.files(week) as paths:
        for path in paths:
            try:
                sheets = Opened(path).sheets
            except PeergaugeError:
                continue
            for sheet in sheets.values():
                if names & set(sheet.frame.columns):
                    return {
                        name: [
                            str(cell)[:60]
                            for cell in sheet.frame[name].drop_nulls().head(MAX_SHOWN_CELLS)
                        ]
                        for name in sheet.frame.columns
                        if name in names
                    }
    return {}
