"""Limits that no mechanism can overcome, and a defence that fails.

Run ``python -m benchmarks.limits``. It answers three questions: how much hedging gains if the
reward is minus the true squared error; how much graders gain by subtracting their own bias, and how
much integrity remains, if bias has less weight; and whether the skewness of estimated scores
reveals that grades were turned upside down.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scipy.stats import skew

from peergauge.core.arrays import Floats
from peergauge.core.randomness import stream
from peergauge.mechanisms.semester.spread_normalised_error import SpreadNormalisedError
from peergauge.mechanisms.shared.semester import Sums, expected_error
from peergauge.metrics.rank_gain import RankGain
from peergauge.metrics.statistics import auc, quantile_classes
from peergauge.models.slopes import SlopePriors, fit_slopes
from peergauge.simulate import Semester, Setting, simulate
from peergauge.tables import Reports

FIRST_SEED = 8_500_000
BIAS_WEIGHTS = (1.0, 0.75, 0.5, 0.25, 0.1, 0.0)
REVERSED_GROUPS = {
    "nobody": (0, "truthful"),
    "60 turn grades around the mean": (60, "stretch:factor=-1"),
    "90 turn grades around the mean": (90, "stretch:factor=-1"),
    "90 do so, and stretch by half": (90, "stretch:factor=-1.5"),
    "90 do so, and hedge by half": (90, "stretch:factor=-0.5"),
}
"""Number of graders who reverse their grades, and their strategy."""


def mean_and_error(values: list[float]) -> str:
    """Format the mean with its standard error."""
    return f"{np.mean(values):+.1f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.1f}"


def squared_errors(semester: Semester, reports: Reports) -> Floats:
    """Mean squared error of each grader."""
    off = (reports.grade - semester.truth.score[reports.submission]) ** 2
    return np.bincount(reports.grader, off, reports.graders) / np.bincount(reports.grader)


def oracle(classes: int) -> str:
    """Rank gain of hedging if the reward is minus the true squared error."""
    gains = []
    for seed in range(FIRST_SEED, FIRST_SEED + classes):
        semester = simulate(Setting(), seed)
        who = semester.deviator
        honest = -squared_errors(semester, semester.reports)
        hedged = -squared_errors(semester, semester.redo(who, "hedge"))
        gains.append(RankGain().between(honest, hedged, who))
    return mean_and_error(gains)


def weighted(sums: Sums, weight: float) -> Floats:
    """Minus the logarithm of the expected error, with the squared bias multiplied by a weight."""
    left = 1 - np.sqrt(weight)
    bias = sums.e / sums.n
    reduced = sums._replace(
        e=sums.e - left * sums.n * bias,
        ee=sums.ee - 2 * left * bias * sums.e + sums.n * (left * bias) ** 2,
    )
    return -np.log(expected_error(reduced))


def bias(semesters: int, classes: int) -> list[str]:
    """Integrity, and the gain from subtracting one's own bias, by the weight of bias."""
    mechanism = SpreadNormalisedError()
    found: dict[float, list[float]] = {weight: [] for weight in BIAS_WEIGHTS}
    gains: dict[float, list[float]] = {weight: [] for weight in BIAS_WEIGHTS}
    for seed in range(FIRST_SEED, FIRST_SEED + semesters):
        semester = simulate(Setting(students=500, assignments=15), seed)
        sums, _ = mechanism.sums(semester.reports)
        errors = [squared_errors(semester, semester.reports.first(n)) for n in range(1, 16)]
        for weight in BIAS_WEIGHTS:
            pay = weighted(sums, weight)
            better = [quantile_classes(-one, 2) for one in errors]
            each = [auc(row, half == 1) for row, half in zip(pay, better, strict=True)]
            found[weight].append(float(np.mean(each)))
    for seed in range(FIRST_SEED + semesters, FIRST_SEED + semesters + classes):
        semester = simulate(Setting(), seed)
        who = semester.deviator
        both = [mechanism.sums(one)[0] for one in
                (semester.reports, semester.redo(who, "calibrate:signals=all"))]  # fmt: skip
        for weight in BIAS_WEIGHTS:
            before, after = (weighted(one, weight)[-1] for one in both)
            gains[weight].append(RankGain().between(before, after, who))
    return [
        "| weight of bias | binary AUC | gain from subtracting it |",
        "|---:|---:|---:|",
        *(
            f"| {w:g} | {np.mean(found[w]):.3f} | {mean_and_error(gains[w])} |"
            for w in BIAS_WEIGHTS
        ),
    ]


def leaning(classes: int) -> list[str]:
    """Skewness of estimated scores if some graders turn grades upside down."""
    lines = ["| upside down | skewness, mean ± standard deviation over classes |", "|---|---:|"]
    priors = SlopePriors()
    for words, (count, spec) in REVERSED_GROUPS.items():
        found = []
        for seed in range(FIRST_SEED, FIRST_SEED + classes):
            semester = simulate(Setting(), seed)
            who = stream(seed, "reversed").permutation(100)[:count]
            reports = semester.redo(who, spec)
            known = np.zeros(100), np.ones(100), np.full(100, priors.noise)
            fit, _, _ = fit_slopes(
                reports.grade - 7.0, reports.submission_bounds, reports.submission, reports.grader,
                2.1, known, priors, None,
            )  # fmt: skip
            found.append(float(skew(fit.score)))
        lines.append(f"| {words} | {np.mean(found):+.2f} ± {np.std(found, ddof=1):.2f} |")
    return lines


def main() -> None:
    """Measure and write the page beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--semesters", type=int, default=30)
    parser.add_argument("--classes", type=int, default=600)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    given = parser.parse_args()
    lines = [
        "# Limits",
        "",
        "Written by `python -m benchmarks.limits`; do not edit this page, run the script again.",
        "",
        f"The paper's model, {given.classes} classes of 100 students and 10 assignments, and "
        f"{given.semesters} semesters of 500 students for AUC (averaged over the first 1 to 15 "
        f"assignments). Seeds from {FIRST_SEED:,} on; gains in ranks, with standard errors.",
        "",
        "## Reward by true errors",
        "",
        "If the reward is minus the true mean squared error, a grader who hedges among honest "
        f"graders gains {oracle(given.classes)} ranks.",
        "",
        "## Less weight for bias",
        "",
        "The reward is minus the logarithm of the expected squared error, in which the squared "
        "bias is multiplied by a weight. A grader subtracts the mean difference between their "
        "signals of the semester and the expected grade.",
        "",
        *bias(given.semesters, given.classes),
        "",
        "## Grades turned upside down",
        "",
        *leaning(given.classes // 3),
        "",
    ]
    given.out.write_text("\n".join(lines), encoding="utf-8")
    print(given.out)


if __name__ == "__main__":
    main()
