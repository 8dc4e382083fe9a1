"""Jobs: long work in processes of its own, which can be cancelled and survives the server.

The :class:`Supervisor` is a thread of the server. It takes queued jobs from the database and runs
each of them in a child process with a process group of its own (:mod:`~peergauge.web.jobs.worker`).
If a server is killed, its workers end, and the next server on the same folder starts their jobs
again. Kinds of jobs that keep their results in a folder continue where they were.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path
from threading import Event, Thread
from typing import Any

from peergauge.core.errors import PeergaugeError
from peergauge.core.private_folder import TEMPORARY_VARIABLE, remove_left_folders
from peergauge.web.jobs.kinds import KINDS_PACKAGE, kind_of, kinds
from peergauge.web.options import ServeOptions
from peergauge.web.store import MissingError, Store, StoreError
from peergauge.web.store.records import Job

__all__ = ["Supervisor", "is_active", "run_folder", "seconds_left", "submit"]

LOOKS_PER_SECOND = 5
"""How often the supervisor looks for new, cancelled and ended jobs."""

MAX_JOB_ATTEMPTS = 3
"""Number of times that a job is started."""

MAX_SERVERS_PER_FOLDER = 64
"""Number of servers that may use one folder at the same time."""

MAX_EXIT_SECONDS = 10
"""Seconds that a killed process may take to disappear."""

ACTIVE_STATES = ("queued", "running")


def submit(
    store: Store,
    kind: str,
    parameters: Mapping[str, Any],
    who: str,
    course: str | None = None,
    week: str | None = None,
) -> Job:
    """Check the parameters of a job, and add the job to the queue."""
    return store.add_job(kind, kind_of(kind).check(parameters), who, course, week)


def is_active(job: Job) -> bool:
    """Whether a job waits or runs."""
    return job.state in ACTIVE_STATES


def run_folder(options: ServeOptions, job: str) -> Path:
    """The folder for the results of a job of the laboratory."""
    return options.folder / "runs" / job


def seconds_left(job: Job, now: datetime | None = None) -> float | None:
    """Seconds that a job will take if it continues at its rate so far; None if unknown."""
    found = kinds().get(job.kind)
    # A job that was started again began with finished parts, so that its rate is not known.
    steady = found is not None and found.steady and job.attempts == 1
    if job.state != "running" or not steady or job.started is None or job.done < 1:
        return None
    seconds = ((now or datetime.now(UTC)) - job.started).total_seconds()
    return max(seconds, 0.0) / job.done * max(job.of - job.done, 0)


@dataclass
class Slot:
    """A place for one running job.

    Parameters
    ----------
    name
        Name of the place in the database, as the process of the job.
    job, child
        The running job and its process; None if the place is free.
    trouble
        Why the place could not be looked at the last time; empty if it could.
    of_courses
        Whether the place is kept free for jobs of courses.
    """

    name: str
    job: Job | None = None
    child: subprocess.Popen[bytes] | None = None
    trouble: str = ""
    of_courses: bool = False


class Supervisor:
    """Runs the queued jobs of a database.

    Parameters
    ----------
    store
        The database.
    options
        Options of the server; ``workers`` jobs run at the same time and one more of a course, none
        if it is 0.
    packages
        Packages with kinds of jobs.
    """

    def __init__(
        self, store: Store, options: ServeOptions, packages: Sequence[str] = (KINDS_PACKAGE,)
    ):
        self.store, self.options, self.packages = store, options, tuple(packages)
        self._ending = Event()
        self._thread: Thread | None = None
        self._lock: TextIOWrapper | None = None
        self._slots: list[Slot] = []

    def start(self) -> None:
        """Start to run jobs, beginning with those that a killed server left."""
        if self.options.workers < 1 or self._thread is not None:
            return
        folder = self.options.folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name, self._lock = _server_name(folder)
        # Jobs of courses, for which somebody waits at a page, do not wait for long runs.
        kept_free = Slot(f"{name}.{self.options.workers}", of_courses=True)
        others = (Slot(f"{name}.{number}") for number in range(self.options.workers))
        self._slots = [kept_free, *others]
        self._requeue_left_jobs(name)
        self._ending.clear()
        self._thread = Thread(target=self._run, name="supervisor", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop all workers; their jobs are queued again for the next start."""
        if self._thread is None:
            return
        self._ending.set()
        self._thread.join()
        self._thread = None
        for slot in self._slots:
            if slot.child is not None:
                _kill(slot.child)
            if slot.job is not None:
                with suppress(StoreError):
                    self.store.requeue_jobs(slot.name)
            slot.job = slot.child = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _run(self) -> None:
        while not self._ending.wait(1 / LOOKS_PER_SECOND):
            for slot in self._slots:
                try:
                    self._look_at(slot)
                    slot.trouble = ""
                except StoreError as error:
                    # A database that cannot be reached for a while must not end the supervisor.
                    self._log_once(slot, str(error))
                except Exception:
                    logging.getLogger("peergauge.web").exception("A job could not be supervised.")

    @staticmethod
    def _log_once(slot: Slot, sentence: str) -> None:
        """Log why a slot cannot be looked at, but not at every look again."""
        if slot.trouble != sentence:
            slot.trouble = sentence
            logging.getLogger("peergauge.web").error("A job could not be supervised: %s", sentence)

    def _look_at(self, slot: Slot) -> None:
        """End the job of a slot if it was cancelled, or start the next job in a free slot."""
        if slot.job is not None:
            ended = slot.child is None or slot.child.poll() is not None
            # Ask for the state after the process, which writes the state before it ends.
            running = self._is_running(slot.job)
            if not ended and running:
                return
            if slot.child is not None:
                _kill(slot.child)
            # If the database cannot be written now, its row is changed at a later look.
            slot.child = None
            if running:
                self._start_again(slot.job, slot.name)
            slot.job = None
        claimed = self.store.claim_job(slot.name, of_courses=slot.of_courses)
        if claimed is not None:
            slot.job, slot.child = claimed, self._started(claimed)

    def _is_running(self, job: Job) -> bool:
        try:
            return self.store.job(job.id).state == "running"
        except MissingError:
            return False

    def _started(self, job: Job) -> subprocess.Popen[bytes]:
        """Start the process of a job."""
        # -P: modules in the working directory of the server are not imported by accident.
        child = subprocess.Popen(
            [sys.executable, "-P", "-m", "peergauge.web.jobs.worker", job.id],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            start_new_session=True,
            # Its temporary files are removed with those of this server.
            env={**os.environ, TEMPORARY_VARIABLE: tempfile.gettempdir()},
        )
        assert child.stdin is not None
        # A child that died at once is noticed at the next look.
        with suppress(BrokenPipeError):
            child.stdin.write(_instructions(self.options, self.packages))
            child.stdin.flush()
        return child

    def _start_again(self, job: Job, process: str) -> None:
        """Queue a job whose process ended without a result, unless that happened too often."""
        if job.attempts >= MAX_JOB_ATTEMPTS:
            self.store.fail_job(
                job.id,
                f"The job was started {job.attempts} times, and its process ended each time before "
                "the job was done, perhaps for lack of memory; choose a smaller job.",
            )
        else:
            self.store.requeue_jobs(process)

    def _requeue_left_jobs(self, name: str) -> None:
        """Start the jobs again that ran on this folder in a server that is no more."""
        family = name.rpartition("-")[0]
        for job in self.store.jobs():
            server = job.process.rpartition(".")[0]
            if job.state != "running" or server.rpartition("-")[0] != family:
                continue
            if server == name or _is_dead(self.options.folder, server):
                self._start_again(job, job.process)


