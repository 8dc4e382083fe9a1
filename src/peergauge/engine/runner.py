"""Runs experiments piece by piece, on any executor, and loses nothing when it is stopped.

A piece is some repetitions of one point. What a piece computes depends on the experiment, the
point, the repetitions and the seed alone, so it does not matter who computes it, when, or beside
what. Finished pieces are kept as files; a run that is begun again skips them.
"""

from __future__ import annotations

import platform
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import NamedTuple

from peergauge.core.errors import ParameterError, WorkerError
from peergauge.core.lazy import pl
from peergauge.engine import workers as local
from peergauge.engine.experiment import Experiment, Point, experiments
from peergauge.engine.results import ResultsFolder, Row, versions

PER_PIECE = 10
"""Repetitions in a piece: enough to be worth sending, few enough to lose little."""

AHEAD = 256
"""Pieces that an executor is handed at a time: enough for most, too few to flood any."""


@dataclass(frozen=True)
class Piece:
    """Some repetitions of one point of one experiment."""

    experiment: Experiment
    point: Point
    first: int
    last: int

    @property
    def name(self) -> str:
        """What its file is called; the same for the same work."""
        x = "" if self.point.x is None else f"-x{self.point.x:03d}"
        words = [self.experiment.facts.name, self.point.kind, self.point.strategy]
        name = "-".join(filter(None, words))
        return f"{name}{x}-r{self.first:04d}-{self.last:04d}"

    def compute(self, seed: int) -> list[Row]:
        """Do the work."""
        return [
            row
            for repetition in range(self.first, self.last)
            for row in self.experiment.run(self.point, repetition, seed)
        ]


class Computed(NamedTuple):
    """What a piece gave, and how long it took."""

    rows: list[Row]
    seconds: float


class Queue:
    """What is left to do: a piece of every point first, then what takes longest.

    So the last pieces are short ones, and no worker is left alone with a long one at the end.

    Parameters
    ----------
    pieces
        What there is to do.
    """

    def __init__(self, pieces: Sequence[Piece]):
        self._left: dict[tuple[str, Point], deque[Piece]] = {}
        self._seconds: dict[tuple[str, Point], float] = {}
        for piece in pieces:
            self.put_back(piece)

    def __bool__(self) -> bool:
        return bool(self._left)

    def __len__(self) -> int:
        return sum(map(len, self._left.values()))

    def take(self) -> Piece:
        """The next piece."""
        unknown = float("inf")
        place = max(self._left, key=lambda place: self._seconds.get(place, unknown))
        self._seconds.setdefault(place, 0.0)
        piece = self._left[place].popleft()
        if not self._left[place]:
            del self._left[place]
        return piece

    def put_back(self, piece: Piece) -> None:
        """Let it be done, or done again."""
        self._left.setdefault(self._place(piece), deque()).append(piece)

    def learn(self, piece: Piece, seconds: float) -> None:
        """How long the pieces of a point take."""
        self._seconds[self._place(piece)] = seconds

    def _place(self, piece: Piece) -> tuple[str, Point]:
        return piece.experiment.facts.name, piece.point


def pieces_of(experiment: Experiment, per_piece: int = PER_PIECE, seed: int = 0) -> list[Piece]:
    """Cut an experiment into pieces."""
    return [
        Piece(experiment, point, first, min(first + per_piece, count))
        for point in experiment.points()
        for count in [experiment.repetitions_at(point, seed)]
        for first in range(0, count, per_piece)
    ]


