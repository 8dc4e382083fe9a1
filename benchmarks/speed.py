"""Speed of simulation and scoring, in multiples of one scalar SciPy draw.

Run ``python -m benchmarks.speed`` (or ``make bench``). The unit *t* is the time of one
``scipy.stats.binom.rvs(10, 0.7)``, measured again next to every group of timings in the same run,
so that results of different machines can be compared. Every timing is the minimum of several, on
one core, after the first call. Scoring starts without cached intermediate results.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.stats import binom

import peergauge
from peergauge.core.acceleration import plain_numpy
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.mechanisms.paper.leave_one_out import LeaveOneOut
from peergauge.simulate import Semester, Setting, simulate

SIZES = (100, 500, 5_000, 50_000)
ASSIGNMENTS = 15
MAX_PLAIN_SECONDS = 20.0
"""Plain versions that would take longer than this are not timed."""

MAX_MULTIPLES_OF_T = {
    "simulate": 200.0,
    "mse-p": 130.0,
    "mse": 10.0,
    "oa": 10.0,
    "pts": 10.0,
    "dmi": 10.0,
}
"""Maximum time for a semester of 500 students and 15 assignments, in multiples of t."""


@dataclass(frozen=True)
class Timing:
    """Time of one task at one class size."""

    task: str
    students: int
    reports: int
    seconds: float
    yardstick: float
    plain_per_report: float | None

    @property
    def multiples(self) -> float:
        """Time in multiples of t."""
        return self.seconds / self.yardstick

    @property
    def per_report(self) -> float:
        """Nanoseconds per report."""
        return self.seconds / self.reports * 1e9


def least(task: Callable[[], object], repeats: int) -> float:
    """Minimum time of several runs, without garbage collection."""
    best = float("inf")
    gc.collect()
    gc.disable()
    try:
        for _ in range(repeats):
            begin = time.perf_counter()
            task()
            best = min(best, time.perf_counter() - begin)
    finally:
        gc.enable()
    return best


def yardstick() -> float:
    """Seconds for one scalar draw with SciPy."""

    def draws() -> None:
        for _ in range(500):
            binom.rvs(10, 0.7)

    return least(draws, 5) / 500


def tasks() -> list[tuple[str, Mechanism | None]]:
    """The simulation, every mechanism with its defaults, and parametric ones that ignore bias."""
    every: list[Mechanism] = list(mechanisms.all())
    every += [
        mechanisms.make(one, bias="ignore")
        for one in mechanisms.all()
        if one.facts.family in {"parametric MSE", "parametric Φ-divergence pairing"}
        and not one.facts.novel
    ]
    return [("simulate", None), *((one.spec, one) for one in every)]


def classes(students: int, assignments: int) -> dict[str, Semester]:
    """One class of this size for each design."""
    setting = Setting(students=students, assignments=assignments)
    return {
        "any": simulate(setting, 1),
        "clusters": simulate(replace(setting, design="clusters"), 1),
    }


def run_once(mechanism: Mechanism | None, semester: Semester) -> Callable[[], object]:
    """The function to time: simulate the semester, or score it without cached results."""
    if mechanism is None:
        return lambda: simulate(semester.setting, 2)
    reports = semester.reports

    def pay() -> object:
        # Remove the intermediate results that an earlier scoring cached on the reports.
        for derived in ("_of_design", "level", "_derived"):
            reports.__dict__.pop(derived, None)
        return score(mechanism, reports, truth=semester.truth)

    return pay


def first_calls() -> dict[str, float]:
    """Seconds of the first call of each task, in a new process."""
    waits: dict[str, float] = {}
    semesters: dict[str, Semester] = {}
    for task, mechanism in tasks():
        begin = time.perf_counter()
        if mechanism is None:
            semesters = classes(12, 2)
        else:
            run_once(mechanism, semesters[mechanism.facts.design])()
        waits[task] = time.perf_counter() - begin
    return waits


def waits_in_new_programs() -> list[dict[str, float]]:
    """First calls of two processes: one with an empty compilation cache, and the next."""
    with tempfile.TemporaryDirectory() as cache:
        return [
            json.loads(
                subprocess.run(
                    [sys.executable, "-m", "benchmarks.speed", "--first-calls"],
                    env={**os.environ, "NUMBA_CACHE_DIR": cache},
                    capture_output=True,
                    check=True,
                ).stdout
            )
            for _ in range(2)
        ]


def measure(sizes: tuple[int, ...]) -> list[Timing]:
    """Time every task at every size."""
    timings: list[Timing] = []
    plain_pace: dict[str, float] = {}
    small = classes(12, 2)
    for _, mechanism in tasks():
        run_once(mechanism, small["any" if mechanism is None else mechanism.facts.design])()
    for students in sizes:
        semesters = classes(students, ASSIGNMENTS)
        single = classes(students, 1)
        for task, mechanism in tasks():
            design = "any" if mechanism is None else mechanism.facts.design
            if isinstance(mechanism, LeaveOneOut) and students > 500:
                continue  # it fits as many models as there are graders: its cost is quadratic
            semester = semesters[design]
            reports = len(semester.reports)
            work = run_once(mechanism, semester)
            seconds = least(work, max(3, min(30, 3_000_000 // reports)))
            expected = plain_pace.get(task, 0.0) * len(single[design].reports)
            plain = None
            if expected < MAX_PLAIN_SECONDS and not isinstance(mechanism, LeaveOneOut):
                with plain_numpy():
                    plain = least(run_once(mechanism, single[design]), 1 if expected > 1 else 3)
                plain /= len(single[design].reports)
                plain_pace[task] = plain
            timings.append(
                Timing(
                    task,
                    students,
                    reports,
                    seconds,
                    yardstick(),
                    None if plain is None else plain * 1e9,
                )
            )
            print(f"{students:>6} {task:<40} {timings[-1].multiples:>10.1f} t", file=sys.stderr)
    return timings


def growth(timings: list[Timing], task: str) -> float | None:
    """Exponent with which time grows with the number of reports, from 500 students up."""
    points = [(t.reports, t.seconds) for t in timings if t.task == task and t.students >= 500]
    if len(points) < 2:
        return None
    reports, seconds = np.log(np.array(points)).T
    return float(np.polyfit(reports, seconds, 1)[0])


def report(timings: list[Timing], waits: list[dict[str, float]]) -> str:
    """Format the results as a Markdown page."""
    sizes = sorted({timing.students for timing in timings})
    found = {(timing.task, timing.students): timing for timing in timings}
    names = list(dict.fromkeys(timing.task for timing in timings))
    t = float(np.median([timing.yardstick for timing in timings]))
    lines = [
        "# Speed",
        "",
        "Written by `python -m benchmarks.speed`; do not edit this page, run the script again.",
        "",
        f"peergauge {peergauge.__version__}, Python {platform.python_version()}, "
        f"NumPy {np.__version__}, {platform.machine()}. One core. "
        f"*t*, one scalar `scipy.stats.binom.rvs(10, 0.7)`, took {t * 1e6:.1f} µs (median; each "
        "row is divided by the *t* measured next to it).",
        "",
        f"Semesters of {ASSIGNMENTS} assignments with 4 graders per submission. Scoring starts "
        "without cached intermediate results.",
        "",
        "## Multiples of t",
        "",
        "| task | " + " | ".join(f"{size:,} students" for size in sizes) + " | limit at 500 |",
        "|---|" + "---:|" * (len(sizes) + 1),
    ]
    for name in names:
        cells = [
            f"{found[name, size].multiples:,.1f}" if (name, size) in found else "–"
            for size in sizes
        ]
        bound = bound_of(name)
        lines.append(f"| `{name}` | " + " | ".join(cells) + f" | {bound:g} |" if bound else
                     f"| `{name}` | " + " | ".join(cells) + " | |")  # fmt: skip
    lines += [
        "",
        "## Nanoseconds per report, compiled and plain",
        "",
        "Plain NumPy is timed in the same run, on one assignment of the same class, if that takes "
        f"less than {MAX_PLAIN_SECONDS:g} seconds. *Growth* is the exponent with which the "
        "compiled time grows with the number of reports, from 500 students up: 1 is linear.",
        "",
        "| task | " + " | ".join(f"{size:,}" for size in sizes) + " | growth |",
        "|---|" + "---:|" * (len(sizes) + 1),
    ]
    for name in names:
        cells = []
        for size in sizes:
            timing = found.get((name, size))
            if timing is None:
                cells.append("–")
            else:
                plain = timing.plain_per_report
                beside = "" if plain is None else f" / {plain:,.0f}"
                cells.append(f"{timing.per_report:,.1f}{beside}")
        power = growth(timings, name)
        cells.append("" if power is None else f"{power:.2f}")
        lines.append(f"| `{name}` | " + " | ".join(cells) + " |")
    lines += [
        "",
        "The number of operations is linear in the number of reports. Growth above 1 is due to "
        "memory: 500 students fit into the caches of a core, 50,000 do not. LOO fits the model "
        "once for each grader, so its cost is quadratic, and it is timed up to 500 students.",
        "",
        "## Time of the first call",
        "",
        "Kernels are compiled by the first process that needs them and cached for all later "
        "processes. Seconds of the first call of each task, in this order, in a process with an "
        "empty cache and in the next process:",
        "",
        "| task | empty cache | cached |",
        "|---|---:|---:|",
        *(f"| `{task}` | {waits[0][task]:.2f} | {waits[1][task]:.2f} |" for task in waits[0]),
        f"| total | {sum(waits[0].values()):.2f} | {sum(waits[1].values()):.2f} |",
        "",
    ]
    return "\n".join(lines)


def bound_of(task: str) -> float | None:
    """The time limit for a task, in multiples of t, by its name or its family."""
    name = task.partition(":")[0]
    if name == "phi-div" or (name == "phi-div-p" and "bias=ignore" in task):
        return 130.0
    return MAX_MULTIPLES_OF_T.get(name)


def main() -> None:
    """Measure, print, and write the page beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only the two smaller sizes")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    parser.add_argument("--first-calls", action="store_true", help="only first calls, as JSON")
    given = parser.parse_args()
    if given.first_calls:
        print(json.dumps(first_calls()))
        return
    page = report(measure(SIZES[:2] if given.quick else SIZES), waits_in_new_programs())
    print(page)
    if not given.quick:
        given.out.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
