"""Marks for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from peergauge.classroom.gradebooks import Marks

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "gradebooks"


def two_people() -> Marks:
    """Everything that can be known of two people, one of them called like a formula."""
    return Marks.from_frame(
        {
            "person": ["a", "b"],
            "name": ["Lovelace, Ada", "=Ben"],
            "email": ["ada@example.org", "ben@example.org"],
            "sis": ["S01", "S02"],
            "lms": [1001, 1002],
            "login": ["ada", "ben"],
            "section": ["Sec 1", "Sec 1"],
            "Peer review quality": [8.5, None],
            "Essay": [-1, 7],
        },
        {"Peer review quality": 10},
    )


def marks_of(title: str = "Essay", highest: float | None = None, **columns: Any) -> Marks:
    """Marks under one title; people are numbered unless they are named."""
    length = len(next(iter(columns.values())))
    columns.setdefault("person", [f"p{k}" for k in range(length)])
    columns[title] = columns.pop("mark", list(range(length)))
    return Marks.from_frame(columns, {} if highest is None else {title: highest})
