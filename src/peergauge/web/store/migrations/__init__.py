"""Upgrades of the schema of a database, with Alembic.

Every version of the schema is a file in ``versions``. A new version is a new file; published files
do not change, because databases of users were created by them.
"""

from __future__ import annotations

from pathlib import Path
from threading import Lock
from typing import Any

from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationStep
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect

from peergauge.web.store.errors import StoreError
from peergauge.web.store.schema import metadata

VERSION_TABLE = "peergauge_version"
"""Name of the table with the version of the schema."""

NEWEST_VERSION = "head"
"""Alembic's name of the newest version."""

_upgrade_lock = Lock()  # Alembic keeps the current migration in global variables.


def upgrade(connection: Connection, version: str = NEWEST_VERSION) -> None:
    """Bring the schema of a database to a version, in the transaction of the connection.

    Parameters
    ----------
    connection
        Connection with an open transaction.
    version
        The version to reach.
    """
    with _upgrade_lock:
        script = ScriptDirectory(str(Path(__file__).parent))
        found = current_versions(connection)
        known = {one.revision for one in script.walk_revisions()}
        if not known.issuperset(found):
            raise StoreError(
                "The database was written by a newer version of peergauge (its schema has version"
                f" {', '.join(found)}); install that version of peergauge, or give another"
                " database."
            )
        if not found:
            _refuse_foreign_tables(connection)

        def steps(heads: tuple[str, ...], _context: MigrationContext) -> list[MigrationStep]:
            path = list(script.iterate_revisions(version, heads or "base"))
            return [
                MigrationStep.upgrade_from_script(script.revision_map, one)
                for one in reversed(path)
            ]

        with EnvironmentContext(Config(), script, fn=steps) as environment:
            environment.configure(connection=connection, version_table=VERSION_TABLE)
            environment.run_migrations()


def current_versions(connection: Connection) -> tuple[str, ...]:
    """The version of the schema of a database; empty for a new database."""
    options: dict[str, Any] = {"version_table": VERSION_TABLE}
    return MigrationContext.configure(connection, opts=options).get_current_heads()


def _refuse_foreign_tables(connection: Connection) -> None:
    taken = sorted(set(inspect(connection).get_table_names()) & set(metadata.tables))
    if taken:
        raise StoreError(
            f"The database has a table '{taken[0]}' that peergauge did not create; give an empty"
            " database or a new file."
        )
