"""Speed-up and overhead of experiments on several processes, and on clusters of programs.

Run ``python -m benchmarks.scaling``. Experiments E1 and E3 of the paper run in one process, on
local workers, and on Dask clusters whose scheduler and workers are programs of their own. All must
give the same bytes, or the page is not written. Processor time is reported besides the wall time,
because other programs may be running.
"""

from __future__ import annotations

import argparse
import hashlib
import multiprocessing
import os
import platform
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import psutil

import peergauge
from benchmarks.clusters import Cluster, Counter, cluster
from peergauge.engine.cluster import dask_executor
from peergauge.engine.experiment import Experiment, experiments
from peergauge.engine.runner import REPETITIONS_PER_PIECE, pieces_of, run

PAGE = Path(__file__).with_suffix(".md")

RUN_SEED = 20

SHARE_OF_REPETITIONS = 0.5
"""Share of the paper's repetitions that are computed in every way."""

SMALL_CLASS_STUDENTS = 24
"""Students of the classes by which workers load all that they need before anything is measured."""


class Way(NamedTuple):
    """A way to run experiments: local processes, or a cluster of programs with some threads."""

    name: str
    local: int = 0
    workers: int = 0
    threads: int = 1

    @property
    def processes(self) -> int:
        """Number of processes that are started to compute."""
        return self.workers or (self.local if self.local > 1 else 0)


ONE_PROCESS = Way("one process", local=1)
WAYS = (
    ONE_PROCESS,
    Way("two local workers", local=2),
    Way("cluster with one worker", workers=1),
    Way("cluster with two workers", workers=2),
    Way("cluster with one worker of two threads", workers=1, threads=2),
)


class Times(NamedTuple):
    """Seconds of wall time, and of processor time by the program that spent it."""

    wall: float
    run: float
    scheduler: float
    workers: float
    machine: float

    @classmethod
    def now(cls, there: Cluster | None) -> Times:
        """Seconds that have been spent so far."""
        # The processor time of a local worker is known only after it has ended.
        for worker in multiprocessing.active_children():
            worker.join()
        own, children = (
            usage.ru_utime + usage.ru_stime
            for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        )
        scheduler, workers = (0.0, 0.0) if there is None else there.cpu_seconds()
        busy = psutil.cpu_times()
        machine = busy.user + busy.system + getattr(busy, "nice", 0.0)
        return cls(time.perf_counter(), own, scheduler, workers + children, machine)

    def since(self, before: Times) -> Times:
        """Seconds between two moments."""
        return Times(*(now - then for now, then in zip(self, before, strict=True)))

    @property
    def all(self) -> float:
        """Processor time of all programs of the run."""
        return self.run + self.scheduler + self.workers

    @property
    def others(self) -> float:
        """Processor time of all other programs on this machine."""
        return max(0.0, self.machine - self.all)


@dataclass(frozen=True)
class Cost:
    """Cost of the experiments in one way.

    Parameters
    ----------
    way
        How they ran.
    times
        Seconds of a run without the start of its workers.
    start
        Processor time until one worker is ready to compute.
    sent, received
        Bytes from the run to the scheduler, and back.
    digest
        Checksum of the table of results.
    """

    way: Way
    times: Times
    start: float
    sent: int
    received: int
    digest: str


def measure(
    ways: Sequence[Way], chosen: Sequence[Experiment], small: Sequence[Experiment]
) -> list[Cost]:
    """Run experiments in several ways, the first of which must be one process.

    *small* experiments run before, so that everything is compiled and loaded.
    """
    timed(ONE_PROCESS, None, small)
    alone = timed(ONE_PROCESS, None, small)[1]
    costs = []
    for way in ways:
        with ExitStack() as stack:
            there = None
            if way.workers:
                there = stack.enter_context(cluster(way.workers, threads=way.threads))
            first = _spent_by(there, timed(way, there, small)[1])
            digest, times, sent, received = timed(way, there, chosen)
        start = max(0.0, first - alone.run) / way.processes if way.processes else 0.0
        if way.processes and there is None:
            # Every run starts its own local workers.
            times = times._replace(workers=times.workers - start * way.processes)
        costs.append(Cost(way, times, start, sent, received, digest))
        print(f"{way.name:<40} {times.wall:6.1f} s {times.all:6.1f} core-seconds", file=sys.stderr)
    if len({cost.digest for cost in costs}) > 1:
        raise RuntimeError(f"The tables of results differ: {[cost.digest for cost in costs]}.")
    return costs


def _spent_by(there: Cluster | None, times: Times) -> float:
    """Processor time of workers, from their start to the end of a run."""
    return times.workers if there is None else there.cpu_seconds()[1]


