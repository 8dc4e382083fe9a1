"""The screen of a course."""

from __future__ import annotations

import io
import zipfile
from html import unescape
from pathlib import Path

from tests.web.kit import HEADER, class_rows, opened_client, table_bytes

HEADERS = {"origin": "http://testserver"}


def test_a_course_shows_the_commands_of_all_weeks_and_their_record(tmp_path: Path) -> None:
    table = table_bytes(HEADER, *class_rows())
    files = [("files", ("reviews.csv", table, "text/csv"))]
    with opened_client(tmp_path) as client:
        made = client.post(
            "/courses", headers=HEADERS, data={"title": "Logic"}, files=files,
            follow_redirects=False,
        )  # fmt: skip
        week = made.headers["location"]
        course = client.get(f"/api{week}").json()["course"]
        second = {"title": "Second"}
        client.post(f"/courses/{course}/weeks", headers=HEADERS, data=second, files=files)
        page = unescape(client.get(f"/courses/{course}").text)
        last = client.get(f"/api/courses/{course}").json()["weeks"][-1]["id"]
        record = client.get(f"/weeks/{last}/record.zip").content
    commands = zipfile.ZipFile(io.BytesIO(record)).read("command.sh").decode().strip()
    assert commands.count("peergauge grade") == 2
    assert commands in page
    assert f'href="/weeks/{last}/record.zip"' in page
