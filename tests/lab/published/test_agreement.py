"""Our numbers against the authors' published ones, cell by cell, on a slice of the experiments.

A cell's z is the difference of the two means over the standard error of both. If we compute what
they computed, each z is about standard normal, and so are all of them together: their root mean
square is near 1. Cells are not independent (all mechanisms and measures share classes), so the root
mean square scatters more than for independent ones. Over 8 and 6 other seeds it was 1.05 with a
deviation of 0.10 for E1 (16 semesters, 304 cells), and 1.03 with 0.05 for E3 (30 semesters, 324
cells). The bounds leave about three of those on either side. A single |z| of 324 exceeds 4.75 by
chance less than once in 1000 runs; with 16 semesters the deviations behind it are uncertain, hence
5.5 for E1.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl
import pytest

from peergauge.engine.experiment import Point, experiments
from peergauge.engine.results import cells, to_frame
from peergauge.lab.paper.published import CELL, agreement, is_novel, shipped_cells, to_published
from peergauge.lab.paper.roster import normalised, parametric


def measured(name: str, points: Iterable[Point], repetitions: int) -> pl.DataFrame:
    """The cells of some points of an experiment, from a few repetitions."""
    chosen = experiments.make(name)
    return cells(
        to_frame(
            row
            for point in points
            for repetition in range(repetitions)
            for row in chosen.run(point, repetition, seed=0)
        )
    )


def compared(ours: pl.DataFrame) -> pl.DataFrame:
    """The published cells of those points, without the files whose settings are unknown."""
    both = agreement(ours, shipped_cells())
    run = to_published(ours)["x"].drop_nulls().unique().to_list()
    return both.filter(~is_novel(), pl.col("x").is_null() | pl.col("x").is_in(run))


def root_mean_square(both: pl.DataFrame) -> float:
    assert both["z"].null_count() == 0, "a published cell is missing"
    return float((both["z"] ** 2).mean() ** 0.5)  # type: ignore[operator]


def farthest(both: pl.DataFrame) -> tuple[object, ...]:
    return both.sort(pl.col("z").abs()).select("z", *CELL).row(-1)


@pytest.fixture(scope="module")
def integrity() -> pl.DataFrame:
    return measured("e1", [Point(x) for x in (1, 4, 8, 15)], 16)


@pytest.fixture(scope="module")
def gains() -> pl.DataFrame:
    points = [point for point in experiments.make("e3").points() if point.x in (10, 50, 90)]
    return measured("e3", points, 30)


def test_measurement_integrity_agrees_for_all_mechanisms_and_settings(
    integrity: pl.DataFrame,
) -> None:
    both = compared(integrity)
    # 13 mechanisms uncorrected, 5 corrected, MSE_P also estimating only; 4 x, 4 measures.
    assert both.height == (13 + 5 + 1) * 4 * 4
    assert both["z"].abs().max() < 5.5, farthest(both)  # type: ignore[operator]
    assert 0.7 < root_mean_square(both) < 1.4


def test_deviation_gains_agree_for_all_mechanisms_strategies_and_settings(
    gains: pl.DataFrame,
) -> None:
    both = compared(gains)
    # 13 mechanisms corrected, 5 uncorrected; 6 strategies, 3 numbers of strategic graders.
    assert both.height == (13 + 5) * 6 * 3
    assert both["z"].abs().max() < 4.75, farthest(both)  # type: ignore[operator]
    assert 0.8 < root_mean_square(both) < 1.2


def test_true_grade_recovery_agrees() -> None:
    both = compared(measured("e12", [Point()], 500))
    assert both.height == 5
    # Five cells in two groups that share their classes; one |z| beyond 3.3 in 200 runs.
    assert both["z"].abs().max() < 3.3, farthest(both)  # type: ignore[operator]


def test_the_yardstick_would_notice_another_setting(integrity: pl.DataFrame) -> None:
    """Payments that ignore bias, held against the published ones that correct for it."""
    ignoring, correcting = (normalised(parametric(bias)) for bias in ("ignore", "correct"))
    mistaken = integrity.filter(pl.col("mechanism").is_in(ignoring)).with_columns(
        pl.col("mechanism").replace(dict(zip(ignoring, correcting, strict=True)))
    )
    both = compared(mistaken)
    both = both.filter(pl.col("experiment") == "payments-vs-mse_parametric")
    assert both.height == 5 * 4 * 4
    assert root_mean_square(both) > 5
