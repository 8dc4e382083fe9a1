"""Visits to the web page, which record everything that a page says and asks for."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import Any

import pytest
from playwright.sync_api import Browser, FilePayload, Page

from tests.web.kit import NAMES, class_file, class_rows

LOOKS = [(1280, "light"), (390, "dark")]
"""Widths and colours: each of both is seen once, since neither depends on the other."""


@contextmanager
def visited(browser: Browser, server: str, *, refused: int = 0, **options: Any) -> Iterator[Page]:
    """A page of the server; at the end, nothing was asked of other hosts or said to the console.

    Parameters
    ----------
    refused
        Number of requests that the server is expected to refuse, which Chromium reports.
    """
    context = browser.new_context(accept_downloads=True, base_url=server, **options)
    asked: list[str] = []
    said: list[str] = []
    context.on("request", lambda one: asked.append(one.url))
    context.on("console", lambda one: said.append(one.text))
    context.on("weberror", lambda one: said.append(str(one.error)))
    page = context.new_page()
    page.set_default_timeout(20_000)
    try:
        yield page
    finally:
        context.close()
    assert [one for one in asked if not one.startswith((f"{server}/", "data:"))] == []
    # htmx logs a refusal a second time.
    told = [one for one in said if "Response Status Error Code" not in one]
    others = [one for one in told if not re.search(r"status of 4\d\d", one)]
    assert others == []
    assert len(told) == refused


def payload(week: int = 1) -> FilePayload:
    """A class of 12 students, whose export leads to no question."""
    return FilePayload(name="reviews.csv", mimeType="text/csv", buffer=class_file(week).content)


def new_course(page: Page, file: FilePayload, title: str) -> str:
    """Upload a file as a new course; the path of its first week."""
    page.goto("/")
    page.set_input_files("input[name=files]", file)
    page.get_by_label("Name of the course").fill(title)
    page.get_by_role("button", name="Read the files").click()
    page.wait_for_url("**/weeks/*")
    return re.sub(r"^https?://[^/]+", "", page.url)


def messy_form() -> FilePayload:
    """The table of a form as people fill it in: a test, other spellings, and staff in percent."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(
        ["Timestamp", "Email Address", "Your name", "Whose work did you review?",
         "How would you rate the work? (0-10)", "What did they do well?", "Staff grade"]
    )  # fmt: skip
    first = "2026/10/01 8:00:00 AM GMT+2"
    writer.writerow([first, "teacher@example.edu", "Test", "Test", 5, "test, ignore", ""])
    staff = {NAMES[0]: 81, NAMES[1]: 64, NAMES[2]: 55}
    for place, (author, grader, grade) in enumerate(class_rows()):
        spelled = [author, author.upper(), f" {author.lower()} ", author][place % 4]
        mail = f"{grader.split()[0].lower()}@example.edu"
        when = f"2026/10/02 9:{place % 60:02d}:00 AM GMT+2"
        said = 'Good, "clear" work'
        writer.writerow([when, mail, grader, spelled, grade, said, staff.get(author, "")])
    own = NAMES[3]
    when = "2026/10/03 9:00:00 AM GMT+2"
    writer.writerow([when, "dara@example.edu", own, own, 10, "my own", ""])
    return FilePayload(name="Form Responses 1.csv", mimeType="text/csv",
                       buffer=text.getvalue().encode())  # fmt: skip


def violations(page: Page) -> list[str]:
    """Everything that axe-core finds, or a loud skip without it."""
    try:
        script = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    except ModuleNotFoundError:
        pytest.skip("axe-core is not here; accessibility is NOT tested")
    page.evaluate(script)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {node['html'][:160]}"
        for one in found["violations"]
        for node in one["nodes"][:3]
    ]
