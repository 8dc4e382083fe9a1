"""The screens of a week as forms: answers that are chosen, typed and changed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from tests.web.kit import HEADER, class_rows, opened_client, table_bytes

HEADERS = {"origin": "http://testserver"}


def week_with_a_question(client: TestClient) -> str:
    """The path of a week whose staff grades are in percent, which is asked about."""
    rows = class_rows()
    staff = {rows[0][0]: "81", rows[4][0]: "64", rows[8][0]: "55"}
    table = table_bytes((*HEADER, "Staff grade"), *((*one, staff.get(one[0], "")) for one in rows))
    made = client.post(
        "/courses", headers=HEADERS, data={"title": "Logic"},
        files=[("files", ("reviews.csv", table, "text/csv"))], follow_redirects=False,
    )  # fmt: skip
    return str(made.headers["location"])


def said(client: TestClient, week: str, **fields: str) -> str:
    """The screen after an answer."""
    page = client.get(week).text
    (key,) = set(re.findall(r'name="answer:([^"]*)"', page))
    (seen,) = set(re.findall(r'name="seen" value="(\d+)"', page))
    form = {f"{name}:{key}": text for name, text in fields.items()}
    answered = client.post(f"{week}/answers", headers=HEADERS, data={"seen": seen, **form})
    assert answered.status_code == 200, answered.text
    return answered.text


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        ({"answer": "ignore"}, "ignore"),
        ({"answer": "ignore", "free": "0..90"}, "ignore"),
        ({"answer": "", "free": "0..90"}, "0..90"),
        ({"free": "0..90"}, "0..90"),
    ],
)
def test_the_chosen_answer_counts_and_a_typed_one_if_none_is_chosen(
    tmp_path: Path, fields: dict[str, str], answer: str
) -> None:
    with opened_client(tmp_path) as client:
        page = said(client, week_with_a_question(client), **fields)
    assert "Grade this class" in page
    assert f"Answered: {answer}<" in page


def test_an_answer_can_be_changed(tmp_path: Path) -> None:
    with opened_client(tmp_path) as client:
        week = week_with_a_question(client)
        first = said(client, week, answer="linear")
        assert re.search(r'value="linear" checked', first)
        assert not re.search(r'value="" checked', first)
        typed = said(client, week, answer="", free="0..90")
        assert re.search(r'value="" checked', typed)
        assert re.search(r'name="free:[^"]*" value="0..90"', typed)
        last = said(client, week, answer="ignore", free="0..90")
    assert "Answered: ignore<" in last
    assert "There are no staff grades." in last


def test_files_can_be_read_as_any_table_and_then_by_other_columns(tmp_path: Path) -> None:
    table = table_bytes(("submission", "grader", "grade"), *class_rows())
    with opened_client(tmp_path) as client:
        made = client.post(
            "/courses", headers=HEADERS, data={"title": "Logic"},
            files=[("files", ("reports.csv", table, "text/csv"))], follow_redirects=False,
        )  # fmt: skip
        week = str(made.headers["location"])
        assert 'name="column:' not in client.get(week).text
        form = {"seen": "1", "using": "table"}
        guessed = client.post(f"{week}/import", headers=HEADERS, data=form).text
        assert re.search(r'<option value="table" selected', guessed)
        assert "check 01-Week-1/export/reports.csv --using table" in guessed
        form = {
            "seen": "2", "column:submission": "grader", "column:grader": "submission",
            "column:grade": "grade",
        }  # fmt: skip
        swapped = client.post(f"{week}/columns", headers=HEADERS, data=form)
        assert swapped.status_code == 200, swapped.text
        assert re.search(
            r'name="column:submission".*?<option value="grader" selected', swapped.text
        )


def test_a_reader_with_options_is_refused_because_it_may_name_a_file(tmp_path: Path) -> None:
    with opened_client(tmp_path) as client:
        week = week_with_a_question(client)
        form = {"seen": "1", "using": "table:columns=/etc/hostname"}
        refused = client.post(f"{week}/import", headers=HEADERS, data=form)
        assert refused.status_code == 400
        assert "There is no reader" in refused.text
