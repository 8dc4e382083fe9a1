"""A full disk of the server is said to be full, and nothing is half there."""

from __future__ import annotations

import os
from errno import ENOSPC
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import event

from tests.web.kit import HEADER, class_file, class_rows, opened_client, table_bytes


def titles(client: TestClient) -> list[str]:
    return [one["title"] for one in client.get("/api/courses").json()]


def upload(client: TestClient, title: str, content: bytes) -> Any:
    files = {"files": ("class.csv", content)}
    return client.post("/api/courses", files=files, data={"title": title})


def test_an_upload_that_the_database_has_no_room_for_is_not_there_at_all(tmp_path: Path) -> None:
    rows = [(*row, "x" * 100_000) for row in class_rows()]
    large = table_bytes((*HEADER, "Comment"), *rows)
    with opened_client(tmp_path) as client:
        database = client.app.state.store  # type: ignore[attr-defined]
        used = int(database._pragma("page_count"))
        most = used + 20

        @event.listens_for(database.engine, "checkout")
        def limit(connection: Any, _record: object, _proxy: object) -> None:
            connection.execute(f"PRAGMA max_page_count = {most}")

        refused = upload(client, "large", large)
        assert refused.status_code == 507
        assert "database or disk is full" in refused.json()["message"]
        assert titles(client) == []
        assert upload(client, "small", class_file().content).status_code == 201
        most = 1_000_000
        assert upload(client, "large", large).status_code == 201
        assert sorted(titles(client)) == ["large", "small"]


def test_a_full_temporary_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path, _data: bytes) -> int:
        raise OSError(ENOSPC, os.strerror(ENOSPC), str(path))

    with opened_client(tmp_path) as client:
        with monkeypatch.context() as patch:
            patch.setattr(Path, "write_bytes", refuse)
            refused = upload(client, "class", class_file().content)
        assert refused.status_code == 507
        assert refused.json()["message"] == (
            "The disk of the server is full; make room there and load the page again."
        )
        # The files were stored before they were read, and can be read now.
        assert titles(client) == ["class"]


def test_another_error_of_the_system_is_a_fault_of_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path, _data: bytes) -> int:
        raise OSError(5, os.strerror(5), "a path of the server")

    with opened_client(tmp_path) as client:
        monkeypatch.setattr(Path, "write_bytes", refuse)
        refused = upload(client, "class", class_file().content)
        assert refused.status_code == 500
        assert "path" not in refused.text
