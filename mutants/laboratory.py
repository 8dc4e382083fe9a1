"""A copy of the repository in which mutants are tried, one after the other, each in a new process.

The process that tries a mutant is forked from this one, which has already imported the large
libraries, but never peergauge. Its limits are processor time, so that a busy machine decides
nothing, and memory.
"""

from __future__ import annotations

import ast
import importlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import pytest

from mutants.areas import BY_NAME, Choice, Tree
from mutants.changes import Mutant

LIBRARIES = (
    "numpy",
    "scipy.stats",
    "scipy.special",
    "scipy.sparse.csgraph",
    "numba",
    "sklearn.metrics",
)
"""What most tests import, and what a forked process can share."""

MAX_MEMORY_BYTES = 4 * 2**30

WAIT_PER_PROCESSOR_SECOND = 20
"""Seconds to wait for each second of the limit, for a mutant that sleeps or waits."""

USAGE_ERROR, NOTHING_COLLECTED = 4, 5
"""Exit codes of pytest that say nothing about a mutant."""

ENVIRONMENT = {
    # Plug-ins of other tests take longer to import than most mutants to try.
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
    "MPLBACKEND": "agg",
}


class State(Enum):
    """What became of a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    EXPLAINED = "explained"
    TIMED_OUT = "timed out"


@dataclass(frozen=True)
class Outcome:
    """How the tests ended, and what the last of them printed."""

    state: State
    seconds: float
    printed: str


class Order:
    """A plug-in of pytest that chooses tests, and puts those that often fail early first.

    Of the tests that all plug-ins of peergauge share, only the cases of *names* are kept. Tests
    that are marked slow come last.
    """

    def __init__(self, names: Sequence[str]):
        either = "|".join(map(re.escape, names)) or "(?!)"
        self._case = re.compile(rf"\[(.*[-:])?({either})[-:\]]")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        """Leave out what does not concern the module, and sort the others."""
        others = [item for item in items if not self._is_kept(item)]
        config.hook.pytest_deselected(items=others)
        kept = [item for item in items if self._is_kept(item)]
        items[:] = sorted(kept, key=_is_slow)

    def _is_kept(self, item: pytest.Item) -> bool:
        if not item.nodeid.removeprefix("tests/").startswith(BY_NAME):
            return True
        return self._case.search(item.nodeid) is not None


def _is_slow(item: pytest.Item) -> bool:
    return item.get_closest_marker("slow") is not None


class Laboratory:
    """Tries mutants in a copy of the repository.

    Parameters
    ----------
    root
        The repository; no file in it is ever changed.
    folder
        An empty folder for the copy and for machine code.
    limit
        Seconds of processor time that the tests of a mutant may take.
    """

    def __init__(self, root: Path, folder: Path, limit: int):
        self.limit = limit
        self.folder = folder.resolve()
        self.tree = Tree(self.folder / "tree")
        self._changes = 0
        _copy(root, self.tree.root)
        if (root.parent / "shared").is_dir():
            # Real classes and published results, with which some tests compare.
            (self.folder / "shared").symlink_to((root.parent / "shared").resolve())
        for name in LIBRARIES:
            importlib.import_module(name)

    def attempt(self, mutant: Mutant) -> Outcome:
        """Run the tests of a mutant's module until one fails."""
        with self._changed(mutant):
            return self._run(self.tree.choice(mutant.module), self.limit)

    def unchanged(self, modules: Sequence[str]) -> Outcome:
        """Run the tests of modules as they are; mutants mean nothing if these fail."""
        choices = [self.tree.choice(module) for module in modules]
        every = Choice(
            tuple(dict.fromkeys(file for one in choices for file in one.files)),
            tuple(dict.fromkeys(name for one in choices for name in one.names)),
        )
        return self._run(every, self.limit * len(modules))

    @contextmanager
    def _changed(self, mutant: Mutant) -> Iterator[None]:
        """The module with the change, and no machine code that was made without it.

        Python and Numba keep code by the time and the size of its file, and Numba looks only at
        the file of a kernel, not at what was compiled into it. So each change gets a time of its
        own, and all kernels behind the module are compiled again.
        """
        path = self.tree.source / mutant.module
        text, before = path.read_bytes(), path.stat()
        changed = mutant.applied(text.decode())
        # A text that nobody can read would fail any test.
        ast.parse(changed)
        self._changes += 1
        kernels = self.tree.kernels_behind(mutant.module)
        aside = self._put_aside(kernels)
        try:
            path.write_bytes(changed.encode())
            os.utime(path, (before.st_atime, int(before.st_mtime) + self._changes))
            yield
        finally:
            path.write_bytes(text)
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
            for file in self._machine_code(kernels):
                file.unlink()
            for file, content in aside.items():
                file.write_bytes(content)

    def _machine_code(self, kernels: Collection[str]) -> list[Path]:
        """The files in which Numba keeps the machine code of compiled modules."""
        places = [self.tree.source / kernel for kernel in kernels]
        return [
            file
            for place in places
            for file in (place.parent / "__pycache__").glob(f"{place.stem}.*.nb[ic]")
        ]

    def _put_aside(self, kernels: Collection[str]) -> dict[Path, bytes]:
        aside = {file: file.read_bytes() for file in self._machine_code(kernels)}
        for file in aside:
            file.unlink()
        return aside

    def _run(self, choice: Choice, limit: int) -> Outcome:
        log = self.folder / "printed.txt"
        began = time.monotonic()
        child = os.fork()
        if child == 0:
            self._be_a_test_run(choice, log, limit)
        status = _waited_for(child, WAIT_PER_PROCESSOR_SECOND * limit)
        printed = log.read_text(encoding="utf-8", errors="replace")
        state = _state(status, choice, printed)
        return Outcome(state, time.monotonic() - began, printed)

    def _be_a_test_run(self, choice: Choice, log: Path, limit: int) -> None:
        """What the forked process does; it never returns."""
        exit_code = USAGE_ERROR
        try:
            os.setsid()
            printed = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(printed, 1)
            os.dup2(printed, 2)
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
            resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
            root = self.tree.root
            paths = [str(root / "src"), str(root)]
            os.environ |= {**ENVIRONMENT, "PYTHONPATH": os.pathsep.join(paths)}
            os.chdir(root)
            sys.path[:0] = paths
            # The package of the repository itself must not be found, nor its tests.
            for name in [one for one in sys.modules if one.partition(".")[0] == "tests"]:
                del sys.modules[name]
            files = [f"tests/{file}" for file in choice.files]
            options = ["-x", "-q", "--no-header", "--tb=line", "-p", "no:cacheprovider"]
            exit_code = int(pytest.main([*options, *files], plugins=[Order(choice.names)]))
        finally:
            sys.stdout.flush()
            os._exit(exit_code)


