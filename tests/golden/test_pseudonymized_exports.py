"""Every golden export under pseudonyms: no file that is written names anybody.

Cells and values of the files are compared with what they may be, so that no list of names has to
be complete.
"""

from __future__ import annotations

import csv
import json
import re
import warnings
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from peergauge._version import __version__
from peergauge.core.errors import PeergaugeError
from peergauge.exports import interpret_class
from peergauge.exports.people.pseudonyms import LEFT_OUT_NOTE, PLAIN_REASONS, pseudonymize
from peergauge.exports.readers import readers
from peergauge.exports.records import State
from peergauge.exports.validate import ANSWERED, GIVEN, GUESSED, STATED, OpenedClass
from peergauge.exports.writing import write_class
from tests.golden.exports.messy.corpus import CASES
from tests.golden.exports.messy.kit import Case

pytestmark = pytest.mark.slow

EXPORTS = Path(__file__).parent / "exports"

NUMBER = r"-?\d+(\.\d+)?(e-?\d+)?"
CELLS = {
    "assignment": r"(a\d+)?",
    "submission": r"(s\d+)?",
    "grader": r"p\d+",
    "author": r"(p\d+)?",
    "grade": NUMBER,
    "score": f"({NUMBER}|NaN)?",
    "state": "|".join(State),
}
"""What the cells of each column may be."""

REASONS = "|".join(map(re.escape, PLAIN_REASONS))
PLAIN_VALUES = {
    "peergauge": re.escape(__version__),
    "format": "[a-z0-9+-]+",
    "scale": r"[\d.:a-z-]+",
    "scale_from": "|".join(
        map(re.escape, (GIVEN, STATED, GUESSED, ANSWERED, "percent, since the maxima differ"))
    ),
    "criteria": r"k\d+",
    "kind": "read|repaired|dropped|missed",
    "text": rf"\d+ reviews?: ({REASONS})|{re.escape(LEFT_OUT_NOTE)}",
    "source": "",
    "command": "read",
    "written": "[0-9a-f]{64}",
}
"""What the texts in class.json may be, by the name of the nearest object that holds them."""


def golden_files() -> list[Path]:
    folders = [one for one in sorted(EXPORTS.iterdir()) if one.is_dir() and one.name != "messy"]
    files = [path for folder in folders for path in sorted(folder.iterdir())]
    return [*folders, *files]


def texts_in(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, list):
        for one in value:
            yield from texts_in(one, name)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from texts_in(one, name if name == "written" else key)


def check_written(one: OpenedClass, folder: Path) -> None:
    for path in write_class(one, folder):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            content = json.loads(text)
            assert content["files"] == []
            assert [note["rows"] for note in content["notes"] if note["rows"]] == []
            assert set(content["format"].split("+")) <= set(readers.classes())
            for name, found in texts_in(content):
                assert re.fullmatch(PLAIN_VALUES[name], found), (path.name, name, found)
            continue
        rows = list(csv.DictReader(StringIO(text)))
        for row in rows:
            for name, cell in row.items():
                assert re.fullmatch(CELLS[name], cell), (path.name, name, cell)
        names = [
            tuple(row.get(name, "") for name in ("assignment", "submission", "grader", "author"))
            for row in rows
        ]
        if path.name != "assigned.csv":
            assert names == sorted(names), path.name


def opened(path: Path) -> OpenedClass | None:
    """A class with the defaults of all questions; None if the files alone are none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return interpret_class(path)
        except PeergaugeError:
            return None


def test_most_golden_exports_are_classes() -> None:
    assert sum(opened(path) is not None for path in golden_files()) > 30


@pytest.mark.parametrize("path", golden_files(), ids=lambda path: str(path.relative_to(EXPORTS)))
def test_no_file_names_anybody(path: Path, tmp_path: Path) -> None:
    if (one := opened(path)) is None:
        pytest.skip("not a class by itself")
    other, _ = pseudonymize(one)
    check_written(other, tmp_path / "class")
    frames = {"reports": other.reports, "truth": other.truth}
    for name, frame in frames.items():
        if frame is not None:
            metadata = pq.read_metadata(frame.write(tmp_path / f"{name}.parquet")).metadata or {}
            assert set(metadata) <= {b"ARROW:schema"}


@pytest.mark.parametrize("one", CASES, ids=str)
def test_no_file_of_a_messy_export_names_anybody(one: Case, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    one.write(source)
    found = opened(source)
    if found is not None:
        check_written(pseudonymize(found)[0], tmp_path / "class")
