"""Differences between text and computation are told in one place and shown in two."""

from __future__ import annotations

from pathlib import Path

from peergauge.lab.paper.differences import DIFFERENCES

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "match-the-published-numbers.md"


def test_the_how_to_page_tells_every_difference() -> None:
    text = PAGE.read_text(encoding="utf-8")
    table = text.partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("|")][2:]
    assert rows == [f"| {' | '.join(one)} |" for one in DIFFERENCES]
