"""Courses and their audit trails, in the database."""

# ruff: noqa: A002 - identifiers are called id, as in the records.

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Select, delete, insert, select, update

from peergauge.web.store.database import MAX_INTEGER, Database
from peergauge.web.store.errors import MissingError
from peergauge.web.store.records import Course, Event, new_id, now
from peergauge.web.store.schema import courses, events, weeks

MAX_EVENT_COUNT = 500
"""Events that are listed unless more are asked for."""

_course_columns = (courses.c.id, courses.c.title, courses.c.created)


class Courses(Database):
    """The part of the database with courses and their audit trails."""

    def add_course(self, title: str, who: str) -> Course:
        """Add a course."""
        with self._writing() as connection:
            return self._course(connection, insert_course(connection, title, who))

    def courses(self) -> list[Course]:
        """All courses, the oldest first."""
        with self._reading() as connection:
            found = connection.execute(select(*_course_columns).order_by(courses.c.serial))
            return [Course(*row) for row in found]

    def course(self, id: str) -> Course:
        """The course with an identifier."""
        with self._reading() as connection:
            return self._course(connection, id)

    def rename_course(self, id: str, title: str, who: str) -> Course:
        """Change the title of a course."""
        with self._writing() as connection:
            change = update(courses).where(courses.c.id == id).values(title=title)
            if not connection.execute(change).rowcount:
                raise MissingError("course", id)
            record_event(connection, id, who, f"Renamed the course to '{title}'.")
            return self._course(connection, id)

    def delete_course(self, id: str) -> None:
        """Delete a course with everything that belongs to it."""
        with self._writing() as connection:
            # Tables that refer to the course lose their rows by the rules of the schema.
            if not connection.execute(delete(courses).where(courses.c.id == id)).rowcount:
                raise MissingError("course", id)
        self._erase_deleted()

    def add_event(self, course: str, who: str, what: str, week: str | None = None) -> None:
        """Add an entry to the audit trail of a course.

        Parameters
        ----------
        course
            Identifier of the course.
        who
            Name of the person who acted.
        what
            One sentence about the action.
        week
            Identifier of the week of the course that the action concerns, if any.
        """
        with self._writing() as connection:
            self._one(connection, keep_course(course), "course", course)
            if week is not None:
                query = select(weeks.c.id).where(weeks.c.id == week, weeks.c.course == course)
                kept = query.with_for_update(read=True, key_share=True)
                self._one(connection, kept, "week", week)
            record_event(connection, course, who, what, week)

    def events(self, course: str, most: int = MAX_EVENT_COUNT) -> list[Event]:
        """The audit trail of a course with all revisions of its weeks, the newest first."""
        columns = (events.c.course, events.c.week, events.c.written, events.c.who, events.c.what)
        query = select(*columns).where(events.c.course == course)
        with self._reading() as connection:
            self._one(
                connection, select(courses.c.id).where(courses.c.id == course), "course", course
            )
            found = connection.execute(
                query.order_by(events.c.serial.desc()).limit(min(most, MAX_INTEGER))
            )
            return [Event(*row) for row in found]

    def _course(self, connection: Connection, id: str) -> Course:
        return Course(*self._one(connection, course_query(id), "course", id))


def course_query(course: str) -> Select[*tuple[Any, ...]]:
    """The query that finds a course."""
    return select(*_course_columns).where(courses.c.id == course)


def insert_course(connection: Connection, title: str, who: str) -> str:
    """Add a course in the transaction of the connection, and return its identifier."""
    course = new_id()
    connection.execute(insert(courses).values(id=course, title=title, created=now()))
    record_event(connection, course, who, f"Created the course '{title}'.")
    return course


# Transactions lock an account first, then a course, then its weeks, so that none waits for another
# in a circle. SQLite has no such locks: there, only one transaction writes at a time.


def lock_course(course: str) -> Select[str]:
    """The query that finds a course and makes other queries of this kind wait."""
    return select(courses.c.id).where(courses.c.id == course).with_for_update(key_share=True)


def keep_course(course: str) -> Select[str]:
    """The query that finds a course and makes a transaction wait that would delete the course."""
    query = select(courses.c.id).where(courses.c.id == course)
    return query.with_for_update(read=True, key_share=True)


def keep_course_of(week: str) -> Select[str]:
    """The query that finds the course of a week and makes its deletion wait."""
    query = select(courses.c.id).join_from(courses, weeks, weeks.c.course == courses.c.id)
    return query.where(weeks.c.id == week).with_for_update(read=True, key_share=True, of=courses)


def record_event(
    connection: Connection, course: str, who: str, what: str, week: str | None = None
) -> None:
    """Add an entry to an audit trail, in the transaction of the connection."""
    values = {"course": course, "week": week, "written": now(), "who": who, "what": what}
    connection.execute(insert(events).values(values))
