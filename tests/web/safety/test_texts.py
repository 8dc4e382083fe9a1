"""Hostile texts stay texts on every screen and in every download; nothing loads from outside."""

from __future__ import annotations

import csv
import io
import re
import socket
import zipfile
from collections.abc import Callable
from typing import Any

import openpyxl
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.web.safety.attacks import (
    FORMULAS,
    HOSTILE_NAMES,
    MARK,
    MARKUP,
    SCRIPT,
    Page,
    all_routes,
    class_table,
    filled,
    new_course,
)

Serve = Callable[..., TestClient]
LOADING_ATTRIBUTES = ("src", "srcset", "action", "formaction", "data", "poster", "background")
ADDRESS_ATTRIBUTES = ("href", *LOADING_ATTRIBUTES, "hx-get", "hx-post")
FORMULA_LETTERS = ("=", "+", "-", "@", "\t", "\r")


class Hostile:
    """A server with a course whose names, comments, titles and files are hostile."""

    def __init__(self, client: TestClient):
        self.client = client
        made = new_course(client, class_table(), f"{MARKUP}.csv", title=MARKUP)
        self.course, self.week = made["id"], made["weeks"][0]["id"]
        self.change("PUT", "settings", values={"course": SCRIPT, "appeal.text": MARKUP,
                                               "assignment_title": SCRIPT})  # fmt: skip
        self.change("POST", "decisions", action="staff grade", submission="Plain Person A",
                    grade=3, reason=MARKUP)  # fmt: skip
        self.change("POST", "decisions", action="appeal", submission=MARKUP, decision="rejected",
                    reason=SCRIPT, asked=MARKUP)  # fmt: skip
        form = {"seen": self.revision(), "kind": "csv"}
        assert client.put(f"/api/weeks/{self.week}/gradebook", data=form).status_code == 200
        given = {"mechanisms": ["oa"], "measures": ["tau"]}
        self.job = client.post("/api/laboratory/runs", json=given).json()["id"]
        client.post(f"/api/weeks/{self.week}/gaming")

    def revision(self) -> int:
        return int(self.client.get(f"/api/weeks/{self.week}").json()["revision"])

    def change(self, method: str, what: str, **body: Any) -> None:
        url = f"/api/weeks/{self.week}/{what}"
        said = self.client.request(method, url, json={"seen": self.revision(), **body})
        assert said.status_code == 200, said.text

    def screens(self) -> list[tuple[str, str]]:
        """Paths and texts of all pages, each about a hostile person where it is about one."""
        assert isinstance(self.client.app, FastAPI)
        ids = {"course": self.course, "week": self.week, "job": self.job}
        query = {"submission": MARKUP, "grader": MARKUP, "person": MARKUP, "search": MARKUP,
                 "left": self.job, "right": self.job}  # fmt: skip
        found = []
        for method, path in dict.fromkeys(all_routes(self.client.app)):
            if method != "GET":
                continue
            asked = {} if path.endswith("/grade") else query
            said = self.client.get(filled(path, ids), params=asked)
            assert said.status_code < 500, path
            if "text/html" in said.headers.get("content-type", ""):
                found.append((path, said.text))
        search = self.client.get(f"/weeks/{self.week}/grade", params={"search": MARKUP})
        return [*found, ("search", search.text), *self.pages_in_downloads()]

    def pages_in_downloads(self) -> list[tuple[str, str]]:
        return [
            (name, content.decode())
            for name, content in self.members("graded.zip?handouts=true").items()
            if name.endswith(".html")
        ]

    def members(self, name: str) -> dict[str, bytes]:
        content = self.client.get(f"/api/weeks/{self.week}/{name}").content
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return {one: archive.read(one) for one in archive.namelist()}


@pytest.mark.slow
def test_no_text_becomes_an_element_and_nothing_is_loaded_from_outside(
    serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_: socket.socket, address: object) -> None:
        raise AssertionError(f"The server connects to {address}.")

    monkeypatch.setattr(socket.socket, "connect", refused)
    monkeypatch.setattr(socket.socket, "connect_ex", refused)
    screens = Hostile(serve(raises=False)).screens()
    marked = [path for path, text in screens if MARK in text]
    assert len(screens) > 30
    assert len(marked) > 20
    for path, text in screens:
        for tag, attributes in Page(text).elements:
            assert MARK not in tag, path
            assert not [one for one in attributes if one.startswith("on") or MARK in one], path
            for name in ADDRESS_ATTRIBUTES:
                value = attributes.get(name, "").strip()
                assert not value.casefold().startswith("javascript:"), (path, value)
                loads = name != "href" or tag == "link"
                outside = re.match(r"(?:[a-z][a-z+.-]*:)?//", value, re.IGNORECASE)
                assert not (loads and outside), (path, tag, value)
        scripts = [said for tag, said in Page(text).texts if tag == "script"]
        assert not [one for one in scripts if MARK in one and "</" in one], path
        assert not re.search(r"(?:url\(|@import)\s*['\"]?(?:https?:)?//", text), path
        assert "49zqx" not in text, path


def test_the_style_sheet_and_the_scripts_load_nothing_from_outside(serve: Serve) -> None:
    client = serve()
    for name in ("page.css", "web.js"):
        text = client.get(f"/static/{name}").text
        assert not re.search(r"(?:url\(|@import|fetch\(|import\()\s*['\"]?(?:https?:)?//", text)
    policy = client.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy


def is_formula(cell: str) -> bool:
    if not cell.startswith(FORMULA_LETTERS):
        return False
    return not re.fullmatch(r"-\d+(\.\d+)?(e-?\d+)?", cell)


@pytest.mark.slow
def test_no_cell_of_a_download_is_a_formula(serve: Serve) -> None:
    client = serve()
    names = (*(f"{one} {MARK}" for one in FORMULAS), f"\t=1 {MARK}")
    week = new_course(client, class_table(names, "=1+1"), title="=1+1")["weeks"][0]["id"]
    url, tables, books = f"/api/weeks/{week}", 0, 0
    for kind in ("csv", "xlsx"):
        seen = client.get(url).json()["revision"]
        form = {"seen": seen, "kind": kind}
        assert client.put(f"{url}/gradebook", data=form).status_code == 200
        archive = zipfile.ZipFile(io.BytesIO(client.get(f"{url}/graded.zip?handouts=true").content))
        files = {name: archive.read(name) for name in archive.namelist()}
        files[f"gradebook.{kind}"] = client.get(f"{url}/gradebook").content
        for name, content in files.items():
            if name.endswith(".csv"):
                rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
                tables += any(MARK in cell for row in rows for cell in row)
                assert [cell for row in rows for cell in row if is_formula(cell)] == [], name
            elif name.endswith(".xlsx"):
                sheets = openpyxl.load_workbook(io.BytesIO(content)).worksheets
                cells = [cell for sheet in sheets for row in sheet.iter_rows() for cell in row]
                books += any(MARK in str(cell.value) for cell in cells)
                assert [cell.value for cell in cells if cell.data_type == "f"] == [], name
    assert tables >= 4
    assert books >= 2


def test_hostile_names_are_shown_as_they_are(serve: Serve) -> None:
    client = serve()
    week = new_course(client, class_table())["weeks"][0]["id"]
    shown = {one["submission"] for one in client.get(f"/api/weeks/{week}/grades").json()["lines"]}
    assert set(HOSTILE_NAMES) <= shown
