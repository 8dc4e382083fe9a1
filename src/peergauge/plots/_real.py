"""What the figures of real classes share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from peergauge.plots import DASHES, Look, looks_of, paper_style
from peergauge.plots._grid import Margins, keys, lay_out, plain, typeset
from peergauge.plots._lines import strategy_looks
from peergauge.plots._summaries import Summary

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

INTEGRITY, GAIN = "real-integrity_", "real-gain_"

# Colour-blind safe (after Okabe and Ito 2008 and Tol 2021).
COLOURS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#000000",
    "#56B4E9",
    "#D55E00",
    "#332288",
)
MARKERS = "os^Dv<>p"


def classes(results: pl.DataFrame, prefix: str) -> list[str]:
    """The names of the classes that have rows of this kind, in the order of the results."""
    files = results["experiment"].unique(maintain_order=True).to_list()
    return [file.removeprefix(prefix) for file in files if file.startswith(prefix)]


def class_looks(names: Sequence[str]) -> dict[str, Look]:
    """The looks of classes, by their names."""
    return {
        name: Look(
            name,
            COLOURS[number % len(COLOURS)],
            DASHES[number % len(DASHES)],
            MARKERS[number % len(MARKERS)],
        )
        for number, name in enumerate(names)
    }


def gains_by_class(
    rows: pl.DataFrame, summary: Summary, xlabel: str, *, level: float | None
) -> Figure:
    """A panel for each mechanism: for each strategy a point with its interval for each class."""
    import polars as pl

    cells = summary(rows)
    looks = class_looks(classes(rows, GAIN))
    mechanisms = looks_of(cells["mechanism"])
    strategies = strategy_looks(cells["strategy"])
    step = 0.7 / max(len(looks), 1)
    with paper_style():
        figure, axes = lay_out(
            len(mechanisms),
            3,
            height=max(1.2, len(strategies) * (0.14 + 0.05 * len(looks))),
            legend=keys(looks.values(), dashes=False, write=plain),
            xlabel=xlabel,
            margins=Margins(left=1.3, across=0.15),
        )
        for axis, (mechanism, look) in zip(axes, mechanisms.items(), strict=True):
            if level is not None:
                axis.axvline(level, color="#000000", linewidth=0.7)
            for number, (name, style) in enumerate(looks.items()):
                own = cells.filter(
                    pl.col("mechanism") == mechanism, pl.col("experiment") == f"{GAIN}{name}"
                )
                at = {strategy: place for place, strategy in enumerate(strategies)}
                place = own["strategy"].replace_strict(at, return_dtype=pl.Float64).to_numpy()
                place = place + (number - (len(looks) - 1) / 2) * step
                low, middle, high = (
                    own[end].cast(pl.Float64).to_numpy() for end in ("low", "middle", "high")
                )
                axis.hlines(place, low, high, color=style.colour, linewidth=0.9)
                axis.plot(
                    middle,
                    place,
                    linestyle="",
                    marker=style.marker,
                    color=style.colour,
                    markersize=2.8,
                )
            axis.set_title(typeset(look.label))
        if axes:
            labels = [one.label for one in strategies.values()]
            axes[0].set_yticks(range(len(strategies)), labels)
            axes[0].set_ylim(len(strategies) - 0.5, -0.5)
        for axis in axes:
            axis.grid(visible=False, axis="y")
            axis.tick_params(axis="y", length=0)
            for edge in range(1, len(strategies)):
                axis.axhline(edge - 0.5, color="#e2e2e2", linewidth=0.5)
    return figure
