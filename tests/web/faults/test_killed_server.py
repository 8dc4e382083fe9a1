"""What was acknowledged survives ``kill -9``, and nothing is half there."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from threading import Thread

import httpx2
import pytest

from peergauge.web.store import Store
from tests.web.kit import HEADER, NAMES, class_file, class_rows, table_bytes
from tests.web.served import Served, served

KILLS = {"sqlite": 2, "postgresql": 1}
"""Number of times that the server is killed with a database, at moments that the seed decides.

The files of SQLite are written by the server that is killed; those of PostgreSQL are not.
"""

ENOUGH_ACKNOWLEDGED = 6
MAX_WORK_SECONDS = 300
"""Time for that many requests, on a machine that does other work, too."""

ROWS = class_rows()


def killed_while(server: Served, work: Callable[[httpx2.Client, list[str]], None]) -> list[str]:
    """Let a client work, kill the server in the middle, and return what was acknowledged."""
    acknowledged: list[str] = []

    def talk() -> None:
        with server.client() as client:
            try:
                work(client, acknowledged)
            except httpx2.TransportError:
                return

    thread = Thread(target=talk)
    thread.start()
    rng = random.Random(7 + len(server.address))
    until = time.monotonic() + MAX_WORK_SECONDS
    while (
        thread.is_alive() and len(acknowledged) < ENOUGH_ACKNOWLEDGED and time.monotonic() < until
    ):
        time.sleep(0.005)
    time.sleep(rng.random() * 0.05)
    server.kill()
    thread.join(60)
    assert not thread.is_alive()
    assert len(acknowledged) >= ENOUGH_ACKNOWLEDGED
    return acknowledged


@pytest.mark.slow
def test_no_acknowledged_staff_grade_is_lost(database_url: str, tmp_path: Path) -> None:
    file = class_file()
    with served(tmp_path, database=database_url) as server, server.client() as client:
        made = client.post("/api/courses", files={"files": (file.name, file.content)})
        week = made.json()["weeks"][0]["id"]
    written: dict[str, float] = {}
    tried: list[tuple[str, float]] = []
    for _ in range(KILLS[database_url.partition(":")[0].partition("+")[0]]):

        def edit(client: httpx2.Client, acknowledged: list[str]) -> None:
            seen = client.get(f"/api/weeks/{week}").json()["revision"]
            for number in range(1000):
                name, grade = NAMES[number % len(NAMES)], round((len(tried) * 7) % 101 / 10, 1)
                tried.append((name, grade))
                body = {"seen": seen, "action": "staff grade", "submission": name, "grade": grade}
                said = client.post(f"/api/weeks/{week}/decisions", json=body)
                assert said.status_code == 200, said.text
                seen = said.json()["revision"]
                written[name] = grade
                acknowledged.append(name)

        with served(tmp_path, database=database_url) as server:
            killed_while(server, edit)
        store = Store.open(database_url)
        try:
            found = store.week(week)
            grades = {one["submission"]: one["grade"] for one in found.state["decisions"]}
            # The last edit may have been stored, although its answer did not arrive.
            last_name, last_grade = tried[-1]
            allowed = [written, {**written, last_name: last_grade}]
            assert grades in allowed
            numbers = [one.number for one in store.revisions(week)]
            assert numbers == list(range(found.revision, 0, -1))
            written.update(grades)
        finally:
            store.close()
    with served(tmp_path, database=database_url) as server, server.client() as client:
        shown = client.get(f"/api/weeks/{week}/grades").json()["lines"]
        assert {one["submission"]: one["staff"] for one in shown if one["staff"] is not None} == (
            written
        )


@pytest.mark.slow
def test_an_upload_is_there_with_all_of_its_bytes_or_not_at_all(
    database_url: str, tmp_path: Path
) -> None:
    sent: dict[str, str] = {}
    done: set[str] = set()
    for _ in range(KILLS[database_url.partition(":")[0].partition("+")[0]]):

        def upload(client: httpx2.Client, acknowledged: list[str]) -> None:
            for _ in range(1000):
                title = f"Course {len(sent)}"
                comment = f"{title} " * 30_000
                rows = [(*row, comment if place == 0 else "") for place, row in enumerate(ROWS)]
                content = table_bytes((*HEADER, "Comment"), *rows)
                sent[title] = sha256(content).hexdigest()
                files = {"files": ("class.csv", content)}
                said = client.post("/api/courses", files=files, data={"title": title})
                assert said.status_code == 201, said.text
                acknowledged.append(title)
                done.add(title)

        with served(tmp_path, database=database_url) as server:
            killed_while(server, upload)
        store = Store.open(database_url)
        try:
            found = {one.title: one.id for one in store.courses()}
            assert done <= set(found) <= set(sent)
            for title, course in found.items():
                (week,) = store.weeks(course)
                (file,) = store.files(week.id)
                assert week.state["files"] == [file.id]
                assert sha256(store.content(file.id)).hexdigest() == sent[title]
                assert len(store.events(course)) == 2
        finally:
            store.close()


@pytest.mark.slow
def test_two_people_who_grade_one_work_at_once_get_one_answer_and_one_conflict(
    database_url: str, tmp_path: Path
) -> None:
    file = class_file()
    with served(tmp_path, database=database_url) as server, server.client() as client:
        made = client.post("/api/courses", files={"files": (file.name, file.content)})
        week = made.json()["weeks"][0]["id"]
        answers: list[httpx2.Response] = []

        def decide(grade: float) -> None:
            body = {"seen": 1, "action": "staff grade", "submission": NAMES[0], "grade": grade}
            with server.client() as other:
                answers.append(other.post(f"/api/weeks/{week}/decisions", json=body))

        threads = [Thread(target=decide, args=(grade,)) for grade in (2.0, 3.0, 4.0, 5.0)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(one.status_code for one in answers) == [200, 409, 409, 409]
        (won,) = [one.json() for one in answers if one.status_code == 200]
        kept = won["state"]["decisions"][0]["grade"]
        for one in answers:
            if one.status_code == 409:
                assert f"to {kept:g} in the meantime, and you want" in one.json()["message"]
        assert client.get(f"/api/weeks/{week}").json()["revision"] == 2


@pytest.mark.slow
def test_a_server_that_is_asked_to_stop_stops_soon_and_leaves_no_process(tmp_path: Path) -> None:
    import psutil

    with served(tmp_path) as server, server.client() as client:
        body = {"mechanisms": ["mse"], "students": 20, "assignments": 2, "repetitions": 500}
        job = client.post("/api/laboratory/runs", json=body).json()["id"]
        until = time.monotonic() + MAX_WORK_SECONDS
        while client.get(f"/api/jobs/{job}").json()["state"] == "queued":
            assert time.monotonic() < until
            time.sleep(0.05)
        children = psutil.Process(server.process.pid).children(recursive=True)
        assert children
        server.process.terminate()
        server.process.wait(30)
        _, alive = psutil.wait_procs(children, timeout=30)
        assert alive == []


@pytest.mark.slow
def test_temporary_files_of_a_killed_server_are_removed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    with served(tmp_path) as server:
        (left,) = place.iterdir()
        (left / "names of students").touch()
        server.kill()
    assert (left / "names of students").exists()
    with served(tmp_path):
        (new,) = place.iterdir()
        assert new != left
    assert not list(place.iterdir())
