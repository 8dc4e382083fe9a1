"""Processor time and memory of grading a class, from its reports to the written folder.

Run ``python -m benchmarks.grading``. Every measurement is a separate process, because the operating
system reports only the peak memory of a whole process. Processor time is that of the process and of
those that it started, so that it does not depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

import peergauge
from benchmarks.fitting import peak
from peergauge.classroom.grade import grade
from peergauge.classroom.grade.size import BYTES_OF_GRADED_REVIEW
from peergauge.core.errors import ConvergenceWarning
from peergauge.core.files import write_files
from peergauge.exports import open_class
from peergauge.exports.writing import ABOUT, AUTHORS, REPORTS, about_class
from peergauge.pages.grade_folder import write_graded
from peergauge.simulate import Setting, simulate

PAGE = Path(__file__).with_suffix(".md")

CLASS_SIZES = {(70, 1): True, (700, 1): False, (25_000, 1): False, (25_000, 10): False}
"""Numbers of students and assignments, with four reviews of each submission, and whether to run the
game test."""

COLD_COMMANDS = (
    ("check", "CLASS"),
    ("read", "CLASS", "-o", "OUT"),
    ("score", "CLASS", "-m", "mse-p", "-o", "OUT.csv"),
    ("grade", "CLASS", "-o", "OUT"),
    ("grade", "CLASS", "-o", "OUT", "--ignore-staff"),
    ("grade", "CLASS", "-o", "OUT", "--estimator", "vancouver"),
    ("grade", "CLASS", "-o", "OUT", "-m", "phi-div"),
    ("grade", "CLASS", "-o", "OUT", "--final", "80/20", "--handouts"),
)
"""Commands that are run with an empty cache of compiled functions, on 700 students."""

COLD_STUDENTS = 700

LARGEST_STUDENTS, LARGEST_ASSIGNMENTS = 250_000, 10
"""Size of the class that is checked and read, with four reviews of each submission."""


class Cost(NamedTuple):
    """Processor time in seconds, peak memory in GB, and functions that were compiled."""

    seconds: float
    peak: float
    compiled: int
    sentence: str


def processor_time() -> float:
    """Processor time of this process and of those that it waited for."""
    kinds = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    used = [resource.getrusage(kind) for kind in kinds]
    return sum(one.ru_utime + one.ru_stime for one in used)


# --------------------------------------------------------------------------------- inside a process


def measure(students: int, assignments: int, game: bool) -> dict[str, float]:
    """Read, grade and write one class; small classes twice, to exclude imports and compilation."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        reviews = write_class(folder, students, assignments)
        found = {}
        for _ in range(2 if students < 1000 else 1):
            began = processor_time()
            room = replace(open_class(folder), truth=None)
            read = processor_time()
            graded = grade(room)
            done = processor_time()
            write_graded(graded, folder / "graded")
            found = {
                "read": read - began,
                "grade": done - read,
                "write": processor_time() - done,
            }
        if game:
            began = processor_time()
            grade(room, game=True)
            found["game"] = processor_time() - began - found["grade"]
    return {**found, "reviews": reviews, "peak": peak()}


def write_class(folder: Path, students: int, assignments: int) -> int:
    """Write a simulated class with four reviews of each submission; return the number of them."""
    semester = simulate(Setting(students=students, assignments=assignments), seed=5)
    write_files(
        {
            folder / REPORTS: semester.reports.to_polars(),
            folder / AUTHORS: semester.truth.to_polars().drop("score"),
            folder / ABOUT: about_class(semester.reports.scale, {"simulated": True}),
        }
    )
    return len(semester.reports)


def write_largest(folder: Path) -> None:
    """Write the largest class as a Parquet file, one assignment after the other."""
    rng, students = np.random.default_rng(1), LARGEST_STUDENTS
    author = np.repeat(np.arange(students), 4)
    bias = rng.normal(0, 1, students)
    parts = []
    for assignment in range(LARGEST_ASSIGNMENTS):
        # Neighbours in a random circle grade each other.
        circle = (author + np.tile([1, 2, 3, 5], students)) % students
        grader = rng.permutation(students)[circle]
        score = rng.binomial(10, 0.7, students)[author]
        noisy = np.rint(score + bias[grader] + rng.normal(0, 1, len(author)))
        parts.append(
            pl.DataFrame(
                {
                    "assignment": np.full(len(author), assignment),
                    "submission": author + assignment * students,
                    "grader": grader,
                    "grade": np.clip(noisy, 0, 10).astype(np.int64),
                }
            )
        )
    pl.concat(parts).write_parquet(folder / "reports.parquet")
    (folder / ABOUT).write_text(json.dumps({"peergauge": peergauge.__version__, "scale": "0..10"}))


WRITERS: dict[str, Callable[[Path], object]] = {
    "small": lambda folder: write_class(folder, COLD_STUDENTS, 1),
    "largest": write_largest,
}
"""Classes that another process writes, because a process passes its peak memory on."""


# ---------------------------------------------------------------------------------- other processes


def here(*words: str) -> str:
    """What this script prints with some arguments, in another process."""
    program = [sys.executable, "-m", "benchmarks.grading", *words]
    return subprocess.run(program, check=True, capture_output=True, text=True).stdout