def timed(
    way: Way, there: Cluster | None, chosen: Sequence[Experiment]
) -> tuple[str, Times, int, int]:
    """Run experiments once: checksum of the results, times, and bytes sent and received."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        counter = executor = None
        if there is not None:
            counter = stack.enter_context(closing(Counter(there.address)))
            executor = stack.enter_context(dask_executor(counter.address))
        before = Times.now(there)
        workers = None if there else way.local
        run(chosen, folder, seed=RUN_SEED, workers=workers, executor=executor)
        times = Times.now(there).since(before)
        digest = hashlib.sha256((folder / "results.parquet").read_bytes()).hexdigest()
    return digest, times, counter.sent if counter else 0, counter.received if counter else 0


def from_the_paper(share: float) -> list[Experiment]:
    """E1 and E3 with a share of their repetitions."""
    return [experiments.make(name).scaled(share) for name in ("e1", "e3")]


def page(costs: Sequence[Cost], chosen: Sequence[Experiment], share: float) -> str:
    """Format the results as a Markdown page."""
    one = costs[0].times
    pieces = sum(len(pieces_of(experiment)) for experiment in chosen)
    rows = [
        f"| {cost.way.name} | {cost.times.wall:.1f} | {one.wall / cost.times.wall:.2f} "
        f"| {cost.times.others:.0f} | {cost.times.run:.1f} | {cost.times.scheduler:.1f} "
        f"| {cost.times.workers:.1f} | {cost.times.all:.1f} | {one.all / cost.times.all:.0%} "
        f"| {1000 * (cost.times.all - one.all) / pieces:+.0f} |"
        for cost in costs
    ]
    remote = [
        f"| {cost.way.name} | {cost.sent / pieces:,.0f} | {cost.received / pieces:,.0f} "
        f"| {1000 * cost.times.scheduler / pieces:.1f} |"
        for cost in costs
        if cost.way.workers
    ]
    starts = [
        f"- {cost.way.name}: {cost.start:.1f} core-seconds for each worker"
        for cost in costs
        if cost.way.processes
    ]
    busy = max(cost.times.others / cost.times.wall for cost in costs)
    return "\n".join(
        [
            "# Experiments on several processes",
            "",
            "Written by `python -m benchmarks.scaling`; do not edit this page, run the script "
            "again.",
            "",
            f"peergauge {peergauge.__version__}, Python {platform.python_version()}, NumPy "
            f"{np.__version__}, {platform.machine()}, {os.cpu_count()} cores.",
            "",
            f"E1 and E3 of the paper with {share:.0%} of their repetitions: {pieces} pieces of up "
            f"to {REPETITIONS_PER_PIECE} repetitions. They ran in {len(costs)} ways, and all gave "
            "a table of results with the same bytes. The scheduler (`dask scheduler`) and the "
            "workers (`dask worker`) of a cluster are programs of their own, which are connected "
            "by the network of one machine.",
            "",
            "| way | seconds | speed-up | other programs | run | scheduler | workers | together "
            "| efficiency | ms per piece |",
            "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
            *rows,
            "",
            "Seconds are wall time, and the speed-up is that of wall time. The next columns are "
            "seconds of processor time: of all other programs on this machine meanwhile, of the "
            "run itself, of the scheduler, of the workers, and of these three together. "
            "Efficiency is the processor time of one process divided by that of all programs of "
            "the run, and the last column is the additional processor time for each piece, in "
            "milliseconds.",
            "",
            f"Other programs used up to {busy:.1f} cores during these measurements. If that is not "
            "near 0, wall times say little, and processor time is some percent higher than on an "
            "idle machine, more in one row than in another. On an idle machine with two cores the "
            "speed-up is at most twice the efficiency.",
            "",
            "Starting a worker, importing everything and loading compiled kernels is not included. "
            "It took:",
            "",
            *starts,
            "",
            "Local workers are started by every run, and workers of a cluster once.",
            "",
            "## What a piece costs the scheduler",
            "",
            "| way | bytes sent | bytes received | scheduler, ms |",
            "|---|---:|---:|---:|",
            *remote,
            "",
            "Bytes are those between the run and the scheduler, for one piece: the piece, its "
            "results, and all messages of Dask.",
            "",
        ]
    )


def main() -> None:
    """Measure, print, and write the page beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=SHARE_OF_REPETITIONS)
    given = parser.parse_args()
    chosen = from_the_paper(given.share)
    small = [replace(one.scaled(0), students=SMALL_CLASS_STUDENTS) for one in chosen]  # type: ignore[call-arg]
    text = page(measure(WAYS, chosen, small), chosen, given.share)
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
