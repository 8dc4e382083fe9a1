"""Commands that write a folder, at tiny sizes, and what they wrote."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import polars as pl

from peergauge.core.replacing import DIGESTS_KEY

TIME_MEASURES = ("cost", "seconds")
"""Measures that are times, and so differ between two runs."""

TIME_OF_WORKBOOK = "docProps/core.xml"
"""The part of a workbook with the time at which it was written."""

CLASS = "{class}"
"""Stands for the folder of a class in the words of a command."""

OUT = "{out}"
"""Stands for the folder that a command writes."""


@dataclass(frozen=True)
class Command:
    """A command that writes a folder.

    Parameters
    ----------
    words
        The command line, with :data:`CLASS` and :data:`OUT` for folders.
    is_resumed
        Whether the command continues after it was stopped, and says so.
    has_times
        Whether results contain measured times, and the page a drawing of them.
    """

    words: tuple[str, ...]
    is_resumed: bool = True
    has_times: bool = False

    def argv(self, class_folder: Path, out: Path) -> list[str]:
        """The program and its arguments."""
        places = {CLASS: str(class_folder), OUT: str(out)}
        return [
            sys.executable,
            "-m",
            "peergauge.cli",
            *(places.get(one, one) for one in self.words),
        ]

    def start(self, class_folder: Path, out: Path, **options: Any) -> subprocess.Popen[str]:
        """Start the command as the leader of a process group."""
        given: dict[str, Any] = {
            "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True,
            "start_new_session": True,
        }  # fmt: skip
        return subprocess.Popen(self.argv(class_folder, out), **{**given, **options})

    def finish(self, class_folder: Path, out: Path, seconds: float = 600) -> None:
        """Run the command to its end."""
        process = self.start(class_folder, out)
        _, said = process.communicate(timeout=seconds)
        assert process.returncode == 0, said


COMMANDS: Mapping[str, Command] = {
    "reproduce": Command(
        ("reproduce", "--only", "e12:repetitions=20,students=12", "-o", OUT, "--workers", "2")
    ),
    "sweep": Command(
        ("sweep", "--over", "graders=2..3", "-m", "mse", "-m", "oa", "--repetitions", "40",
         "-o", OUT, "--workers", "2")
    ),
    "exploit": Command(
        ("exploit", "mse", "--quick", "--others", "0", "--kind", "plain", "-o", OUT,
         "--workers", "2")
    ),
    "learn": Command(
        ("learn", "mse", "--strategy", "hedge", "--starts", "8", "--students", "12",
         "--assignments", "2", "-o", OUT, "--workers", "2")
    ),
    "bench": Command(
        ("bench", "--quick", "-m", "mse", "-m", "oa", "--setting", "paper", "-o", OUT,
         "--workers", "2"),
        has_times=True,
    ),
    "simulate": Command(
        ("simulate", "--students", "12", "--assignments", "2", "-o", OUT), is_resumed=False
    ),
    "read": Command(("read", CLASS, "-o", OUT), is_resumed=False),
    "twin": Command(("twin", CLASS, "-o", OUT), is_resumed=False),
    "grade": Command(("grade", CLASS, "-o", OUT, "--accept-defaults"), is_resumed=False),
}  # fmt: skip
"""Every command that writes a folder."""


def contents(out: Path, command: Command) -> dict[str, bytes]:
    """All files below a folder, with what is declared to differ between two runs left out.

    Workbooks contain the time at which they were written, so their parts are compared without it,
    and the audit without their digests. Measured times differ, too. The rows of a run are therefore
    compared without them, and the files that are made of them, the pieces and the page, by their
    names.
    """
    found: dict[str, bytes] = {}
    for path in sorted(out.rglob("*")):
        if not path.is_file():
            continue
        name = path.relative_to(out).as_posix()
        if path.suffix == ".xlsx":
            found |= {f"{name}/{part}": data for part, data in _parts(path).items()}
        elif path.name == "audit.json":
            found[name] = _without_workbooks(path)
        elif not command.has_times:
            found[name] = path.read_bytes()
        elif path.name in {"results.parquet", "leaderboard.csv"}:
            found[name] = _without_times(path)
        elif path.parent.name == "pieces":
            # The checksum of the rows is a part of the name.
            found[name.partition(".")[0]] = b""
        else:
            found[name] = b"" if path.suffix == ".html" else path.read_bytes()
    return found


def _parts(workbook: Path) -> dict[str, bytes]:
    with ZipFile(workbook) as archive:
        return {one: archive.read(one) for one in archive.namelist() if one != TIME_OF_WORKBOOK}


def _without_workbooks(audit: Path) -> bytes:
    content = json.loads(audit.read_bytes())
    written = content[DIGESTS_KEY]
    content[DIGESTS_KEY] = {name: one for name, one in written.items() if name[-5:] != ".xlsx"}
    return json.dumps(content).encode()


def _without_times(path: Path) -> bytes:
    read = pl.read_parquet if path.suffix == ".parquet" else pl.read_csv
    table = read(path)
    column = next(one for one in ("metric", "measure") if one in table.columns)
    data = BytesIO()
    table.filter(~pl.col(column).is_in(TIME_MEASURES)).write_csv(data)
    return data.getvalue()


def different(one: Mapping[str, bytes], other: Mapping[str, bytes]) -> list[str]:
    """Names of the files that differ, or that one of two folders lacks."""
    return sorted(name for name in {*one, *other} if one.get(name) != other.get(name))