def cost_of(words: tuple[str, ...], folder: Path) -> Cost:
    """Run a command on the class in a folder, with an empty cache of compiled functions."""
    with tempfile.TemporaryDirectory() as made:
        cache, out = Path(made) / "cache", Path(made) / "out"
        places = {"CLASS": str(folder), "OUT": str(out), "OUT.csv": f"{out}.csv"}
        program = [sys.executable, "-m", "peergauge.cli", *(places.get(one, one) for one in words)]
        if words[0] == "read":
            out.mkdir()
        process = subprocess.Popen(
            program,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={**os.environ, "NUMBA_CACHE_DIR": str(cache)},
        )
        assert process.stderr is not None
        said = process.stderr.read().decode().strip()
        _, _, used = os.wait4(process.pid, 0)
        unit = 1e9 if sys.platform == "darwin" else 1e6
        return Cost(
            used.ru_utime + used.ru_stime,
            used.ru_maxrss / unit,
            len(list(cache.rglob("*.nbc"))),
            said.splitlines()[-1] if said else "",
        )


# --------------------------------------------------------------------------------------- the page


def grading_rows() -> list[str]:
    """Rows of the table of classes."""
    rows = []
    for (students, assignments), game in CLASS_SIZES.items():
        one = json.loads(here("--one", str(students), str(assignments), str(int(game))))
        whole = one["read"] + one["grade"] + one["write"]
        game_time = f"{one['game']:.0f}" if "game" in one else ""
        rows.append(
            f"| {one['reviews']:,} | {one['read']:.1f} | {one['grade']:.1f} | {one['write']:.1f} "
            f"| {whole:.1f} | {game_time} | {one['peak']:.2f} |"
        )
        print(rows[-1], file=sys.stderr)
    return rows


def cold_rows() -> list[str]:
    """Rows of the table of first runs."""
    rows = []
    with tempfile.TemporaryDirectory() as made:
        here("--write", "small", made)
        for words in COLD_COMMANDS:
            cost = cost_of(words, Path(made))
            line = f"| `peergauge {' '.join(words)}` | {cost.seconds:.1f} | {cost.compiled} |"
            rows.append(line)
            print(line, file=sys.stderr)
    return rows


def largest_lines() -> list[str]:
    """What checking, reading and grading the largest class takes, or why it is refused."""
    lines = ["| command | processor time, s | peak, GB |", "|---|---:|---:|"]
    with tempfile.TemporaryDirectory() as made:
        here("--write", "largest", made)
        for words in (("check", "CLASS"), ("read", "CLASS", "-o", "OUT")):
            cost = cost_of(words, Path(made))
            lines.append(f"| `peergauge {words[0]}` | {cost.seconds:.0f} | {cost.peak:.1f} |")
            print(lines[-1], file=sys.stderr)
    return lines


def page() -> str:
    """Measure everything and return the page as Markdown."""
    reviews = 4 * LARGEST_STUDENTS * LARGEST_ASSIGNMENTS
    return "\n".join(
        [
            "# Grading a class",
            "",
            "Written by `python -m benchmarks.grading`; do not edit this page, run the script "
            "again.",
            "",
            f"peergauge {peergauge.__version__}, Python {platform.python_version()}, "
            f"{platform.machine()}. Simulated classes with four reviews of each submission. All "
            "times are processor time: user and system, over all cores.",
            "",
            "## From the reports to the folder",
            "",
            "Small classes are measured in a second run, after all imports. A million reviews are "
            "25,000 students with 10 assignments.",
            "",
            "| reviews | read, s | grade, s | write, s | total, s | game test, s | peak, GB |",
            "|---:|---:|---:|---:|---:|---:|---:|",
            *grading_rows(),
            "",
            "## The first run on a machine",
            "",
            f"Whole commands on {4 * COLD_STUDENTS:,} reviews, with all imports and with an empty "
            "cache of compiled functions. The second number is how many functions were compiled.",
            "",
            "| command | processor time, s | compiled |",
            "|---|---:|---:|",
            *cold_rows(),
            "",
            f"## {reviews / 1e6:g} million reviews",
            "",
            f"{LARGEST_STUDENTS:,} students with {LARGEST_ASSIGNMENTS} assignments, in a Parquet "
            "file.",
            "",
            *largest_lines(),
            "",
            f"Grading them at once would need about {reviews * BYTES_OF_GRADED_REVIEW / 1e9:.0f} "
            "GB of memory, and is refused where less is free. The assignments can be graded one "
            "after the other, with `--after`.",
            "",
        ]
    )


def main() -> None:
    """Measure one size for the page, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", nargs=3, type=int)
    parser.add_argument("--write", nargs=2, metavar=("CLASS", "FOLDER"))
    given = parser.parse_args()
    if given.one:
        students, assignments, game = given.one
        print(json.dumps(measure(students, assignments, bool(game))))
    elif given.write:
        kind, folder = given.write
        WRITERS[kind](Path(folder))
    else:
        PAGE.write_text(page(), encoding="utf-8")
        print(PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
