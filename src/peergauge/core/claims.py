"""One command at a time in a folder; what a killed command began to write is completed or removed.

A command that writes a folder claims it by a lock on a hidden file in it. The operating system
releases the lock when the process ends, however it ends, and also for processes of other hosts that
share the disk. The hidden file is removed with the claim. If a claim finds one, its command was
killed, and the file says which files that command was about to replace.
"""

from __future__ import annotations

import json
import os
import platform
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from peergauge.core.errors import ParameterError, TableError

if sys.platform != "win32":
    import fcntl

LOCK_FILE = ".peergauge-lock"
"""The hidden file of a claimed folder."""

MAX_WAIT_SECONDS = 5.0
"""Seconds that a claim waits for another command, which may be about to end."""

LOOKS_PER_SECOND = 20
"""How often a claim that waits looks whether the folder is free."""

MAX_JOURNAL_BYTES = 2**26
"""Size of the hidden file that is read."""

PRIVATE_FOLDER_MODE, PUBLIC_FOLDER_MODE = 0o700, 0o777
"""Permissions of folders that name people together with their results, and of all other folders, of
which the user's mask takes some away."""

WRITING, RENAMING = "writing", "renaming"
"""Stages in which a command replaces files."""


def beside(path: Path, ending: str, process: int | None = None) -> Path:
    """A temporary name in the folder of a file, which is short enough where the file's name is.

    Parameters
    ----------
    ending
        ``part`` for the new file while it is written, ``old`` for a second name of the old one.
    process
        The process that writes; this one by default.
    """
    name = sha256(path.name.encode(errors="surrogateescape")).hexdigest()[:16]
    return path.with_name(f".{name}.{process or os.getpid()}.{ending}")


@dataclass(frozen=True, eq=False)
class Claim:
    """A folder that this command keeps for itself.

    Parameters
    ----------
    folder
        The folder, as an absolute path.
    lock
        The open hidden file; None where the file system or the operating system has no locks.
    """

    folder: Path
    lock: int | None

    def note(self, stage: str = "", targets: Iterable[Path] = ()) -> None:
        """Write into the hidden file which files the command is about to write.

        Parameters
        ----------
        stage
            :data:`WRITING` before the new files are written beside their targets, and
            :data:`RENAMING` when all of them are complete; empty when nothing is under way.
        """
        if self.lock is None:
            return
        held: dict[str, Any] = {"process": os.getpid(), "host": platform.node()}
        if stage:
            held[stage] = [[os.fspath(one.absolute()), _state(one)] for one in targets]
        data = json.dumps(held).encode()
        # A full disk must not stop a command that needs no more room.
        with suppress(OSError):
            os.ftruncate(self.lock, 0)
            os.pwrite(self.lock, data, 0)


_claims: ContextVar[tuple[Claim, ...]] = ContextVar("claims", default=())


@contextmanager
def claim_for(files: Collection[Path]) -> Iterator[Claim]:
    """The claim under which some files are replaced together.

    It is the claim of the command, or else one of the folder of the first file. A single file needs
    none, because it is replaced in one step.
    """
    held, folder = _claims.get(), next(iter(files), Path()).parent
    if len(files) < 2:
        yield Claim(folder, None)
    elif held:
        yield held[0]
    else:
        with claimed(folder) as claim:
            yield claim


@contextmanager
def claimed(
    folder: Path,
    *,
    parents: bool = False,
    private: bool = False,
    wait_seconds: float | None = None,
) -> Iterator[Claim]:
    """Keep other commands out of a folder; refuse to go on if another command has claimed it.

    A folder that does not exist is created, and removed at the end if it is still empty. Claims of
    the same command may be nested.

    Parameters
    ----------
    parents
        Whether the folders above it are created too; otherwise nothing is claimed without them.
    private
        Whether only the user may open the folder, if it is created.
    wait_seconds
        Seconds to wait for another command; by default :data:`MAX_WAIT_SECONDS`.
    """
    place = folder.resolve()
    known = next((one for one in _claims.get() if one.folder == place), None)
    if known is not None:
        yield known
        return
    mode = PRIVATE_FOLDER_MODE if private else PUBLIC_FOLDER_MODE
    made = _make(place, mode, parents=parents)
    wait = MAX_WAIT_SECONDS if wait_seconds is None else wait_seconds
    try:
        claim = Claim(place, _locked(place, folder, wait) if place.is_dir() else None)
        _claims.set((*_claims.get(), claim))
        try:
            _recover(claim)
            claim.note()
            yield claim
        finally:
            _claims.set(tuple(one for one in _claims.get() if one is not claim))
            _release(claim)
    finally:
        for one in made:
            # Only an empty folder can be removed.
            with suppress(OSError):
                one.rmdir()


