"""Accounts: sessions end, roles bind, and strangers see nothing of a course, by any route."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from time import monotonic, sleep

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from peergauge.web import throttle
from peergauge.web.context import SESSION_COOKIE
from peergauge.web.security import MAX_SIGN_IN_BYTES
from peergauge.web.store import accounts, records
from peergauge.web.throttle import FREE_FAILURES
from tests.web.safety.attacks import filled, own_routes

Serve = Callable[..., TestClient]
PASSWORD = "a long password"
PEOPLE = ("owner", "assistant", "reader", "stranger")
SAFE = ("GET", "HEAD")

MANAGING = {
    ("PATCH", "/api/courses/{course}"),
    ("DELETE", "/api/courses/{course}"),
    ("PUT", "/api/courses/{course}/members/{account}"),
    ("DELETE", "/api/courses/{course}/members/{account}"),
    ("DELETE", "/api/weeks/{week}"),
    ("POST", "/courses/{course}/rename"),
    ("POST", "/courses/{course}/delete"),
    ("POST", "/courses/{course}/members"),
    ("POST", "/weeks/{week}/delete"),
}
"""Routes that only instructors may use."""


@pytest.fixture(autouse=True)
def cheap_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let passwords cost little, because their cost is tested elsewhere."""
    monkeypatch.setattr(accounts, "SCRYPT_COSTS", (2, 8, 1))
    monkeypatch.setattr(accounts, "_UNKNOWN_PASSWORD", f"scrypt$2$8$1${'00' * 16}${'00' * 64}")


@pytest.fixture
def server(serve: Serve) -> TestClient:
    """A server with four accounts."""
    client = serve(accounts=True)
    for name in PEOPLE:
        client.app.state.store.add_account(name, PASSWORD)  # type: ignore[attr-defined]
    return client


class Shared:
    """A course of the owner with a week and a job, and headers of each person."""

    def __init__(self, client: TestClient):
        assert isinstance(client.app, FastAPI)
        self.client, self.store = client, client.app.state.store
        self.headers = {
            name: {"authorization": f"Bearer {self.store.add_session(name)}"} for name in PEOPLE
        }
        made = client.post("/api/courses/sample", headers=self.headers["owner"]).json()
        self.course, self.week = made["id"], made["weeks"][0]["id"]
        self.store.set_role(self.course, "assistant", "assistant")
        self.store.set_role(self.course, "reader", "reader")
        self.job = self.store.add_job("gaming", {}, "owner", self.course, self.week).id
        self.ids = {"course": self.course, "week": self.week, "job": self.job, "account": "reader"}

    def ask(self, who: str, method: str, path: str, ids: dict[str, str] | None = None) -> int:
        return int(self.answer(who, method, path, ids).status_code)

    def answer(self, who: str, method: str, path: str, ids: dict[str, str] | None = None):  # type: ignore[no-untyped-def]
        """Send a request that has every field that any route needs."""
        query = {"submission": "Ines Ames", "grader": "Hugo Berg", "person": "Ines Ames"}
        url, headers = filled(path, ids or self.ids), self.headers[who]
        if method in SAFE:
            return self.client.request(method, url, params=query, headers=headers)
        said = {
            "seen": 1, "title": "Other", "role": "reader", "account": "reader", "text": "seed = 1",
            "answers": {}, "columns": {}, "values": {}, "action": "staff grade", "kind": "canvas",
            "submission": "Ines Ames", "grade": 3,
        }  # fmt: skip
        if path.startswith("/api") and not path.endswith(
            ("/weeks", "/files", "/assigned", "/gradebook")
        ):
            return self.client.request(method, url, json=said, headers=headers)
        form = {name: str(value) for name, value in said.items() if not isinstance(value, dict)}
        files = {"files": ("class.csv", b"grader,submission,grade\na,b,1\n")}
        return self.client.request(method, url, data=form, files=files, headers=headers)


@pytest.fixture
def shared(server: TestClient) -> Shared:
    """A course with members and a stranger."""
    return Shared(server)


def snapshot(shared: Shared) -> object:
    """Everything that a request could have changed."""
    store = shared.store
    return (
        store.course(shared.course), store.weeks(shared.course), store.members(shared.course),
        store.events(shared.course), store.job(shared.job), store.files(shared.week),
    )  # fmt: skip


def test_the_list_of_routes_is_not_empty(shared: Shared) -> None:
    assert isinstance(shared.client.app, FastAPI)
    found = own_routes(shared.client.app)
    assert len(found) > 60
    assert set(found) >= MANAGING


