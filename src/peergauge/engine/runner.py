"""Runs experiments piece by piece on any executor, and resumes interrupted runs.

A piece is a number of repetitions of one point. Its results depend only on the experiment, the
point, the repetitions and the seed. They do not depend on the worker or on the order of pieces.
Finished pieces are stored as files, and a resumed run skips them.
"""

from __future__ import annotations

import platform
import sys
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ThreadPoolExecutor,
)
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from queue import Empty, SimpleQueue
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any, NamedTuple

from peergauge.core.activity import check_time_limit, watching
from peergauge.core.claims import claimed
from peergauge.core.errors import ParameterError, PeergaugeWarning, WorkerError
from peergauge.core.fingerprints import outdated_parts, taking_part, why_changed
from peergauge.core.lazy import pl
from peergauge.engine import workers as local
from peergauge.engine.cargo import Cargo, Parcel, experiments_of
from peergauge.engine.cluster import Patience
from peergauge.engine.experiment import Experiment, Point, experiments
from peergauge.engine.results import PLUGINS_KEY, ResultsFolder, Row, packed, versions

REPETITIONS_PER_PIECE = 10
"""Repetitions in a piece: enough to be worth sending, few enough to lose little in a crash."""

MAX_SUBMITTED_PIECES = 256
"""Pieces that are submitted to an executor at a time."""


SECONDS_BETWEEN_LOOKS = 5.0
"""Seconds without any result after which the run looks whether its cluster has workers."""


@dataclass(frozen=True)
class Piece:
    """A number of repetitions of one point of one experiment."""

    experiment: Experiment
    point: Point
    first: int
    last: int

    @property
    def name(self) -> str:
        """Name of the file of the piece; the same work has the same name."""
        x = "" if self.point.x is None else f"-x{self.point.x:03d}"
        words = [self.experiment.facts.name, self.point.kind, self.point.strategy]
        name = "-".join(filter(None, words))
        return f"{name}{x}-r{self.first:04d}-{self.last:04d}"

    def rows(self, seed: int) -> list[Row]:
        """Compute all rows of the piece."""
        return [
            row
            for repetition in range(self.first, self.last)
            for row in self.experiment.run(self.point, repetition, seed)
        ]

    def compute(self, seed: int) -> Any:
        """Compute what a worker returns: all rows of the piece."""
        return self.rows(seed)


class StoredPiece(Piece):
    """A piece whose worker returns the bytes of its file, which are sent faster than rows."""

    def compute(self, seed: int) -> bytes:
        return packed(self.rows(seed))


class Computed(NamedTuple):
    """What a worker returned for a piece, and the seconds that it computed."""

    returned: Any
    seconds: float


class Queue:
    """Pieces that remain to be computed: first one of every point, then the longest ones.

    The last pieces are therefore short, so no worker is left with a long piece at the end.

    Parameters
    ----------
    pieces
        All pieces to compute.
    in_rounds
        Take one piece of every point, then another one of every point, and so on, so that all
        points have about as many results at any time.
    """

    def __init__(self, pieces: Sequence[Piece], in_rounds: bool = False):
        self._in_rounds = in_rounds
        self._left: dict[tuple[str, Point], deque[Piece]] = {}
        self._seconds: dict[tuple[str, Point], float] = {}
        for piece in pieces:
            self.put_back(piece)

    def __bool__(self) -> bool:
        return bool(self._left)

    def __len__(self) -> int:
        return sum(map(len, self._left.values()))

    @property
    def experiments(self) -> list[Experiment]:
        """The experiments of all pieces that remain."""
        return experiments_of(piece for left in self._left.values() for piece in left)

    def take(self) -> Piece:
        """Remove and return the next piece."""
        place = max(self._left, key=self._urgency)
        self._seconds.setdefault(place, 0.0)
        piece = self._left[place].popleft()
        if not self._left[place]:
            del self._left[place]
        return piece

    def _urgency(self, place: tuple[str, Point]) -> float:
        if self._in_rounds:
            return len(self._left[place])
        return self._seconds.get(place, float("inf"))

    def put_back(self, piece: Piece) -> None:
        """Add a piece that remains to be computed, or that must be computed again."""
        self._left.setdefault(self._place(piece), deque()).append(piece)

    def learn(self, piece: Piece, seconds: float) -> None:
        """Remember how long a piece of its point took."""
        self._seconds[self._place(piece)] = seconds

    def _place(self, piece: Piece) -> tuple[str, Point]:
        return piece.experiment.facts.name, piece.point


