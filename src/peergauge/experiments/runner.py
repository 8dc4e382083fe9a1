"""Runs experiments piece by piece, on any executor, and loses nothing when it is stopped.

A piece is some repetitions of one point. What a piece computes depends on the experiment, the
point, the repetitions and the seed alone, so it does not matter who computes it, when, or beside
what. Finished pieces are kept as files; a run that is begun again skips them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from peergauge.errors import ParameterError
from peergauge.experiments import Experiment, Point, experiments
from peergauge.results import ResultsFolder, Row, versions

if TYPE_CHECKING:
    import polars as pl

PER_PIECE = 10
"""Repetitions in a piece: enough to be worth sending, few enough to lose little."""

DEATHS = 3
"""How often workers may die at the same work before the run gives up."""


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
    folder: Path | str,
    *,
    seed: int = 0,
    workers: int | None = None,
    executor: Executor | None = None,
    per_piece: int = PER_PIECE,
    progress: Callable[[int, int], None] | None = None,
) -> pl.DataFrame:
    """Run experiments into *folder*, or finish what was begun there, and return all results.

    Parameters
    ----------
    chosen
        Experiments, or their specs.
    folder
        Where results are kept. The same folder with other settings is refused.
    seed
        The same seed gives the same results, whoever computes them.
    workers
        How many local processes; as many as there are cores by default. One computes here.
    executor
        Any executor to use instead, such as that of a cluster. It is not shut down.
    per_piece
        How many repetitions make a piece.
    progress
        Called with the numbers of finished and of all pieces whenever one is finished.
    """
    made = [experiments.make(one) for one in chosen]
    if workers is not None and workers < 1:
        raise ParameterError(f"At least one worker is needed, but {workers} were given.")
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
    left = [piece for piece in pieces if not keep.has(piece.name)]
    tell = progress or (lambda _done, _all: None)
    done = len(pieces) - len(left)
    tell(done, len(pieces))
    for piece, rows in _computed(left, seed, workers, executor):
        keep.add(piece.name, rows)
        done += 1
        tell(done, len(pieces))
    return keep.merge(piece.name for piece in pieces)


def _computed(
    pieces: Sequence[Piece], seed: int, workers: int | None, executor: Executor | None
) -> Iterator[tuple[Piece, list[Row]]]:
    """Compute *pieces* in any order; a pool whose worker dies is replaced, and the work redone."""
    if executor is not None:
        yield from _on(executor, pieces, seed)
        return
    count = workers or len(os.sched_getaffinity(0))
    if count == 1 or len(pieces) < 2:
        for piece in pieces:
            yield piece, piece.compute(seed)
        return
    left, deaths = list(pieces), 0
    while left:
        try:
            with _pool(count) as pool:
                for piece, rows in _on(pool, left, seed):
                    yield piece, rows
                    left = [other for other in left if other is not piece]
                    deaths = 0
        except BrokenProcessPool:
            deaths += 1
            if deaths == DEATHS:
                raise


@contextmanager
def _pool(workers: int) -> Iterator[Executor]:
    # Workers begin with a fresh interpreter: forking a program that has threads may hang.
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _on(
    executor: Executor, pieces: Sequence[Piece], seed: int
) -> Iterator[tuple[Piece, list[Row]]]:
    waiting: dict[Future[list[Row]], Piece] = {
        executor.submit(compute, piece, seed): piece for piece in pieces
    }
    while waiting:
        done, _ = wait(waiting, return_when=FIRST_COMPLETED)
        for future in done:
            yield waiting.pop(future), future.result()


def compute(piece: Piece, seed: int) -> list[Row]:
    """What a worker does."""
    return piece.compute(seed)
