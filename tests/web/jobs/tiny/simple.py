"""Kinds of jobs for tests: one that does as its parameters say."""

from __future__ import annotations

import errno
import multiprocessing
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from peergauge.core.errors import ParameterError
from peergauge.web.jobs.kinds import Tell
from peergauge.web.options import ServeOptions
from peergauge.web.store import Store
from peergauge.web.store.records import Job


@dataclass(frozen=True)
class Simple:
    """Does what ``do`` says: end, refuse, fail, fill the disk, die, or wait with a process."""

    name: str = "simple"
    steady: bool = True

    def check(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        return dict(parameters)

    def run(self, job: Job, store: Store, options: ServeOptions, tell: Tell) -> dict[str, Any]:
        tell("Working", 1, 2)
        return getattr(self, job.parameters["do"])(job, options)  # type: ignore[no-any-return]

    def end(self, job: Job, options: ServeOptions) -> dict[str, Any]:
        return {"answer": 42, "secret in arguments": options.database in _arguments()}

    def refuse(self, job: Job, options: ServeOptions) -> dict[str, Any]:
        raise ParameterError("The class is too small; choose a larger one.")

    def fail(self, job: Job, options: ServeOptions) -> dict[str, Any]:
        raise KeyError("a secret of the program")

    def fill(self, job: Job, options: ServeOptions) -> dict[str, Any]:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(options.folder))

    def die(self, job: Job, options: ServeOptions) -> dict[str, Any]:
        os._exit(9)

    def wait(self, job: Job, options: ServeOptions) -> dict[str, Any]:
        child = multiprocessing.get_context("spawn").Process(target=time.sleep, args=(600,))
        child.start()
        note(options, job, f"{os.getpid()} {child.pid}")
        child.join()
        return {}


def note(options: ServeOptions, job: Job, text: str) -> None:
    """Write a file for the test, all of it or nothing."""
    scratch = options.folder / f"{job.id}.part"
    scratch.write_text(text)
    scratch.replace(options.folder / f"{job.id}.pids")


def _arguments() -> str:
    return Path("/proc/self/cmdline").read_text()


kind = Simple()
