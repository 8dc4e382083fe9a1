"""How well pay ranks graders by effort, as the number of assignments grows: E9."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.plots._lines import panels_of_mechanisms

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

NEEDS = ("ce-bias-all", "ce-no_bias-all")

TITLES = dict(zip(NEEDS, ("biased graders", "unbiased graders"), strict=True))


def draw(cells: pl.DataFrame) -> Figure:
    """τ_B of pay with effort against the number of assignments; bands are 95 % intervals."""
    import polars as pl

    panels = {title: cells.filter(pl.col("experiment") == file) for file, title in TITLES.items()}
    return panels_of_mechanisms(panels, "assignments", "Kendall τ_B with effort")
