"""Files as platforms write them, and what came of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from peergauge.data.records import Export

EXPORTS = Path(__file__).resolve().parents[1] / "golden" / "exports"


def rows(frame: pl.DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    """Some columns of a table, row by row."""
    return frame.select(columns).rows()


def noted(export: Export, kind: str) -> list[tuple[str, tuple[int, ...]]]:
    """The notes of a kind, and the rows that they are about."""
    return [(note.text, note.rows) for note in export.notes if note.kind == kind]
