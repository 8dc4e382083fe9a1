"""Users' plug-ins on workers: from anywhere to anywhere, with the same numbers."""

from __future__ import annotations

import functools
import json
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from peergauge.core.errors import UnknownNameError, WorkerError
from peergauge.core.plugins import forget_plugins, load_plugins
from peergauge.engine import cargo
from peergauge.engine.cargo import Cargo, Lost, Parcel, dumps
from peergauge.mechanisms import mechanisms

HELPER = '''
"""A file beside the plug-ins."""
def doubled(x):
    return 2 * x
'''

PLUGINS = '''
"""Plug-ins of one's own, of four kinds."""
from dataclasses import dataclass
from functools import cached_property, lru_cache
import numpy as np
from matrix_helper import doubled
import matrix_helper
from peergauge.engine.experiment import MeasuredRewards, Point, experiment
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.metrics import RewardMetric, metric, metrics
from peergauge.simulate import Setting
from peergauge.simulate.strategies import Strategy, strategy
from peergauge.tables import Rewards

FACTOR = 1.5

@lru_cache
def factor():
    return FACTOR

@mechanism("matrix-pay", label="", source="", family="", assumption="",
           equilibrium=Equilibrium.NONE)
@dataclass(frozen=True)
class Pay(Mechanism):
    """Pay a multiple of the grade."""
    weight: float = 1.0
    @cached_property
    def whole(self):
        return factor() * self.weight
    def score(self, reports, rng):
        return Rewards.from_parts(reports, self.whole * doubled(reports.grade))

@strategy("matrix-low", label="", source="", informed=False)
@dataclass(frozen=True)
class Low(Strategy):
    """Report a low grade."""
    def report(self, situation):
        return np.full(len(situation.signal), matrix_helper.doubled(1.0))

@metric("matrix-mean", label="", source="", of="rewards", needs="", lowest=-np.inf,
        highest=np.inf, better="higher")
@dataclass(frozen=True)
class Mean(RewardMetric):
    """Mean pay."""
    def measure(self, rewards, truth):
        return doubled(float(np.nanmean(rewards.total)))

@experiment("matrix-own", label="", source="", question="", beyond=True)
@dataclass(frozen=True)
class Own(MeasuredRewards):
    """Pay and measure small classes."""
    repetitions: int = 2
    measure: str = "pearson"
    def points(self):
        return [Point(1), Point(2)]
    def setting(self, point):
        return Setting(students=8, assignments=point.x)
    def roster(self):
        return ("mse",)
    def measures(self):
        return [metrics.make(self.measure)]
'''

RUNS = """
import json
from peergauge.core.errors import PeergaugeError
from peergauge.engine.runner import run

SPECS = {
    "mechanism": "e8:mechanisms=matrix-pay:weight=2,repetitions=1,students=20,assignments=2",
    "strategy": "learn-two:mechanisms=mse,strategies=matrix-low,repetitions=2,students=10,"
                "assignments=2",
    "metric": "matrix-own:measure=matrix-mean",
    "experiment": "matrix-own",
}

def results(**how):
    found = {}
    for kind, spec in SPECS.items():
        try:
            found[kind] = run([spec], per_piece=1, **how)["value"].to_list()
        except Exception as error:
            found[kind] = f"{type(error).__name__}: {error}"
    return json.dumps(found)
"""

GUARDED = """
if __name__ == "__main__":
    {body}
"""

SCHEDULER = """
import sys, time
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=1, threads_per_worker=2, processes=True, host="127.0.0.1",
                      dashboard_address="127.0.0.1:0") as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A user's folder."""
    folder = tmp_path_factory.mktemp("user")
    for name, text in {
        "matrix_helper.py": HELPER,
        "matrix_plugins.py": PLUGINS,
        "matrix_runs.py": RUNS,
    }.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def said_by(home: Path, name: str, text: str, *words: str) -> dict[str, Any]:
    """What a script in the user's folder prints."""
    (home / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(home / name), *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="module")
def expected(home: Path) -> dict[str, Any]:
    """The numbers that one process computes without any worker."""
    body = "print(results(workers=1))"
    text = "import matrix_plugins\nfrom matrix_runs import results\n" + GUARDED.format(body=body)
    found = said_by(home, "alone.py", text)
    assert all(isinstance(values, list) for values in found.values()), found
    return found


