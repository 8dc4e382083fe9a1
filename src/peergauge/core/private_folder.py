"""A private folder for the temporary files of a server, which does not outlive the server.

The process holds a lock on its folder. The operating system releases the lock when the process
ends, however it ends, so that the folder of a killed process is recognised and removed.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree

if sys.platform != "win32":
    import fcntl

PRIVATE_PREFIX = "peergauge-private-"
"""The beginning of the names of private folders."""

TEMPORARY_VARIABLE = "TMPDIR"
"""The environment variable by which other processes find the folder of temporary files."""


@contextmanager
def private_folder(*, children: bool = False) -> Iterator[Path]:
    """Keep all temporary files of this process in a new folder, which is removed in the end.

    Folders that killed processes of the same user left are removed first.

    Parameters
    ----------
    children
        Whether all processes that this one starts keep their temporary files there as well. A
        browser that a server opens outlives the server, so that it needs another folder.
    """
    before, variable = tempfile.tempdir, os.environ.get(TEMPORARY_VARIABLE)
    remove_left_folders(Path(tempfile.gettempdir()))
    folder, lock = _locked_folder()
    tempfile.tempdir = str(folder)
    if children:
        os.environ[TEMPORARY_VARIABLE] = str(folder)
    try:
        yield folder
    finally:
        tempfile.tempdir = before
        if variable is None:
            os.environ.pop(TEMPORARY_VARIABLE, None)
        else:
            os.environ[TEMPORARY_VARIABLE] = variable
        rmtree(folder, ignore_errors=True)
        os.close(lock)


def remove_left_folders(where: Path) -> None:
    """Remove the private folders of processes of this user that have ended."""
    for folder in sorted(where.glob(f"{PRIVATE_PREFIX}*")):
        try:
            lock = _opened(folder)
        except OSError:
            # It is a link, a file, the folder of somebody else, or gone.
            continue
        try:
            with suppress(BlockingIOError):
                if os.fstat(lock).st_uid == os.getuid() and _lock(lock):
                    rmtree(folder, ignore_errors=True)
        finally:
            os.close(lock)


def shared_temporary_folder() -> Path:
    """The folder for temporary files that outlive the process."""
    found = Path(tempfile.gettempdir())
    while found.name.startswith(PRIVATE_PREFIX):
        found = found.parent
    return found


def _locked_folder() -> tuple[Path, int]:
    """A new folder that only this user may read, and the lock on it."""
    while True:
        folder = Path(tempfile.mkdtemp(prefix=PRIVATE_PREFIX))
        # Until the folder is locked, another process may take it for a left one and remove it.
        with suppress(FileNotFoundError):
            lock = _opened(folder)
            with suppress(BlockingIOError):
                _lock(lock)
                if folder.exists():
                    return folder, lock
            os.close(lock)


def _opened(folder: Path) -> int:
    return os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)


def _lock(folder: int) -> bool:
    """Lock a folder; False on a disk without locks, and an error if another process has it."""
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return False
    return True
