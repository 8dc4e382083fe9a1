"""Everything may die at any moment, and the results are the same."""

from __future__ import annotations

import multiprocessing
import os
import random
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from distributed import LocalCluster

from peergauge.core.errors import ParameterError, PeergaugeWarning, TimeLimitError, WorkerError
from peergauge.engine import cluster
from peergauge.engine.cargo import Cargo
from peergauge.engine.cluster import Patience, dask_executor
from peergauge.engine.experiment import Experiment, ExperimentFacts, Point
from peergauge.engine.results import Row
from peergauge.engine.runner import run
from peergauge.engine.workers import MAX_DEATHS_PER_PIECE, Workers, computed, kept_workers
from peergauge.mechanisms import Mechanism, MechanismFacts, score
from peergauge.tables import Reports, Rewards
from peergauge.testing.classes import clustered

PIECES = 40

SCRIPT = """
import sys, time
from contextlib import nullcontext
from dataclasses import dataclass

from peergauge.engine.experiment import Experiment, ExperimentFacts, Point
from peergauge.engine.cargo import Cargo
from peergauge.engine.cluster import Patience, dask_executor
from peergauge.engine.runner import run
from peergauge.engine.results import Row


@dataclass(frozen=True)
class Mine(Experiment):
    facts = ExperimentFacts(name="mine", label="", source="", question="")

    repetitions: int = 20
    marks: str = ""
    seconds: float = 0.08

    def points(self):
        return [Point(1), Point(2)]

    def run(self, point, repetition, seed):
        with open(f"{self.marks}/{point.x}-{repetition}", "a") as file:
            file.write("x")
        time.sleep(self.seconds)
        yield Row("mine", "m", "", "value", repetition, seed, point.x + 1 / 7, {"x": point.x})


if __name__ == "__main__":
    folder, marks, how = sys.argv[1:]
    with dask_executor("local", 2) if how == "dask" else nullcontext() as executor:
        count = None if executor else int(how)
        mine = Mine(marks=marks) if count != 1 else Mine(marks=marks, seconds=0)
        run([mine], folder, workers=count, executor=executor, per_piece=1)
"""


SMALL = ["e12:repetitions=12,students=12", "e8:repetitions=2,students=20,assignments=2"]


@dataclass(frozen=True)
class Deadly(Experiment):
    """An experiment whose third repetition does what it is told."""

    facts = ExperimentFacts(name="deadly", label="", source="", question="")

    repetitions: int = 6
    marks: str = ""
    deed: str = "die"

    def points(self) -> Sequence[Point]:
        return [Point()]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        if repetition == 2:
            with (Path(self.marks) / "tries").open("a") as file:
                file.write("x")
            if self.deed == "die":
                os._exit(9)
            raise WorkerError("I would rather not.")
        yield Row("deadly", "m", "", "value", repetition, seed, 0.0)


@dataclass(frozen=True)
class Faulty(Mechanism):
    """A mechanism that does what it is told in an experiment."""

    facts = MechanismFacts(name="faulty")

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        deed = os.environ.get("DEED_OF_FAULTY", "die")
        while deed == "hang":
            time.sleep(0.01)
        if deed == "hang for good":
            # As if inside a compiled function: no interrupt gets through.
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
            while True:
                time.sleep(0.01)
        os._exit(9)


@dataclass(frozen=True)
class PaysByFaulty(Experiment):
    """An experiment that pays a class by a faulty mechanism in its third repetition."""

    facts = ExperimentFacts(name="pays-by-faulty")

    repetitions: int = 4

    def points(self) -> Sequence[Point]:
        return [Point()]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        score(Faulty() if repetition == 2 else "mse", clustered(1, students=8))
        yield Row("pays-by-faulty", "m", "", "value", repetition, seed, 0.0)


