"""Integrity against robustness in real classes: E6."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING

from peergauge.plots import About
from peergauge.plots._real import GAIN, INTEGRITY, classes
from peergauge.plots._tradeoff import Estimate, Standing, draw_standings
from peergauge.results import cells

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

ABOUT = About(
    title="Integrity against robustness in real classes",
    caption="Where every mechanism stands in real classes: upwards the mean binary AUC over all "
    "blocks of assignments, to the right minus the mean gain in rank over all strategies, coloured "
    "by what is proven of truthful reporting. Points are averages over the classes, error bars "
    "reach from the lowest to the highest class.",
    section="Introduction",
    order=20,
    needs=(f"{INTEGRITY}*", f"{GAIN}*"),
)


def standings(results: pl.DataFrame) -> list[Standing]:
    """Every mechanism on the classes that have both of its numbers."""
    import polars as pl

    wanted = (pl.col("metric") == "Binary AUCs") | (pl.col("metric") == "rank gain")
    real = pl.col("experiment").str.contains(f"^({INTEGRITY}|{GAIN})")
    held = cells(results.filter(real, wanted)).filter(pl.col("n") > 0)
    means = {
        (file, name): mean
        for file, name, mean in held.group_by("experiment", "mechanism")
        .agg(pl.col("mean").mean())
        .iter_rows()
    }
    found = []
    for name in held["mechanism"].unique(maintain_order=True):
        both = [
            (-means[f"{GAIN}{one}", name], means[f"{INTEGRITY}{one}", name])
            for one in classes(results, GAIN)
            if (f"{GAIN}{one}", name) in means and (f"{INTEGRITY}{one}", name) in means
        ]
        if both:
            found.append(Standing(name, "", *map(_range, zip(*both, strict=True))))
    return found


def _range(values: Sequence[float]) -> Estimate:
    return Estimate(fmean(values), min(values), max(values))


def draw(results: pl.DataFrame) -> Figure:
    """Averages over the classes, with their range."""
    return draw_standings(
        {"": standings(results)}, integrity="measurement integrity: mean binary AUC", height=4.2
    )
