"""Time and memory of grading a class, from its reports to the written folder.

Run ``python -m benchmarks.grading``. Every size is measured in a separate process, because the
operating system reports only the peak memory of a whole process.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import tempfile
import time
import warnings
from dataclasses import replace
from pathlib import Path

import peergauge
from benchmarks.fitting import peak
from peergauge.classroom.grade import grade
from peergauge.core.errors import ConvergenceWarning
from peergauge.core.files import write_files
from peergauge.exports import open_class
from peergauge.exports.writing import ABOUT, AUTHORS, REPORTS, about_class
from peergauge.pages.grade_folder import write_graded
from peergauge.simulate import Setting, simulate

PAGE = Path(__file__).with_suffix(".md")

CLASS_SIZES = {(70, 1): True, (700, 1): True, (25_000, 1): False, (25_000, 10): False}
"""Numbers of students and assignments, with four reviews of each submission, and whether to run the
game test."""


def measure(students: int, assignments: int, game: bool) -> dict[str, float]:
    """Read, grade and write one class; small classes twice, to exclude imports and compilation."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    semester = simulate(Setting(students=students, assignments=assignments), seed=5)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        truth = semester.truth.to_polars()
        write_files(
            {
                folder / REPORTS: semester.reports.to_polars(),
                folder / AUTHORS: truth.drop("score"),
                folder / ABOUT: about_class(semester.reports.scale, {"simulated": True}),
            }
        )
        found = {}
        for _ in range(2 if students < 1000 else 1):
            began = time.perf_counter()
            room = replace(open_class(folder), truth=None)
            read = time.perf_counter()
            graded = grade(room)
            done = time.perf_counter()
            write_graded(graded, folder / "graded")
            found = {
                "read": read - began,
                "grade": done - read,
                "write": time.perf_counter() - done,
            }
        if game:
            began = time.perf_counter()
            grade(room, game=True)
            found["game"] = time.perf_counter() - began - found["grade"]
    return {**found, "reviews": len(semester.reports), "peak": peak()}


def page() -> str:
    """Measure every size and return the page as Markdown."""
    rows = []
    for (students, assignments), game in CLASS_SIZES.items():
        output = subprocess.run(
            [sys.executable, "-m", "benchmarks.grading", "--one", str(students), str(assignments),
             str(int(game))],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        one = json.loads(output.stdout)
        whole = one["read"] + one["grade"] + one["write"]
        game_time = f"{one['game']:.0f}" if "game" in one else ""
        rows.append(
            f"| {one['reviews']:,} | {one['read']:.1f} | {one['grade']:.1f} | {one['write']:.1f} "
            f"| {whole:.1f} | {game_time} | {one['peak']:.2f} |"
        )
    return "\n".join(
        [
            "# Grading a class",
            "",
            "Written by `python -m benchmarks.grading`; do not edit this page, run the script "
            "again.",
            "",
            f"peergauge {peergauge.__version__}, Python {platform.python_version()}, "
            f"{platform.machine()}. Simulated classes with four reviews of each submission. Small "
            "classes are measured in a second run, after all imports and compilation. The game "
            "test was timed on two cores.",
            "",
            "| reviews | read, s | grade, s | write, s | total, s | game test, s | peak, GB |",
            "|---:|---:|---:|---:|---:|---:|---:|",
            *rows,
            "",
        ]
    )


def main() -> None:
    """Measure one size for the page, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", nargs=3, type=int)
    given = parser.parse_args()
    if given.one:
        students, assignments, game = given.one
        print(json.dumps(measure(students, assignments, bool(game))))
    else:
        PAGE.write_text(page(), encoding="utf-8")
        print(PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