def by_script(home: Path) -> dict[str, Any]:
    """Everything is defined in the script itself, which starts local processes."""
    return said_by(
        home, "script.py", PLUGINS + RUNS + GUARDED.format(body="print(results(workers=2))")
    )


def by_processes(home: Path) -> dict[str, Any]:
    """The plug-ins are a module, and local processes compute."""
    body = "print(results(workers=2))"
    text = "import matrix_plugins\nfrom matrix_runs import results\n" + GUARDED.format(body=body)
    return said_by(home, "processes.py", text)


def by_dask(home: Path) -> dict[str, Any]:
    """The plug-ins are defined in the script, and a cluster of local processes computes."""
    body = (
        "from peergauge.engine.cluster import dask_executor\n"
        "    with dask_executor('local', 2) as executor:\n"
        "        print(results(executor=executor))"
    )
    return said_by(home, "dask_script.py", PLUGINS + RUNS + GUARDED.format(body=body))


def by_scheduler(home: Path) -> dict[str, Any]:
    """A scheduler that was started elsewhere has workers that know nothing of the user's folder.

    Two versions of the plug-ins are computed there one after the other.
    """
    server = subprocess.Popen(
        [sys.executable, "-c", SCHEDULER],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={name: value for name, value in os.environ.items() if name != "PEERGAUGE_PLUGINS"},
    )  # fmt: skip
    assert server.stdout is not None
    body = (
        "import sys\n"
        "    from peergauge.engine.cluster import dask_executor\n"
        "    with dask_executor(sys.argv[1]) as executor:\n"
        "        print(results(executor=executor))"
    )
    try:
        address = server.stdout.readline().strip()
        text = "import matrix_plugins\nfrom matrix_runs import results\n" + GUARDED.format(
            body=body
        )
        found = said_by(home, "remote.py", text, address)
        other = PLUGINS.replace("2 * x", "3 * x").replace("doubled(float", "10 * doubled(float")
        again = said_by(home, "again.py", other + RUNS + GUARDED.format(body=body), address)
        assert again["metric"] == pytest.approx([10 * value for value in found["metric"]])
    finally:
        server.communicate(timeout=30)
    return found


def by_notebook(home: Path) -> dict[str, Any]:
    """Cells of a notebook define everything, one of them twice, and use the default workers."""
    manager = pytest.importorskip(
        "jupyter_client.manager", reason="there is no ipykernel; notebooks are NOT tested"
    )
    kernel, client = manager.start_new_kernel(kernel_name="python3", cwd=str(home))
    try:
        wrong = PLUGINS.replace("FACTOR = 1.5", "FACTOR = -7").replace("doubled(1.0)", "doubled(4)")
        for cell in (wrong, PLUGINS, RUNS):
            assert run_cell(client, cell) == ""
        found: dict[str, Any] = json.loads(run_cell(client, "print(results(workers=None))"))
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
    return found


def run_cell(client: Any, cell: str) -> str:
    """What a cell prints; it fails if the cell does."""
    said: list[str] = []

    def heard(message: dict[str, Any]) -> None:
        if message["msg_type"] == "stream" and message["content"]["name"] == "stdout":
            said.append(message["content"]["text"])

    reply = client.execute_interactive(cell, output_hook=heard, timeout=120)
    assert reply["content"]["status"] == "ok", reply["content"]
    return "".join(said)


PLACES: dict[str, Callable[[Path], dict[str, Any]]] = {
    "script": by_script,
    "notebook": by_notebook,
    "processes": by_processes,
    "dask": by_dask,
    "scheduler": by_scheduler,
}


@functools.cache
def found_in(place: str, home: Path) -> dict[str, Any]:
    """The numbers of one place, computed once for all kinds."""
    return PLACES[place](home)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["mechanism", "strategy", "metric", "experiment"])
@pytest.mark.parametrize("place", PLACES)
def test_own_plug_ins_give_the_same_numbers_everywhere(
    home: Path, expected: dict[str, Any], place: str, kind: str
) -> None:
    assert found_in(place, home)[kind] == expected[kind]


# ------------------------------------------------------------------------------------ messages


