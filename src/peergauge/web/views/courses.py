"""Courses, their weeks, the semester and the audit trail."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from peergauge.classroom.grade.semester import semester_of
from peergauge.core.errors import PeergaugeError
from peergauge.exports.questions import OpenQuestionsError
from peergauge.pages.semester_page import semester_table
from peergauge.web.changes import undo_target
from peergauge.web.context import Context, Right
from peergauge.web.store.records import Course, Week
from peergauge.web.views import View, number


class WeekHead(View):
    """A week in the list of a course."""

    id: str
    position: int
    title: str
    revision: int
    status: str
    """``graded``, ``question`` if questions are open, or ``unreadable``."""

    words: str
    continued: list[str]


class CourseHead(View):
    """A course in the list of courses."""

    id: str
    title: str
    created: datetime
    weeks: int


class Member(View):
    """Somebody who may use a course."""

    account: str
    role: str


class CourseView(View):
    """A course with its weeks and members."""

    id: str
    title: str
    created: datetime
    right: str
    weeks: list[WeekHead]
    members: list[Member]


class SemesterView(View):
    """All students and all weeks in one table."""

    columns: list[str]
    rows: list[list[str | float | None]]
    """Cells of each student: names and letters as text, and None where something is missing."""


class EventView(View):
    """A line of the audit trail."""

    when: datetime
    who: str
    what: str
    week: str | None


class RevisionView(View):
    """A change of a week."""

    number: int
    when: datetime
    who: str
    what: str


class HistoryView(View):
    """All changes of a week, the newest first."""

    week: str
    revision: int
    undoes: int | None
    """Number of the change that an undo would take back; None if there is none."""

    changes: list[RevisionView]


def course_heads(context: Context) -> list[CourseHead]:
    """The courses that a person may read."""
    return [
        CourseHead(
            id=one.id, title=one.title, created=one.created, weeks=len(context.store.weeks(one.id))
        )
        for one in context.courses()
    ]  # fmt: skip


def course_view(context: Context, course: Course) -> CourseView:
    """A course with its weeks and members."""
    right = context.right(course.id) or Right.READ
    members = context.store.members(course.id) if context.options.accounts else {}
    return CourseView(
        id=course.id,
        title=course.title,
        created=course.created,
        right=right.name.lower(),
        weeks=[week_head(context, one) for one in context.store.weeks(course.id)],
        members=[Member(account=name, role=role) for name, role in members.items()],
    )


def week_head(context: Context, week: Week) -> WeekHead:
    """A week in one line."""
    status, words, continued = "graded", "", []
    try:
        graded = context.workbench.graded(week)
        words = next(iter(graded.headlines()))
        continued = list(graded.continued())
    except OpenQuestionsError as error:
        many = len({one.key for one in error.questions})
        status, words = (
            "question",
            f"{many} {'question is' if many == 1 else 'questions are'} open.",
        )
    except PeergaugeError as error:
        status, words = "unreadable", str(error)
    return WeekHead(
        id=week.id, position=week.position, title=week.title, revision=week.revision,
        status=status, words=words, continued=continued,
    )  # fmt: skip


def semester_view(context: Context, course: Course) -> SemesterView:
    """One table of the whole course: from the last week that is graded."""
    for week in reversed(context.store.weeks(course.id)):
        try:
            graded = context.workbench.graded(week)
        except PeergaugeError:
            continue
        table = semester_table(semester_of(graded))
        return SemesterView(
            columns=table.columns, rows=[[_cell(one) for one in row] for row in table.rows()]
        )
    return SemesterView(columns=[], rows=[])


def _cell(value: Any) -> str | float | None:
    if value is None or isinstance(value, str):
        return value
    return number(value)


def events_view(context: Context, course: Course) -> list[EventView]:
    """The audit trail of a course, the newest line first."""
    titles = {one.id: one.title for one in context.store.weeks(course.id)}
    return [
        EventView(when=one.when, who=one.who, what=one.what, week=titles.get(one.week or ""))
        for one in context.store.events(course.id)
    ]


def history_view(context: Context, week: Week) -> HistoryView:
    """All changes of a week."""
    target = undo_target(context, week)
    return HistoryView(
        week=week.id,
        revision=week.revision,
        undoes=None if target is None else target[0],
        changes=[
            RevisionView(number=one.number, when=one.when, who=one.who, what=one.what)
            for one in context.store.revisions(week.id)
        ],
    )