@pytest.mark.slow
def test_a_mechanism_that_kills_its_workers_is_named(tmp_path: Path) -> None:
    with pytest.raises(WorkerError, match=r"^The mechanism 'faulty' killed 3 workers that paid"):
        run([PaysByFaulty()], tmp_path, workers=2, per_piece=1)
    # What was finished is kept.
    assert list((tmp_path / "pieces").iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("deed", "workers"), [("hang", 1), ("hang", 2), ("hang for good", 2)]
)  # fmt: skip
def test_a_mechanism_that_hangs_is_named_after_its_time_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, deed: str, workers: int
) -> None:
    # Compiling counts; without it, one run in two would need more than a second here.
    score("mse", clustered(1, students=8))
    monkeypatch.setenv("DEED_OF_FAULTY", deed)
    words = "^The mechanism 'faulty' took longer than the time limit of 5 seconds"
    with pytest.raises(TimeLimitError, match=words):
        run([PaysByFaulty()], tmp_path, workers=workers, per_piece=1, time_limit=5)


@pytest.mark.slow
def test_a_mechanism_that_hangs_on_a_cluster_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEED_OF_FAULTY", "hang")
    with (
        dask_executor("local", 1) as executor,
        pytest.raises(TimeLimitError, match="The mechanism 'faulty' took longer"),
    ):
        run([PaysByFaulty()], executor=executor, per_piece=1, time_limit=5)


def test_a_time_limit_that_is_none_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="positive number of seconds"):
        run([PaysByFaulty()], tmp_path / "out", time_limit=0)
    assert not (tmp_path / "out").exists()


@dataclass(frozen=True)
class Script:
    """A user's script that runs an experiment of its own, which marks whatever it begins."""

    home: Path

    def start(self, folder: str, how: str) -> subprocess.Popen[bytes]:
        (self.home / f"{folder}-marks").mkdir(exist_ok=True)
        words = [str(self.home / folder), str(self.home / f"{folder}-marks"), how]
        return subprocess.Popen([sys.executable, str(self.home / "script.py"), *words])

    def finish(self, folder: str, how: str) -> bytes:
        assert self.start(folder, how).wait(60) == 0
        return (self.home / folder / "results.parquet").read_bytes()

    def begun(self, folder: str) -> int:
        """How many pieces were begun, those that were begun again counted again."""
        return sum(file.stat().st_size for file in (self.home / f"{folder}-marks").iterdir())


@pytest.fixture
def script(tmp_path: Path) -> Script:
    (tmp_path / "script.py").write_text(SCRIPT)
    return Script(tmp_path)


def workers_of(pid: int) -> list[psutil.Process]:
    """The processes that compute for a run."""
    found = []
    with suppress(psutil.NoSuchProcess):
        for one in psutil.Process(pid).children(recursive=True):
            with suppress(psutil.Error):
                if "spawn_main" in " ".join(one.cmdline()):
                    found.append(one)
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("how", "times"), [("2", 3), ("dask", 1)], ids=["local", "dask"])
def test_a_run_that_is_killed_goes_on_and_leaves_no_workers(
    script: Script, how: str, times: int
) -> None:
    chance = random.Random(1)
    kills = 0
    for _ in range(times):
        process = script.start("killed", how)
        before = script.begun("killed")
        while script.begun("killed") == before and process.poll() is None:
            time.sleep(0.005)
        time.sleep(chance.uniform(0, 0.3))
        workers = workers_of(process.pid)
        process.kill()
        kills += process.wait() == -signal.SIGKILL
        _, alive = psutil.wait_procs(workers, timeout=300)
        assert not alive, "workers live on after their run"
    assert kills >= (times + 1) // 2, "too little was killed for much to be tried"
    assert script.finish("killed", how) == script.finish("whole", "1")
    # Each of two workers may lose what it had in hand and what it had just answered; Dask's also
    # what was not fetched from them yet.
    lost = 4 if how == "2" else 8
    assert PIECES <= script.begun("killed") <= PIECES + lost * kills


