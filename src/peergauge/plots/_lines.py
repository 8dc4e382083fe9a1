"""Lines of means with bands of their uncertainty: what most figures are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from peergauge.plots import looks, paper_style

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure


def line_with_band(axis: Any, cells: pl.DataFrame, label: str, colour: str, dash: str) -> None:
    """A line of means with a band of 1.96 standard errors on either side."""
    x, mean = cells["x"].to_numpy(), cells["mean"].to_numpy()
    error = 1.96 * cells["sd"].to_numpy() / cells["n"].to_numpy() ** 0.5
    axis.plot(x, mean, color=colour, linestyle=dash, label=label)
    axis.fill_between(x, mean - error, mean + error, color=colour, alpha=0.15, linewidth=0)


def panels_of_mechanisms(
    panels: Mapping[str, pl.DataFrame], xlabel: str, ylabel: str = "", columns: int = 2
) -> Figure:
    """A panel for each title, with a line for each mechanism that its cells have."""
    import matplotlib.pyplot as plt
    import polars as pl

    columns = min(columns, len(panels))
    rows = -(-len(panels) // columns)
    with paper_style():
        figure, grid = plt.subplots(
            rows,
            columns,
            figsize=(2.9 * columns + 1.2, 2.6 * rows + 0.4),
            sharex=True,
            squeeze=False,
            layout="constrained",
        )
        legend: dict[str, Any] = {}
        for axis, (title, cells) in zip(grid.flat, panels.items(), strict=False):
            for mechanism, look in looks().items():
                own = cells.filter(pl.col("mechanism") == mechanism).sort("x")
                if own.height:
                    line_with_band(axis, own, look.label, look.colour, look.dash)
            axis.set_title(title)
            handles, labels = axis.get_legend_handles_labels()
            legend |= dict(zip(labels, handles, strict=True))
        axes = list(grid.flat)
        for axis in axes[len(panels) :]:
            axis.set_visible(False)
        # The lowest panel of each column has the ticks and the name of x.
        for axis in axes[max(0, len(panels) - columns) : len(panels)]:
            axis.set_xlabel(xlabel)
            axis.xaxis.set_tick_params(labelbottom=True)
        for row in grid:
            row[0].set_ylabel(ylabel)
        order: Sequence[str] = [look.label for look in looks().values() if look.label in legend]
        figure.legend(
            [legend[label] for label in order], order, loc="outside right center", frameon=False
        )
        plt.close(figure)
    return figure
