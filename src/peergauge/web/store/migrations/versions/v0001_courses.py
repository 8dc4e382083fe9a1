"""Create courses, weeks, revisions, files, events and jobs."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "courses",
        sa.Column("serial", sa.Integer, primary_key=True),
        _key("id"),
        _text("title"),
        _time("created", nullable=False),
        sa.UniqueConstraint("id", name="uq_courses_id"),
    )
    op.create_table(
        "weeks",
        _key("id", primary_key=True),
        _key("course", _reference("courses.id")),
        sa.Column("position", sa.Integer, nullable=False),
        _text("title"),
        sa.Column("revision", sa.Integer, nullable=False),
        sa.UniqueConstraint("course", "position", name="uq_weeks_course_position"),
    )
    op.create_table(
        "revisions",
        _key("week", _reference("weeks.id")),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        _text("who"),
        _time("written", nullable=False),
        _text("what"),
        _text("state"),
        sa.PrimaryKeyConstraint("week", "number", name="pk_revisions"),
    )
    op.create_table(
        "files",
        sa.Column("serial", sa.Integer, primary_key=True),
        _key("id"),
        _key("week", _reference("weeks.id")),
        _text("name"),
        _key("digest"),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.UniqueConstraint("id", name="uq_files_id"),
    )
    op.create_index("ix_files_week", "files", ["week"])
    _create_events()
    _create_jobs()


def _create_events() -> None:
    op.create_table(
        "events",
        sa.Column("serial", sa.Integer, primary_key=True),
        _key("course", _reference("courses.id")),
        _key("week", _reference("weeks.id", "SET NULL"), nullable=True),
        _time("written", nullable=False),
        _text("who"),
        _text("what"),
    )
    op.create_index("ix_events_course", "events", ["course"])
    op.create_index("ix_events_week", "events", ["week"])


def _create_jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("serial", sa.Integer, primary_key=True),
        _key("id"),
        _text("kind"),
        _text("parameters"),
        _key("state"),
        _text("step"),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
        _text("who"),
        _key("course", _reference("courses.id"), nullable=True),
        _key("week", _reference("weeks.id"), nullable=True),
        _time("created", nullable=False),
        _time("started"),
        _time("finished"),
        sa.Column("result", sa.Text),
        _text("error"),
        sa.Column("attempts", sa.Integer, nullable=False),
        _text("process"),
        sa.UniqueConstraint("id", name="uq_jobs_id"),
    )
    op.create_index("ix_jobs_course", "jobs", ["course"])
    op.create_index("ix_jobs_week", "jobs", ["week"])
    op.create_index("ix_jobs_state", "jobs", ["state"])


def _key(name: str, *constraints: sa.ForeignKey, **options: Any) -> sa.Column[str]:
    return sa.Column(name, sa.String(64), *constraints, **{"nullable": False, **options})


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False)


def _time(name: str, nullable: bool = True) -> sa.Column[Any]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _reference(column: str, ondelete: str = "CASCADE") -> sa.ForeignKey:
    return sa.ForeignKey(column, ondelete=ondelete)
