"""Requests on behalf of other sites, under other host names, or without the token are refused."""

from __future__ import annotations

import hmac
from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from peergauge.web.security import FORWARDING_HEADERS, TOKEN_COOKIE

Serve = Callable[..., TestClient]
OWN = "http://testserver"
SECRET = "a-long-secret-of-the-server"

FOREIGN_HEADERS = [
    {"origin": "http://evil.example"},
    {"origin": "null"},
    {"origin": ""},
    {"origin": "http://["},
    {"origin": "http://testserver.evil.example"},
    {"origin": "http://testserver:81"},
    {"origin": "http://evil.example", "sec-fetch-site": "same-origin"},
    {"origin": OWN, "sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "cross-site"},
    {"sec-fetch-site": "same-site"},
    {"referer": "http://evil.example/page"},
]
OWN_HEADERS = [
    {},
    {"origin": OWN},
    {"origin": OWN, "sec-fetch-site": "same-origin"},
    {"sec-fetch-site": "none"},
    {"referer": f"{OWN}/courses"},
]


@pytest.mark.parametrize("headers", FOREIGN_HEADERS)
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "TRACE"])
def test_a_change_from_another_site_is_refused(
    serve: Serve, headers: dict[str, str], method: str
) -> None:
    client = serve()
    assert client.request(method, "/courses/sample", headers=headers).status_code == 403
    assert client.get("/api/courses").json() == []


@pytest.mark.parametrize("headers", OWN_HEADERS)
def test_a_change_from_the_page_itself_or_a_program_is_accepted(
    serve: Serve, headers: dict[str, str]
) -> None:
    assert serve().post("/courses/sample", headers=headers).status_code == 303


def test_a_missing_host_is_not_the_origin_null(serve: Serve) -> None:
    client = serve(host="0.0.0.0", token=SECRET, extra_hosts=())
    headers = {"host": "", "origin": "null", "authorization": f"Bearer {SECRET}"}
    assert client.post("/courses/sample", headers=headers).status_code == 403


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8010",
        "",
        "127.0.0.1.evil.example",
        "[::2]:8010",
        "localhost@e",
    ],
)
def test_a_foreign_host_name_is_refused_against_dns_rebinding(serve: Serve, host: str) -> None:
    for path in ("/", "/api/courses", "/static/web.js", "/health"):
        assert serve().get(path, headers={"host": host}).status_code == 421


@pytest.mark.parametrize("host", ["127.0.0.1:1", "LOCALHOST", "[::1]:8010", "testserver"])
def test_own_host_names_are_accepted(serve: Serve, host: str) -> None:
    assert serve().get("/", headers={"host": host}).status_code == 200


# -------------------------------------------------------------------------------------- the token


@pytest.mark.parametrize("given", ["", "wrong", SECRET[:-1], SECRET + "x", SECRET.upper(), "ü"])
def test_a_wrong_token_opens_nothing(serve: Serve, given: str) -> None:
    client = serve(token=SECRET)
    cookie = f"{TOKEN_COOKIE}={given}".encode()
    for path in ("/", "/api/courses", "/sign-in", "/sign-in/x", "/healthy", "/api/openapi.json"):
        assert client.get(path).status_code == 401
        assert client.get(path, params={"token": given}).status_code == 401
        assert client.get(path, headers={b"cookie": cookie}).status_code == 401
        bearer = f"Bearer {given}".encode()
        assert client.get(path, headers={b"authorization": bearer}).status_code == 401
    assert client.post("/courses/sample", params={"token": given}).status_code == 401


def test_the_token_opens_by_header_and_by_cookie(serve: Serve) -> None:
    client = serve(token=SECRET)
    assert client.get("/", headers={"authorization": f"Bearer {SECRET}"}).status_code == 200
    answer = client.get("/", params={"token": SECRET})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    cookie = answer.headers["set-cookie"].casefold()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert client.get("/").status_code == 200


def test_the_token_in_an_address_changes_nothing(serve: Serve) -> None:
    assert serve(token=SECRET).post(f"/courses/sample?token={SECRET}").status_code == 401


def test_the_token_never_leads_to_another_server(serve: Serve) -> None:
    answer = serve(token=SECRET).get(f"{OWN}//evil.example/?token={SECRET}")
    assert answer.headers["location"] == "/evil.example/"


@pytest.mark.parametrize(
    "host", ["testserver/static/?", "testserver:1/health#", "testserver/health?"]
)
def test_a_path_in_the_host_header_does_not_open_closed_pages(serve: Serve, host: str) -> None:
    client = serve(token=SECRET)
    assert client.get("/api/courses", headers={"host": host}).status_code in (401, 421)


def test_tokens_are_compared_in_constant_time(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[bytes] = []
    real = hmac.compare_digest

    def noted(one: bytes, other: bytes) -> bool:
        compared.append(one)
        return real(one, other)

    monkeypatch.setattr(hmac, "compare_digest", noted)
    client = serve(token=SECRET)
    client.get("/", headers={"authorization": "Bearer guess"})
    client.get("/", params={"token": "other"})
    assert {b"guess", b"other"} <= set(compared)


@pytest.mark.parametrize("header", sorted(FORWARDING_HEADERS))
def test_a_request_that_a_proxy_passed_on_needs_a_token(serve: Serve, header: str) -> None:
    forwarded = {header.title(): "203.0.113.9"}
    client = serve()
    refused = client.get("/api/courses", headers=forwarded)
    assert refused.status_code == 403
    assert "--token" in refused.json()["message"]
    assert client.post("/courses/sample", headers=forwarded).status_code == 403
    assert client.get("/api/courses").json() == []


def test_a_request_that_a_proxy_passed_on_is_answered_with_the_token(serve: Serve) -> None:
    client = serve(token=SECRET)
    headers = {"x-forwarded-for": "203.0.113.9"}
    assert client.get("/api/courses", headers=headers).status_code == 401
    headers["authorization"] = f"Bearer {SECRET}"
    assert client.get("/api/courses", headers=headers).status_code == 200


def test_a_request_that_a_proxy_passed_on_may_sign_in(serve: Serve) -> None:
    headers = {"x-forwarded-for": "203.0.113.9"}
    assert serve(accounts=True).get("/sign-in", headers=headers).status_code == 200
