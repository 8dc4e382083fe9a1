"""The runner: the same results whoever computes them, and nothing lost when it is stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest

from peergauge.errors import ParameterError, TableError, UnknownNameError
from peergauge.experiments import Experiment, ExperimentFacts, Point
from peergauge.experiments.runner import pieces_of, run
from peergauge.results import Row

SMALL = ["e12:repetitions=12,students=12", "e8:repetitions=2,students=20,assignments=2"]


@dataclass(frozen=True)
class Counting(Experiment):
    """An experiment that leaves a mark for everything it does, and may die of it."""

    facts = ExperimentFacts(name="counting", label="", source="", question="")

    repetitions: int = 6
    marks: str = ""
    deadly: bool = False

    def points(self) -> Sequence[Point]:
        return [Point(x) for x in (1, 2)]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        mark = Path(self.marks) / f"{point.x}-{repetition}"
        again = mark.exists()
        with mark.open("a") as file:
            file.write("x")
        if self.deadly and not again and repetition == 3:
            os._exit(9)
        value = float((point.x or 0) * 100 + repetition)
        yield Row("counting", "m", "m", "", point.x, "value", repetition, seed, value)


def results_in(folder: Path) -> bytes:
    return (folder / "results.parquet").read_bytes()


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


def test_a_run_that_is_killed_goes_on_and_ends_with_the_same_bytes(tmp_path: Path) -> None:
    program = (
        "from peergauge.experiments.runner import run\n"
        f"run({SMALL!r}, {str(tmp_path / 'killed')!r}, seed=5, workers=1, per_piece=1)\n"
    )
    pieces = tmp_path / "killed" / "pieces"
    kills = 0
    for enough in (2, 7, 11):
        process = subprocess.Popen([sys.executable, "-c", program])
        while process.poll() is None:
            if pieces.exists() and len(list(pieces.glob("*.parquet"))) >= enough:
                process.send_signal(signal.SIGKILL)
            time.sleep(0.001)
        kills += process.returncode == -signal.SIGKILL
    assert kills >= 1, "nothing was killed, so nothing was tried"
    run(SMALL, tmp_path / "killed", seed=5, workers=2, per_piece=1)
    run(SMALL, tmp_path / "undisturbed", seed=5, workers=1, per_piece=1)
    assert results_in(tmp_path / "killed") == results_in(tmp_path / "undisturbed")


def test_a_worker_that_dies_costs_only_its_own_piece(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    marks.mkdir()
    got = run([Counting(marks=str(marks), deadly=True)], tmp_path / "run", workers=2, per_piece=1)
    assert sorted(got["value"]) == [100.0 * x + r for x in (1, 2) for r in range(6)]
    # Two pieces killed their worker. Each time, what ran beside it or was just finished may be
    # lost too: a few pieces, not the whole run.
    assert sum(len(mark.read_text()) for mark in marks.iterdir()) <= 12 + 2 * 4


def test_results_stand_alone(tmp_path: Path) -> None:
    got = run(SMALL[1:], tmp_path / "run", seed=5, workers=1)
    assert got.columns == list(Row._fields)
    assert got.height == 9 * 2 * 13
    assert got["spec"].n_unique() == 13
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
    assert not (tmp_path / "run").exists()


def test_pieces_cover_every_repetition_once() -> None:
    from peergauge.experiments import experiments

    pieces = pieces_of(experiments.make("e9:repetitions=23"), per_piece=10)
    assert len({piece.name for piece in pieces}) == len(pieces) == 30 * 3
    assert [(p.first, p.last) for p in pieces[:3]] == [(0, 10), (10, 20), (20, 23)]