@pytest.mark.slow
def test_a_stranger_gets_the_answer_for_unknown_ids_on_every_route(shared: Shared) -> None:
    assert isinstance(shared.client.app, FastAPI)
    before = snapshot(shared)
    unknown = {name: f"unknown-{name}" for name in ("course", "week", "job", "account")}
    for method, path in own_routes(shared.client.app):
        got = shared.answer("stranger", method, path)
        other = shared.answer("stranger", method, path, unknown)
        assert (method, path, got.status_code) == (method, path, 404), got.text
        same = got.text
        for name in ("course", "week", "job"):
            same = same.replace(shared.ids[name], unknown[name])
        assert same.replace("reader", unknown["account"]) == other.text, path
        assert "Ines" not in got.text or "Ines Ames" in filled(path, {}), path
    assert snapshot(shared) == before


@pytest.mark.slow
def test_a_reader_changes_nothing_by_any_route(shared: Shared) -> None:
    assert isinstance(shared.client.app, FastAPI)
    before = snapshot(shared)
    for method, path in own_routes(shared.client.app):
        if method not in SAFE:
            assert (method, path, shared.ask("reader", method, path)) == (method, path, 403)
    assert snapshot(shared) == before


def test_an_assistant_neither_deletes_nor_manages(shared: Shared) -> None:
    before = snapshot(shared)
    for method, path in sorted(MANAGING):
        assert (method, path, shared.ask("assistant", method, path)) == (method, path, 403)
    assert snapshot(shared) == before


def test_an_assistant_can_edit(shared: Shared) -> None:
    assert shared.ask("assistant", "POST", "/api/weeks/{week}/decisions") == 200


def test_a_course_of_somebody_else_is_not_listed(shared: Shared) -> None:
    for path in ("/api/courses", "/"):
        assert shared.course not in shared.answer("stranger", "GET", path).text
        assert shared.course in shared.answer("owner", "GET", path).text


def test_a_removed_member_is_a_stranger_at_once(shared: Shared) -> None:
    assert shared.ask("reader", "GET", "/weeks/{week}/grade") == 200
    shared.store.remove_member(shared.course, "reader")
    assert shared.ask("reader", "GET", "/weeks/{week}/grade") == 404


# --------------------------------------------------------------------------------------- sessions


def signed_in(client: TestClient, name: str = "owner", password: str = PASSWORD) -> int:
    return client.post("/sign-in", data={"name": name, "password": password}).status_code


def test_nobody_sees_anything_without_a_session(server: TestClient) -> None:
    assert server.get("/").headers["location"] == "/sign-in"
    assert server.get("/api/courses").status_code == 401
    assert server.get("/api/openapi.json").status_code == 401
    assert server.post("/courses/sample").status_code == 401
    assert server.get("/sign-in/../courses").status_code != 200


def test_the_cookie_of_a_session_is_out_of_reach_of_scripts_and_sites(server: TestClient) -> None:
    answer = server.post("/sign-in", data={"name": "owner", "password": PASSWORD})
    cookie = answer.headers["set-cookie"].casefold()
    assert SESSION_COOKIE in cookie
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "secure" not in cookie
    encrypted = TestClient(server.app, base_url="https://testserver", follow_redirects=False)
    answer = encrypted.post("/sign-in", data={"name": "owner", "password": PASSWORD})
    assert "secure" in answer.headers["set-cookie"].casefold()


def test_signing_out_ends_the_session_on_the_server(server: TestClient) -> None:
    assert signed_in(server) == 303
    token = server.cookies[SESSION_COOKIE]
    assert server.get("/").status_code == 200
    assert server.post("/sign-out").status_code == 303
    server.cookies.clear()
    headers = {"cookie": f"{SESSION_COOKIE}={token}"}
    assert server.get("/api/courses", headers=headers).status_code == 401