def pieces_of(
    experiment: Experiment,
    per_piece: int = REPETITIONS_PER_PIECE,
    seed: int = 0,
    kind: type[Piece] = Piece,
) -> list[Piece]:
    """Divide an experiment into pieces."""
    return [
        kind(experiment, point, first, min(first + per_piece, count))
        for point in experiment.points()
        for count in [experiment.repetitions_at(point, seed)]
        for first in range(0, count, per_piece)
    ]


def run(
    chosen: Sequence[str | Experiment],
    folder: Path | str | None = None,
    *,
    seed: int = 0,
    workers: int | local.Workers | None = None,
    executor: Executor | None = None,
    per_piece: int = REPETITIONS_PER_PIECE,
    ahead: int = MAX_SUBMITTED_PIECES,
    in_rounds: bool = False,
    progress: Callable[[int, int], None] | None = None,
    time_limit: float | None = None,
) -> pl.DataFrame:
    """Run experiments, or resume the run in *folder*, and return all results.

    Parameters
    ----------
    chosen
        Experiments, or their specs.
    folder
        Folder for the results; a temporary one if left out. A folder of a run with other settings
        is refused, and so is one whose results come from other versions of plug-ins.
    seed
        Seed of the run. The same seed gives the same results on any executor.
    workers
        Number of local processes; the number of cores by default. One worker computes in this
        process. Or processes that are used by several runs one after another, and not ended.
    executor
        Executor to use instead of local processes, such as that of a cluster. It is not shut down.
    per_piece
        Number of repetitions in a piece.
    ahead
        Number of pieces that are submitted to *executor* at a time; twice the number of its workers
        keeps it busy.
    in_rounds
        Whether repetitions are added to all points in turn, so that results so far can be compared.
        By default, long pieces come first, which is faster.
    progress
        Called with the numbers of finished and of all pieces whenever one is finished.
    time_limit
        Seconds that a mechanism may take to pay one class, none by default. The run is given up,
        with the name of the mechanism, if one takes longer; everything finished is kept. A local
        process is killed even if it is inside a compiled function; one worker that computes in
        this process, and the workers of an executor, are interrupted only in Python code. Allow
        some seconds for functions that are compiled when they are first used.

    Examples
    --------
    >>> results = run(["e12:repetitions=2,students=12"], workers=1)
    >>> results["metric"].unique().to_list()
    ['score-mse']
    """
    check_time_limit(time_limit)
    made = _checked(chosen, workers, per_piece, ahead)
    plugins = taking_part([*made, *(cls for one in made for cls in one.further_plugins())])
    for part in outdated_parts(plugins):
        what = f"{why_changed(part)}; this run uses the code as it was imported."
        warnings.warn(PeergaugeWarning(what), stacklevel=2)
    with ExitStack() as stack:
        path = Path(stack.enter_context(TemporaryDirectory()) if folder is None else folder)
        stack.enter_context(claimed(path, parents=True))
        keep = ResultsFolder(path)
        keep.open(
            {
                "seed": seed,
                "per_piece": per_piece,
                "experiments": {one.facts.name: one.recorded() for one in made},
                "inputs": {one.facts.name: one.inputs() for one in made if one.inputs()},
                "versions": versions(),
                PLUGINS_KEY: plugins,
            }
        )
        pieces = [piece for one in made for piece in pieces_of(one, per_piece, seed, StoredPiece)]
        kept = keep.finished()
        queue = Queue([piece for piece in pieces if piece.name not in kept], in_rounds)
        tell = progress or (lambda _done, _all: None)
        done = len(pieces) - len(queue)
        tell(done, len(pieces))
        for piece, (data, seconds) in stack.enter_context(
            closing(computed(queue, seed, workers, executor, ahead, time_limit))
        ):
            queue.learn(piece, seconds)
            kept[piece.name] = keep.add(piece.name, data)
            done += 1
            tell(done, len(pieces))
        return keep.merge(kept[piece.name] for piece in pieces)


