"""The supervisor: jobs end, fail, are cancelled, and survive a killed server."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest

from peergauge.core.errors import ParameterError, UnknownNameError
from peergauge.core.private_folder import PRIVATE_PREFIX
from peergauge.web import jobs as jobs_module
from peergauge.web.jobs import MAX_JOB_ATTEMPTS, Supervisor, run_folder, seconds_left, submit
from peergauge.web.jobs.kinds import KINDS_PACKAGE
from peergauge.web.options import ServeOptions
from peergauge.web.store import FullDiskError, Store
from peergauge.web.store.records import Job
from tests.web.jobs.conftest import ROOT, wait_for

TINY = "tests.web.jobs.tiny"

SMALL_RUN: dict[str, Any] = {
    "students": 20,
    "assignments": 3,
    "graders": 3,
    "population": "paper",
    "mechanisms": ["mse", "oa"],
    "measures": ["tau", "rank-gain"],
    "over": [],
    "strategies": ["hedge"],
    "others": [0],
    "repetitions": 6,
    "seed": 3,
}

SERVER = """
import sys, time
from pathlib import Path
from peergauge.web.jobs import Supervisor
from peergauge.web.options import ServeOptions
from peergauge.web.store import Store
options = ServeOptions(sys.argv[1], Path(sys.argv[2]))
Supervisor(Store.open(options.database), options, sys.argv[3:]).start()
time.sleep(600)
"""


@pytest.fixture
def supervisor(jobs_store: Store, options: ServeOptions) -> Iterator[Supervisor]:
    made = Supervisor(jobs_store, options, (TINY,))
    made.start()
    yield made
    made.stop()


def ended(store: Store, job: Job) -> Job:
    """The job after it has ended."""
    wait_for(lambda: store.job(job.id).state not in ("queued", "running"))
    return store.job(job.id)


def noted_processes(options: ServeOptions, job: Job) -> list[psutil.Process]:
    """The worker of a waiting job, and the process that the worker started."""
    file = options.folder / f"{job.id}.pids"
    wait_for(file.exists)
    return [psutil.Process(int(one)) for one in file.read_text().split()]


def gone(processes: list[psutil.Process]) -> bool:
    return not any(
        one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in _listed(processes)
    )


def _listed(processes: list[psutil.Process]) -> list[psutil.Process]:
    return [one for one in processes if psutil.pid_exists(one.pid)]


def server(options: ServeOptions, *packages: str) -> subprocess.Popen[bytes]:
    """A supervisor in a process of its own."""
    arguments = [options.database, str(options.folder), *packages]
    return subprocess.Popen(
        [sys.executable, "-c", SERVER, *arguments], env={**os.environ, "PYTHONPATH": str(ROOT)}
    )


def kill(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.mark.slow
@pytest.mark.usefixtures("supervisor")
def test_a_job_runs_to_its_end_without_the_database_in_its_arguments(jobs_store: Store) -> None:
    job = ended(jobs_store, jobs_store.add_job("simple", {"do": "end"}, "anna"))
    assert (job.state, job.attempts) == ("finished", 1)
    assert job.result == {"answer": 42, "secret in arguments": False}


@pytest.mark.slow
@pytest.mark.usefixtures("supervisor")
def test_a_failing_job_shows_its_sentence_and_no_secret(jobs_store: Store) -> None:
    refused, broken, unknown = (
        ended(jobs_store, jobs_store.add_job(kind, {"do": do}, "anna"))
        for kind, do in (("simple", "refuse"), ("simple", "fail"), ("simpel", "end"))
    )
    assert refused.error == "The class is too small; choose a larger one."
    assert "KeyError" in broken.error
    assert "secret" not in broken.error
    assert unknown.error == "There is no kind of job 'simpel'; did you mean 'simple'?"
    assert {one.state for one in (refused, broken, unknown)} == {"failed"}


@pytest.mark.slow
@pytest.mark.usefixtures("supervisor")
def test_a_job_whose_process_dies_each_time_fails(jobs_store: Store) -> None:
    job = ended(jobs_store, jobs_store.add_job("simple", {"do": "die"}, "anna"))
    assert (job.state, job.attempts) == ("failed", MAX_JOB_ATTEMPTS)
    assert job.error.startswith("The job was started 3 times")


@pytest.mark.slow
@pytest.mark.usefixtures("supervisor")
def test_a_job_without_room_for_its_results_says_so(jobs_store: Store) -> None:
    found = ended(jobs_store, jobs_store.add_job("simple", {"do": "fill"}, "anna"))
    assert found.state == "failed"
    assert found.error == (
        "The disk of the server is full; make room there and start the job again."
    )


@pytest.mark.slow
@pytest.mark.usefixtures("supervisor")
def test_a_job_of_a_course_does_not_wait_for_runs_of_the_laboratory(
    jobs_store: Store, options: ServeOptions
) -> None:
    runs = [jobs_store.add_job("simple", {"do": "wait"}, "anna") for _ in range(2)]
    noted_processes(options, runs[0])
    course = jobs_store.add_course("Logic", "anna").id
    done = ended(jobs_store, jobs_store.add_job("simple", {"do": "end"}, "anna", course))
    assert done.state == "finished"
    assert [jobs_store.job(one.id).state for one in runs] == ["running", "queued"]


@pytest.mark.slow
@pytest.mark.usefixtures("supervisor")
@pytest.mark.parametrize("how", ["cancelled", "deleted"])
def test_cancelling_or_deleting_a_job_kills_its_process_and_what_that_started(
    jobs_store: Store, options: ServeOptions, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = options.folder / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    job = jobs_store.add_job("simple", {"do": "wait"}, "anna")
    processes = noted_processes(options, job)
    assert [path.name.startswith(PRIVATE_PREFIX) for path in place.iterdir()] == [True]
    assert len(processes) == 2
    assert not gone(processes)
    jobs_store.cancel_job(job.id) if how == "cancelled" else jobs_store.delete_job(job.id)
    wait_for(lambda: gone(processes))
    # The place is free for the next job.
    other = jobs_store.add_job("simple", {"do": "end"}, "anna")
    assert ended(jobs_store, other).state == "finished"
    wait_for(lambda: not list(place.iterdir()))
    if how == "cancelled":
        assert jobs_store.job(job.id).state == "cancelled"


@pytest.mark.slow
def test_stopping_queues_running_jobs_again(
    jobs_store: Store, options: ServeOptions, supervisor: Supervisor
) -> None:
    job = jobs_store.add_job("simple", {"do": "wait"}, "anna")
    processes = noted_processes(options, job)
    supervisor.stop()
    assert gone(processes)
    assert jobs_store.job(job.id).state == "queued"


@pytest.mark.slow
def test_workers_die_with_a_killed_server_and_the_next_server_starts_the_job_again(
    jobs_store: Store, options: ServeOptions
) -> None:
    first = server(options, TINY)
    try:
        job = jobs_store.add_job("simple", {"do": "wait"}, "anna")
        processes = noted_processes(options, job)
    finally:
        kill(first)
    wait_for(lambda: gone(processes))
    assert jobs_store.job(job.id).state == "running"
    made = Supervisor(jobs_store, options, (TINY,))
    made.start()
    try:
        wait_for(lambda: jobs_store.job(job.id).attempts == 2)
    finally:
        made.stop()


@pytest.mark.slow
def test_jobs_of_a_living_server_are_left_alone(jobs_store: Store, options: ServeOptions) -> None:
    first = server(options, TINY)
    try:
        job = jobs_store.add_job("simple", {"do": "wait"}, "anna")
        noted_processes(options, job)
        other = Supervisor(jobs_store, options, (TINY,))
        other.start()
        other.stop()
        found = jobs_store.job(job.id)
        assert (found.state, found.attempts) == ("running", 1)
    finally:
        kill(first)


@pytest.mark.slow
def test_a_run_of_a_killed_server_goes_on_and_gives_the_same_rows(
    jobs_store: Store, options: ServeOptions
) -> None:
    def finished_pieces() -> list[str]:
        return sorted(path.name for path in (folder / "pieces").glob("*.arrow"))

    large = {**SMALL_RUN, "students": 60, "assignments": 10, "repetitions": 150}
    job = submit(jobs_store, "laboratory", large, "anna")
    folder = run_folder(options, job.id)
    first = server(options, KINDS_PACKAGE)
    try:
        wait_for(lambda: len(finished_pieces()) >= 2)
    finally:
        kill(first)
    before = finished_pieces()
    assert len(before) < large["repetitions"]
    made = Supervisor(jobs_store, options)
    made.start()
    try:
        interrupted = ended(jobs_store, job)
        whole = ended(jobs_store, submit(jobs_store, "laboratory", large, "anna"))
    finally:
        made.stop()
    assert (interrupted.state, interrupted.attempts) == ("finished", 2)
    assert (whole.state, whole.attempts) == ("finished", 1)
    assert set(before) <= set(finished_pieces())
    assert json.dumps(interrupted.result) == json.dumps(whole.result)
    one, other = (
        (run_folder(options, each.id) / "results.parquet").read_bytes()
        for each in (interrupted, whole)
    )
    assert one == other


def test_no_supervisor_starts_without_workers(jobs_store: Store, options: ServeOptions) -> None:
    made = Supervisor(jobs_store, replace(options, workers=0))
    made.start()
    assert not options.folder.exists()
    made.stop()


def test_unknown_kinds_and_invalid_parameters_are_not_queued(jobs_store: Store) -> None:
    with pytest.raises(UnknownNameError, match="kind of job 'labratory'; did you mean"):
        submit(jobs_store, "labratory", {}, "anna")
    with pytest.raises(ParameterError, match="students"):
        submit(jobs_store, "laboratory", {**SMALL_RUN, "students": 1001}, "anna")
    assert jobs_store.jobs() == []


def test_the_time_left_follows_from_the_rate_so_far(jobs_store: Store) -> None:
    submit(jobs_store, "laboratory", SMALL_RUN, "anna")
    job = jobs_store.claim_job("a server")
    assert job is not None
    assert job.started is not None
    assert seconds_left(job) is None
    quarter = replace(job, done=1, of=4)
    later = job.started + timedelta(seconds=10)
    assert seconds_left(quarter, later) == pytest.approx(30)
    assert seconds_left(replace(quarter, attempts=2), later) is None
    assert seconds_left(replace(quarter, kind="attack"), later) is None
    assert seconds_left(quarter, datetime.now(UTC)) is not None


def test_the_folder_keeps_its_name(tmp_path: Path) -> None:
    first, lock = jobs_module._server_name(tmp_path)
    second, other = jobs_module._server_name(tmp_path)
    lock.close()
    third, again = jobs_module._server_name(tmp_path)
    other.close()
    again.close()
    assert first == third != second
    assert first.rpartition("-")[0] == second.rpartition("-")[0]


class _FullStore:
    """A database whose disk is full while a job is supervised."""

    def __init__(self, store: Store, refusals: int) -> None:
        self.store, self.refusals = store, refusals

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def requeue_jobs(self, process: str) -> Any:
        if self.refusals:
            self.refusals -= 1
            raise FullDiskError("The database cannot be used (disk is full).")
        return self.store.requeue_jobs(process)


@pytest.mark.slow
def test_a_job_that_dies_while_the_disk_is_full_starts_again_when_there_is_room(
    jobs_store: Store, options: ServeOptions, caplog: pytest.LogCaptureFixture
) -> None:
    full: Any = _FullStore(jobs_store, refusals=3)
    made = Supervisor(full, options, (TINY,))
    made.start()
    try:
        job = jobs_store.add_job("simple", {"do": "die"}, "anna")
        assert ended(jobs_store, job).attempts == MAX_JOB_ATTEMPTS
    finally:
        made.stop()
    assert full.refusals == 0
    # Said once, although it was tried several times.
    assert [one.getMessage() for one in caplog.records] == [
        "A job could not be supervised: The database cannot be used (disk is full)."
    ]
