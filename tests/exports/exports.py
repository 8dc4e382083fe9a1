"""The exports that tests read, and what comes out of them in short."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl

from peergauge.exports.records import SCHEMAS, Export, Role, State

GOLDEN = Path(__file__).parents[1] / "golden" / "exports"

TREES = (
    "canvas-peer-reviews",
    "canvas-rubric",
    "canvas-users",
    "crowdgrader",
    "moodle-backup",
    "moodle-report",
    "moodle-users",
    "openreview",
    "ora2",
    "peerpal",
)
"""The readers of JSON, of XML, and of text in cells."""

FILES = sorted(path for name in TREES for path in (GOLDEN / name).iterdir())


def without_defaults(what: str, frame: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table, each without the columns that have their default, and without source."""
    defaults = {name: default for name, (_, default) in SCHEMAS[what].items()}
    return [
        {name: value for name, value in row.items() if name != "source" and value != defaults[name]}
        for row in frame.iter_rows(named=True)
    ]


def reviews(export: Export) -> list[tuple[Any, ...]]:
    """Assignment, submission, grader, role, criterion, score, scale, state, weight and row."""
    return export.reviews.drop("source", "time", "comments").rows()


def notes(export: Export) -> list[tuple[str, str, tuple[int, ...]]]:
    """Kind, text and rows of each note."""
    return [(note.kind, note.text, note.rows) for note in export.notes]


def rows(frame: pl.DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    """Some columns of a table, row by row."""
    return frame.select(columns).rows()


def noted(export: Export, kind: str) -> list[tuple[str, tuple[int, ...]]]:
    """The notes of a kind, and the rows that they are about."""
    return [(note.text, note.rows) for note in export.notes if note.kind == kind]


def tarred(members: Mapping[str, bytes]) -> bytes:
    """A tar.gz file."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return gzip.compress(buffer.getvalue(), 1)


def zipped(members: Mapping[str, bytes]) -> bytes:
    """A zip file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def keeps_to_the_tables(export: Export) -> None:
    """Assert what holds of every export, whoever made it."""
    for what, schema in SCHEMAS.items():
        found = getattr(export, what).schema
        assert dict(found) == {name: getattr(pl, kind) for name, (kind, _) in schema.items()}
    assert set(export.reviews["role"]) <= {role.value for role in Role}
    assert set(export.reviews["state"]) <= {state.value for state in State}
    for scored in (export.reviews, export.truth):
        assert scored["score"].drop_nulls().is_finite().all()
    assert export.people["person"].null_count() == 0
    assert export.people["person"].is_unique().all()
