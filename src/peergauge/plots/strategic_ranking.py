"""How well pay ranks graders by effort when some are strategic: E11."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.plots._lines import panels_of_mechanisms
from peergauge.simulate import strategies

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

NEEDS = ("strategic-ce-bias",)


def draw(cells: pl.DataFrame) -> Figure:
    """τ_B of pay with effort against the number of strategic graders, for each strategy."""
    import polars as pl

    here = cells.filter(pl.col("experiment") == NEEDS[0])
    panels = {
        one.label: here.filter(pl.col("strategy") == one.published)
        for one in strategies.all()
        if one.published in here["strategy"]
    }
    return panels_of_mechanisms(panels, "strategic graders", "Kendall τ_B with effort")
