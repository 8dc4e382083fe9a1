"""The initial corpus: every golden file of the tests, for every target that it suits."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fuzz.readers import SHEET, WAYS, workbook
from tests.exports.exports import GOLDEN, zipped

MAP = b"""assignment = "Essay"
[[column]]
name = "Style (1-10)"
is = "grade"
lowest = 1
by = "peer"
[[column]]
name = "peer"
is = "grader"
role = "peer"
"""


def seeds() -> Iterator[tuple[str, bytes]]:
    """Pairs of a target and a file that suits it."""
    grades = workbook([["essay", "grader", "score"]] + [["a", who, 7.5] for who in ("ada", "ben")])
    marks = workbook([["person", "Essay"], ["ada", 7], ["ben", None]])
    for way in WAYS:
        kind, _, name = way.partition(" ")
        if kind == "export":
            yield from ((way, path.read_bytes()) for path in files_of(".") if path.suffix == name)
        elif kind == "reader":
            yield from ((way, path.read_bytes()) for path in files_of(name))
        elif kind == "gradebook":
            found = sorted((GOLDEN.parent / "gradebooks").glob(f"{name}-*"))
            yield from ((way, path.read_bytes()) for path in found)
        elif name.startswith(".mbz"):
            yield from ((way, path.read_bytes()) for path in files_of("moodle-backup"))
    yield "export .mbz", WAYS["inside .mbz tarred"].pack(files_of("moodle-backup")[0].read_bytes())
    yield "export .mbz", WAYS["inside .mbz zipped"].pack(files_of("moodle-backup")[0].read_bytes())
    yield "export .xlsx", zipped(grades)
    yield "inside .xlsx", grades[SHEET]
    yield "gradebook xlsx", zipped(marks)
    yield "columns", MAP


def files_of(reader: str) -> list[Path]:
    """The golden files of a reader; all golden files for '.'."""
    found = (path for path in (GOLDEN / reader).rglob("*") if path.is_file())
    return sorted(path for path in found if path.suffix not in (".py", ".pyc"))
