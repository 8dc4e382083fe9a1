"""Tests of upgrades of the schema."""

from __future__ import annotations

from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, Engine, create_engine, inspect, text

from peergauge.web.store import Store, StoreError
from peergauge.web.store.migrations import VERSION_TABLE, current_versions, upgrade
from peergauge.web.store.schema import metadata

OLD_ROWS = {
    "courses": {"serial": 1, "id": "c1", "title": "Biology", "created": "2026-01-02 03:04:05"},
    "weeks": {"id": "w1", "course": "c1", "position": 1, "title": "Week 1", "revision": 1},
    "revisions": {
        "week": "w1",
        "number": 1,
        "who": "anna",
        "written": "2026-01-02 03:04:05",
        "what": "Imported.",
        "state": '{"scale":10}',
    },
    "files": {
        "serial": 1,
        "id": "f1",
        "week": "w1",
        "name": "a.csv",
        "digest": "ca97",
        "size": 1,
        "content": b"a",
    },
    "events": {
        "serial": 1,
        "course": "c1",
        "week": "w1",
        "written": "2026-01-02 03:04:05",
        "who": "anna",
        "what": "Imported.",
    },
    "jobs": {
        "serial": 1,
        "id": "j1",
        "kind": "compare",
        "parameters": "{}",
        "state": "queued",
        "step": "",
        "done": 0,
        "total": 0,
        "who": "anna",
        "course": "c1",
        "week": "w1",
        "created": "2026-01-02 03:04:05",
        "error": "",
        "attempts": 0,
        "process": "",
    },
}
"""A row of every table of the first version."""


@pytest.fixture
def engine(database_url: str) -> Any:
    made = create_engine(database_url)
    yield made
    made.dispose()


def rows(connection: Connection, table: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in connection.execute(text(f"SELECT * FROM {table}"))]


def test_an_old_database_is_upgraded_with_its_data(engine: Engine, database_url: str) -> None:
    with engine.begin() as connection:
        upgrade(connection, "0001")
        assert set(inspect(connection).get_table_names()) == {*OLD_ROWS, VERSION_TABLE}
        for table, row in OLD_ROWS.items():
            names = ", ".join(f":{name}" for name in row)
            connection.execute(
                text(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({names})"), row
            )
        before = {table: rows(connection, table) for table in OLD_ROWS}
    store = Store.open(database_url)
    with engine.begin() as connection:
        assert current_versions(connection) == ("0002",)
        assert {table: rows(connection, table) for table in OLD_ROWS} == before
    assert store.week("w1").state == {"scale": 10}
    assert store.content("f1") == b"a"
    assert [event.what for event in store.events("c1")] == ["Imported."]
    job = store.claim_job("worker")
    assert job is not None
    assert job.id == "j1"
    store.add_account("anna", "a long password")
    store.set_role("c1", "anna", "instructor")
    store.close()


def test_the_upgraded_schema_is_the_schema_of_the_tables(store: Store) -> None:
    with store.engine.begin() as connection:
        options = {"version_table": VERSION_TABLE, "compare_type": True}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []


def test_the_comparison_of_schemas_notices_a_difference(store: Store) -> None:
    with store.engine.begin() as connection:
        connection.execute(text("DROP INDEX ix_jobs_state"))
        context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
        assert len(compare_metadata(context, metadata)) == 1


def test_a_database_of_a_newer_version_is_refused_and_stays(
    store: Store, database_url: str
) -> None:
    course = store.add_course("Biology", "anna")
    with store.engine.begin() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    with pytest.raises(StoreError, match=r"newer version of peergauge .*version 9999") as caught:
        Store.open(database_url)
    assert str(caught.value).count(".") == 1
    assert store.courses() == [course]


def test_an_upgrade_that_fails_changes_nothing(engine: Engine, database_url: str) -> None:
    with engine.begin() as connection:
        upgrade(connection, "0001")
        # The second version creates accounts first, so it fails at its second table.
        connection.execute(text("CREATE TABLE sessions (digest VARCHAR(64))"))
    with pytest.raises(StoreError, match="cannot be used"):
        Store.open(database_url)
    with engine.begin() as connection:
        assert current_versions(connection) == ("0001",)
        assert "accounts" not in inspect(connection).get_table_names()
