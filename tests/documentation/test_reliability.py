"""The page on reliability names tests that exist."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "explanation" / "reliability.md"
NAMED_TEST = re.compile(r"`?(tests/[\w/]+\.py)::(\w+)`?")
HEADING = "| fault | what happens | test |"
NOT_HELD = "not held by a test"
"""What the last column of a table says of a fault that no test tries."""


@cache
def functions_of(file: Path) -> set[str]:
    """Names of the functions and methods of a file."""
    if not file.is_file():
        return set()
    nodes = ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    return {one.name for one in nodes if isinstance(one, ast.FunctionDef)}


def rows_of(text: str) -> list[list[str]]:
    """The cells of all rows of the tables of faults."""
    rows, is_inside = list[list[str]](), False
    for line in text.splitlines():
        is_inside = line == HEADING or (is_inside and line.startswith("|"))
        if is_inside and line not in (HEADING, "|---|---|---|"):
            rows.append([cell.strip() for cell in line.strip("|").split(" | ")])
    return rows


def unknown_tests(text: str) -> list[str]:
    """Tests that a text names and that do not exist."""
    return [
        f"{file}::{name}"
        for file, name in NAMED_TEST.findall(text)
        if name not in functions_of(ROOT / file)
    ]


def test_every_test_on_the_page_exists() -> None:
    assert unknown_tests(PAGE.read_text(encoding="utf-8")) == []


def test_a_test_that_does_not_exist_is_found() -> None:
    named = "tests/documentation/test_reliability.py::test_nothing_at_all"
    assert unknown_tests(f"`{named}`") == [named]


def test_every_row_names_a_test_or_says_that_there_is_none() -> None:
    rows = rows_of(PAGE.read_text(encoding="utf-8"))
    assert len(rows) > 50
    for row in rows:
        assert len(row) == 3, row
        assert NAMED_TEST.search(row[2]) or NOT_HELD in row[2], row


def test_other_tables_have_no_faults() -> None:
    text = f"| a | b |\n|---|---|\n| 1 | 2 |\n\n{HEADING}\n|---|---|---|\n| fire | smoke | none |\n"
    assert rows_of(text) == [["fire", "smoke", "none"]]