def _make(folder: Path, mode: int, *, parents: bool) -> list[Path]:
    """Create a folder, and return the folders that were created, the innermost first."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    if not missing or (len(missing) > 1 and not parents):
        return []
    made: list[Path] = []
    for one in reversed(missing):
        try:
            one.mkdir(mode=mode)
        except FileExistsError:
            continue
        except OSError as error:
            raise _unwritable(one.parent, error) from error
        made.insert(0, one)
    return made


# ----------------------------------------------------------------------------------- the lock


def _locked(place: Path, folder: Path, wait_seconds: float) -> int | None:
    """The open and locked hidden file of a folder; None if there are no locks."""
    if sys.platform == "win32":
        return None
    path, until = place / LOCK_FILE, monotonic() + wait_seconds
    while True:
        lock = _opened(path, folder)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_at(lock, path):
                return lock
            # The command that had it has ended, and removed the file.
            os.close(lock)
        except BlockingIOError:
            holder = _holder(lock)
            os.close(lock)
            if monotonic() >= until:
                raise ParameterError(
                    f"Another command{holder} is writing into {folder}; wait until it has ended, "
                    "or give another folder."
                ) from None
            sleep(1 / LOOKS_PER_SECOND)
        except OSError:
            os.close(lock)
            path.unlink(missing_ok=True)
            return None


def _opened(path: Path, folder: Path) -> int:
    # A link that somebody put there is not followed.
    flags = os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        try:
            return os.open(path, os.O_RDWR | os.O_CREAT | flags, 0o666)
        except PermissionError:
            # The file of a command of another user.
            return os.open(path, os.O_RDONLY | flags)
    except OSError as error:
        raise _unwritable(folder, error) from error


def _unwritable(folder: Path, error: OSError) -> TableError:
    reason = (error.strerror or str(error)).lower()
    return TableError(
        f"Nothing can be written into {folder}: {reason}; give a folder on a disk with free space, "
        "in which you may create files."
    )


def _is_at(lock: int, path: Path) -> bool:
    """Whether an open file is still the one with this name."""
    try:
        return os.path.samestat(os.fstat(lock), path.stat())
    except OSError:
        return False


def _holder(lock: int) -> str:
    """The process that has locked a file, as part of a sentence; empty if it is not known."""
    held = _read(lock)
    process, host = held.get("process"), held.get("host")
    if not isinstance(process, int) or not isinstance(host, str):
        return ""
    where = "" if host == platform.node() else f" on {host}"
    return f" (process {process}{where})"


def _read(lock: int) -> Mapping[str, Any]:
    try:
        found = json.loads(os.pread(lock, MAX_JOURNAL_BYTES, 0))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _release(claim: Claim) -> None:
    if claim.lock is None:
        return
    # Removed before it is unlocked, so that nobody locks a file that is about to disappear.
    with suppress(OSError):
        (claim.folder / LOCK_FILE).unlink(missing_ok=True)
    os.close(claim.lock)


# -------------------------------------------------------------------------------- after a kill


def _recover(claim: Claim) -> None:
    """Complete the replacements of a killed command if its new files are complete, or undo them."""
    if claim.lock is None or os.fstat(claim.lock).st_uid != os.geteuid():
        return
    left = _read(claim.lock)
    process = left.get("process")
    if not isinstance(process, int):
        return
    for stage in (WRITING, RENAMING):
        for target, before in _noted(left.get(stage)):
            scratch = beside(target, "part", process)
            # Nobody may have written the target since.
            if stage == RENAMING and scratch.is_file() and _state(target) in (before, None):
                scratch.replace(target)
            scratch.unlink(missing_ok=True)
            beside(target, "old", process).unlink(missing_ok=True)


def _noted(entries: Any) -> Iterator[tuple[Path, Any]]:
    """The files that a command noted, and their states then; nothing that anybody else wrote."""
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, list) and len(entry) == 2 and isinstance(entry[0], str):
            target = Path(entry[0])
            if target.name and "\0" not in entry[0]:
                yield target, entry[1]


def _state(path: Path) -> list[int] | None:
    """What changes whenever a file is written; None if there is no file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return [found.st_ino, found.st_size, found.st_mtime_ns]
