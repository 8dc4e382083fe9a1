"""Weeks, their revisions and their files, in the database."""

# ruff: noqa: A002 - identifiers are called id, as in the records.

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

from sqlalchemy import Connection, Select, and_, delete, func, insert, select, update

from peergauge.web.store.courses import (
    course_query,
    insert_course,
    keep_course_of,
    lock_course,
    record_event,
)
from peergauge.web.store.database import MAX_INTEGER, Database
from peergauge.web.store.errors import MissingError, StaleError, StoreError
from peergauge.web.store.records import (
    Course,
    NewFile,
    NewRevision,
    Revision,
    RevisionHead,
    StoredFile,
    Week,
    new_id,
    now,
)
from peergauge.web.store.schema import courses, files, memberships, revisions, weeks

WeekDocument = dict[str, Any] | Callable[[list[StoredFile]], dict[str, Any]]
"""The state of a week, or a function that computes it from the files stored in the same call."""

_head_columns = (
    revisions.c.week,
    revisions.c.number,
    revisions.c.who,
    revisions.c.written,
    revisions.c.what,
)
_file_columns = (files.c.id, files.c.week, files.c.name, files.c.digest, files.c.size)


class Weeks(Database):
    """The part of the database with weeks, revisions and files."""

    def add_week(
        self,
        course: str,
        title: str,
        state: WeekDocument,
        who: str,
        what: str,
        files: Sequence[NewFile] = (),
    ) -> Week:
        """Add a week after the last week of a course, with its first revision.

        Parameters
        ----------
        course
            Identifier of the course.
        title
            Title of the week.
        state
            The state, or a function that computes the state from the stored files.
        who
            Name of the person who adds the week.
        what
            One sentence about the revision.
        files
            Files to store with the week.
        """
        week = new_id()
        stored = described_files(week, files)
        document = state(stored) if callable(state) else state
        with self._writing() as connection:
            self._one(connection, lock_course(course), "course", course)
            last = select(func.coalesce(func.max(weeks.c.position), 0))
            position = connection.execute(last.where(weeks.c.course == course)).scalar_one() + 1
            values = {"id": week, "course": course, "position": position, "title": title}
            connection.execute(insert(weeks).values(revision=1, **values))
            _insert_files(connection, stored, files)
            _insert_revision(connection, course, RevisionHead(week, 1, who, now(), what), document)
            return self._week(connection, week)

    def start_course(
        self,
        title: str,
        who: str,
        week_title: str,
        state: WeekDocument,
        what: str,
        files: Sequence[NewFile] = (),
        *,
        has_account: bool = False,
    ) -> tuple[Course, Week]:
        """Add a course with its first week, so that there is never a course without its files.

        Parameters
        ----------
        title
            Title of the course.
        who
            Name of the person who adds the course.
        week_title
            Title of the week.
        state
            The state, or a function that computes the state from the stored files.
        what
            One sentence about the revision.
        files
            Files to store with the week.
        has_account
            Whether the person has an account, which becomes the instructor of the course.
        """
        week = new_id()
        stored = described_files(week, files)
        document = state(stored) if callable(state) else state
        with self._writing() as connection:
            course = insert_course(connection, title, who)
            if has_account:
                values = {"course": course, "account": who, "role": "instructor"}
                connection.execute(insert(memberships).values(values))
            placed = {"id": week, "course": course, "position": 1, "title": week_title}
            connection.execute(insert(weeks).values(revision=1, **placed))
            _insert_files(connection, stored, files)
            _insert_revision(connection, course, RevisionHead(week, 1, who, now(), what), document)
            found = self._one(connection, course_query(course), "course", course)
            return Course(*found), self._week(connection, week)

    def weeks(self, course: str) -> list[Week]:
        """The weeks of a course with their current states, in order."""
        with self._reading() as connection:
            query = select(courses.c.id).where(courses.c.id == course)
            self._one(connection, query, "course", course)
            of_course = _week_query().where(weeks.c.course == course)
            return [Week(*row) for row in connection.execute(of_course.order_by(weeks.c.position))]

    def week(self, id: str) -> Week:
        """The week with an identifier, with its current state."""
        with self._reading() as connection:
            return self._week(connection, id)

    def delete_week(self, id: str, who: str) -> None:
        """Delete the last week of a course with its revisions and files.

        The audit trail keeps its entries about the week.
        """
        course = self.week(id).course
        with self._writing() as connection:
            self._one(connection, lock_course(course), "course", course)
            query = select(weeks.c.position, weeks.c.title).where(weeks.c.id == id)
            position, title = self._one(connection, query, "week", id)
            last = select(func.max(weeks.c.position)).where(weeks.c.course == course)
            if position != connection.execute(last).scalar_one():
                raise StoreError(
                    f"The week '{title}' is not the last week of its course, and later weeks"
                    " continue from it; delete the later weeks first."
                )
            connection.execute(delete(weeks).where(weeks.c.id == id))
            record_event(connection, course, who, f"Deleted the week '{title}'.")
        self._erase_deleted()

    def add_revision(
        self,
        week: str,
        after: int,
        state: WeekDocument,
        who: str,
        what: str,
        files: Sequence[NewFile] = (),
        *,
        stored: Sequence[StoredFile] | None = None,
    ) -> Week:
        """Add a revision to a week, which becomes the week's current state.

        Parameters
        ----------
        week
            Identifier of the week.
        after
            Number of the revision that the change is based on, which must be the newest one.
        state
            The whole new state, or a function that computes it from the files stored in this call.
        who
            Name of the person who makes the change.
        what
            One sentence about the change.
        files
            More files to store with the week.
        stored
            Records of these files by :func:`described_files`, if the state names them already.
        """
        stored = described_files(week, files) if stored is None else stored
        document = state(list(stored)) if callable(state) else state
        return self.add_revisions(week, after, [NewRevision(document, who, what, files, stored)])

    def add_revisions(self, week: str, after: int, new: Sequence[NewRevision]) -> Week:
        """Add revisions to a week one after another, all or none; the last one is then current.

        Parameters
        ----------
        week
            Identifier of the week.
        after
            Number of the revision that the first one is based on, which must be the newest one.
        new
            The revisions, in order.
        """
        with self._writing() as connection:
            [course] = self._one(connection, keep_course_of(week), "week", week)
            # One statement compares and counts, so of two writers only one can succeed.
            based = (
                weeks.c.id == week, weeks.c.revision == min(max(after, 0), MAX_INTEGER - len(new))
            )  # fmt: skip
            change = update(weeks).where(*based).values(revision=weeks.c.revision + len(new))
            if not connection.execute(change).rowcount:
                raise StaleError(self._newest(connection, week))
            for number, one in enumerate(new, start=after + 1):
                _insert_files(connection, one.stored, one.files)
                head = RevisionHead(week, number, one.who, now(), one.what)
                _insert_revision(connection, course, head, one.state)
            return self._week(connection, week)

    def revision(self, week: str, number: int) -> Revision:
        """One revision of a week."""
        query = select(*_head_columns, revisions.c.state).where(
            revisions.c.week == week, revisions.c.number == number
        )
        with self._reading() as connection:
            self._require_week(connection, week)
            if not 0 < number <= MAX_INTEGER:
                raise MissingError("revision", number)
            return Revision(*self._one(connection, query, "revision", number))

    def revisions(self, week: str) -> list[RevisionHead]:
        """The revisions of a week without their states, the newest first."""
        query = select(*_head_columns).where(revisions.c.week == week)
        with self._reading() as connection:
            self._require_week(connection, week)
            found = connection.execute(query.order_by(revisions.c.number.desc()))
            return [RevisionHead(*row) for row in found]

    def files(self, week: str) -> list[StoredFile]:
        """The files of a week without their contents, in the order in which they were stored."""
        query = select(*_file_columns).where(files.c.week == week).order_by(files.c.serial)
        with self._reading() as connection:
            self._require_week(connection, week)
            return [StoredFile(*row) for row in connection.execute(query)]

    def file(self, id: str) -> StoredFile:
        """The file with an identifier, without its content."""
        with self._reading() as connection:
            query = select(*_file_columns).where(files.c.id == id)
            return StoredFile(*self._one(connection, query, "file", id))

    def content(self, id: str) -> bytes:
        """The content of the file with an identifier."""
        with self._reading() as connection:
            query = select(files.c.content).where(files.c.id == id)
            return bytes(self._one(connection, query, "file", id)[0])

    def _week(self, connection: Connection, week: str) -> Week:
        return Week(*self._one(connection, _week_query().where(weeks.c.id == week), "week", week))

    def _require_week(self, connection: Connection, week: str) -> None:
        self._one(connection, select(weeks.c.id).where(weeks.c.id == week), "week", week)

    def _newest(self, connection: Connection, week: str) -> RevisionHead:
        query = select(*_head_columns).where(revisions.c.week == week)
        newest = query.order_by(revisions.c.number.desc()).limit(1)
        return RevisionHead(*self._one(connection, newest, "week", week))


