"""Panels with sizes in inches and a legend beside the data: the frame of every figure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.lab.figures.looks import Look, shortened
from peergauge.lab.figures.showing import showing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Share = Literal["all", "columns", "none"]
"""Which panels share their axes: all of them, those of a column their y axis, or none."""

PAGE_WIDTH = 7.0
KEY_MARKER_SIZE = 6.0
"""Size in points of markers in legends that stand for colours."""

LETTER_WIDTH, LINE_HEIGHT = 0.066, 0.17
"""About how wide a letter and how high a line of the legend is, in inches."""


class Margins(NamedTuple):
    """Room around and between panels, in inches."""

    left: float = 0.62
    right: float = 0.12
    top: float = 0.28
    bottom: float = 0.42
    across: float = 0.2
    down: float = 0.32


def plain(name: str, most: int = 28) -> str:
    """A name that somebody chose, as it is, unless it is too long."""
    return shortened(name, most).replace("$", r"\$")


def typeset(label: str) -> str:
    """A label with its subscripts set as such: MSE_P, Φ-Div_P*, τ_B."""
    label = label.replace("$", r"\$")
    return re.sub(
        r"_(\w)\b(\*?)", lambda m: f"$_\\mathregular{{{m[1]}}}{'^*' * bool(m[2])}$", label
    )


class Grid(NamedTuple):
    """Places of panels and legend, in inches.

    Parameters
    ----------
    panels, rows, columns
        Number of panels, of rows and of columns.
    width, height, total
        Width of the figure, height of a panel, height of the figure.
    across
        Width of a panel.
    below
        Room for a legend below the panels.
    legend_columns
        Number of columns of the legend.
    inside
        Room for the legend in the unused places of the last row, if it fits there.
    margins
        Room around and between panels.
    """

    panels: int
    rows: int
    columns: int
    width: float
    height: float
    total: float
    across: float
    below: float
    legend_columns: int
    inside: float | None
    margins: Margins

    def box(self, number: int) -> tuple[float, float, float, float]:
        """Left, bottom, width and height of a panel, as shares of the figure."""
        row, column = divmod(number, self.columns)
        left = self.margins.left + column * (self.across + self.margins.across)
        bottom = self.total - self.margins.top - (row + 1) * self.height - row * self.margins.down
        width, total = self.width, self.total
        return left / width, bottom / total, self.across / width, self.height / total

    def legend_box(self) -> tuple[float, float, float, float]:
        """Left, bottom, width and height of the legend's room, as shares of the figure."""
        if self.inside is None:
            return 0.0, 0.0, 1.0, self.below / self.total
        return (
            (self.width - self.margins.right - self.inside) / self.width,
            (self.margins.bottom + self.below) / self.total,
            self.inside / self.width,
            (self.height - 0.35) / self.total,
        )

    @property
    def middle(self) -> float:
        """The middle of all panels, as a share of the figure's height."""
        high = self.rows * self.height + (self.rows - 1) * self.margins.down
        return (self.total - self.margins.top - high / 2) / self.total


def lay_out(
    count: int,
    columns: int,
    *,
    height: float,
    legend: Sequence[Any] = (),
    legend_title: str = "",
    xlabel: str = "",
    ylabel: str = "",
    share: Share = "all",
    width: float = PAGE_WIDTH,
    margins: Margins | None = None,
) -> tuple[Figure, list[Axes]]:
    """Make a figure of *count* panels, each *height* inches high.

    The legend stands in the unused places of the grid if it fits there, otherwise below. Sizes are
    computed here; Matplotlib's layout engines would draw everything several times. Tick labels of
    axes that panels *share* are written at the left and below only.
    """
    from matplotlib.figure import Figure

    grid = _grid(
        count,
        columns,
        height=height,
        width=width,
        legend=legend,
        title_lines=int(bool(legend_title)),
        margins=margins or Margins(),
    )
    figure = Figure(figsize=(width, grid.total))
    axes = _panels(figure, grid, share, xlabel)
    if ylabel:
        where = (0.12 / width, grid.middle)
        figure.text(*where, typeset(ylabel), rotation=90, ha="center", va="center")
    if legend:
        figure.legend(
            handles=legend,
            loc="center",
            bbox_to_anchor=grid.legend_box(),
            ncols=grid.legend_columns,
            frameon=False,
            title=typeset(legend_title) or None,
            title_fontsize="small",
        )
    return showing(figure), axes


