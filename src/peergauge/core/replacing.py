"""Which files a command may replace: those that it wrote itself, unchanged since.

A folder has a record, such as ``class.json`` or ``audit.json``: a JSON object with the version of
peergauge, and the digest of each file that was written with it. A single table is recognised by
its columns.
"""

from __future__ import annotations

import csv
import hashlib
import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from peergauge.core.errors import ParameterError, TableError
from peergauge.core.inputs import file_digest, opened_input, read_record
from peergauge.core.lazy import pl

VERSION_KEY, COMMAND_KEY, DIGESTS_KEY = "peergauge", "command", "written"
"""Keys of a record: the version of peergauge, the command, and the digests of the files."""

MAX_NAMED_FILES = 3
"""Files that a refusal names."""

MAX_HEADER_BYTES = 4096
"""Bytes of a file that are read to recognise a table by its columns."""


def sha256(data: bytes) -> str:
    """The SHA-256 digest of the bytes of a file."""
    return hashlib.sha256(data).hexdigest()


def digests_of(files: Mapping[Path, bytes], folder: Path) -> dict[str, str]:
    """The digests of files by their paths in a folder, for its record."""
    return {path.relative_to(folder).as_posix(): sha256(data) for path, data in files.items()}


def refuse_replacing(
    targets: Iterable[Path], record: Path, command: str, *, force: bool = False
) -> None:
    """Raise an error if a target exists that *command* did not write, or that was changed since.

    Parameters
    ----------
    targets
        Files to be written, all of them in the folder of the record or below it.
    record
        The record of the folder, whether or not it exists.
    force
        Whether to replace any file.
    """
    there = [path for path in dict.fromkeys(targets) if path.exists() or path.is_symlink()]
    if force or not there:
        return
    known = _record(record)
    own = known is not None and known.get(COMMAND_KEY, command) == command
    digests = known[DIGESTS_KEY] if own and known is not None else {}
    others = [path for path in there if not _is_own(path, record, own, digests)]
    if others:
        names = [path.relative_to(record.parent).as_posix() for path in others]
        more = len(names) - MAX_NAMED_FILES
        listed = ", ".join(names[:MAX_NAMED_FILES]) + (f" and {more} more" if more > 0 else "")
        it, was = ("it", "was") if len(names) == 1 else ("them", "were")
        raise ParameterError(
            f"{record.parent} has {listed}, which 'peergauge {command}' did not write or which "
            f"{was} changed since; give another folder, or --force to replace {it}."
        )


def left_files(targets: Iterable[Path], record: Path, command: str) -> list[Path]:
    """Files that *command* wrote into a folder before, unchanged since, and does not write now.

    Parameters
    ----------
    targets
        Files to be written now.
    record
        The record of the folder, whether or not it exists.
    """
    known = _record(record)
    if known is None or known.get(COMMAND_KEY, command) != command:
        return []
    digests, now = known[DIGESTS_KEY], set(targets)
    before = (record.parent / name for name in map(str, digests) if _is_inside(name))
    return [path for path in before if path not in now and _is_own(path, record, True, digests)]


def _is_inside(name: str) -> bool:
    """Whether a path of a record stays in the folder of the record."""
    parts = PurePosixPath(name).parts
    return bool(parts) and not PurePosixPath(name).is_absolute() and ".." not in parts


def _is_own(path: Path, record: Path, own: bool, digests: Mapping[str, Any]) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    if path == record:
        return own
    digest = digests.get(path.relative_to(record.parent).as_posix())
    return digest is not None and file_digest(path) == digest


def _record(path: Path) -> dict[str, Any] | None:
    """The record of a folder; None if there is none that peergauge wrote."""
    try:
        found = read_record(path, "a record", "grade again")
    except TableError:
        return None
    if VERSION_KEY not in found:
        return None
    return found if isinstance(found.get(DIGESTS_KEY), dict) else None


def refuse_other_table(
    path: Path | None, columns: Collection[str], what: str, *, force: bool = False
) -> None:
    """Raise an error if *path* is a file that has not all *columns* of the table to be written.

    Parameters
    ----------
    what
        What the table holds, such as "rewards".
    """
    if path is None or force or not path.exists():
        return
    if not set(columns) <= set(_header(path)):
        raise ParameterError(
            f"{path} exists and holds no {what} that this command wrote; give another file, or "
            "--force to replace it."
        )


def refuse_existing(path: Path | None, *, force: bool = False) -> None:
    """Raise an error if *path* exists: a file that nobody can tell from one written by hand."""
    if path is not None and not force and (path.exists() or path.is_symlink()):
        raise ParameterError(f"{path} exists; give another file, or --force to replace it.")


def refuse_shared(outputs: Mapping[str, Path | None], inputs: Iterable[Path] = ()) -> None:
    """Raise an error if an output is an input or another output, under any of its names.

    Parameters
    ----------
    outputs
        The file of each option; None if the option is not given.
    """
    given = [(option, path) for option, path in outputs.items() if path is not None]
    sources = list(inputs)
    for place, (option, path) in enumerate(given):
        if any(same_file(path, source) for source in sources):
            raise ParameterError(
                f"{path} is read by this command, and {option} would replace it; give another file."
            )
        for earlier, other in given[:place]:
            if same_file(path, other):
                raise ParameterError(
                    f"{path} is given for {earlier} and for {option}; give each its own file."
                )


def same_file(one: Path, other: Path) -> bool:
    """Whether two paths are one file or folder, whether or not it exists."""
    # Unlike Path.resolve, realpath raises no error for links in a circle.
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    return one.exists() and other.exists() and one.samefile(other)


def _header(path: Path) -> Collection[str]:
    """The column names of a CSV or Parquet file; none if it is no table."""
    try:
        with opened_input(path) as file:
            if path.suffix.lower() == ".parquet":
                return pl.read_parquet_schema(file).keys()
            line = file.read(MAX_HEADER_BYTES).decode("utf-8-sig", errors="replace")
    except (TableError, pl.exceptions.PolarsError):
        return ()
    return next(csv.reader(line.splitlines()[:1]), [])
