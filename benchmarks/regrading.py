"""Time of grading a class again after one setting was changed.

Run ``python -m benchmarks.regrading``. The influence of dishonest reviews, which grading again
measures only when it is asked for, is timed separately.
"""

from __future__ import annotations

import platform
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import peergauge
from peergauge.classroom.grade import GradedClass, Settings, grade
from peergauge.classroom.grade.again import grade_again
from peergauge.classroom.grade.decisions import Action, Decision, Decisions
from peergauge.classroom.grade.settings import FinalRules, GradeRules
from peergauge.core.errors import ConvergenceWarning
from peergauge.core.files import write_files
from peergauge.exports import open_class
from peergauge.exports.validate import OpenedClass
from peergauge.exports.writing import ABOUT, AUTHORS, REPORTS, about_class
from peergauge.simulate import Setting, simulate

PAGE = Path(__file__).with_suffix(".md")

CLASS_STUDENTS = 700
"""Number of students, and of submissions; each submission has four reviews."""

TIMED_RUNS = 5
"""Runs of which the fastest counts."""

CHANGED_SETTINGS: dict[str, dict[str, Any]] = {
    "points": {"points": "0..20"},
    "rounding of grades": {"grades": GradeRules(round_to=0.5)},
    "final marks": {"final": FinalRules(use=True)},
    "level of intervals": {"level": 0.5},
    "mechanism": {"mechanism": "oa"},
    "leniency": {"leniency": "forgiven"},
    "budget 20": {"budget": 20},
    "estimator mean": {"estimator": "mean"},
    "estimator median": {"estimator": "median"},
    "estimator vancouver": {"estimator": "vancouver"},
    "seed": {"seed": 1},
}
"""Changed settings by their labels."""


def simulated_class() -> OpenedClass:
    """A class with known authors and without staff grades."""
    semester = simulate(Setting(students=CLASS_STUDENTS, assignments=1), seed=5)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        write_files(
            {
                folder / REPORTS: semester.reports.to_polars(),
                folder / AUTHORS: semester.truth.to_polars().drop("score"),
                folder / ABOUT: about_class(semester.reports.scale, {"simulated": True}),
            }
        )
        return replace(open_class(folder), truth=None)


def milliseconds(run: Callable[[], GradedClass]) -> tuple[float, float]:
    """The least time of a grading, and of measuring the influence after it."""
    found = []
    for _ in range(TIMED_RUNS):
        began = time.perf_counter()
        graded = run()
        done = time.perf_counter()
        _ = graded.influence
        found.append((done - began, time.perf_counter() - done))
    graded_in, influence_in = (1000 * min(times) for times in zip(*found, strict=True))
    return graded_in, influence_in


def page() -> str:
    """Measure every change and return the page as Markdown."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    opened = simulated_class()
    before = grade(opened)
    name = str((opened.reports.submission_names or range(1))[0])
    staff = Decisions((Decision(Action.STAFF_GRADE, "", name, grade=4.0),))
    changes = [
        *((label, replace(Settings(), **one), None) for label, one in CHANGED_SETTINGS.items()),
        ("a new staff grade, not followed", Settings(), staff),
        ("a new staff grade, followed", Settings(follow_staff="always"), staff),
    ]
    by_mean = grade(opened, Settings(estimator="mean"))
    rows = []
    for label, settings, said in changes:
        whole, _ = milliseconds(partial(grade, opened, settings, decisions=said))
        again, influence = milliseconds(
            partial(grade_again, before, settings, opened=opened, decisions=said)
        )
        rows.append(f"| {label} | {whole:.0f} | {again:.0f} | {influence:.0f} |")
    whole, _ = milliseconds(lambda: grade(opened))
    again, influence = milliseconds(lambda: grade_again(by_mean, Settings(), opened=opened))
    rows.append(f"| estimator mean to model | {whole:.0f} | {again:.0f} | {influence:.0f} |")
    return "\n".join(
        [
            "# Grading a class again",
            "",
            "Written by `python -m benchmarks.regrading`; do not edit this page, run the script "
            "again.",
            "",
            f"peergauge {peergauge.__version__}, Python {platform.python_version()}, "
            f"{platform.machine()}. A simulated class of {CLASS_STUDENTS} submissions with four "
            f"reviews each; the fastest of {TIMED_RUNS} runs, in milliseconds. `grade` computes "
            "everything; `grade_again` computes what the change affects, and measures the "
            "influence of dishonest reviews only when it is asked for, which takes the time in the "
            "last column.",
            "",
            "| change | grade, ms | grade_again, ms | influence, ms |",
            "|---|---:|---:|---:|",
            *rows,
            "",
        ]
    )


def main() -> None:
    """Measure all changes and write the page."""
    PAGE.write_text(page(), encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
