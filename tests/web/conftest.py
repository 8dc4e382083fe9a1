"""Databases to test with: new SQLite files, and new databases of a real PostgreSQL server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import make_url

from peergauge.web.store import Store
from peergauge.web.store.records import new_id
from tests.web.postgres import administer, running_postgres


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """The URL of a PostgreSQL server that runs for these tests only, or a loud skip without it."""
    with running_postgres() as url:
        if url is None:
            pytest.skip("there is no PostgreSQL here; databases on a server are NOT tested")
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a new database."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'courses.db'}"
        return
    server: str = request.getfixturevalue("postgres_url")
    name = f"courses_{new_id()}"
    administer(server, "CREATE DATABASE {}", name)
    yield make_url(server).set(database=name).render_as_string(hide_password=False)
    administer(server, "DROP DATABASE {} WITH (FORCE)", name)


@pytest.fixture
def store(database_url: str) -> Iterator[Store]:
    """A new store, once on SQLite and once on PostgreSQL."""
    opened = Store.open(database_url)
    yield opened
    opened.close()


@pytest.fixture
def other_store(store: Store, database_url: str) -> Iterator[Store]:
    """The same store, opened a second time, as another process would."""
    opened = Store.open(database_url)
    yield opened
    opened.close()
