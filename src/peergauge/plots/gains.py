"""What a deviator gains, by mechanism and strategy, as more graders are strategic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.plots import looks, paper_style
from peergauge.plots._lines import line_with_band
from peergauge.simulate import strategies

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

NEEDS = ("incentives_for_deviating-ce-bias",)

COLOURS = {
    "NOISE": "#999999",
    "FIX-BIAS": "#0072B2",
    "MERGE": "#009E73",
    "PRIOR": "#CC79A7",
    "ALL10": "#D55E00",
    "HEDGE": "#E69F00",
}


def draw(cells: pl.DataFrame, file: str = NEEDS[0]) -> Figure:
    """Mean rank gain against the number of strategic graders: a panel for each mechanism of *file*.

    Bands are 95 % confidence intervals of the means.
    """
    import matplotlib.pyplot as plt
    import polars as pl

    here = cells.filter(pl.col("experiment") == file)
    present = set(here["mechanism"].unique())
    panels = [(name, look) for name, look in looks().items() if name in present]
    label = {one.published: one.label for one in strategies.all()}
    columns = min(5, len(panels))
    rows = -(-len(panels) // columns)
    with paper_style():
        figure, grid = plt.subplots(
            rows,
            columns,
            figsize=(1.75 * columns, 1.75 * rows + 0.4),
            sharex=True,
            sharey=True,
            squeeze=False,
            layout="constrained",
        )
        axes = list(grid.flat)
        for axis, (name, look) in zip(axes, panels, strict=False):
            axis.axhline(0, color="#000000", linewidth=0.8)
            for strategy, colour in COLOURS.items():
                own = here.filter(pl.col("mechanism") == name, pl.col("strategy") == strategy).sort(
                    "x"
                )
                if own.height:
                    line_with_band(axis, own, label[strategy], colour, "-")
            axis.set_title(look.label)
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        for axis in axes[max(0, len(panels) - columns) : len(panels)]:
            axis.set_xlabel("strategic graders")
            axis.xaxis.set_tick_params(labelbottom=True)
        figure.supylabel("mean gain in rank of a deviator", fontsize=8)
        if panels:
            handles, labels = axes[0].get_legend_handles_labels()
            figure.legend(handles, labels, loc="outside upper center", ncols=6, frameon=False)
        plt.close(figure)
    return figure