def run(
    chosen: Sequence[str | Experiment],
    folder: Path | str | None = None,
    *,
    seed: int = 0,
    workers: int | None = None,
    executor: Executor | None = None,
    per_piece: int = PER_PIECE,
    ahead: int = AHEAD,
    progress: Callable[[int, int], None] | None = None,
) -> pl.DataFrame:
    """Run experiments, or finish what was begun in *folder*, and return all results.

    Parameters
    ----------
    chosen
        Experiments, or their specs.
    folder
        Where results are kept, if they are. The same folder with other settings is refused.
    seed
        The same seed gives the same results, whoever computes them.
    workers
        How many local processes; as many as there are cores by default. One computes here.
    executor
        Any executor to use instead, such as that of a cluster. It is not shut down.
    per_piece
        How many repetitions make a piece.
    ahead
        How many pieces *executor* is handed at a time; twice as many as it has workers keep it
        busy.
    progress
        Called with the numbers of finished and of all pieces whenever one is finished.
    """
    if folder is None:
        with TemporaryDirectory() as passing:
            return run(
                chosen,
                passing,
                seed=seed,
                workers=workers,
                executor=executor,
                per_piece=per_piece,
                ahead=ahead,
                progress=progress,
            )
    made = [experiments.make(one) for one in chosen]
    if workers is not None and workers < 1:
        raise ParameterError(f"At least one worker is needed, but {workers} were given.")
    if ahead < 1 or per_piece < 1:
        raise ParameterError("Pieces have at least one repetition, and one is handed out at least.")
    names = [one.facts.name for one in made]
    if len(set(names)) < len(names):
        raise ParameterError("An experiment runs once; one of them was given twice.")
    keep = ResultsFolder(Path(folder))
    keep.open(
        {
            "seed": seed,
            "per_piece": per_piece,
            "experiments": {one.facts.name: asdict(one) for one in made},
            "inputs": {one.facts.name: one.inputs() for one in made if one.inputs()},
            "versions": versions(),
        }
    )
    pieces = [piece for one in made for piece in pieces_of(one, per_piece, seed)]
    kept = keep.finished()
    left = [piece for piece in pieces if piece.name not in kept]
    tell = progress or (lambda _done, _all: None)
    done = len(pieces) - len(left)
    tell(done, len(pieces))
    queue = Queue(left)
    with closing(computed(queue, seed, workers, executor, ahead)) as all_computed:
        for piece, (rows, seconds) in all_computed:
            queue.learn(piece, seconds)
            kept[piece.name] = keep.add(piece.name, rows)
            done += 1
            tell(done, len(pieces))
    return keep.merge(kept[piece.name] for piece in pieces)


def computed(
    queue: Queue, seed: int, workers: int | None, executor: Executor | None, ahead: int = AHEAD
) -> Generator[tuple[Piece, Computed], None, None]:
    """Compute everything in *queue*, in any order."""
    if executor is not None:
        yield from _on(executor, queue, seed, ahead)
        return
    count = min(workers or local.cores(), len(queue))
    if count > 1:
        yield from local.computed(queue, seed, count)
        return
    while queue:
        piece = queue.take()
        yield piece, compute(piece, seed)


def _on(
    executor: Executor, queue: Queue, seed: int, ahead: int
) -> Generator[tuple[Piece, Computed], None, None]:
    """Compute everything in *queue* on an executor, which replaces dead workers if it can."""
    here = versions()
    waiting: dict[Future[Computed], Piece] = {}
    finished: SimpleQueue[Future[Computed]] = SimpleQueue()
    try:
        while queue or waiting:
            while queue and len(waiting) < ahead:
                piece = queue.take()
                with _failures_told(piece):
                    future = executor.submit(compute_alike, piece, seed, here)
                waiting[future] = piece
                future.add_done_callback(finished.put)
            future = finished.get()
            piece = waiting.pop(future)
            with _failures_told(piece):
                computed = future.result()
            yield piece, computed
    finally:
        for future in waiting:
            future.cancel()


@contextmanager
def _failures_told(piece: Piece) -> Iterator[None]:
    """Say in a sentence that an executor lost its workers, or itself, or lacks a module."""
    dask = sys.modules.get("distributed")
    killed = () if dask is None else (dask.KilledWorker,)
    try:
        yield
    except (BrokenExecutor, CancelledError, *killed) as error:
        why = "its workers died of it" if isinstance(error, killed) else "the executor broke"
        raise WorkerError(
            f"The piece {piece.name} was given up because {why}; everything finished is kept, and "
            "the same run goes on from there."
        ) from error
    except (ModuleNotFoundError, RuntimeError) as error:
        # Dask's scheduler says so by a RuntimeError.
        if isinstance(error, RuntimeError) and "deserialization" not in str(error):
            raise
        reason = str(error).splitlines()[0].split(". ")[0].rstrip(".")
        raise WorkerError(
            f"A worker or scheduler cannot load the piece {piece.name} ({reason}); install the "
            "same peergauge there, and the module of the experiment if it has one of its own."
        ) from error


def compute(piece: Piece, seed: int) -> Computed:
    """What a worker does."""
    begin = perf_counter()
    rows = piece.compute(seed)
    return Computed(rows, perf_counter() - begin)


def compute_alike(piece: Piece, seed: int, here: Mapping[str, str]) -> Computed:
    """What a worker does that may be elsewhere: nothing, where numbers might come out otherwise."""
    there = _versions()
    differ = [
        f"{name} {there[name]} instead of {value}"
        for name, value in here.items()
        if value != there[name] and "unknown" not in (value, there[name])
    ]
    if differ:
        raise WorkerError(
            f"The worker on {platform.node()} has {', '.join(differ)}; give every worker the same "
            "versions, so that all give the same numbers."
        )
    return compute(piece, seed)


_versions = cache(versions)