def test_a_session_expires(server: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    signed_in(server)
    late = records.now() + timedelta(hours=accounts.MAX_SESSION_HOURS, seconds=1)
    monkeypatch.setattr(accounts, "now", lambda: late)
    assert server.get("/api/courses").status_code == 401


def test_a_session_ends_with_its_account(server: TestClient) -> None:
    signed_in(server)
    server.app.state.store.delete_account("owner")  # type: ignore[attr-defined]
    assert server.get("/api/courses").status_code == 401


def test_unknown_names_and_wrong_passwords_look_the_same(server: TestClient) -> None:
    said = [
        server.post("/sign-in", data={"name": name, "password": "a wrong password"})
        for name in ("owner", "nobody")
    ]
    assert [one.status_code for one in said] == [403, 403]
    assert said[0].text.replace("owner", "nobody") == said[1].text


def test_passwords_are_throttled_and_the_right_one_waits_too(server: TestClient) -> None:
    for _ in range(FREE_FAILURES):
        assert signed_in(server, password="a wrong password") == 403
    assert signed_in(server) == 429
    assert signed_in(server, name="OWNER") == 429
    assert signed_in(server, name="reader") == 303


def stranger(server: TestClient, address: str = "203.0.113.9") -> TestClient:
    """A browser at another address, without cookies."""
    return TestClient(server.app, client=(address, 1), follow_redirects=False)


def test_wrong_passwords_of_a_stranger_do_not_keep_the_owner_out(server: TestClient) -> None:
    other = stranger(server)
    for _ in range(FREE_FAILURES):
        assert signed_in(other, password="a wrong password") == 403
    assert signed_in(other) == 429
    assert signed_in(server) == 303


def test_behind_a_proxy_a_browser_that_was_used_before_is_let_in(server: TestClient) -> None:
    """All requests come from the address of the proxy."""
    assert signed_in(server) == 303
    other, new = stranger(server, "testclient"), stranger(server, "testclient")
    for _ in range(FREE_FAILURES):
        assert signed_in(other, password="a wrong password") == 403
    assert signed_in(new) == 429
    for _ in range(FREE_FAILURES - 1):
        assert signed_in(server, password="a wrong password") == 403
    assert signed_in(server) == 303
    # A browser that was used with one account is a stranger to all others.
    assert [signed_in(server, name="reader", password="wrong") for _ in range(6)][-1] == 429


def test_strangers_cannot_upload_anything_where_they_sign_in(server: TestClient) -> None:
    files = {"file": ("large.csv", b"x" * MAX_SIGN_IN_BYTES)}
    assert server.post("/sign-in", files=files).status_code == 413

    def parts() -> Iterator[bytes]:
        for _ in range(20):
            yield b"name=" + b"x" * 1000 + b"&"

    form = {"content-type": "application/x-www-form-urlencoded"}
    assert server.post("/sign-in", content=parts(), headers=form).status_code == 413
    assert signed_in(server) == 303


def test_the_mark_of_a_browser_cannot_be_made_up_and_opens_nothing(server: TestClient) -> None:
    store = server.app.state.store  # type: ignore[attr-defined]
    token = store.known_browser("owner")
    assert store.is_known_browser("owner", token)
    for wrong in ("", ".", token[:-1], f"0{token}", f"{token}0", "\ud800.\ud800"):
        assert not store.is_known_browser("owner", wrong)
    assert not store.is_known_browser("reader", token)
    assert not store.is_known_browser("nobody", token)
    headers = {"cookie": f"{SESSION_COOKIE}={token}"}
    assert server.get("/api/courses", headers=headers).status_code == 401
    store.set_password("owner", "another long password")
    assert not store.is_known_browser("owner", token)


def test_many_passwords_at_once_leave_room_for_other_pages_and_known_browsers(
    server: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    from threading import Event, Thread

    assert signed_in(server) == 303
    store, may_end = server.app.state.store, Event()  # type: ignore[attr-defined]
    real = store.check_password

    def slow(name: str, password: str) -> bool:
        if name.startswith("made up"):
            may_end.wait(60)
        return bool(real(name, password))

    monkeypatch.setattr(store, "check_password", slow)
    most = throttle.MAX_CHECKS_AT_ONCE + throttle.MAX_WAITING_CHECKS
    said: list[int] = []

    def try_one(number: int) -> None:
        said.append(signed_in(stranger(server), name=f"made up {number}"))

    threads = [Thread(target=try_one, args=(number,)) for number in range(3 * most)]
    for one in threads:
        one.start()
    until = monotonic() + 60
    while said.count(503) < 2 * most and monotonic() < until:
        sleep(0.01)
    assert said == [503] * 2 * most
    assert signed_in(server) == 303
    may_end.set()
    for one in threads:
        one.join()
    assert sorted(said) == [403] * most + [503] * 2 * most


def test_passwords_that_are_sent_at_the_same_time_are_throttled(
    server: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    from threading import Barrier, BrokenBarrierError

    checked = []
    together = Barrier(FREE_FAILURES + 1)

    def slow(*_: object) -> bool:
        checked.append(1)
        # Nobody passes before more passwords are checked than are allowed.
        with suppress(BrokenBarrierError):
            together.wait(1)
        return False

    monkeypatch.setattr(server.app.state.store, "check_password", slow)  # type: ignore[attr-defined]
    with ThreadPoolExecutor(3 * FREE_FAILURES) as pool:
        many = [pool.submit(signed_in, server) for _ in range(3 * FREE_FAILURES)]
        said = [one.result() for one in many]
    assert len(checked) == FREE_FAILURES
    assert said.count(429) == 2 * FREE_FAILURES