def _grid(
    count: int,
    columns: int,
    *,
    height: float,
    width: float,
    legend: Sequence[Any],
    title_lines: int,
    margins: Margins,
) -> Grid:
    """Compute the places of panels and legend."""
    columns = max(1, min(columns, count))
    rows = max(1, -(-count // columns))
    holes = rows * columns - count
    across = (width - margins.left - margins.right - (columns - 1) * margins.across) / columns
    room = holes * (across + margins.across) - margins.across if holes else width - 0.3
    legend_columns, lines = _legend_size(legend, room)
    inside = bool(holes) and lines * LINE_HEIGHT < height - 0.35
    if not inside:
        legend_columns, lines = _legend_size(legend, width - 0.3)
    lines += title_lines
    below = 0.0 if inside or not lines else lines * LINE_HEIGHT + 0.12
    total = margins.top + rows * height + (rows - 1) * margins.down + margins.bottom + below
    return Grid(
        count,
        rows,
        columns,
        width,
        height,
        total,
        across,
        below,
        legend_columns,
        room if inside else None,
        margins,
    )


def _panels(figure: Figure, grid: Grid, share: Share, xlabel: str) -> list[Axes]:
    """Add the panels of a grid, row by row."""
    axes: list[Axes] = []
    for number in range(grid.panels):
        row, column = divmod(number, grid.columns)
        beside = axes[0] if axes and share != "none" else None
        like = axes[column] if share == "columns" and row else None
        like = beside if share == "all" else like
        axis = figure.add_axes(grid.box(number), sharex=beside, sharey=like)
        last = number + grid.columns >= grid.panels
        if share != "none":
            axis.tick_params(labelleft=column == 0 or share == "columns", labelbottom=last)
        axis.xaxis.set_label_coords(0.5, -0.24 / grid.height)
        if last or share == "none":
            axis.set_xlabel(xlabel)
        axes.append(axis)
    return axes


def _legend_size(handles: Sequence[Any], room: float) -> tuple[int, int]:
    """Number of columns and lines that the legend takes in so many inches."""
    if not handles:
        return 1, 0
    wide = [
        0.5 + LETTER_WIDTH * len(re.sub(r"\$|\\mathregular|[{}_^]", "", h.get_label()))
        for h in handles
    ]
    for lines in range(1, len(wide) + 1):
        # Legends are filled column by column.
        widths = [max(wide[begin : begin + lines]) for begin in range(0, len(wide), lines)]
        if sum(widths) <= room:
            return len(widths), lines
    return 1, len(wide)


def keys(
    looks: Iterable[Look], *, dashes: bool = True, write: Callable[[str], str] = typeset
) -> list[Any]:
    """Legend entries, one for each look."""
    from matplotlib.lines import Line2D

    return [
        Line2D(
            [],
            [],
            color=look.colour,
            linestyle=look.dash if dashes else "",
            marker=look.marker,
            label=write(look.label),
        )
        for look in looks
    ]


def whole_ticks(axis: Axes, most: int = 6) -> None:
    """Put the ticks of x at whole numbers."""
    from matplotlib.ticker import MaxNLocator

    axis.xaxis.set_major_locator(MaxNLocator(most, steps=[1, 2, 5, 10], integer=True))


def few_ticks(axis: Axes, most: int = 4) -> None:
    """Put few ticks on x, so that the labels of panels side by side do not touch."""
    from matplotlib.ticker import MaxNLocator

    axis.xaxis.set_major_locator(MaxNLocator(most))


MAX_ROOT_TICKS = 6
"""Number of ticks that an axis with a square-root scale has at most."""


def root_scale(axes: Sequence[Axes], along: Literal["x", "y"]) -> None:
    """Give panels that share x or y a square-root scale, with ticks at round squares from 0 on.

    Variances on it are as far from 0 as their standard deviations, so that the largest do not
    crowd all others together.
    """
    from matplotlib.ticker import FixedLocator, MaxNLocator

    high = [axis.dataLim.xmax if along == "x" else axis.dataLim.ymax for axis in axes]
    top = 1.04 * max((one for one in high if 0 < one < np.inf), default=1.0)
    roots = MaxNLocator(MAX_ROOT_TICKS, steps=[1, 2, 5, 10]).tick_values(0, top**0.5)
    ticks = [float(root) ** 2 for root in roots if 0 <= root**2 <= top]
    # A little room below 0, so that markers at 0 are whole.
    low = -top / 600
    for axis in axes:
        if along == "x":
            axis.set_xscale("function", functions=(_root, _square))
            axis.set_xlim(low, top)
        else:
            axis.set_yscale("function", functions=(_root, _square))
            axis.set_ylim(low, top)
        (axis.xaxis if along == "x" else axis.yaxis).set_major_locator(FixedLocator(ticks))


def _root(value: Floats) -> Floats:
    root: Floats = np.sign(value) * np.sqrt(np.abs(value))
    return root


def _square(root: Floats) -> Floats:
    square: Floats = root * np.abs(root)
    return square


def rows_of_names(axis: Axes, labels: Sequence[str]) -> None:
    """Name the rows of a panel, from the top down, at the ticks of y."""
    axis.set_yticks(range(len(labels)), labels)
    axis.set_ylim(max(len(labels), 1) - 0.4, -0.6)
    axis.grid(visible=False, axis="y")
    axis.tick_params(axis="y", length=0)
