"""Texts, files and routes that the tests of safety share."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient
from starlette.routing import Route

from peergauge.web import api, screens

MARK = "zqx"
"""Letters that occur in hostile texts only."""

MARKUP = f"<img src={MARK} onerror=alert(1)>"
ATTRIBUTE = f"\"><b {MARK}=1 onclick='alert(1)'>"
TEMPLATE = f"{{{{7*7}}}}{MARK}{{% raw %}}"
ADDRESS = f"javascript:alert('{MARK}')"
SCRIPT = f"</title></textarea><script>{MARK}</script>"
FORMULAS = ("=1+1", "+1+1", "-1+1", "@SUM(1)")

HOSTILE_NAMES = (MARKUP, ATTRIBUTE, TEMPLATE, ADDRESS, SCRIPT)
ID_PARAMETERS = frozenset({"course", "week", "job"})


def class_table(names: tuple[str, ...] = HOSTILE_NAMES, comment: str = MARKUP) -> bytes:
    """An export in which every person reviews the next three."""
    import csv
    import io

    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(["grader", "submission", "grade", "comment"])
    people = [*names, *(f"Plain Person {letter}" for letter in "ABCDEFGH")]
    for place, grader in enumerate(people):
        for step in (1, 2, 3):
            author = people[(place + step) % len(people)]
            writer.writerow([grader, author, (place * 3 + step * 2) % 10 + 1, comment])
    return text.getvalue().encode()


def new_course(client: TestClient, content: bytes, name: str = "class.csv", **form: str) -> Any:
    """Create a course over the programming interface, with answers to all questions."""
    said = client.post("/api/courses", files={"files": (name, content)}, data=form)
    assert said.status_code == 201, said.text
    course = said.json()
    week = course["weeks"][0]["id"]
    for _ in range(5):
        view = client.get(f"/api/weeks/{week}/import").json()
        assert not view["error"], view["error"]
        answers = {
            one["key"]: one["default"] or one["choices"][0]["value"]
            for one in view["questions"]
            if one["answer"] is None
        }
        if not answers:
            break
        body = {"seen": view["revision"], "answers": answers}
        said = client.put(f"/api/weeks/{week}/answers", json=body)
        assert said.status_code == 200, said.text
    return course


def all_routes(app: FastAPI) -> Iterator[tuple[str, str]]:
    """Methods and paths of all routes of an application."""
    # Newer versions of FastAPI do not copy the routes of routers into the application.
    routers = (*api.routers(), *screens.routers())
    for route in (*app.routes, *(one for router in routers for one in router.routes)):
        if isinstance(route, Route | APIRoute):
            for method in sorted(route.methods or ()):
                yield method, route.path


def own_routes(app: FastAPI) -> list[tuple[str, str]]:
    """Methods and paths of the routes that are about one course, week or job."""
    return [
        (method, path)
        for method, path in dict.fromkeys(all_routes(app))
        if ID_PARAMETERS & set(re.findall(r"{(\w+)", path))
    ]


def filled(path: str, values: dict[str, str]) -> str:
    """A path of a route with values for its parameters."""
    return re.sub(r"{(\w+)(?::\w+)?}", lambda found: values.get(found[1], "x"), path)


class Page(HTMLParser):
    """All elements, attributes and texts of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: list[tuple[str, str]] = []
        self._open = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        self._open = tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self._open, data))
