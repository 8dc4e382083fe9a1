"""Add accounts, their sessions, and their memberships in courses."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "accounts",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("password", sa.Text, nullable=False),
    )
    op.create_table(
        "sessions",
        sa.Column("digest", sa.String(64), primary_key=True),
        sa.Column("account", sa.String(64), _reference("accounts.name"), nullable=False),
        sa.Column("expires", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_sessions_account", "sessions", ["account"])
    op.create_table(
        "memberships",
        sa.Column("course", sa.String(64), _reference("courses.id"), nullable=False),
        sa.Column("account", sa.String(64), _reference("accounts.name"), nullable=False),
        sa.Column("role", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("course", "account", name="pk_memberships"),
    )
    op.create_index("ix_memberships_account", "memberships", ["account"])


def _reference(column: str) -> sa.ForeignKey:
    return sa.ForeignKey(column, ondelete="CASCADE")