def _checked(
    chosen: Sequence[str | Experiment],
    workers: int | local.Workers | None,
    per_piece: int,
    ahead: int,
) -> list[Experiment]:
    """Make the chosen experiments; refuse what cannot be run before anything is written."""
    made = [experiments.make(one) for one in chosen]
    if isinstance(workers, int) and workers < 1:
        raise ParameterError(f"At least one worker is needed, but {workers} were given.")
    if ahead < 1 or per_piece < 1:
        raise ParameterError("Pieces have at least one repetition, and one is handed out at least.")
    names = [one.facts.name for one in made]
    if len(set(names)) < len(names):
        raise ParameterError("An experiment runs once; one of them was given twice.")
    return made


def computed(
    queue: Queue,
    seed: int,
    workers: int | local.Workers | None,
    executor: Executor | None,
    ahead: int = MAX_SUBMITTED_PIECES,
    time_limit: float | None = None,
) -> Generator[tuple[Piece, Computed], None, None]:
    """Compute all pieces of *queue*, in any order."""
    if executor is not None:
        yield from _on(executor, queue, seed, ahead, time_limit)
        return
    if isinstance(workers, local.Workers):
        yield from workers.computed(queue, seed, Cargo.of(queue.experiments), time_limit)
        return
    count = min(workers or local.cores(), len(queue))
    if count > 1:
        cargo = Cargo.of(queue.experiments)
        yield from local.computed(queue, seed, count, cargo, time_limit)
        return
    while queue:
        piece = queue.take()
        with watching(time_limit):
            found = compute(piece, seed)
        yield piece, found


def _on(
    executor: Executor, queue: Queue, seed: int, ahead: int, time_limit: float | None = None
) -> Generator[tuple[Piece, Computed], None, None]:
    """Compute all pieces of *queue* on an executor, which replaces dead workers if it can."""
    here, cargo = versions(), Cargo.of(queue.experiments)
    waiting: dict[Future[Computed], Piece] = {}
    finished: SimpleQueue[Future[Computed]] = SimpleQueue()
    patience = Patience(executor)
    try:
        while queue or waiting:
            while queue and len(waiting) < ahead:
                piece = queue.take()
                parcel = Parcel(piece, cargo)
                if not isinstance(executor, ThreadPoolExecutor):
                    parcel.pack()
                with _failures_explained(piece):
                    future = executor.submit(compute_remotely, parcel, seed, here, time_limit)
                waiting[future] = piece
                future.add_done_callback(finished.put)
            future = _first(finished, patience)
            piece = waiting.pop(future)
            with _failures_explained(piece):
                computed = future.result()
            yield piece, computed
    finally:
        for future in waiting:
            future.cancel()


def _first(finished: SimpleQueue[Future[Computed]], patience: Patience) -> Future[Computed]:
    """The next future that is finished."""
    while True:
        try:
            return finished.get(timeout=SECONDS_BETWEEN_LOOKS)
        except Empty:
            patience.look()


@contextmanager
def _failures_explained(piece: Piece) -> Iterator[None]:
    """Raise a clear error if the executor or its workers died, or if a worker lacks a module."""
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
    except (ImportError, RuntimeError) as error:
        # The scheduler of Dask raises a RuntimeError for a missing module.
        if isinstance(error, RuntimeError) and "deserialization" not in str(error):
            raise
        reason = str(error).splitlines()[0].split(". ")[0].rstrip(".")
        raise WorkerError(
            f"A worker or scheduler cannot load the piece {piece.name} ({reason}); install the "
            "same peergauge there, and what your code imports from other packages."
        ) from error


def compute(piece: local.Work, seed: int) -> Computed:
    """Compute a piece and measure the time."""
    begin = perf_counter()
    returned = piece.compute(seed)
    return Computed(returned, perf_counter() - begin)


def compute_remotely(
    parcel: Parcel, seed: int, here: Mapping[str, str], time_limit: float | None = None
) -> Computed:
    """Compute a piece on a remote worker; refuse if its library versions differ."""
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
    with parcel.opened() as piece, watching(time_limit):
        return compute(piece, seed)


_versions = cache(versions)