@pytest.fixture
def plugins(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The plug-ins of the user, loaded into this process."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    path = home / "matrix_plugins.py"
    load_plugins(path)
    yield path
    forget_plugins()
    sys.modules.pop("matrix_helper", None)


def test_nothing_is_packed_if_there_is_nothing_from_outside() -> None:
    # In a process of its own, because other tests leave plug-ins of theirs behind.
    program = """
from peergauge.engine.cargo import Cargo
from peergauge.mechanisms import mechanisms
assert Cargo.of([]) == Cargo()
assert Cargo.of([mechanisms.make("mse"), "oa"]) == Cargo()
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_same_code_has_the_same_digest(plugins: Path) -> None:
    first = Cargo.of([])
    assert first.digest == Cargo.of([]).digest
    assert {one.module for one in first.sources} >= {"matrix_plugins", "matrix_helper"}
    text = plugins.read_text(encoding="utf-8")
    try:
        plugins.write_text(text.replace("FACTOR = 1.5", "FACTOR = 3"), encoding="utf-8")
        load_plugins(plugins)
        assert Cargo.of([]).digest != first.digest
    finally:
        plugins.write_text(text, encoding="utf-8")


def test_a_plug_in_that_cannot_be_sent_is_missed_only_where_it_is_asked_for() -> None:
    own: dict[str, Any] = {"__name__": "__main__"}
    cell = PLUGINS.replace("from matrix_helper import doubled", "doubled = lambda x: x")
    cell = cell.replace("import matrix_helper\n", "import threading\nlock = threading.Lock()\n")
    cell = cell.replace("return FACTOR", "return FACTOR if lock else 0")
    cell = cell.partition("@strategy")[0]
    try:
        exec(compile(cell, "<cell>", "exec"), own)
        found = Cargo.of([mechanisms.make("mse")])
        (lost,) = found.lost
        assert (lost.kind, lost.name) == ("mechanism", "matrix-pay")
        assert "lock" in lost.why
        # An experiment that uses it says so before anything is computed.
        with pytest.raises(WorkerError, match=r"cannot be sent to workers .*lock"):
            Parcel(own["Pay"](), found).pack()
    finally:
        mechanisms.forget("__main__")


def test_a_name_that_a_worker_cannot_know_is_explained() -> None:
    sent = Cargo("x", lost=(Lost("mechanism", "mine", "it has a lock"),))
    told = sent.explained(UnknownNameError("mechanism", "mine", ["mse"]))
    assert "does not know the mechanism 'mine', because it cannot be sent there (it has" in str(
        told
    )
    told = sent.explained(UnknownNameError("strategy", "other", ["hedge"]))
    assert "does not know the strategy 'other': it has the plug-ins of peergauge and" in str(told)


def test_a_piece_is_opened_by_the_worker_alone() -> None:
    # A scheduler loads the parcel, but neither the piece nor the code.
    sent = Parcel(None, Cargo("x", plugins=b"no pickle", origin="elsewhere"), b"no pickle either")
    arrived = pickle.loads(pickle.dumps(sent))
    assert arrived.packed == b"no pickle either"
    assert arrived.piece is None


def test_in_the_same_process_nothing_is_copied() -> None:
    piece: Any = object()
    with Parcel(piece, Cargo.of([])).opened() as opened:
        assert opened is piece


def test_two_versions_are_never_installed_at_the_same_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from concurrent.futures import ThreadPoolExecutor

    installed: list[str] = []
    monkeypatch.setattr(cargo, "_install", lambda one: installed.append(one.digest))
    stage = cargo._Stage()

    def work(digest: str) -> bool:
        with stage.of(Cargo(digest, origin="elsewhere")):
            before = installed[-1]
            time.sleep(0.01)
            return before == digest == installed[-1]

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(work, ["a", "b", "a", "a", "b", "c"] * 3))


def test_what_python_cannot_pickle_by_itself_is_sent_too() -> None:
    own: dict[str, Any] = {"__name__": "__main__"}
    exec(
        "import functools\n@functools.lru_cache(maxsize=3)\ndef squared(x):\n    return x * x\n"
        "class Lazy:\n    @functools.cached_property\n    def value(self):\n"
        "        return squared(4)\n",
        own,
    )
    program = "import pickle, sys\nprint(pickle.load(sys.stdin.buffer)().value)"
    done = subprocess.run(
        [sys.executable, "-c", program], input=dumps(own["Lazy"]), capture_output=True, check=False
    )
    assert done.stdout == b"16\n", done.stderr
