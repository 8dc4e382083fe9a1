"""Values that no form sends: half letters, NUL, endless numbers, deep JSON, other types."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from tests.web.safety.attacks import class_table, new_course

Serve = Callable[..., TestClient]
JSON_TYPE = {"content-type": "application/json"}
HUGE_NUMBER = "9" * 5000

HOSTILE_BODIES = [
    "[" * 100_000,
    '{"a":' * 50_000,
    '{"seen":1e400,"values":{}}',
    '{"seen":NaN,"values":{}}',
    f'{{"seen":{HUGE_NUMBER},"values":{{}}}}',
    '{"seen":true,"values":[]}',
    '{"seen":1,"values":{"level":NaN}}',
    '{"seen":1,"values":{"level":1e999}}',
    '{"seen":1,"values":{"level":{}}}',
    '{"seen":1,"values":{"points":"0..9","points.x":1}}',
    '{"seen":1,"values":{"points":"0..9","points.x":null}}',
    f'{{"seen":1,"values":{{"level":{"9" * 400}}}}}',
    '{"seen":1,"values":{"grades":1}}',
    '{"seen":1,"values":{"a.b.c":1,"":1,".":1}}',
    '{"seen":1,"values":{"course":"\\ud800"}}',
    '{"seen":1,"values":{"course":"a\\u0000b"}}',
    "\x00",
    "",
]


@pytest.fixture
def week(serve: Serve) -> tuple[TestClient, str]:
    client = serve(raises=False)
    return client, new_course(client, class_table(()))["weeks"][0]["id"]


def test_hostile_json_is_refused_and_the_week_stays_usable(week: tuple[TestClient, str]) -> None:
    client, name = week
    before = client.get(f"/api/weeks/{name}").json()
    for body in HOSTILE_BODIES:
        said = client.put(f"/api/weeks/{name}/settings", content=body, headers=JSON_TYPE)
        assert said.status_code in (400, 422), body[:60]
        assert set(said.json()) == {"message"}
    assert client.get(f"/api/weeks/{name}").json() == before
    assert client.get(f"/weeks/{name}/grade").status_code == 200


@pytest.mark.parametrize("reason", ["\x00", "a\x00b"])
def test_a_letter_that_cannot_be_stored_is_refused(
    week: tuple[TestClient, str], reason: str
) -> None:
    client, name = week
    said = {"seen": "1", "action": "staff grade", "submission": "Plain Person A", "grade": "3"}
    answer = client.post(f"/weeks/{name}/decisions", data={**said, "reason": reason})
    assert answer.status_code == 400
    assert client.post(f"/weeks/{name}/decisions", data=said).status_code == 303


@pytest.mark.parametrize(
    "form",
    [
        {"seen": "NaN"},
        {"seen": HUGE_NUMBER},
        {"seen": "²"},
        {"seen": "1", "grades.round_to": "nan"},
        {"seen": "1", "grades.round_to": "inf"},
        {"seen": "1", "budget": HUGE_NUMBER},
        {"seen": "1", "level": "1e309"},
    ],
)
def test_hostile_forms_are_refused(week: tuple[TestClient, str], form: dict[str, str]) -> None:
    client, name = week
    assert client.post(f"/weeks/{name}/settings", data=form).status_code == 400


@pytest.mark.parametrize("words", ["' OR 1=1--", "%", "_", "\x00", "'); DROP TABLE weeks;--"])
def test_a_search_is_a_text_and_no_query(week: tuple[TestClient, str], words: str) -> None:
    client, name = week
    query = {"search": words}
    assert client.get(f"/api/weeks/{name}/grades", params=query).json()["lines"] == []
    assert client.get(f"/weeks/{name}/grade", params=query).status_code == 200
    assert client.get(f"/weeks/{name}").status_code == 200


@pytest.mark.parametrize(
    "path",
    ["/static/..%2fapp.py", "/static/%2e%2e/app.py", "/static/..%5capp.py", "/static/%00",
     "/weeks/%00", "/weeks/..%2f..%2fetc", "/jobs/%ff", "/laboratory/runs/..%2f..", "/api/x",
     "/courses/" + "x" * 5000],
)  # fmt: skip
def test_paths_and_ids_that_escape_lead_nowhere(serve: Serve, path: str) -> None:
    assert serve(raises=False).get(path).status_code == 404


@pytest.mark.parametrize("method", ["DELETE", "PATCH", "TRACE", "CONNECT", "BREW"])
def test_unknown_methods_are_refused(serve: Serve, method: str) -> None:
    client = serve(raises=False)
    assert client.request(method, "/").status_code == 405
    assert set(client.request(method, "/api/courses").json()) == {"message"}
