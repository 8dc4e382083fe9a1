"""A program takes a class from its upload to its deletion."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.web.kit import HEADER, NAMES, class_rows, opened_client, table_bytes

MARKED_NAME = "Zqxjwv Marked"


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with opened_client(tmp_path) as made:
        yield made


def uploaded(client: TestClient, name: str = NAMES[0]) -> tuple[str, str]:
    """The ids of a new course and of its week, in which somebody has another name."""
    rows = [tuple(name if one == NAMES[0] else one for one in row) for row in class_rows()]
    files = {"files": ("reviews.csv", table_bytes(HEADER, *rows))}
    said = client.post("/api/courses", files=files, data={"title": "Statistics"})
    assert said.status_code == 201, said.text
    return said.json()["id"], said.json()["weeks"][0]["id"]


def decision(seen: int, grade: float, **more: Any) -> dict[str, Any]:
    return {"seen": seen, "action": "staff grade", "submission": NAMES[1], "grade": grade, **more}


def test_a_decision_a_conflict_and_an_undo(client: TestClient) -> None:
    _, week = uploaded(client)
    url = f"/api/weeks/{week}"
    start = client.get(url).json()["revision"]
    first = client.post(f"{url}/decisions", json=decision(start, 3))
    assert first.json()["revision"] == start + 1
    other = client.post(f"{url}/decisions", json=decision(start, 4))
    assert other.status_code == 409
    assert "Somebody else has changed" in other.json()["message"]
    # A change of another thing is combined with what was not seen.
    values = {"seen": start, "values": {"estimator": "median"}}
    assert client.put(f"{url}/settings", json=values).json()["estimator"] == "median"
    assert client.get(url).json()["state"]["decisions"][0]["grade"] == 3
    newest = client.get(url).json()["revision"]
    assert client.post(f"{url}/undo", json={"seen": newest}).status_code == 200
    assert client.get(f"{url}/summary").json()["estimator"] == "model"
    assert client.get(f"{url}/summary").json()["staff_graded"] == 1
    assert len(client.get(f"{url}/history").json()["changes"]) == newest + 1


def test_a_gradebook_and_the_downloads(client: TestClient) -> None:
    _, week = uploaded(client)
    url = f"/api/weeks/{week}"
    assert client.get(f"{url}/gradebook").status_code == 400
    seen = client.get(url).json()["revision"]
    said = client.put(f"{url}/gradebook", data={"seen": seen, "kind": "csv"})
    assert sorted(said.json()["matched"]) == sorted(NAMES)
    assert NAMES[2].encode() in client.get(f"{url}/gradebook").content
    for name, member in (("graded.zip", "graded/grades.csv"), ("record.zip", "command.sh")):
        content = client.get(f"{url}/{name}").content
        assert member in zipfile.ZipFile(io.BytesIO(content)).namelist()
    assert NAMES[2] in client.get(f"{url}/handout", params={"person": NAMES[2]}).text
    report = client.get(f"{url}/report")
    assert report.text.startswith("<!doctype html>")
    assert "attachment" in report.headers["content-disposition"]


def test_a_job_is_started_once_and_cancelled(client: TestClient) -> None:
    _, week = uploaded(client)
    job = client.post(f"/api/weeks/{week}/gaming").json()["job"]
    assert client.post(f"/api/weeks/{week}/gaming").json()["job"] == job
    assert client.get(f"/api/jobs/{job}").json()["state"] == "queued"
    assert client.post(f"/api/jobs/{job}/cancel").json()["state"] == "cancelled"


def test_a_run_is_deleted_after_its_end_only(client: TestClient) -> None:
    given = {"mechanisms": ["oa"], "measures": ["tau"]}
    job = client.post("/api/laboratory/runs", json=given).json()["id"]
    url = f"/api/laboratory/runs/{job}"
    assert client.delete(url).status_code == 400
    client.post(f"/api/jobs/{job}/cancel")
    assert client.delete(url).status_code == 204
    assert client.get(url).status_code == 404


def raw_files(folder: Path) -> bytes:
    return b"".join(one.read_bytes() for one in folder.glob("peergauge.db*"))


def test_a_deleted_course_is_gone_from_the_bytes_of_the_database(
    client: TestClient, tmp_path: Path
) -> None:
    course, week = uploaded(client, MARKED_NAME)
    url = f"/api/weeks/{week}"
    said = client.post(f"{url}/decisions", json=decision(1, 3, reason=f"asked by {MARKED_NAME}"))
    assert said.status_code == 200
    assert MARKED_NAME.encode() in raw_files(tmp_path)
    assert client.delete(f"/api/courses/{course}").status_code == 204
    assert client.get(url).status_code == 404
    assert b"Zqxjwv" not in raw_files(tmp_path)