@pytest.mark.slow
@pytest.mark.parametrize(("how", "lost"), [("2", 1), ("dask", 4)], ids=["local", "dask"])
def test_a_worker_that_is_killed_costs_what_it_had(script: Script, how: str, lost: int) -> None:
    # A local worker loses the piece in hand. Dask's also lose what was not fetched from them yet:
    # seldom more than one, but a busy machine fetches late.
    chance = random.Random(2)
    kills = 0
    process = script.start("killed", how)
    while script.begun("killed") < 2 and process.poll() is None:
        time.sleep(0.01)
    # One more might by chance hit the same piece each time, and rightly end the run.
    for _ in range(MAX_DEATHS_PER_PIECE - 1):
        time.sleep(chance.uniform(0.05, 0.25))
        with suppress(IndexError, psutil.NoSuchProcess):
            chance.choice(workers_of(process.pid)).kill()
            kills += 1
    assert process.wait(60) == 0
    assert kills >= 1, "nothing was killed, so nothing was tried"
    killed = (script.home / "killed" / "results.parquet").read_bytes()
    assert killed == script.finish("whole", "1")
    assert PIECES <= script.begun("killed") <= PIECES + lost * kills


@pytest.mark.slow
@pytest.mark.parametrize(("ours", "tries"), [(True, "xxx"), (False, "x")])
def test_a_piece_that_kills_its_workers_is_named(tmp_path: Path, ours: bool, tries: str) -> None:
    # Another's executor is not ours to mend.
    deadly, folder = Deadly(marks=str(tmp_path)), tmp_path / "run"
    with (
        ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool,
        pytest.raises(WorkerError, match=r"deadly-r0002-0003 was given up.*finished is kept"),
    ):
        run([deadly], folder, workers=2, executor=None if ours else pool, per_piece=1, ahead=1)
    assert (tmp_path / "tries").read_text() == tries
    kept = sorted(file.name.split(".")[0] for file in (tmp_path / "run" / "pieces").iterdir())
    assert kept[:2] == ["deadly-r0000-0001", "deadly-r0001-0002"]
    assert multiprocessing.active_children() == []


@pytest.mark.slow
def test_an_error_in_a_worker_is_raised_as_it_was(tmp_path: Path) -> None:
    with pytest.raises(WorkerError) as told:
        run([Deadly(marks=str(tmp_path), deed="raise")], tmp_path / "run", workers=2, per_piece=1)
    assert str(told.value) == "I would rather not."
    assert "In a worker:\nTraceback" in told.value.__notes__[0]
    assert multiprocessing.active_children() == []


@dataclass(frozen=True)
class Counted(Experiment):
    """An experiment whose rows say which process computed them."""

    facts = ExperimentFacts(name="counted", label="", source="", question="")

    repetitions: int = 6

    def points(self) -> Sequence[Point]:
        return [Point()]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        yield Row("counted", "m", "", "value", repetition, seed, float(os.getpid()))


@pytest.mark.slow
def test_workers_of_several_runs_are_the_same_and_a_dead_one_is_replaced(tmp_path: Path) -> None:
    def processes(folder: str) -> set[float]:
        rows = run([Counted()], tmp_path / folder, workers=workers, per_piece=1)
        assert rows["repetition"].to_list() == list(range(6))
        return set(rows["value"])

    with closing(Workers(2)) as workers:
        known = processes("one")
        assert processes("two") <= known
        for one in multiprocessing.active_children():
            one.kill()
            one.join()
        new = processes("three")
        assert new
        assert not new & known
    assert multiprocessing.active_children() == []


def test_one_worker_computes_in_this_process() -> None:
    with kept_workers(1) as workers:
        assert workers == 1
    with kept_workers(0) as workers:
        # Refused by the run.
        assert workers == 0
    assert multiprocessing.active_children() == []


@dataclass(frozen=True)
class DiesOnce:
    """Work that is no piece of a run, such as a figure; its first worker dies of it."""

    name: str
    marks: Path

    def compute(self, seed: int) -> list[Row]:
        mark = self.marks / self.name
        if not mark.exists():
            mark.touch()
            os._exit(9)
        return []


class Listed(list[DiesOnce]):
    """Work that remains to be done."""

    def take(self) -> DiesOnce:
        return self.pop()

    def put_back(self, work: DiesOnce) -> None:
        self.append(work)


@pytest.mark.slow
def test_work_that_is_no_piece_is_repeated_as_well(tmp_path: Path) -> None:
    tasks = Listed([DiesOnce("figure", tmp_path)])
    done = [work.name for work, _ in computed(tasks, 0, 2, Cargo.of([]))]
    assert done == ["figure"]
    assert (tmp_path / "figure").exists()


