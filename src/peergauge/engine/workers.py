"""Local processes that compute pieces, one at a time each, and die alone.

A worker hears from the run, and answers, over a pipe of its own. If it dies, the run reads the end
of that pipe, knows which piece it had, and starts another worker; nobody else notices. If the run
dies, its workers read the end of theirs, and go when they have finished what they had.
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

if TYPE_CHECKING:
    from peergauge.engine.runner import Computed, Piece, Queue

DEATHS = 3
"""How often workers may die at the same piece before the run gives up."""


class Worker:
    """A process, our end of its pipe, and the piece that it has in hand."""

    def __init__(self) -> None:
        # It begins with a fresh interpreter: forking a program that has threads may hang.
        spawn = get_context("spawn")
        self.connection, theirs = spawn.Pipe()
        self.process = spawn.Process(target=work, args=(theirs,))
        with interrupts_held():
            self.process.start()
        theirs.close()
        self.piece: Piece | None = None

    def give(self, piece: Piece, seed: int) -> None:
        """Hand it a piece; if it is dead, the end of its pipe will tell."""
        self.piece = piece
        try:
            self.connection.send((piece, seed))
        except ConnectionError:
            pass
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise WorkerError(_unknown(error)) from error

    def answer(self) -> Computed | None:
        """What it says: nothing if it is dead; its error is raised."""
        try:
            said: Computed | BaseException = self.connection.recv()
        except (EOFError, OSError):
            return None
        if isinstance(said, BaseException):
            raise said
        return said

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def computed(queue: Queue, seed: int, count: int) -> Generator[tuple[Piece, Computed], None, None]:
    """Compute everything in *queue* by *count* workers; what one dies of is done again."""
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
                # A worker that waits is a core that idles, so it is served first.
                if queue:
                    worker.give(queue.take(), seed)
                else:
                    worker.kill()
                    del workers[connection]
                # While any worker answers, workers can begin.
                deaths[""] = 0
                if piece is not None:
                    yield piece, answer
    finally:
        for worker in workers.values():
            worker.kill()


def _count(deaths: Counter[str], piece: Piece | None) -> None:
    """Count a death, and refuse the last one of its kind."""
    name = "" if piece is None else piece.name
    deaths[name] += 1
    if deaths[name] < DEATHS:
        return
    if piece is None:
        raise WorkerError(
            "Local workers die before they begin; a script should call run under "
            "if __name__ == '__main__', and one worker computes without others."
        )
    raise WorkerError(
        f"The piece {name} was given up because {DEATHS} workers died of it, perhaps for want of "
        "memory; everything finished is kept, and the same run goes on from there."
    )


def cores() -> int:
    """How many processes this one may run at a time."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def work(connection: Connection) -> None:
    """What a worker does until its run has no more for it, or is gone."""
    from peergauge.engine.runner import Computed, compute

    # The first answer says only that it is ready.
    answer: Computed | BaseException = Computed([], 0.0)
    with suppress(EOFError, OSError):
        while True:
            connection.send(answer)
            given = connection.recv_bytes()
            try:
                piece, seed = pickle.loads(given)
            except Exception as error:
                answer = WorkerError(_unknown(error))
                continue
            try:
                answer = compute(piece, seed)
            except BaseException as error:
                answer = _sendable(error)


def _sendable(error: BaseException) -> BaseException:
    """An error with where it happened, or its text if it cannot be sent."""
    where = "".join(traceback.format_exception(error))
    try:
        sent: BaseException = pickle.loads(pickle.dumps(error))
    except Exception:
        sent = RuntimeError(f"{type(error).__name__}: {error}")
    sent.add_note(f"In a worker:\n{where}")
    return sent


def _unknown(error: Exception) -> str:
    return (
        f"A local worker cannot load the experiment ({error}); define it at the top of a module, "
        "or let one worker compute without others."
    )


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Start processes that Ctrl-C does not reach; their run tells them when to stop."""
    # Starting the tracker would let them through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
