"""Lines with bands of their uncertainty."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from peergauge.core.lazy import pl
from peergauge.lab.figures.grid import (
    Margins,
    Share,
    keys,
    lay_out,
    root_scale,
    typeset,
    whole_ticks,
)
from peergauge.lab.figures.looks import Look, looks_of, strategy_looks
from peergauge.lab.figures.style import paper_style
from peergauge.metrics import metrics

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def line(axis: Axes, cells: pl.DataFrame, look: Look, size: float = 3.0) -> None:
    """Draw the middles of cells against x, with a band of their intervals.

    *size* is that of the markers, in points.
    """
    from matplotlib.patches import Polygon

    own = cells.sort("x")
    x = own["x"].to_numpy()
    low, middle, high = (own[name].cast(float).to_numpy() for name in ("low", "middle", "high"))
    axis.plot(
        x,
        middle,
        label=look.label,
        color=look.colour,
        linestyle=look.dash,
        marker=look.marker,
        markersize=size,
    )
    defined = np.isfinite(low) & np.isfinite(high)
    # A polygon is many times faster than fill_between, which handles units and masks.
    for begin, end in _stretches(defined):
        there, back = slice(begin, end), slice(end - 1, begin - 1 if begin else None, -1)
        outline = np.column_stack([np.r_[x[there], x[back]], np.r_[low[there], high[back]]])
        axis.add_patch(Polygon(outline, color=look.colour, alpha=0.15, linewidth=0))


def _stretches(held: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Begin and end of each run of true values."""
    edges = np.flatnonzero(np.diff(np.r_[False, held, False]))
    yield from zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)


def panels_of_lines(
    panels: Sequence[tuple[str, pl.DataFrame]],
    by: Literal["mechanism", "strategy"],
    *,
    xlabel: str,
    ylabel: str = "",
    columns: int = 2,
    height: float = 1.9,
    share: Share = "all",
    level: float | None = None,
    roots: bool = False,
    margins: Margins | None = None,
) -> Figure:
    """Draw a panel for each title, with a line for each mechanism or strategy in its cells.

    Parameters
    ----------
    panels
        Titles and cells with columns x, low, middle and high.
    by
        What each line stands for.
    xlabel, ylabel
        Names of the axes.
    columns
        Number of panels side by side.
    height
        Height of a panel in inches.
    share
        Which panels share their axes.
    level
        Height of a horizontal line in every panel; none if left out.
    roots
        Whether y has a square-root scale, which is for variances.
    margins
        Room around and between panels.
    """
    names = [name for _, cells in panels for name in cells[by].unique(maintain_order=True)]
    looks = looks_of(names) if by == "mechanism" else strategy_looks(names)
    with paper_style():
        figure, axes = lay_out(
            len(panels),
            columns,
            height=height,
            legend=keys(looks.values()),
            xlabel=xlabel,
            ylabel=ylabel,
            share=share,
            margins=margins,
        )
        for axis, (title, cells) in zip(axes, panels, strict=True):
            if level is not None:
                axis.axhline(level, color="#000000", linewidth=0.7)
            for name, look in looks.items():
                own = cells.filter(pl.col(by) == name)
                if own.height:
                    line(axis, own, look, 3.0 if columns < 4 else 2.2)
            axis.set_title(title)
            whole_ticks(axis)
        if roots:
            root_scale(axes, "y")
    return figure


def by_mechanism(
    cells: pl.DataFrame,
    ylabel: str,
    *,
    xlabel: str = "strategic graders",
    height: float = 1.6,
    level: float | None = 0.0,
    roots: bool = False,
) -> Figure:
    """Draw a panel for each mechanism, with a line for each strategy.

    The last three parameters are those of :func:`panels_of_lines`.
    """
    panels = [
        (typeset(look.label), cells.filter(pl.col("mechanism") == name))
        for name, look in looks_of(cells["mechanism"]).items()
    ]
    return panels_of_lines(
        panels,
        "strategy",
        xlabel=xlabel,
        ylabel=ylabel,
        columns=3,
        height=height,
        level=level,
        roots=roots,
    )


def by_strategy(cells: pl.DataFrame, ylabel: str, *, level: float | None = 0.0) -> Figure:
    """Draw a panel for each strategy, with a line for each mechanism."""
    panels = [
        (look.label, cells.filter(pl.col("strategy") == name))
        for name, look in strategy_looks(cells["strategy"]).items()
    ]
    return panels_of_lines(
        panels, "mechanism", xlabel="strategic graders", ylabel=ylabel, level=level
    )


def by_measure(cells: pl.DataFrame, names: Collection[str], *, xlabel: str) -> Figure:
    """Draw a panel for each measure, with a line for each mechanism."""
    panels = [(measure_title(name), cells.filter(pl.col("metric") == name)) for name in names]
    return panels_of_lines(
        panels,
        "mechanism",
        xlabel=xlabel,
        share="none",
        margins=Margins(across=0.5, down=0.7),
    )


def measure_title(name: str) -> str:
    """The label of a measure, typeset."""
    return typeset(metrics.label_of(name))
