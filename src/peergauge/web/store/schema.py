"""Tables of the database of courses, in the newest version of the schema."""

# ruff: noqa: ARG002 - SQLAlchemy tells every type the dialect, and these types need none.

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

from peergauge.web.store.records import json_text, storable

MAX_KEY_LETTERS = 64
"""Maximum length of identifiers, of names of accounts and of digests, in letters."""


class UtcTime(TypeDecorator[datetime]):
    """A time in UTC, also in databases that store no time zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class JsonText(TypeDecorator[dict[str, Any]]):
    """A JSON document in a text column, with sorted keys; the same text in every database."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: dict[str, Any] | None, dialect: Dialect) -> str | None:
        return None if value is None else json_text(value)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> dict[str, Any] | None:
        if value is None:
            return None
        document: dict[str, Any] = json.loads(value)
        return document


class PlainText(TypeDecorator[str]):
    """A text of any length, without characters that not every database can store."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else storable(value)


class KeyText(TypeDecorator[str]):
    """A short text that identifies a row."""

    impl = String(MAX_KEY_LETTERS)
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else storable(value)


metadata = MetaData()
"""All tables."""


def _course_key(nullable: bool = False) -> Column[str]:
    reference = ForeignKey("courses.id", ondelete="CASCADE")
    return Column("course", KeyText, reference, nullable=nullable)


def _week_key(nullable: bool = False, ondelete: str = "CASCADE") -> Column[str]:
    return Column("week", KeyText, ForeignKey("weeks.id", ondelete=ondelete), nullable=nullable)


def _account_key() -> Column[str]:
    reference = ForeignKey("accounts.name", ondelete="CASCADE")
    return Column("account", KeyText, reference, nullable=False)


courses = Table(
    "courses",
    metadata,
    Column("serial", Integer, primary_key=True),
    Column("id", KeyText, nullable=False),
    Column("title", PlainText, nullable=False),
    Column("created", UtcTime, nullable=False),
    UniqueConstraint("id", name="uq_courses_id"),
)

weeks = Table(
    "weeks",
    metadata,
    Column("id", KeyText, primary_key=True),
    _course_key(),
    Column("position", Integer, nullable=False),
    Column("title", PlainText, nullable=False),
    Column("revision", Integer, nullable=False),
    UniqueConstraint("course", "position", name="uq_weeks_course_position"),
)

revisions = Table(
    "revisions",
    metadata,
    _week_key(),
    Column("number", Integer, nullable=False, autoincrement=False),
    Column("who", PlainText, nullable=False),
    Column("written", UtcTime, nullable=False),
    Column("what", PlainText, nullable=False),
    Column("state", JsonText, nullable=False),
    PrimaryKeyConstraint("week", "number", name="pk_revisions"),
)

files = Table(
    "files",
    metadata,
    Column("serial", Integer, primary_key=True),
    Column("id", KeyText, nullable=False),
    _week_key(),
    Column("name", PlainText, nullable=False),
    Column("digest", KeyText, nullable=False),
    Column("size", Integer, nullable=False),
    Column("content", LargeBinary, nullable=False),
    UniqueConstraint("id", name="uq_files_id"),
    Index("ix_files_week", "week"),
)

events = Table(
    "events",
    metadata,
    Column("serial", Integer, primary_key=True),
    _course_key(),
    _week_key(nullable=True, ondelete="SET NULL"),
    Column("written", UtcTime, nullable=False),
    Column("who", PlainText, nullable=False),
    Column("what", PlainText, nullable=False),
    Index("ix_events_course", "course"),
    Index("ix_events_week", "week"),
)

jobs = Table(
    "jobs",
    metadata,
    Column("serial", Integer, primary_key=True),
    Column("id", KeyText, nullable=False),
    Column("kind", PlainText, nullable=False),
    Column("parameters", JsonText, nullable=False),
    Column("state", KeyText, nullable=False),
    Column("step", PlainText, nullable=False),
    Column("done", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("who", PlainText, nullable=False),
    _course_key(nullable=True),
    _week_key(nullable=True),
    Column("created", UtcTime, nullable=False),
    Column("started", UtcTime),
    Column("finished", UtcTime),
    Column("result", JsonText),
    Column("error", PlainText, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("process", PlainText, nullable=False),
    UniqueConstraint("id", name="uq_jobs_id"),
    Index("ix_jobs_course", "course"),
    Index("ix_jobs_week", "week"),
    Index("ix_jobs_state", "state"),
)

accounts = Table(
    "accounts",
    metadata,
    Column("name", KeyText, primary_key=True),
    Column("password", PlainText, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    Column("digest", KeyText, primary_key=True),
    _account_key(),
    Column("expires", UtcTime, nullable=False),
    Index("ix_sessions_account", "account"),
)

memberships = Table(
    "memberships",
    metadata,
    _course_key(),
    _account_key(),
    Column("role", KeyText, nullable=False),
    PrimaryKeyConstraint("course", "account", name="pk_memberships"),
    Index("ix_memberships_account", "account"),
)
