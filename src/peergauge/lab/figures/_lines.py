"""Lines with bands of their uncertainty: what most figures are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from peergauge.core.lazy import pl
from peergauge.lab.figures import Dash, Look, looks_of, paper_style, shortened
from peergauge.lab.figures._grid import Margins, keys, lay_out, whole_ticks
from peergauge.simulate import strategies

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STRATEGIES: dict[str, tuple[str, Dash, str]] = {
    "NOISE": ("#999999", "-", "o"),
    "FIX-BIAS": ("#0072B2", "--", "s"),
    "MERGE": ("#009E73", "-.", "^"),
    "PRIOR": ("#CC79A7", "-", "v"),
    "ALL10": ("#D55E00", "--", "D"),
    "HEDGE": ("#E69F00", "-", "P"),
}
OTHERS: tuple[tuple[str, Dash, str], ...] = (
    ("#332288", ":", "X"),
    ("#56B4E9", "-.", "p"),
    ("#882255", "--", "*"),
    ("#999933", "-", "<"),
    ("#44AA99", ":", ">"),
)
"""For strategies and profiles that the paper does not have."""


LONGEST_STRATEGY = 28
"""Letters of a strategy or profile that legends and titles have room for."""


def strategy_looks(names: Iterable[str]) -> dict[str, Look]:
    """The looks of strategies, by what the published files call them."""
    label = {one.published: one.label for one in strategies.all() if one.published}
    present = dict.fromkeys(names)
    order = [name for name in STRATEGIES if name in present]
    own = [name for name in present if name not in STRATEGIES]
    style = {**STRATEGIES, **dict(zip(own, cycle(OTHERS), strict=False))}
    return {
        name: Look(shortened(label.get(name, name), LONGEST_STRATEGY) or "unnamed", *style[name])
        for name in order + own
    }


def line(axis: Axes, cells: pl.DataFrame, look: Look, size: float = 3.0) -> None:
    """The middles of cells against x, with a band of their intervals; markers have a *size*."""
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
    held = np.isfinite(low) & np.isfinite(high)
    # A polygon is many times as quick as fill_between, which reckons with units and masks.
    for begin, end in _stretches(held):
        there, back = slice(begin, end), slice(end - 1, begin - 1 if begin else None, -1)
        outline = np.column_stack([np.r_[x[there], x[back]], np.r_[low[there], high[back]]])
        axis.add_patch(Polygon(outline, color=look.colour, alpha=0.15, linewidth=0))


def _stretches(held: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Where runs of true values begin and end."""
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
    share: Literal["all", "columns", "none"] = "all",
    level: float | None = None,
    margins: Margins | None = None,
) -> Figure:
    """A panel for each title, with a line for each mechanism or strategy that its cells have."""
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
    return figure