def test_an_experiment_that_cannot_be_sent_to_workers_is_refused(tmp_path: Path) -> None:
    lock = threading.Lock()

    class Locked(Deadly):
        def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
            with lock:
                yield Row("deadly", "m", "", "value", repetition, seed, 0.0)

    with pytest.raises(WorkerError, match=r"cannot be sent to workers .*lock"):
        run([Locked()], tmp_path / "run", workers=2, per_piece=1)
    assert multiprocessing.active_children() == []
    assert run([Locked()], workers=1).height == 6


@pytest.mark.slow
def test_an_experiment_that_is_defined_anywhere_can_be_sent(tmp_path: Path) -> None:
    factor = 2.5

    class Local(Deadly):
        def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
            yield Row("deadly", "m", "", "value", repetition, seed, factor)

    values = run([Local()], tmp_path / "run", workers=2, per_piece=1)["value"]
    assert values.to_list() == [2.5] * 6


@pytest.mark.slow
def test_a_script_without_a_guard_starts_no_copies_of_itself(script: Script) -> None:
    unguarded = SCRIPT.replace('if __name__ == "__main__":', "print('begins')\nif True:")
    (script.home / "script.py").write_text(unguarded)
    (script.home / "marks").mkdir()
    words = [str(script.home / "run"), str(script.home / "marks"), "2"]
    done = subprocess.run(
        [sys.executable, str(script.home / "script.py"), *words],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("begins") == 1


# ------------------------------------------------------------------------------------ clusters


@pytest.mark.slow
def test_a_cluster_gives_the_same_bytes(tmp_path: Path) -> None:
    run(SMALL, tmp_path / "one", seed=5, workers=1, per_piece=3)
    with dask_executor("local", 2) as executor:
        run(SMALL, tmp_path / "local", seed=5, executor=executor, per_piece=3)
        address = executor._client.scheduler.address  # type: ignore[attr-defined]
        with dask_executor(address) as other:
            run(SMALL, tmp_path / "address", seed=5, executor=other, per_piece=3)
        with pytest.raises(WorkerError, match=r"deadly-r0002-0003 was given up.*workers died"):
            run([Deadly(marks=str(tmp_path))], tmp_path / "d", executor=executor, per_piece=1)
    assert (tmp_path / "tries").read_text() == "xxx"
    one = (tmp_path / "one" / "results.parquet").read_bytes()
    assert (tmp_path / "local" / "results.parquet").read_bytes() == one
    assert (tmp_path / "address" / "results.parquet").read_bytes() == one


def test_a_scheduler_without_workers_is_told_of() -> None:
    empty = LocalCluster(n_workers=0, host="127.0.0.1", dashboard_address="127.0.0.1:0")
    with (
        empty as started,
        pytest.warns(PeergaugeWarning, match="has no workers yet"),
        dask_executor(started.scheduler_address),
    ):
        pass


class Asleep(Counted):
    """An experiment that takes a while."""

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        time.sleep(0.2)
        yield from super().run(point, repetition, seed)


@pytest.mark.slow
def test_a_scheduler_that_ends_during_a_run_is_told_and_what_is_finished_kept(
    tmp_path: Path,
) -> None:
    pieces = tmp_path / "pieces"
    started = LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, host="127.0.0.1",
        dashboard_address="127.0.0.1:0", protocol="tcp",
    )  # fmt: skip

    def end(done: int, _of: int) -> None:
        if done == 1:
            threading.Thread(target=started.close).start()

    with (
        dask_executor(started.scheduler_address) as executor,
        pytest.raises(WorkerError, match=r"was given up because .*; everything finished is kept"),
    ):
        run([Asleep(repetitions=50)], tmp_path, executor=executor, per_piece=1, progress=end)
    assert 1 <= len(list(pieces.iterdir())) < 50
    started.close()


class Client:
    """A client of Dask, of which only the number of workers is asked."""

    def __init__(self) -> None:
        self.workers: dict[str, int] = {}

    def nthreads(self) -> dict[str, int]:
        return self.workers


