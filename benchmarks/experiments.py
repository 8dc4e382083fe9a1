"""Time the experiments of the paper at full size.

Run ``python -m benchmarks.experiments``. Every experiment runs by itself, and then all of them in
one run, as ``peergauge reproduce`` does before it draws. Core-seconds are the CPU time of this
process and its workers, including their start. ``--share`` computes only a share of the repetitions
and, separately, a few repetitions of each point, and extrapolates linearly from the two timings.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import platform
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import peergauge
from benchmarks.speed import yardstick
from peergauge.engine.experiment import Experiment, reproduced
from peergauge.engine.runner import REPETITIONS_PER_PIECE, run

TARGET_RUN_SECONDS = 70.0
"""Time that a full run on two cores should take, including figures."""

AUTHORS_CORE_HOURS = 126.0
"""Core-hours of the authors' code for the same experiments: an estimate that others made by timing
parts of it, and that this script does not repeat."""


@dataclass(frozen=True)
class Cost:
    """Cost of a set of experiments at full size."""

    name: str
    repetitions: int
    cores: float
    wall: float


def cpu_seconds() -> float:
    """CPU time of this process and of its workers that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def repetitions_of(chosen: Sequence[Experiment]) -> int:
    """Number of repetitions of all experiments, over all points."""
    return sum(one.repetitions_at(point, seed=0) for one in chosen for point in one.points())


def fewest(experiment: Experiment) -> int:
    """Smallest number of repetitions of each point for which workers are started."""
    return REPETITIONS_PER_PIECE + 1 if len(experiment.points()) == 1 else 3


def timed(chosen: Sequence[Experiment], workers: int) -> tuple[float, float]:
    """Run experiments once and return core-seconds and seconds."""
    cpu, wall = cpu_seconds(), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        run(chosen, folder, workers=workers)
        wall = time.perf_counter() - wall
    # The CPU time of a worker is known only after it has ended.
    for worker in multiprocessing.active_children():
        worker.join()
    return cpu_seconds() - cpu, wall


def cost_of(name: str, chosen: Sequence[Experiment], share: float, workers: int) -> Cost:
    """Cost of experiments: measured, or extrapolated linearly from two shares of them."""
    if share >= 1:
        cores, wall = timed(chosen, workers)
    else:
        few = [replace(one, repetitions=fewest(one)) for one in chosen]
        more = [
            replace(one, repetitions=max(2 * fewest(one), round(share * one.repetitions)))
            for one in chosen
        ]
        begin, end = repetitions_of(few), repetitions_of(more)
        steps = (repetitions_of(chosen) - begin) / (end - begin)
        cores, wall = (
            one + steps * (two - one)
            for one, two in zip(timed(few, workers), timed(more, workers), strict=True)
        )
    print(f"{name:<8} {cores:8.1f} core-seconds {wall:8.1f} s", file=sys.stderr)
    return Cost(name, repetitions_of(chosen), cores, wall)


def measure(share: float, workers: int) -> list[Cost]:
    """Every experiment by itself, then all of them together."""
    every = reproduced()
    # Compile all kernels before the first measurement.
    timed([one.scaled(0.0) for one in every], 1)
    costs = [cost_of(one.facts.name, [one], share, workers) for one in every]
    return [*costs, cost_of("all", every, share, workers)]


def report(costs: list[Cost], share: float, workers: int) -> str:
    """Format the results as a Markdown page."""
    *single, together = costs
    how = (
        "Measured at full size."
        if share >= 1
        else f"Not measured at full size: extrapolated linearly from a few repetitions of each "
        f"point and {share:.0%} of them, or twice as many as those few."
    )
    return "\n".join(
        [
            "# Speed of the experiments",
            "",
            "Written by `python -m benchmarks.experiments`; do not edit this page, run the script "
            "again.",
            "",
            f"peergauge {peergauge.__version__}, Python {platform.python_version()}, "
            f"NumPy {np.__version__}, {platform.machine()}, {os.cpu_count()} cores, "
            f"{workers} workers. One scalar `scipy.stats.binom.rvs(10, 0.7)` took "
            f"{yardstick() * 1e6:.1f} µs.",
            "",
            f"{how} Every experiment runs by itself, and then all of them in one run, as "
            "`peergauge reproduce` does before it draws; kernels were compiled before. "
            "Core-seconds are the CPU time of the process and its workers, including their start.",
            "",
            "| experiment | repetitions at all points | core-seconds | seconds |",
            "|---|---:|---:|---:|",
            *(
                f"| `{one.name}` | {one.repetitions:,} | {one.cores:.1f} | {one.wall:.1f} |"
                for one in single
            ),
            f"| all in one run | {together.repetitions:,} | {together.cores:.1f} | "
            f"{together.wall:.1f} |",
            "",
            f"The target for all in one run, including figures, is {TARGET_RUN_SECONDS:g} seconds "
            "on two cores. The code of the authors takes about "
            f"{AUTHORS_CORE_HOURS:g} core-hours for the same experiments, by an estimate that was "
            "not measured here, which is about "
            f"{AUTHORS_CORE_HOURS * 3600 / together.cores:,.0f} times as many core-seconds.",
            "",
        ]
    )


def main() -> None:
    """Measure, print, and write the page beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=float, default=1.0, help="share of the repetitions to run")
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    given = parser.parse_args()
    page = report(measure(given.share, given.workers), given.share, given.workers)
    print(page)
    if given.share >= 1:
        given.out.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
