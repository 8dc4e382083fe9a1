"""Clusters whose scheduler and workers are programs of their own, as on several machines."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import clusters, scaling
from benchmarks.clusters import Counter, cluster
from benchmarks.scaling import ONE_PROCESS, Times, Way, measure, page
from peergauge.core.errors import WorkerError
from peergauge.engine.cluster import dask_executor
from peergauge.engine.experiment import experiments
from peergauge.engine.runner import pieces_of, run

SMALL = [
    experiments.make(spec)
    for spec in (
        "e1:repetitions=4,students=12,most_assignments=2,mechanisms=mse+oa",
        "e3:repetitions=2,students=20,assignments=2,mechanisms=mse+dmi",
    )
]

pytestmark = pytest.mark.slow


def test_programs_give_the_same_bytes_and_a_page_about_it() -> None:
    # Measuring compares the bytes of the tables, and refuses to go on if they differ.
    costs = measure([ONE_PROCESS, Way("two programs", workers=2)], SMALL, SMALL)
    alone, there = costs
    assert alone.digest == there.digest
    assert alone.sent == alone.received == 0
    assert alone.times.scheduler == 0
    assert there.times.scheduler > 0
    assert there.times.workers > 0
    # The run sends what a piece is, and is sent numbers with 8 bytes each at least.
    pieces = sum(len(pieces_of(one)) for one in SMALL)
    assert there.sent > 100 * pieces
    assert there.received > 8 * run(SMALL, workers=1).height
    assert "| two programs |" in page(costs, SMALL, share=0.5)


def test_results_that_differ_are_no_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = Times(1.0, 1.0, 0.0, 0.0, 1.0)
    digests = iter(["small", "small", "small", "same", "small", "other"])
    monkeypatch.setattr(scaling, "timed", lambda *_: (next(digests), nothing, 0, 0))
    with pytest.raises(RuntimeError, match=r"tables of results differ: \['same', 'other'\]"):
        measure([ONE_PROCESS, ONE_PROCESS], [], [])


def test_a_worker_of_other_versions_computes_nothing(tmp_path: Path) -> None:
    other = tmp_path / "other.py"
    other.write_text("import scipy\nscipy.__version__ = '1.99.0'\n")
    with (
        cluster(1, options=("--no-nanny", "--preload", str(other))) as started,
        dask_executor(started.address) as executor,
        pytest.raises(WorkerError, match=r"The worker on .* has scipy 1\.99\.0 instead of "),
    ):
        run(SMALL, tmp_path / "run", executor=executor)
    assert list((tmp_path / "run" / "pieces").iterdir()) == []


def test_programs_that_do_not_end_are_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "MAX_END_SECONDS", 0.2)
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True)"
    with subprocess.Popen(
        [sys.executable, "-c", f"{deaf}; time.sleep(600)"], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout
        process.stdout.readline()
        clusters.end([process])
        assert process.returncode == -signal.SIGKILL


def test_a_counter_counts_what_passes() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        counter = Counter(f"tcp://127.0.0.1:{server.getsockname()[1]}")
        port = int(counter.address.rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port)) as near, server.accept()[0] as far:
            near.sendall(b"12345")
            assert far.recv(5, socket.MSG_WAITALL) == b"12345"
            far.sendall(b"678")
            far.shutdown(socket.SHUT_WR)
            assert near.recv(3, socket.MSG_WAITALL) == b"678"
            assert near.recv(1) == b""
        counter.close()
    assert counter.received == 3
    assert counter.sent == 5
