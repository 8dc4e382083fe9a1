"""A class as plain tables: what any program reads, and what is read back as the same class."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from peergauge.data.validation import Classroom
from peergauge.errors import TableError
from peergauge.frames import write_files

if TYPE_CHECKING:
    import polars as pl

REPORTS, TRUTH, AUTHORS = "reports.csv", "truth.csv", "authors.csv"
ABOUT = "class.json"
"""The scale that the reports are on, and where they come from."""


def write_class(room: Classroom, folder: Path | str) -> list[Path]:
    """Write reports, true scores and authors where known, and the import report, into a folder."""
    folder = Path(folder)
    told = json.dumps(room.report.as_json(), indent=2, ensure_ascii=False) + "\n"
    files: dict[Path, pl.DataFrame | bytes] = {folder / REPORTS: room.reports.to_polars()}
    if room.truth is not None:
        files[folder / TRUTH] = room.truth.to_polars()
    if room.submissions.height:
        files[folder / AUTHORS] = room.submissions
    files[folder / ABOUT] = told.encode()
    write_files(files)
    return list(files)


def files_of(path: Path) -> list[Path]:
    """The files of a class: a file itself, the tables of a written class, or all of a folder."""
    if not path.is_dir():
        return [path]
    plain = [path / name for name in (REPORTS, TRUTH, AUTHORS) if (path / name).exists()]
    if plain and plain[0].name == REPORTS:
        return plain
    found = sorted(one for one in path.iterdir() if one.is_file() and one.name[0] != ".")
    if not found:
        raise TableError(f"{path} is an empty folder; give one that holds the files of a class.")
    return found


def scale_of(files: Sequence[Path]) -> str | None:
    """The scale that a written class says it is on, if it is one."""
    for file in files:
        said = file.with_name(ABOUT)
        if file.name == REPORTS and said.is_file():
            try:
                scale = json.loads(said.read_text(encoding="utf-8"))["scale"]
            except (ValueError, KeyError, TypeError) as error:
                raise TableError(
                    f"{said} does not tell the scale of {file}; write the class again, "
                    "or give the scale with --scale."
                ) from error
            return str(scale)
    return None


def plain_reports(path: Path) -> Path | None:
    """The table of reports, if *path* is one or a written class: nothing in it is to be guessed."""
    file = path / REPORTS if path.is_dir() else path
    if file.suffix.lower() == ".parquet":
        return file
    if file.suffix.lower() not in (".csv", ".tsv") or not file.is_file():
        return None
    with file.open("rb") as opened:
        header = opened.readline(1000).decode("utf-8-sig", errors="replace")
    columns = {name.strip().strip('"') for name in header.replace("\t", ",").split(",")}
    return file if {"submission", "grader", "grade"} <= columns else None