def _waited_for(child: int, seconds: float) -> int:
    """The exit status of a test run; a run that takes longer than some seconds is killed."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            _kill_group(child)
            return status
        time.sleep(0.02)
    _kill_group(child)
    os.waitpid(child, 0)
    return int(signal.SIGXCPU)


def _state(status: int, choice: Choice, printed: str) -> State:
    if os.WIFSIGNALED(status):
        limits = (signal.SIGXCPU, signal.SIGKILL)
        return State.TIMED_OUT if os.WTERMSIG(status) in limits else State.KILLED
    code = os.WEXITSTATUS(status)
    if code in (USAGE_ERROR, NOTHING_COLLECTED):
        raise RuntimeError(f"pytest could not run {choice.files}:\n{printed}")
    return State.SURVIVED if code == 0 else State.KILLED


def _kill_group(child: int) -> None:
    """End a test run with all that it started."""
    try:
        os.killpg(child, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _copy(root: Path, to: Path) -> None:
    """Copy the files that git knows or would add, as they are now, and the machine code of kernels.

    Times of files are kept, by which Numba knows that its code is that of the file.
    """
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout
    for name in listed.decode().split("\0"):
        if name and (root / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, to / name)
    for file in (root / "src").rglob("*.nb[ic]"):
        place = to / file.relative_to(root)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(file, place)
