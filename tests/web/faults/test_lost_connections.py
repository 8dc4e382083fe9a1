"""A database server that drops all connections, as one that is started again does."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import make_url

from tests.web.kit import class_file, opened_client
from tests.web.postgres import administer

DROP_ALL = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


def test_dropped_connections_are_opened_again(database_url: str, tmp_path: Path) -> None:
    if make_url(database_url).get_backend_name() != "postgresql":
        pytest.skip("SQLite is a file, without connections that can be dropped")
    file = class_file()
    with opened_client(tmp_path, database=database_url) as client:
        made = client.post("/api/courses", files={"files": (file.name, file.content)})
        week = made.json()["weeks"][0]["id"]
        for grade in (3, 4):
            administer(database_url, DROP_ALL)
            seen = client.get(f"/api/weeks/{week}")
            assert seen.status_code == 200, seen.text
            administer(database_url, DROP_ALL)
            body = {"seen": seen.json()["revision"], "values": {"points": f"0..{grade}"}}
            said = client.put(f"/api/weeks/{week}/settings", json=body)
            assert said.status_code == 200, said.text
        assert client.get(f"/api/weeks/{week}").json()["revision"] == 3