def test_a_run_does_not_wait_for_ever_for_the_workers_of_a_cluster(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr(cluster, "monotonic", lambda: now)
    client = Client()
    with ThreadPoolExecutor(1) as executor:
        executor._client = client  # type: ignore[attr-defined]
        patience = Patience(executor)
        with pytest.warns(PeergaugeWarning, match="has no workers any more; the run waits"):
            patience.look()
        now = cluster.MAX_SECONDS_WITHOUT_WORKERS
        patience.look()
        # A worker that came in between counts.
        client.workers = {"tcp://127.0.0.1:1": 1}
        patience.look()
        client.workers = {}
        with pytest.warns(PeergaugeWarning, match="has no workers any more; the run waits"):
            patience.look()
        now = 2 * cluster.MAX_SECONDS_WITHOUT_WORKERS
        patience.look()
        now += 1
        with pytest.raises(WorkerError, match="has had no workers for 600 seconds; start some"):
            patience.look()


def test_executors_that_are_no_clusters_are_waited_for() -> None:
    with ThreadPoolExecutor(1) as executor:
        Patience(executor).look()


@pytest.mark.parametrize("address", ["", "here", "127.0.0.1:8786", "tcp://here", "tcp://a:0",
                                     "tcp://a:70000", "http://a:80", "tcp:///a:1"])  # fmt: skip
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(ParameterError, match=r"no address of a Dask scheduler; give tcp://"):
        dask_executor(address).__enter__()


def test_workers_are_ours_to_number_only_where_they_are_local() -> None:
    with pytest.raises(ParameterError, match="has workers of its own"):
        dask_executor("tcp://127.0.0.1:8786", 3).__enter__()
    with pytest.raises(ParameterError, match="At least one worker"):
        dask_executor("local", 0).__enter__()


def test_without_dask_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(WorkerError, match=r"pip install 'peergauge\[cluster\]'"):
        dask_executor("local").__enter__()


def test_what_listens_but_is_no_scheduler_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "MAX_ANSWER_SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(WorkerError, match=f"No Dask scheduler answers at {address}"):
            dask_executor(address).__enter__()


# ------------------------------------------------------------------------------ the command line


def reproduce(out: Path, *words: str, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "peergauge.cli", "reproduce", "-o", str(out), *words],
        stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, **options,
    )  # fmt: skip


@pytest.mark.slow
def test_a_scheduler_that_does_not_answer_is_told_and_nothing_written(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
    process = reproduce(tmp_path / "run", "--cluster", address)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 1
    assert said == (
        f"Error: No Dask scheduler answers at {address}; start one (dask scheduler), or correct "
        "the address.\n"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("how", [["--workers", "2"], ["--cluster", "local", "--workers", "2"]],
                         ids=["local", "dask"])  # fmt: skip
def test_ctrl_c_stops_at_once_and_leaves_no_workers(tmp_path: Path, how: list[str]) -> None:
    # A terminal sends it to all processes of the command.
    process = reproduce(tmp_path / "run", "--only", "e12", *how, start_new_session=True)
    pieces = tmp_path / "run" / "pieces"
    while not (pieces.exists() and list(pieces.iterdir())) and process.poll() is None:
        time.sleep(0.01)
    workers = workers_of(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=300)
    assert said == "Stopped; run the same command again to continue.\n"
    assert process.returncode == 130
    _, alive = psutil.wait_procs(workers, timeout=300)
    assert workers
    assert not alive


@pytest.mark.slow
def test_a_full_disk_is_told_and_what_is_finished_kept(tmp_path: Path) -> None:
    def little_room() -> None:
        # There is room for any piece, of about 3000 bytes, but not for all of them together.
        resource.setrlimit(resource.RLIMIT_FSIZE, (6000, 6000))

    words = ["--only", "e12:repetitions=300,students=12", "--workers", "1"]
    process = reproduce(tmp_path / "run", *words, preexec_fn=little_room)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 1
    assert said == f"Error: {tmp_path / 'run' / 'results.parquet'}: File too large.\n"
    assert len(list((tmp_path / "run" / "pieces").iterdir())) == 30
    assert not (tmp_path / "run" / "results.parquet").exists()
