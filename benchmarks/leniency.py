"""Is leniency an error? How well MSE_P ranks graders if leniency counts, and if it is forgiven.

Run ``python -m benchmarks.leniency``. In simulated classes, the pay of each grader is compared with
two measures of quality: the squared error of the grader's reports, and the squared error that
remains after the grader's own mean error (the leniency) is subtracted.
"""

from __future__ import annotations

import argparse
import platform
from pathlib import Path
from typing import NamedTuple

import numpy as np

import peergauge
from benchmarks.classes import listed
from peergauge.core.arrays import Floats
from peergauge.metrics.statistics import kendall_tau_b
from peergauge.simulate import Semester, Setting, simulate
from peergauge.simulate.population import NormalStyles, SharedError

CLASSES_PER_SETTING = 100
"""Simulated classes of each kind; the standard error of a mean is then about 0.006."""

VARIANTS = {"counts": "mse-p:bias=estimate", "is forgiven": "mse-p:bias=correct"}
"""The mechanism for each treatment of leniency."""

KINDS = {
    "the paper's model": Setting(),
    "shared errors and response styles as in real classes": Setting(
        shared_error=SharedError(1.42), styles=NormalStyles(0.43)
    ),
}
"""Kinds of classes: 100 students, and four reviews of each submission."""

ASSIGNMENT_COUNTS = (1, 4, 10)


class Quality(NamedTuple):
    """Mean squared error of each grader's reports, as they are and without the own mean error."""

    error: Floats
    error_without_leniency: Floats


def quality(semester: Semester) -> Quality:
    """How good each grader of a class is, by both measures."""
    reports = semester.reports
    error = reports.grade - semester.truth.scores_of(reports)[reports.submission]
    count = np.bincount(reports.grader, minlength=reports.graders)
    leniency = np.bincount(reports.grader, error, reports.graders) / count
    squares = np.bincount(reports.grader, error**2, reports.graders) / count
    return Quality(squares, squares - leniency**2)


def measure(setting: Setting, classes: int) -> dict[str, Floats]:
    """Kendall's τ_B of pay with both measures, classes × 2, for each treatment of leniency."""
    found: dict[str, list[list[float]]] = {name: [] for name in VARIANTS}
    for seed in range(classes):
        semester = simulate(setting, seed)
        truth = quality(semester)
        for name, spec in VARIANTS.items():
            pay = peergauge.score(spec, semester.reports, seed=seed).per_report
            found[name].append([kendall_tau_b(pay, -one) for one in truth])
    return {name: np.array(values) for name, values in found.items()}


def page(classes: int) -> str:
    """Measure every kind of class and return the page as Markdown."""
    rows = []
    for kind, setting in KINDS.items():
        for count in ASSIGNMENT_COUNTS:
            sized = Setting(
                assignments=count, shared_error=setting.shared_error, styles=setting.styles
            )
            for name, values in measure(sized, classes).items():
                error = values.std(axis=0, ddof=1) / np.sqrt(classes)
                told = [
                    f"{mean:.3f} ± {one:.3f}"
                    for mean, one in zip(values.mean(axis=0), error, strict=True)
                ]
                rows.append([kind, count, name, *told])
                print(*rows[-1], sep=" | ", flush=True)
    head = ["class", "assignments", "leniency", "τ_B with the squared error",
            "τ_B with the squared error without leniency"]  # fmt: skip
    return "\n".join([
        "# Is leniency an error?",
        "",
        "Written by `python -m benchmarks.leniency`; do not edit this page, run the script again.",
        "",
        f"peergauge {peergauge.__version__}, Python {platform.python_version()}, NumPy "
        f"{np.__version__}. {classes} simulated classes of each kind, with 100 students and four "
        "reviews of each submission. Kendall's τ_B of a grader's pay per review with minus the "
        "squared error of the grader's reports, as they are and after the grader's own mean error "
        "is subtracted; ± one standard error. Leniency counts under `mse-p` (`bias=estimate`) and "
        "is forgiven under `mse-p:bias=correct`.",
        "",
        "Each treatment ranks graders better by the quality that it rewards. The choice between "
        "them is not about accuracy, but about what graders are paid for.",
        "",
        *listed(head, rows),
        "",
    ])  # fmt: skip


def main() -> None:
    """Measure and write the page beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--classes", type=int, default=CLASSES_PER_SETTING)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    chosen = parser.parse_args()
    chosen.out.write_text(page(chosen.classes), encoding="utf-8")
    print(chosen.out)


if __name__ == "__main__":
    main()