def _week_query() -> Select[*tuple[Any, ...]]:
    newest = and_(revisions.c.week == weeks.c.id, revisions.c.number == weeks.c.revision)
    columns = (weeks.c.id, weeks.c.course, weeks.c.position, weeks.c.title, weeks.c.revision)
    return select(*columns, revisions.c.state).join_from(weeks, revisions, newest)


def described_files(week: str, new: Sequence[NewFile]) -> list[StoredFile]:
    """Records of files that are about to be stored with a week, with their new identifiers."""
    return [
        StoredFile(new_id(), week, one.name, sha256(one.content).hexdigest(), len(one.content))
        for one in new
    ]


def _insert_files(
    connection: Connection, stored: Sequence[StoredFile], new: Sequence[NewFile]
) -> None:
    for record, file in zip(stored, new, strict=True):
        values = {"id": record.id, "week": record.week, "name": record.name}
        described = {"digest": record.digest, "size": record.size, "content": file.content}
        connection.execute(insert(files).values(**values, **described))


def _insert_revision(
    connection: Connection, course: str, head: RevisionHead, state: dict[str, Any]
) -> None:
    values = {"week": head.week, "number": head.number, "who": head.who, "written": head.when}
    connection.execute(insert(revisions).values(**values, what=head.what, state=state))
    record_event(connection, course, head.who, head.what, head.week)
