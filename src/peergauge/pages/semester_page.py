"""The page of the semester: every student and every assignment, with reasons for missing values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from peergauge._version import __version__
from peergauge.classroom.grade.names import Person
from peergauge.classroom.grade.semester import Semester, SemesterPerson, SemesterRun
from peergauge.core.lazy import pl
from peergauge.core.text import as_counted, counted
from peergauge.pages import render, short
from peergauge.pages.table_layout import ColumnFilter, TableLayout
from peergauge.pages.texts import PageTexts

MAX_SEMESTER_ROWS = 5000
"""Students that the page shows; the CSV file has all of them."""

SEMESTER_ROWS_PER_PAGE = 50
"""Students that are shown at a time."""

NO_SUBMISSION = "no submission"
NOT_REVIEWED = "not reviewed"
AUTHORS_UNKNOWN = "authors not known"
NO_REVIEW = "no review"
NO_REWARD = "no points"


class SemesterColumn(NamedTuple):
    """Results of one assignment, or the points of one run."""

    title: str
    """Name of the assignment; empty for points."""

    label: str
    of: str
    """The assignments whose reviews the points are for."""

    key: str
    """Name of the column in the CSV file."""


class SemesterCell(NamedTuple):
    """One value, or the reason why there is none."""

    value: float | str | None
    text: str
    reviews: str = ""
    """How many reviews the student gave for the assignment."""


class SemesterRow(NamedTuple):
    """One student."""

    person: Person
    section: str
    cells: tuple[SemesterCell, ...]


def semester_columns(semester: Semester) -> list[SemesterColumn]:
    """Columns of the page: the assignments of each run, then the points of the run.

    Points so far replace those of earlier runs, which have no column then, so that nobody adds a
    week twice.
    """
    columns = []
    counting = _counting_runs(semester)
    for place, run in enumerate(semester.runs):
        columns += [
            SemesterColumn(name or "Grade", "Grade", "", f"{name} grade".strip())
            for name in run.assignments
        ]
        if place not in counting:
            continue
        names = semester.assignments_until(place) if run.cumulative else run.assignments
        kind = "Letter" if run.highest_points is None else "Points"
        label = f"{kind} so far" if run.cumulative else kind
        of = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
        columns.append(SemesterColumn("", label, of, f"{label} for reviewing {of}".strip()))
    return columns


def _counting_runs(semester: Semester) -> dict[int, SemesterRun]:
    """The runs whose points count, by their places."""
    runs = semester.points_runs
    return dict(enumerate(runs, len(semester.runs) - len(runs)))


def semester_rows(semester: Semester) -> list[SemesterRow]:
    """One row for everybody who wrote or graded, in the order of names."""
    everybody = {person for run in semester.runs for person in run.people}
    unknown, counting = SemesterPerson(), _counting_runs(semester)
    reviewed = {
        person for run in semester.runs for reviews in run.reviews.values() for person in reviews
    }
    rows = []
    for one in everybody:
        details = semester.people.get(one, unknown)
        cells = []
        for place, run in enumerate(semester.runs):
            cells += _grade_cells(run, one)
            if place in counting:
                here = any(one in reviews for reviews in run.reviews.values())
                gave = one in reviewed if run.cumulative else here
                cells.append(_points_cell(counting[place], one, gave=gave))
        rows.append(SemesterRow(Person(one, details.name), details.section, tuple(cells)))
    return sorted(rows, key=lambda row: (as_counted(row.person.label.casefold()), row.person.id))


def _grade_cells(run: SemesterRun, person: str) -> list[SemesterCell]:
    found = []
    for name, grades in run.grades.items():
        many = run.reviews[name].get(person, 0)
        reviews = counted(many, "review") if many else NO_REVIEW
        grade = grades.get(person)
        if grade is not None:
            found.append(SemesterCell(grade, short(float(grade), 2), reviews))
        elif person in grades:
            found.append(SemesterCell(None, NOT_REVIEWED, reviews))
        else:
            found.append(SemesterCell(None, NO_SUBMISSION if grades else AUTHORS_UNKNOWN, reviews))
    return found


def _points_cell(run: SemesterRun, person: str, *, gave: bool) -> SemesterCell:
    """Points of a person, or why there are none."""
    points = run.points.get(person)
    if points is None:
        return SemesterCell(None, NO_REWARD if gave else NO_REVIEW)
    return SemesterCell(points, points if isinstance(points, str) else short(float(points), 2))


def semester_table(semester: Semester, rows: Sequence[SemesterRow] | None = None) -> pl.DataFrame:
    """One row for each student: grades by assignment, and points by run.

    *rows* are those of :func:`semester_rows`, if they are known already.
    """
    rows = semester_rows(semester) if rows is None else rows
    table: dict[str, pl.Series] = {
        "person": pl.Series([row.person.id for row in rows], dtype=pl.String),
        "name": pl.Series([row.person.name for row in rows], dtype=pl.String),
        "section": pl.Series([row.section for row in rows], dtype=pl.String),
    }
    for place, column in enumerate(semester_columns(semester)):
        values = [row.cells[place].value for row in rows]
        kind = pl.String if any(isinstance(one, str) for one in values) else pl.Float64
        key, number = column.key, 1
        while key in table:
            number += 1
            key = f"{column.key} ({number})"
        table[key] = pl.Series(values, dtype=kind, strict=False)
    for name in ("name", "section"):
        if not any(table[name]):
            del table[name]
    return pl.DataFrame(table)


def semester_page(
    semester: Semester,
    texts: PageTexts | None = None,
    rows: Sequence[SemesterRow] | None = None,
) -> str:
    """The page as HTML: one file that needs no network.

    *rows* are those of :func:`semester_rows`, if they are known already.
    """
    rows = semester_rows(semester) if rows is None else rows
    columns = semester_columns(semester)
    return render(
        "semester.html",
        course="" if texts is None else texts.course,
        columns=columns,
        layout=_layout(rows, columns),
        runs=semester.runs,
        rows=rows[:MAX_SEMESTER_ROWS],
        students=len(rows),
        assignments=len(semester.assignments),
        highest=semester.runs[-1].highest,
        highest_points=semester.runs[-1].highest_points,
        missing=semester.missing,
        unknown=[
            name for run in semester.runs for name, column in run.grades.items() if not column
        ],
        cumulative=any(run.cumulative for run in semester.runs),
        joint=any(len(run.assignments) > 1 for run in semester.runs),
        max_rows=MAX_SEMESTER_ROWS,
        per_page=SEMESTER_ROWS_PER_PAGE,
        version=__version__,
    )


def _layout(rows: Sequence[SemesterRow], columns: Sequence[SemesterColumn]) -> TableLayout:
    sections = sorted({row.section for row in rows} - {""}, key=as_counted)
    labels = ["", *["Section"] * bool(sections), *(f"{one.title or one.label}:" for one in columns)]
    filters = (ColumnFilter("Section", 1, sections),) if len(sections) > 1 else ()
    return TableLayout(tuple(labels), 0, filters)


def has_semester(semester: Semester) -> bool:
    """Whether there is more than one assignment to show."""
    return len(semester.assignments) + len(semester.missing) > 1
