"""How well pay tells active graders from passive ones, however many there are: E7 and E8."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.plots._lines import panels_of_mechanisms

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

TITLES = {
    "be-no_bias-best_mechanisms": "unbiased: the best",
    "be-no_bias-nonparam": "unbiased: non-parametric",
    "be-no_bias-phi_div": "unbiased: Φ-Div",
    "be-no_bias-phi_div_p": "unbiased: Φ-Div_P",
    "be-bias-all": "biased: all",
}
NEEDS = tuple(TITLES)


def draw(cells: pl.DataFrame) -> Figure:
    """Mean AUC of active against passive pay against the number of active graders."""
    import polars as pl

    panels = {title: cells.filter(pl.col("experiment") == file) for file, title in TITLES.items()}
    ylabel = "AUC of active against passive"
    return panels_of_mechanisms(panels, "active graders", ylabel, columns=3)
