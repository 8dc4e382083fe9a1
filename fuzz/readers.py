"""Fuzz targets: any bytes must be read, or refused with one sentence.

A way (a fuzz target) is one operation on a file: read it as an export, with each suffix or by each
reader, read it as the gradebook of each platform, or read it as a column map. Ways are taken from
the registries, so a new reader is fuzzed as soon as it exists.
"""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from peergauge.classroom.gradebooks import gradebooks, read_marks
from peergauge.core.errors import MAX_MESSAGE_LETTERS, PeergaugeError
from peergauge.exports.formats.columns import ColumnMap
from peergauge.exports.preprocess import preprocess
from peergauge.exports.readers import read_export, readers
from peergauge.exports.validate import validate
from tests.exports.exports import tarred, zipped
from tests.exports.workbooks import Cell, write_workbook


def whole_way(path: Path, using: str | None = None) -> None:
    """Read, validate and preprocess an export."""
    export = read_export(path, using=using)
    for _ in (classroom := validate(export)).report.lines():
        pass
    preprocess(classroom.reports, classroom.truth)


class Way(NamedTuple):
    """A fuzz target: one operation on the bytes of a file."""

    ending: str
    read: Callable[[Path], object]
    pack: Callable[[bytes], bytes] = bytes


def _ways() -> dict[str, Way]:
    endings = sorted({ending for one in readers.all() for ending in one.facts.suffixes})
    found = {f"export {ending}": Way(ending, whole_way) for ending in endings}
    for one in readers.all():
        name, ending = one.facts.name, one.facts.suffixes[0]
        found[f"reader {name}"] = Way(ending, partial(whole_way, using=name))
    for book in gradebooks.all():
        name, ending = book.facts.name, book.facts.suffix
        found[f"gradebook {name}"] = Way(ending, partial(read_marks, kind=name))
    # Archives have checksums, which mutated bytes violate, so members are mutated before packing.
    for pack in (tarred, zipped):
        inside = partial(_packed, pack, {"moodle_backup.xml": b"<a/>"}, WORKSHOP)
        found[f"inside .mbz {pack.__name__}"] = Way(".mbz", whole_way, inside)
    members = workbook([["essay", "grader", "score"], ["a", "ada", 7]])
    found["inside .xlsx"] = Way(".xlsx", whole_way, partial(_packed, zipped, members, SHEET))
    found["columns"] = Way(".toml", ColumnMap.read)
    return found


WORKSHOP = "activities/workshop_1/workshop.xml"
SHEET = "xl/worksheets/sheet1.xml"


def _packed(
    pack: Callable[[Mapping[str, bytes]], bytes],
    others: Mapping[str, bytes],
    name: str,
    content: bytes,
) -> bytes:
    return pack({**others, name: content})


def workbook(rows: Sequence[Sequence[Cell]]) -> dict[str, bytes]:
    """The members of a workbook with these rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_workbook(Path(folder) / "book.xlsx", {"Sheet": rows})
        with zipfile.ZipFile(path) as packed:
            return {name: packed.read(name) for name in packed.namelist()}


WAYS = _ways()
"""All fuzz targets, by name."""


def attempt(way: str, content: bytes, folder: Path) -> str | None:
    """Run one target on some bytes; return None if they are read, else the error message.

    Any exception other than a `PeergaugeError` is a fault, and so is a message of several lines.
    """
    ending, read, pack = WAYS[way]
    path = folder / f"any{ending}"
    path.write_bytes(pack(content))
    try:
        read(path)
    except PeergaugeError as refusal:
        said = str(refusal)
        assert "\n" not in said, f"A refusal of several lines: {said!r}"
        assert said.endswith((".", "?")), f"A refusal that does not end: {said!r}"
        assert len(said) <= MAX_MESSAGE_LETTERS, f"A refusal of {len(said)} letters: {said[:200]!r}"
        return said
    return None
