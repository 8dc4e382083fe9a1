"""Panels, their sizes in inches, and a legend beside the data: the frame of every figure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from peergauge.lab.figures import Look, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 7.0
LETTER, LINE = 0.066, 0.17
"""About how wide a letter and how high a line of the legend is."""


class Margins(NamedTuple):
    """Room around and between panels."""

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


def lay_out(
    count: int,
    columns: int,
    *,
    height: float,
    legend: Sequence[Any] = (),
    legend_title: str = "",
    xlabel: str = "",
    ylabel: str = "",
    share: Literal["all", "columns", "none"] = "all",
    width: float = WIDTH,
    margins: Margins | None = None,
) -> tuple[Figure, list[Axes]]:
    """A figure of *count* panels, *height* inches high each.

    The legend stands where the grid has room to spare, otherwise below. Sizes are laid down here
    rather than searched for: a search draws everything several times. What panels *share* is
    written at the left and below only.
    """
    from matplotlib.figure import Figure

    around = margins or Margins()
    columns = max(1, min(columns, count))
    rows = max(1, -(-count // columns))
    holes = rows * columns - count
    across = (width - around.left - around.right - (columns - 1) * around.across) / columns
    room = holes * (across + around.across) - around.across if holes else width - 0.3
    across_legend, lines = _legend_size(legend, room)
    inside = bool(holes) and lines * LINE < height - 0.35
    if not inside:
        across_legend, lines = _legend_size(legend, width - 0.3)
    lines += bool(legend_title)
    below = 0.0 if inside or not lines else lines * LINE + 0.12
    total = around.top + rows * height + (rows - 1) * around.down + around.bottom + below
    figure = Figure(figsize=(width, total))
    axes: list[Axes] = []
    for number in range(count):
        row, column = divmod(number, columns)
        left = around.left + column * (across + around.across)
        bottom = total - around.top - (row + 1) * height - row * around.down
        beside = axes[0] if axes and share != "none" else None
        like = axes[number % columns] if share == "columns" and row else None
        like = beside if share == "all" else like
        axis = figure.add_axes(
            (left / width, bottom / total, across / width, height / total),
            sharex=beside,
            sharey=like,
        )
        last = number + columns >= count
        if share != "none":
            axis.tick_params(labelleft=column == 0 or share == "columns", labelbottom=last)
        axis.xaxis.set_label_coords(0.5, -0.24 / height)
        if last or share == "none":
            axis.set_xlabel(xlabel)
        axes.append(axis)
    if ylabel:
        middle = (total - around.top - (rows * height + (rows - 1) * around.down) / 2) / total
        figure.text(0.12 / width, middle, typeset(ylabel), rotation=90, ha="center", va="center")
    if legend:
        if inside:
            box = (
                (width - around.right - room) / width,
                (around.bottom + below) / total,
                room / width,
                (height - 0.35) / total,
            )
        else:
            box = (0.0, 0.0, 1.0, below / total)
        figure.legend(
            handles=legend,
            loc="center",
            bbox_to_anchor=box,
            ncols=across_legend,
            frameon=False,
            title=typeset(legend_title) or None,
            title_fontsize="small",
        )
    return figure, axes


def _legend_size(handles: Sequence[Any], room: float) -> tuple[int, int]:
    """How many columns and lines the legend takes in so many inches."""
    if not handles:
        return 1, 0
    wide = [
        0.5 + LETTER * len(re.sub(r"\$|\\mathregular|[{}_^]", "", h.get_label())) for h in handles
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
    """Ticks of x at whole numbers."""
    from matplotlib.ticker import MaxNLocator

    axis.xaxis.set_major_locator(MaxNLocator(most, steps=[1, 2, 5, 10], integer=True))


def few_ticks(axis: Axes, most: int = 4) -> None:
    """Few ticks of x, so that those of panels side by side do not touch."""
    from matplotlib.ticker import MaxNLocator

    axis.xaxis.set_major_locator(MaxNLocator(most))
