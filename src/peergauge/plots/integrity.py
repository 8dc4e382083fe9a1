"""Measurement integrity as the number of assignments grows: E1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.plots._lines import panels_of_mechanisms

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

NEEDS = ("payments-vs-mse_with-bias-in-model",)

PANELS = {
    "Binary AUCs": "Binary AUC",
    "Quinary AUCs": "Quinary AUC",
    "Taus": "Kendall τ_B",
    "Rhos": "Pearson ρ",
}


def draw(cells: pl.DataFrame, file: str = NEEDS[0]) -> Figure:
    """Four measures against the number of assignments, a line for each mechanism of *file*.

    Bands are 95 % confidence intervals of the means.
    """
    import polars as pl

    here = cells.filter(pl.col("experiment") == file)
    panels = {title: here.filter(pl.col("metric") == name) for name, title in PANELS.items()}
    return panels_of_mechanisms(panels, "assignments")
