"""Measurement integrity in classes with true grades: E2, Kendall τ_B."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.plots import About
from peergauge.plots._grid import plain
from peergauge.plots._lines import panels_of_lines
from peergauge.plots._real import INTEGRITY, classes
from peergauge.plots._summaries import means

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

ABOUT = About(
    title="Measurement integrity in classes with true grades",
    caption="Kendall τ_B between average pay and the average accuracy of a student's grades, after "
    "each of four blocks of assignments, for students with a grade in every block. Lines are means "
    "over repetitions of the draws of the mechanisms, bands 95 % confidence intervals (1.96 "
    "standard errors), which know nothing of the chance in who took the class.",
    section="Measurement integrity in classes with true grades",
    order=40,
    needs=(f"{INTEGRITY}*",),
)


def draw(results: pl.DataFrame) -> Figure:
    """τ_B after each block of assignments, a panel for each class."""
    import polars as pl

    names = classes(results, INTEGRITY)
    real = pl.col("experiment").str.starts_with(INTEGRITY)
    taus = means(results.filter(real, pl.col("metric") == "Taus"))
    panels = [
        (plain(name), taus.filter(pl.col("experiment") == f"{INTEGRITY}{name}")) for name in names
    ]
    return panels_of_lines(
        panels,
        "mechanism",
        xlabel="blocks of assignments",
        ylabel="Kendall τ_B",
        columns=2 if len(names) <= 4 else 3,
        level=0.0,
    )
