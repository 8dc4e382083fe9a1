"""Lines with bands of their uncertainty: what most figures are made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from peergauge.plots import Dash, Look, looks_of, paper_style
from peergauge.plots._grid import Margins, keys, lay_out, typeset, whole_ticks
from peergauge.simulate import strategies

if TYPE_CHECKING:
    import polars as pl
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
OTHER: tuple[str, Dash, str] = ("#332288", ":", "X")


def strategy_looks(names: pl.Series) -> dict[str, Look]:
    """The looks of strategies, by what the published files call them."""
    label = {one.published: one.label for one in strategies.all()}
    present = dict.fromkeys(names)
    order = [name for name in STRATEGIES if name in present]
    order += [name for name in present if name not in STRATEGIES]
    return {name: Look(label.get(name, name), *STRATEGIES.get(name, OTHER)) for name in order}


def line(axis: Axes, cells: pl.DataFrame, look: Look) -> None:
    """The middles of cells against x, with a band of their intervals."""
    own = cells.sort("x")
    x = own["x"].to_numpy()
    low, middle, high = (own[name].cast(float).to_numpy() for name in ("low", "middle", "high"))
    axis.plot(
        x, middle, label=look.label, color=look.colour, linestyle=look.dash, marker=look.marker
    )
    axis.fill_between(x, low, high, color=look.colour, alpha=0.15, linewidth=0)


def panels_of_lines(
    panels: Mapping[str, pl.DataFrame],
    by: Literal["mechanism", "strategy"],
    *,
    xlabel: str,
    ylabel: str = "",
    columns: int = 2,
    height: float = 1.9,
    share: bool = True,
    level: float | None = None,
    margins: Margins | None = None,
) -> Figure:
    """A panel for each title, with a line for each mechanism or strategy that its cells have."""
    import polars as pl

    names = pl.concat([cells[by] for cells in panels.values()])
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
        for axis, (title, cells) in zip(axes, panels.items(), strict=True):
            if level is not None:
                axis.axhline(level, color="#000000", linewidth=0.7)
            for name, look in looks.items():
                own = cells.filter(pl.col(by) == name)
                if own.height:
                    line(axis, own, look)
            axis.set_title(typeset(title))
            whole_ticks(axis)
    return figure
