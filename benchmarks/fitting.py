"""Time and memory of PG1 with intervals, from a small class to a million reviews.

Run ``python -m benchmarks.fitting``. Every size is measured in a separate process, because the
operating system reports only the peak memory of a whole process.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import peergauge
from benchmarks.classes import listed
from benchmarks.intervals import LEVEL, inside_of, settled_or_not
from peergauge.models.posterior import PG1Posterior
from peergauge.simulate import Setting, simulate

CLASS_SIZES = (70, 700, 7_000, 25_000, 80_000, 250_000)
"""Numbers of students; each submission has four graders."""


def peak() -> float:
    """Peak memory of this process, in GB."""
    # The unit is kilobytes, except on macOS, where it is bytes.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1e9 if sys.platform == "darwin" else 1e6
    )


def measure(students: int) -> dict[str, float]:
    """Fit one simulated class and return its costs."""
    semester = simulate(Setting(students=students, assignments=1), seed=11)
    # The first fit imports SciPy, which must not be measured.
    settled_or_not(PG1Posterior(draws=2), simulate(Setting(students=10, assignments=1)).reports)
    before, began = peak(), time.process_time()
    fit = settled_or_not(PG1Posterior(), semester.reports)
    seconds = time.process_time() - began
    low, high = fit.interval(LEVEL)
    return {
        "reviews": len(semester.reports),
        "draws": len(fit.score_draws),
        "seconds": seconds,
        "before": before,
        "peak": peak(),
        "covered": float(inside_of(semester.truth.score, low, high).mean()),
        "settled": float(fit.converged.all()),
    }


def page() -> str:
    """Measure every size and return the page as Markdown."""
    rows = []
    for students in CLASS_SIZES:
        output = subprocess.run(
            [sys.executable, "-m", "benchmarks.fitting", "--only", str(students)],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        one = json.loads(output)
        rows.append([
            f"{one['reviews']:,}", one["draws"], f"{one['seconds']:.1f}",
            f"{one['peak']:.2f}", f"{one['before']:.2f}", f"{one['covered']:.1%}",
            "yes" if one["settled"] else "no",
        ])  # fmt: skip
        print(*rows[-1], sep=" | ")
    head = ["reviews", "draws", "CPU seconds", "peak memory, GB", "before, GB",
            "in 90 % intervals", "converged"]  # fmt: skip
    return "\n".join([
        "# Fitting PG1 with intervals",
        "",
        "Written by `python -m benchmarks.fitting`; do not edit this page, run the script again.",
        "",
        f"peergauge {peergauge.__version__}, Python {platform.python_version()}, NumPy "
        f"{np.__version__}, {platform.machine()}. One core. One assignment, four graders for each "
        "submission, and as many draws as the model chooses. Memory is that of the whole process; "
        "*before* is the memory before the fit, with the class loaded.",
        "",
        *listed(head, rows),
        "",
    ])  # fmt: skip


def main() -> None:
    """Measure and write the page beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", type=int, help="measure one size, print JSON")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    chosen = parser.parse_args()
    if chosen.only:
        print(json.dumps(measure(chosen.only)))
        return
    chosen.out.write_text(page(), encoding="utf-8")
    print(chosen.out)


if __name__ == "__main__":
    main()
