"""How much memory is free for a computation, and errors that mean that it is used up."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

MACHINE_FILE = Path("/proc/meminfo")
"""Where Linux says how much memory could be given to a process without swapping."""

CONTAINER_FOLDER = Path("/sys/fs/cgroup")
"""Where Linux says how much memory the processes of a container may use and do use."""

LOW_MEMORY_SENTENCE = (
    "The memory of this machine, or the part that this program may use, is used up; close other "
    "programs, use fewer --workers, or compute fewer assignments at a time."
)
"""What to do if the memory is used up."""

MEMORY_WORDS = (
    "cannot allocate memory",
    "memory allocation",
    "out of memory",
    "unable to allocate",
    "failed to map segment",
    "can't start new thread",
    "could not create thread",
    "failed to spawn thread",
    "capacity overflow",
)
"""What libraries write in their errors where memory, or a thread that needs it, is lacking."""


def free_bytes() -> int | None:
    """Bytes that a process can still get; None where the operating system does not say."""
    found = [one for one in (_free_in_machine(), _free_in_container()) if one is not None]
    return min(found) if found else None


def _free_in_machine() -> int | None:
    with suppress(OSError, ValueError, KeyError):
        lines = MACHINE_FILE.read_text().splitlines()
        sizes = {name: size for name, _, size in (line.partition(":") for line in lines)}
        return 1024 * int(sizes["MemAvailable"].removesuffix("kB"))
    return None


def _free_in_container() -> int | None:
    # Without a limit the file has the word max. Pages of files are given up if memory is short.
    with suppress(OSError, ValueError, KeyError):
        most = int((CONTAINER_FOLDER / "memory.max").read_text())
        lines = (CONTAINER_FOLDER / "memory.stat").read_text().splitlines()
        used = dict(line.split(maxsplit=1) for line in lines)
        return max(0, most - int(used["anon"]))
    return None


def lacks_memory(error: BaseException) -> bool:
    """Whether an error, or one that it was raised from, is about memory.

    >>> lacks_memory(MemoryError()), lacks_memory(RuntimeError("can't start new thread"))
    (True, True)
    >>> lacks_memory(ValueError("memory is a column"))
    False
    """
    seen: set[int] = set()
    found: BaseException | None = error
    while found is not None and id(found) not in seen:
        seen.add(id(found))
        text = str(found).lower()
        if isinstance(found, MemoryError) or any(words in text for words in MEMORY_WORDS):
            return True
        found = found.__cause__ or found.__context__
    return False
