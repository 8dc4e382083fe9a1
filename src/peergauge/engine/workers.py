"""Local processes that compute pieces, one piece at a time each.

Every worker has a pipe of its own to the run. If a worker dies, the run reads the end of the pipe,
knows which piece the worker had, and starts another worker; other workers are not affected. If the
run dies, its workers read the end of their pipes, and exit when they have finished their pieces.
"""

from __future__ import annotations

import os
import pickle
import signal
import traceback
from collections import Counter
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection, wait
from typing import TYPE_CHECKING

from peergauge.core.errors import WorkerError
from peergauge.engine.cargo import Parcel

if TYPE_CHECKING:
    from peergauge.engine.cargo import Cargo
    from peergauge.engine.runner import Computed, Piece, Queue

MAX_DEATHS_PER_PIECE = 3
"""Number of workers that may die at the same piece before the run gives up."""


class Worker:
    """A process, our end of its pipe, and the piece that it computes."""

    def __init__(self) -> None:
        # Spawn a fresh interpreter: forking a program that has threads may hang.
        spawn = get_context("spawn")
        self.connection, theirs = spawn.Pipe()
        self.process = spawn.Process(target=work, args=(theirs,))
        with interrupts_held():
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

    def kill(self) -> None:
        """Kill the process and close the pipe."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def computed(
    queue: Queue, seed: int, count: int, cargo: Cargo
) -> Generator[tuple[Piece, Computed], None, None]:
    """Compute all pieces of *queue* by *count* workers; the piece of a dead worker is repeated.

    The workers are sent the code in *cargo*.
    """
    deaths: Counter[str] = Counter()
    workers: dict[Connection, Worker] = {}

    def start() -> None:
        worker = Worker()
        workers[worker.connection] = worker

    try:
        for _ in range(count):
            start()
        while workers:
            for connection in wait(list(workers)):
                assert isinstance(connection, Connection)
                worker = workers[connection]
                piece, answer = worker.piece, worker.answer()
                if answer is None:
                    worker.kill()
                    del workers[connection]
                    _count(deaths, piece)
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


def _count(deaths: Counter[str], piece: Piece | None) -> None:
    """Count a death at a piece, or before the first piece; raise an error at the last one."""
    name = "" if piece is None else piece.name
    deaths[name] += 1
    if deaths[name] < MAX_DEATHS_PER_PIECE:
        return
    if piece is None:
        raise WorkerError(
            "Local workers die before they begin; a script should call run under "
            "if __name__ == '__main__', and one worker computes without others."
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


def work(connection: Connection) -> None:
    """Compute pieces in a worker until the run has no more pieces, or is gone."""
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
