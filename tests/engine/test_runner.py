"""The runner: the same results whoever computes them, and nothing lost when it is stopped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from peergauge.core.errors import (
    DamageWarning,
    ParameterError,
    TableError,
    UnknownNameError,
    WorkerError,
)
from peergauge.engine.cargo import Cargo, Parcel
from peergauge.engine.experiment import Experiment, ExperimentFacts, Point
from peergauge.engine.results import Row
from peergauge.engine.runner import Queue, compute_remotely, pieces_of, run

SMALL = ["e12:repetitions=12,students=12", "e8:repetitions=2,students=20,assignments=2"]


@dataclass(frozen=True)
class Counting(Experiment):
    """An experiment that leaves a mark for everything it does."""

    facts = ExperimentFacts(name="counting", label="", source="", question="")

    repetitions: int = 6
    marks: str = ""

    def points(self) -> Sequence[Point]:
        return [Point(x) for x in (1, 2)]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        with (Path(self.marks) / f"{point.x}-{repetition}").open("a") as file:
            file.write("x")
        value = float((point.x or 0) * 100 + repetition)
        yield Row("counting", "m", "", "value", repetition, seed, value, {"x": point.x})


def results_in(folder: Path) -> bytes:
    return (folder / "results.parquet").read_bytes()


@pytest.mark.slow
def test_one_worker_several_workers_and_any_executor_give_the_same_bytes(tmp_path: Path) -> None:
    run(SMALL, tmp_path / "one", seed=5, workers=1, per_piece=3)
    run(SMALL, tmp_path / "two", seed=5, workers=2, per_piece=3)
    with ThreadPoolExecutor(3) as threads:
        run(SMALL, tmp_path / "threads", seed=5, executor=threads, per_piece=3)
    assert results_in(tmp_path / "one") == results_in(tmp_path / "two")
    assert results_in(tmp_path / "one") == results_in(tmp_path / "threads")


def test_the_size_of_a_piece_changes_no_number(tmp_path: Path) -> None:
    one = run(SMALL, tmp_path / "one", seed=5, workers=1, per_piece=1)
    other = run(SMALL, tmp_path / "other", seed=5, workers=1, per_piece=100)
    assert one.equals(other)


def test_another_seed_gives_other_numbers(tmp_path: Path) -> None:
    one = run(SMALL[:1], tmp_path / "one", seed=5, workers=1)
    other = run(SMALL[:1], tmp_path / "other", seed=6, workers=1)
    assert not one["value"].equals(other["value"])


def test_what_is_finished_is_not_done_again(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    counting = Counting(marks=str(marks))
    first = run([counting], tmp_path / "run", workers=1, per_piece=2)
    again = run([counting], tmp_path / "run", workers=1, per_piece=2)
    assert first.equals(again)
    assert {mark.read_text() for mark in marks.iterdir()} == {"x"}


def test_a_damaged_piece_is_done_again(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    counting = Counting(marks=str(marks))
    first = run([counting], tmp_path / "run", workers=1, per_piece=2)
    before = results_in(tmp_path / "run")
    damaged = min((tmp_path / "run" / "pieces").iterdir())
    damaged.write_bytes(damaged.read_bytes()[:100])
    with pytest.warns(DamageWarning, match=f"{damaged.name} is damaged"):
        again = run([counting], tmp_path / "run", workers=1, per_piece=2)
    assert first.equals(again)
    assert results_in(tmp_path / "run") == before
    assert sum(len(mark.read_text()) for mark in marks.iterdir()) == 12 + 2


def test_what_takes_longest_is_handed_out_first() -> None:
    pieces = pieces_of(Counting(), per_piece=2)
    queue = Queue(pieces)
    first = [queue.take(), queue.take()]
    assert [piece.point.x for piece in first] == [1, 2]
    queue.learn(first[0], 1.0)
    queue.learn(first[1], 2.0)
    assert [queue.take().point.x for _ in range(len(queue))] == [2, 2, 1, 1]
    assert not queue


def test_in_rounds_every_point_has_a_piece_before_any_has_another() -> None:
    queue = Queue(pieces_of(Counting(), per_piece=2), in_rounds=True)
    order = []
    while queue:
        piece = queue.take()
        # The second point takes longer, which does not matter here.
        queue.learn(piece, float(piece.point.x or 0))
        order.append((piece.point.x, piece.first))
    assert order == [(1, 0), (2, 0), (1, 2), (2, 2), (1, 4), (2, 4)]


def test_an_executor_is_fed_little_by_little(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    most = 0

    def watch(done: int, _: int) -> None:
        nonlocal most
        most = max(most, len(list(marks.iterdir())) - done)

    with ThreadPoolExecutor(8) as threads:
        counting = Counting(marks=str(marks))
        run([counting], tmp_path / "run", executor=threads, per_piece=1, ahead=2, progress=watch)
    assert most <= 2


def test_a_worker_of_other_versions_computes_nothing() -> None:
    (piece, *_) = pieces_of(Counting())
    with pytest.raises(WorkerError, match=r"has numpy .* instead of 0\.1; give every worker"):
        compute_remotely(Parcel(piece, Cargo()), 0, {"numpy": "0.1"})


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ModuleNotFoundError("No module named 'mine'"), r"cannot load the piece .*'mine'\); inst"),
        (
            ImportError("A needs B 2 or newer."),
            r"cannot load .*\(A needs B 2 or newer\); inst",
        ),
        (RuntimeError("Error during deserialization of it.\nAnd so on."), r"of it\); install the"),
        (CancelledError(), "the executor broke; everything finished is kept"),
        (RuntimeError("Something else."), "^Something else"),
    ],
)
def test_what_fails_elsewhere_is_told_in_a_sentence(
    tmp_path: Path, error: Exception, told: str
) -> None:
    class Failing(Executor):
        def submit(self, *_: object, **__: object) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_exception(error)
            return future

    kind = RuntimeError if "else" in told else WorkerError
    with pytest.raises(kind, match=told):
        run(SMALL, tmp_path / "run", executor=Failing())


def test_results_stand_alone(tmp_path: Path) -> None:
    got = run(SMALL[1:], tmp_path / "run", seed=5, workers=1)
    assert got.columns == [
        *("experiment", "mechanism", "strategy", "metric"),
        *("students", "assignments", "graders", "bias", "active", "strategic"),
        *("repetition", "seed", "value"),
    ]
    assert got.height == 9 * 2 * 13
    assert got["mechanism"].n_unique() == 13
    assert pl.read_parquet(tmp_path / "run" / "results.parquet").equals(got)
    assert '"seed": 5' in (tmp_path / "run" / "manifest.json").read_text()


def test_progress_is_told_from_the_first_to_the_last(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    run(SMALL[:1], tmp_path / "run", workers=1, per_piece=5, progress=lambda *n: told.append(n))
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]


def test_a_folder_of_another_run_is_refused(tmp_path: Path) -> None:
    run(SMALL[:1], tmp_path / "run", seed=5, workers=1)
    with pytest.raises(TableError, match="its seed differ"):
        run(SMALL[:1], tmp_path / "run", seed=6, workers=1)


def test_what_cannot_be_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'e1"):
        run(["e100"], tmp_path / "run")
    with pytest.raises(ParameterError, match="given twice"):
        run(["e12", "e12:repetitions=3"], tmp_path / "run")
    with pytest.raises(ParameterError, match="At least one worker"):
        run(["e12"], tmp_path / "run", workers=0)
    with pytest.raises(ParameterError, match="handed out at least"):
        run(["e12"], tmp_path / "run", ahead=0)
    assert not (tmp_path / "run").exists()


def test_pieces_cover_every_repetition_once() -> None:
    from peergauge.engine.experiment import experiments

    pieces = pieces_of(experiments.make("e9:repetitions=23"), per_piece=10)
    assert len({piece.name for piece in pieces}) == len(pieces) == 30 * 3
    assert [(p.first, p.last) for p in pieces[:3]] == [(0, 10), (10, 20), (20, 23)]
