"""How long PG1 with intervals takes, and how much memory, from a usual class to a million reviews.

Run ``python -m benchmarks.fitting``. Every size is measured in a program of its own, since the most
memory that a program ever had is all that can be known of it.
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

SIZES = (70, 700, 7_000, 25_000, 80_000, 250_000)
"""Students; each submission has four graders."""


def peak() -> float:
    """The most memory that this program has had, in GB."""
    # Kilobytes everywhere but on macOS, where it is bytes.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1e9 if sys.platform == "darwin" else 1e6
    )


def measure(students: int) -> dict[str, float]:
    """Fit one class of so many students."""
    semester = simulate(Setting(students=students, assignments=1), seed=11)
    # SciPy is imported when it is first needed.
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
    """Measure every size, and write about it."""
    rows = []
    for students in SIZES:
        told = subprocess.run(
            [sys.executable, "-m", "benchmarks.fitting", "--only", str(students)],
            check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip
        one = json.loads(told)
        rows.append([
            f"{one['reviews']:,}", one["draws"], f"{one['seconds']:.1f}",
            f"{one['peak']:.2f}", f"{one['before']:.2f}", f"{one['covered']:.1%}",
            "yes" if one["settled"] else "no",
        ])  # fmt: skip
        print(*rows[-1], sep=" | ")
    head = ["reviews", "draws", "CPU seconds", "most memory, GB", "before, GB",
            "in 90 % intervals", "settled"]  # fmt: skip
    return "\n".join([
        "# Fitting PG1 with intervals",
        "",
        "Written by `python -m benchmarks.fitting`; run it again rather than edit this page.",
        "",
        f"peergauge {peergauge.__version__}, Python {platform.python_version()}, NumPy "
        f"{np.__version__}, {platform.machine()}. One core. One assignment, four graders for each "
        "submission, and as many draws as the model chooses. Memory is that of the whole program, "
        "and *before* what it had with the class alone.",
        "",
        *listed(head, rows),
        "",
    ])  # fmt: skip


def main() -> None:
    """Measure, and write the page beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", type=int, help="one size, told as JSON")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    chosen = parser.parse_args()
    if chosen.only:
        print(json.dumps(measure(chosen.only)))
        return
    chosen.out.write_text(page(), encoding="utf-8")
    print(chosen.out)


if __name__ == "__main__":
    main()
