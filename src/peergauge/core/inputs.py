"""Opening of input files: regular files only, and no more bytes than are expected.

A pipe may never begin and a device may never end, so that a command would wait for ever or fill the
memory. All files that a user may have written or replaced are opened here.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO, Any

from peergauge.core.errors import TableError

MAX_INPUT_BYTES = 2**30
"""Largest file that is read into memory: a gigabyte holds about twenty million reviews."""

MAX_RECORD_BYTES = 2**28
"""Largest record in JSON, which takes many times as much memory."""

DIGEST_CHUNK_BYTES = 2**20
"""Bytes of a file that are held in memory while its digest is computed."""

OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Flags of opening, with which a pipe that replaced a file does not make the command wait."""


def regular_size(path: Path) -> int:
    """The size of a regular file in bytes; anything else is refused, without opening it."""
    try:
        found = path.stat()
    except (OSError, ValueError) as error:
        raise _unreadable(path, error, "opened") from error
    return _size(found, path)


def _size(found: os.stat_result, path: Path) -> int:
    if stat.S_ISDIR(found.st_mode):
        raise TableError(f"{path} is a folder; give the path of a file.")
    if not stat.S_ISREG(found.st_mode):
        raise TableError(f"{path} is a pipe or a device; save what it gives as a file.")
    return found.st_size


def _unreadable(path: Path, error: Exception, done: str) -> TableError:
    reason = error.strerror if isinstance(error, OSError) else error
    return TableError(f"{path} cannot be {done}: {reason}.")


@contextmanager
def opened_input(path: Path) -> Iterator[IO[bytes]]:
    """A regular file as a stream of bytes; anything else is refused, even if it came just now."""
    # Opening a device may already do something, so that its kind is looked at before and after.
    regular_size(path)
    try:
        with open(os.open(path, OPEN_FLAGS), "rb") as stream:  # noqa: PTH123 (has a descriptor)
            _size(os.fstat(stream.fileno()), path)
            yield stream
    except OSError as error:
        raise _unreadable(path, error, "read") from error


def read_input(
    path: Path, most: int = MAX_INPUT_BYTES, advice: str = "give a smaller one"
) -> bytes:
    """All bytes of a regular file; one that is too large, or grows meanwhile, is refused.

    Parameters
    ----------
    most
        Bytes that the file may have.
    advice
        What to do about a file that is too large.
    """
    return read_whole(opened_input(path), regular_size(path), str(path), most, advice)


def read_whole(
    opened: AbstractContextManager[IO[bytes]], size: int, name: str, most: int, advice: str
) -> bytes:
    """All bytes of a stream, which has to have the size that it had when it was looked at.

    Parameters
    ----------
    size
        Size of the stream when it was looked at.
    name
        What errors call it.
    """
    if size > most:
        raise TableError(
            f"{name} has {size / 2**20:.0f} MiB, and at most {most / 2**20:.0f} are read; {advice}."
        )
    with opened as stream:
        raw = stream.read(size + 1)
    if len(raw) != size:
        raise TableError(
            f"{name} changed while it was read; wait until it is complete, and read it again."
        )
    return raw


def file_digest(path: Path) -> str:
    """The SHA-256 digest of a regular file."""
    digest = hashlib.sha256()
    with opened_input(path) as stream:
        while chunk := stream.read(DIGEST_CHUNK_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def read_record(
    path: Path, what: str, advice: str, most: int = MAX_RECORD_BYTES, **decoding: Any
) -> dict[str, Any]:
    """The object in a JSON file that peergauge wrote; anything else is refused.

    Parameters
    ----------
    what
        What the file should be, such as "the manifest of a run".
    advice
        What to do about another file.
    decoding
        Arguments of :func:`json.loads`.
    """
    if not path.exists():
        raise TableError(f"There is no file {path}; {advice}.")
    try:
        content = json.loads(read_input(path, most, advice), **decoding)
    except (ValueError, RecursionError) as error:
        raise TableError(f"{path} is damaged; {advice}.") from error
    if not isinstance(content, dict):
        raise TableError(f"{path} is not {what}, which is a JSON object; {advice}.")
    return content
