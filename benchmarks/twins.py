"""Compare three models of signals on real classes.

Run ``python -m benchmarks.twins FOLDER=SCALE ...``, each folder with reports.csv and truth.csv.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl

from peergauge.core.randomness import stream
from peergauge.metrics.statistics import covariance_of_pairs, spread_within
from peergauge.simulate import ContinuousEffort, NormalBias, NormalScores, Setting, simulate
from peergauge.simulate import resample as twin
from peergauge.simulate.design import Design
from peergauge.tables import Reports, Scale, Truth

TWINS = 20
MEASURES = ("variance within", "deviation", "share at top", "two graders", "same grader")


def measured(reports: Reports) -> list[float]:
    """Statistics that a model of signals should reproduce for any design."""
    grade = reports.grade
    _, mean, within = spread_within(reports.submission, grade)
    residual = grade - mean[reports.submission]
    return [
        within,
        float(grade.std()),
        float(np.mean(grade == reports.scale.highest)),
        covariance_of_pairs(reports.submission, grade - grade.mean()) / float(grade.var()),
        covariance_of_pairs(reports.grader, residual) / float((residual**2).mean()),
    ]


def parts(reports: Reports) -> tuple[float, float, float]:
    """Variances of quality, bias and noise, by the raw moments of the grades."""
    quality = max(covariance_of_pairs(reports.submission, reports.grade - reports.grade.mean()), 0)
    _, mean, within = spread_within(reports.submission, reports.grade)
    residual = reports.grade - mean[reports.submission]
    bias = max(covariance_of_pairs(reports.grader, residual), 0.0)
    return quality, bias, max(within - bias, 1e-6)


def rounded_normal(reports: Reports, design: Design, seed: int) -> Reports:
    """Normal signals around score plus bias, rounded to the scale and clipped at its ends."""
    quality, bias, noise = np.sqrt(parts(reports))
    rng = stream(seed, "rounded normal")
    signal = (
        reports.grade.mean()
        + rng.normal(0, quality, len(design.author))[design.submission]
        + rng.normal(0, bias, design.graders)[design.grader]
        + rng.normal(0, noise, len(design.grader))
    )
    return design.reports(reports.scale.nearest(signal), reports.scale)


def binomial(highest_effort: float) -> Callable[[Reports, Design, int], Reports]:
    """The paper's signals: averages of binomial draws."""

    def drawn(reports: Reports, design: Design, seed: int) -> Reports:
        scale = reports.scale
        if not scale.finite:
            scale = Scale(scale.lowest, scale.highest, 0.5)
        quality, bias, _ = parts(reports)
        setting = Setting(
            scale=scale,
            true_scores=NormalScores(float(reports.grade.mean()), max(quality, 1e-6)),
            effort=ContinuousEffort(highest_effort),
            bias=NormalBias(float(np.sqrt(bias)) / scale.unit),
        )
        return simulate(setting, seed, design=design).reports

    return drawn


def main(given: list[str]) -> None:
    """Print a table for each class."""
    for one in given:
        folder, _, scale = one.partition("=")
        table = pl.read_csv(Path(folder) / "reports.csv").rename({"score": "grade"})
        reports = Reports.from_frame(table, scale)
        true = pl.read_csv(Path(folder) / "truth.csv").rename({"truth": "score"})
        fitted = twin.fit(reports, Truth.from_frame(true))
        twins = [twin.draw(fitted, seed) for seed in range(TWINS)]
        designs = [Design.of(each.reports) for each in twins]
        print(f"\n{Path(folder).name}\n{'':22}" + "".join(f"{name:>18}" for name in MEASURES))
        real = measured(reports)
        show("real", real)
        best: tuple[float, np.ndarray] | None = None
        for effort in (0.0, 0.5, 1.0, 2.0, 4.0, 8.0):
            values = np.mean(
                [measured(binomial(effort)(reports, d, s)) for s, d in enumerate(designs)], axis=0
            )
            gap = abs(values[0] - real[0])
            best = (gap, values) if best is None or gap < best[0] else best
        assert best is not None
        show("binomial, best effort", best[1])
        normal = [measured(rounded_normal(reports, d, s)) for s, d in enumerate(designs)]
        show("rounded normal", np.mean(normal, axis=0))
        show("normal by quantiles", np.mean([measured(each.reports) for each in twins], axis=0))


def show(name: str, values: list[float] | np.ndarray) -> None:
    """Print one line."""
    print(f"{name:22}" + "".join(f"{value:18.3f}" for value in values))


if __name__ == "__main__":
    main(sys.argv[1:])
