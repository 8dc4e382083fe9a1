"""Local processes that compute pieces, one piece at a time each.

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
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from types import ModuleType
from typing import TYPE_CHECKING

from peergauge.core.activity import Board, too_slow, watching
from peergauge.core.errors import WorkerError
from peergauge.engine.cargo import Parcel

if TYPE_CHECKING:
    from peergauge.engine.cargo import Cargo
    from peergauge.engine.runner import Computed, Piece, Queue

MAX_DEATHS_PER_PIECE = 3
"""Number of workers that may die at the same piece before the run gives up."""

INTERRUPTION_SECONDS = 2.0
"""Seconds after its time limit in which a worker may interrupt itself, before it is killed."""

LOOKS_PER_SECOND = 4
"""How often the run looks at what its workers are doing, if there is a time limit."""


class Worker:
    """A process, our end of its pipe, the piece that it computes, and what it says it is doing.

    Parameters
    ----------
    time_limit
        Seconds that a mechanism may take to pay a class; None for no limit.
    """

    def __init__(self, time_limit: float | None = None) -> None:
        # Spawn a fresh interpreter: forking a program that has threads may hang.
        spawn = get_context("spawn")
        self.connection, theirs = spawn.Pipe()
        self.board, self.time_limit = Board(spawn), time_limit
        self.process = spawn.Process(target=work, args=(theirs, self.board, time_limit))
        with interrupts_held(), program_left_alone():
            self.process.start()
        theirs.close()
        self.piece: Piece | None = None

    def give(self, piece: Piece, seed: int, cargo: Cargo) -> None:
        """Send the worker a piece; a dead worker is noticed by the end of its pipe."""
        self.piece = piece
        with suppress(ConnectionError):
            self.connection.send((Parcel(piece, cargo), seed))

    def answer(self) -> Computed | None:
        """Receive the result of a piece; return None if the worker is dead, and raise its error."""
        try:
            said: Computed | BaseException = self.connection.recv()
        except (EOFError, OSError):
            return None
        if isinstance(said, BaseException):
            raise said
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


def computed(
    queue: Queue, seed: int, count: int, cargo: Cargo, time_limit: float | None = None
) -> Generator[tuple[Piece, Computed], None, None]:
    """Compute all pieces of *queue* by *count* workers; the piece of a dead worker is repeated.

    The workers are sent the code in *cargo*.
    """
    deaths: Counter[str] = Counter()
    workers: dict[Connection, Worker] = {}

    def start() -> None:
        worker = Worker(time_limit)
        workers[worker.connection] = worker

    try:
        for _ in range(count):
            start()
        while workers:
            seconds = None if time_limit is None else 1 / LOOKS_PER_SECOND
            for worker in workers.values():
                worker.refuse_to_wait()
            for connection in wait(list(workers), seconds):
                assert isinstance(connection, Connection)
                worker = workers[connection]
                piece, answer = worker.piece, worker.answer()
                if answer is None:
                    worker.kill()
                    del workers[connection]
                    _count(deaths, piece, worker.board)
                    if piece is not None:
                        queue.put_back(piece)
                    if queue:
                        start()
                    continue
                # Send the next piece first, because a waiting worker leaves a core idle.
                if queue:
                    worker.give(queue.take(), seed, cargo)
                else:
                    worker.kill()
                    del workers[connection]
                # An answer proves that workers can start.
                deaths[""] = 0
                if piece is not None:
                    yield piece, answer
    finally:
        for worker in workers.values():
            worker.kill()


def _count(deaths: Counter[str], piece: Piece | None, board: Board) -> None:
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


def work(connection: Connection, board: Board, time_limit: float | None) -> None:
    """Compute pieces in a worker until the run has no more pieces, or is gone."""
    with watching(time_limit, board):
        _work(connection)


def _work(connection: Connection) -> None:
    from peergauge.engine.runner import Computed, compute

    # The first answer means that the worker is ready.
    answer: Computed | BaseException = Computed([], 0.0)
    with suppress(EOFError, OSError):
        while True:
            connection.send(answer)
            parcel, seed = connection.recv()
            try:
                with parcel.opened() as piece:
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
