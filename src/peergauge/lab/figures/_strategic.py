"""What the figures of ranking among strategic graders share: E11."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures._lines import panels_of_lines, strategy_looks
from peergauge.lab.figures._summaries import means

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE = "strategic-ce-bias"
BEST = ("BASELINE: MSE", "MSE_P: 0", "Phi-DIV_P: SQUARED_HELLINGER")
"""What ranks effort best, and the paper shows."""


def by_strategy(results: pl.DataFrame) -> Figure:
    """A panel for each strategy: τ_B of pay with effort against strategic graders."""
    cells = means(results.filter(pl.col("experiment") == FILE))
    panels = [
        (look.label, cells.filter(pl.col("strategy") == name))
        for name, look in strategy_looks(cells["strategy"]).items()
    ]
    return panels_of_lines(
        panels,
        "mechanism",
        xlabel="strategic graders",
        ylabel="Kendall τ_B with effort",
        level=0.0,
    )
