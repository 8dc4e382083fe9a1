"""Local processes that compute pieces, or anything else that can be repeated, one at a time each.

Every worker has a pipe of its own to the run. If a worker dies, the run reads the end of the pipe,
knows which piece the worker had, and starts another worker; other workers are not affected. If the
run dies, its workers read the end of their pipes, and exit when they have finished their pieces.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from peergauge.core.activity import Board, too_slow, watching
from peergauge.core.errors import CompileCacheWarning, WorkerError
from peergauge.engine.cargo import Parcel

if TYPE_CHECKING:
    from peergauge.engine.cargo import Cargo
    from peergauge.engine.runner import Computed

MAX_DEATHS_PER_PIECE = 3
"""Number of workers that may die at the same piece before the run gives up."""

INTERRUPTION_SECONDS = 2.0
"""Seconds after its time limit in which a worker may interrupt itself, before it is killed."""

LOOKS_PER_SECOND = 4
"""How often the run looks at what its workers are doing, if there is a time limit."""


class Work(Protocol):
    """What a worker computes: a piece of a run, or a figure."""

    @property
    def name(self) -> str:
        """Name of the work in messages."""

    def compute(self, seed: int) -> Any:
        """Do the work, and return its result; the same one if it is repeated."""


AnyWork = TypeVar("AnyWork", bound=Work)


class Tasks(Protocol[AnyWork]):
    """Work that remains to be done."""

    def __len__(self) -> int: ...

    def take(self) -> AnyWork:
        """Remove and return the next work."""

    def put_back(self, piece: AnyWork, /) -> None:
        """Add work that must be done again."""


class Worker(Generic[AnyWork]):
    """A process, our end of its pipe, the piece that it computes, and what it says it is doing."""

    def __init__(self) -> None:
        # Spawn a fresh interpreter: forking a program that has threads may hang.
        spawn = get_context("spawn")
        self.connection, theirs = spawn.Pipe()
        self.board = Board(spawn)
        self.time_limit: float | None = None
        self.process = spawn.Process(target=work, args=(theirs, self.board))
        with interrupts_held(), program_left_alone():
            self.process.start()
        theirs.close()
        self.piece: AnyWork | None = None
        self.is_ready = False

    def give(self, piece: AnyWork, seed: int, cargo: Cargo, time_limit: float | None) -> None:
        """Send the worker a piece; a dead worker is noticed by the end of its pipe.

        Parameters
        ----------
        time_limit
            Seconds that a mechanism may take to pay a class; None for no limit.
        """
        self.piece, self.time_limit = piece, time_limit
        with suppress(ConnectionError):
            self.connection.send((Parcel(piece, cargo), seed, time_limit))

    def answer(self) -> Computed | None:
        """Receive the result of a piece; return None if the worker is dead, and raise its error."""
        try:
            said: Computed | BaseException = self.connection.recv()
        except (EOFError, OSError):
            return None
        if isinstance(said, BaseException):
            raise said
        self.is_ready = True
        return said

    def refuse_to_wait(self) -> None:
        """Raise an error if the worker exceeds its time limit and has not interrupted itself."""
        limit, activity = self.time_limit, self.board.read()
        if limit is None or activity is None:
            return
        if activity.seconds > limit + INTERRUPTION_SECONDS:
            raise too_slow(activity.words, limit)

    def kill(self) -> None:
        """Kill the process and close the pipe."""
        self.process.kill()
        self.process.join()
        self.connection.close()


@contextmanager
def program_left_alone() -> Iterator[None]:
    """Let processes that are started meanwhile not run the user's program again.

    Python would import the main module in each of them, so that a script without
    ``if __name__ == "__main__"`` would start itself again and again. Workers are sent all code that
    they need, that of the main module included.
    """
    program = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


class Workers:
    """Some local processes, which compute for one run or for several ones after another.

    Parameters
    ----------
    count
        Number of processes; they are started when they are needed.
    """

    def __init__(self, count: int) -> None:
        self.count = count
        self._idle: list[Worker[Any]] = []

    def computed(
        self, queue: Tasks[AnyWork], seed: int, cargo: Cargo, time_limit: float | None = None
    ) -> Generator[tuple[AnyWork, Computed], None, None]:
        """Compute all pieces of *queue*; the piece of a dead worker is repeated.

        The workers are sent the code in *cargo*.
        """
        deaths: Counter[str] = Counter()
        busy: dict[Connection, Worker[AnyWork]] = {}

        def start() -> None:
            worker: Worker[AnyWork] = self._idle.pop() if self._idle else Worker()
            busy[worker.connection] = worker
            # A new worker says when it is ready.
            if worker.is_ready:
                give(worker)

        def give(worker: Worker[AnyWork]) -> None:
            worker.give(queue.take(), seed, cargo, time_limit)

        from peergauge.core.compile_cache import check_compile_cache

        check_compile_cache()
        try:
            for _ in range(min(self.count, len(queue))):
                start()
            while busy:
                for worker in _ready(busy, time_limit):
                    piece, answer = worker.piece, worker.answer()
                    if answer is None:
                        worker.kill()
                        del busy[worker.connection]
                        _count(deaths, piece, worker.board)
                        if piece is not None:
                            queue.put_back(piece)
                        if len(queue):
                            start()
                        continue
                    # Send the next piece first, because a waiting worker leaves a core idle.
                    if len(queue):
                        give(worker)
                    else:
                        self._idle.append(busy.pop(worker.connection))
                    # An answer proves that workers can start.
                    deaths[""] = 0
                    if piece is not None:
                        yield piece, answer
        finally:
            for worker in busy.values():
                worker.kill()

    def close(self) -> None:
        """End all processes."""
        while self._idle:
            self._idle.pop().kill()


@contextmanager
def kept_workers(count: int | None = None) -> Iterator[int | Workers]:
    """Processes for several runs, one after another, which end with this context.

    Starting a process takes longer than some runs.

    Parameters
    ----------
    count
        Number of processes; the number of cores by default. A number below 2 is returned as it is,
        because one worker computes in this process.
    """
    number = cores() if count is None else count
    if number < 2:
        yield number
        return
    with closing(Workers(number)) as workers:
        yield workers


def _ready(
    busy: Mapping[Connection, Worker[AnyWork]], time_limit: float | None
) -> list[Worker[AnyWork]]:
    """The workers that have an answer, or are dead; a worker that takes too long is an error."""
    for worker in busy.values():
        worker.refuse_to_wait()
    seconds = None if time_limit is None else 1 / LOOKS_PER_SECOND
    return [busy[one] for one in wait(list(busy), seconds) if isinstance(one, Connection)]


def computed(
    queue: Tasks[AnyWork], seed: int, count: int, cargo: Cargo, time_limit: float | None = None
) -> Generator[tuple[AnyWork, Computed], None, None]:
    """Compute all pieces of *queue* by *count* workers, which end with it."""
    with closing(Workers(count)) as workers:
        yield from workers.computed(queue, seed, cargo, time_limit)


def _count(deaths: Counter[str], piece: Work | None, board: Board) -> None:
    """Count a death at a piece, or before the first piece; raise an error at the last one."""
    name = "" if piece is None else piece.name
    deaths[name] += 1
    if deaths[name] < MAX_DEATHS_PER_PIECE:
        return
    if piece is None:
        raise WorkerError(
            "Local workers die before they begin, perhaps for lack of memory; one worker computes "
            "everything in this process."
        )
    activity = board.read()
    if activity is not None:
        raise WorkerError(
            f"{activity.words} killed {MAX_DEATHS_PER_PIECE} workers that paid a class by it, "
            "perhaps for lack of memory, so that the piece "
            f"{name} was given up; everything finished is kept, and the same run goes on from "
            "there once that is repaired."
        )
    raise WorkerError(
        f"The piece {name} was given up because {MAX_DEATHS_PER_PIECE} workers died of it, perhaps "
        "for lack of memory; everything finished is kept, and the same run goes on from there."
    )


def cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def work(connection: Connection, board: Board) -> None:
    """Compute pieces in a worker until the run has no more pieces, or is gone."""
    # The run itself warns about the cache, once for all workers.
    warnings.simplefilter("ignore", CompileCacheWarning)
    from peergauge.engine.runner import Computed, compute

    # The first answer means that the worker is ready.
    answer: Computed | BaseException = Computed(None, 0.0)
    with suppress(EOFError, OSError):
        while True:
            connection.send(answer)
            parcel, seed, time_limit = connection.recv()
            try:
                with parcel.opened() as piece, watching(time_limit, board):
                    answer = compute(piece, seed)
            except BaseException as error:
                answer = _sendable(error)


def _sendable(error: BaseException) -> BaseException:
    """Return an error with its traceback as a note, or its text if it cannot be pickled."""
    where = "".join(traceback.format_exception(error))
    try:
        sent: BaseException = pickle.loads(pickle.dumps(error))
    except Exception:
        sent = RuntimeError(f"{type(error).__name__}: {error}")
    sent.add_note(f"In a worker:\n{where}")
    return sent


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Block SIGINT, so that processes started here ignore Ctrl-C; the run stops them."""
    # Starting the resource tracker would unblock the signal again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