# ----------------------------------------------------------------------------------- processes


def _instructions(options: ServeOptions, packages: Sequence[str]) -> bytes:
    """The line that a worker reads first."""
    said = {
        "database": options.database,
        "folder": str(options.folder),
        "workers": options.workers,
        "packages": list(packages),
    }
    return json.dumps(said).encode() + b"\n"


def _kill(child: subprocess.Popen[bytes]) -> None:
    """Kill the process group of a worker, wait for its end, and remove its temporary files."""
    with suppress(ProcessLookupError, PermissionError):
        # The worker leads its group, which also has the processes that the worker started.
        os.killpg(child.pid, signal.SIGKILL)
    if child.stdin is not None:
        with suppress(OSError):
            child.stdin.close()
    child.wait(MAX_EXIT_SECONDS)
    remove_left_folders(Path(tempfile.gettempdir()))


def _server_name(folder: Path) -> tuple[str, TextIOWrapper]:
    """A name of this server, and the lock that is held for as long as the server lives.

    The folder has a name of its own. Servers that use it at the same time have different numbers.
    """
    for number in range(1, MAX_SERVERS_PER_FOLDER + 1):
        lock = _lock_file(folder, number).open("a")
        if _is_locked(lock):
            return f"{_folder_name(folder)}-{number}", lock
        lock.close()
    raise PeergaugeError(
        f"{MAX_SERVERS_PER_FOLDER} servers use the folder {folder} already; give this one another."
    )


def _folder_name(folder: Path) -> str:
    """The name of a folder, which it keeps."""
    file = folder / "server-name"
    with suppress(FileExistsError), file.open("x", encoding="utf-8") as new:
        new.write(secrets.token_hex(8))
    return file.read_text(encoding="utf-8").strip() or "server"


def _lock_file(folder: Path, number: int) -> Path:
    return folder / f"server-{number}.lock"


def _is_locked(lock: TextIOWrapper) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _is_dead(folder: Path, server: str) -> bool:
    """Whether no living server has a name."""
    with _opened(_lock_file(folder, int(server.rpartition("-")[2]))) as lock:
        return _is_locked(lock)


@contextmanager
def _opened(path: Path) -> Iterator[TextIOWrapper]:
    with path.open("a") as file:
        yield file
