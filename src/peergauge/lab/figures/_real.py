"""What the figures of real classes share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from peergauge.core.lazy import pl
from peergauge.engine.results import CELL
from peergauge.engine.results import cells as summed
from peergauge.lab.figures import DASHES, Look, looks_of, paper_style
from peergauge.lab.figures._grid import (
    Margins,
    few_ticks,
    keys,
    lay_out,
    plain,
    typeset,
    whole_ticks,
)
from peergauge.lab.figures._lines import line, strategy_looks
from peergauge.lab.figures._summaries import Summary, means
from peergauge.lab.paper.e02_integrity_in_classes import AGAIN, MEASURES
from peergauge.metrics.rank_gain import PER_100, RankGain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INTEGRITY, GAIN = "real-integrity_", "real-gain_"
RANKS = RankGain.facts.published

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


def integrity_by_class(
    results: pl.DataFrame, measures: Mapping[str, str], *, columns: int, height: float
) -> Figure:
    """A panel for each class and measure: a line for each mechanism over the blocks.

    Where no class has more than one block there is nothing to draw a line through, and mechanisms
    stand one below the other; in a class of one block among others they stand side by side.
    """
    names = classes(results, INTEGRITY)
    rows = results.filter(pl.col("experiment").str.starts_with(INTEGRITY))
    cells = means(rows.filter(pl.col("metric").is_in(list(measures))))
    last = _with_error_of_students(cells, rows)
    if not cells.filter(pl.col("x") > 1).height:
        return _dots(last, names, measures)
    looks = looks_of(cells["mechanism"])
    several = len(measures) > 1
    with paper_style():
        figure, axes = lay_out(
            len(names) * len(measures),
            columns,
            height=height,
            share="columns" if several else "all",
            legend=keys(looks.values()),
            xlabel="blocks of assignments",
            ylabel="" if several else next(iter(measures.values())),
            margins=Margins(across=0.42, down=0.14) if several else None,
        )
        panels = [(name, metric) for name in names for metric in measures]
        for axis, (name, metric) in zip(axes, panels, strict=True):
            here, whole = (_of(some, name, metric) for some in (cells, last))
            if not several:
                axis.axhline(0.0, color="#000000", linewidth=0.7)
                axis.set_title(plain(name))
            if here["x"].max() == 1:
                _side_by_side(axis, whole, looks)
            else:
                for mechanism, look in looks.items():
                    own = here.filter(pl.col("mechanism") == mechanism)
                    if own.height:
                        line(axis, own, look)
            whole_ticks(axis)
        if several:
            for axis, title in zip(axes, measures.values(), strict=False):
                axis.set_title(typeset(title))
            for axis, name in zip(axes[:: len(measures)], names, strict=True):
                axis.set_ylabel(plain(name, 20))
    return figure


def _with_error_of_students(cells: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """The cells after the last block, with 1.96 standard errors over students drawn again."""
    again = rows.filter(pl.col("metric").str.ends_with(AGAIN)).with_columns(
        pl.col("metric").str.strip_suffix(AGAIN)
    )
    reach = summed(again).select(*CELL, reach=1.96 * pl.col("sd"))
    last = cells.filter(pl.col("x") == pl.col("x").max().over("experiment"))
    found = last.join(reach, on=CELL, how="left", nulls_equal=True, maintain_order="left")
    lowest = {one.published: one.facts.lowest for one in MEASURES}
    highest = {one.published: one.facts.highest for one in MEASURES}
    low, high = (pl.col("middle") + sign * pl.col("reach") for sign in (-1, 1))
    return found.with_columns(
        low=pl.coalesce(pl.max_horizontal(low, pl.col("metric").replace_strict(lowest)), "low"),
        high=pl.coalesce(pl.min_horizontal(high, pl.col("metric").replace_strict(highest)), "high"),
    )


def _of(cells: pl.DataFrame, name: str, metric: str) -> pl.DataFrame:
    return cells.filter(pl.col("experiment") == f"{INTEGRITY}{name}", pl.col("metric") == metric)


def _bars(cells: pl.DataFrame, mechanism: str) -> tuple[float, float, float] | None:
    """Low, middle and high of one mechanism, if it has a middle."""
    own = cells.filter(pl.col("mechanism") == mechanism)
    if not own.height or own["middle"][0] is None or np.isnan(own["middle"][0]):
        return None
    low, middle, high = (own[end].cast(pl.Float64)[0] for end in ("low", "middle", "high"))
    return (middle if low is None else low), middle, (middle if high is None else high)


def _side_by_side(axis: Axes, cells: pl.DataFrame, looks: Mapping[str, Look]) -> None:
    """The mechanisms of a class with one block, around its place, with their bars."""
    for number, (mechanism, look) in enumerate(looks.items()):
        if ends := _bars(cells, mechanism):
            at = 1 + 0.06 * (number - (len(looks) - 1) / 2)
            axis.vlines(at, ends[0], ends[2], color=look.colour, linewidth=0.9)
            axis.plot(at, ends[1], linestyle="", marker=look.marker, color=look.colour)


def _dots(cells: pl.DataFrame, names: Sequence[str], measures: Mapping[str, str]) -> Figure:
    """Mechanisms one below the other, a panel for each class and measure."""
    looks = looks_of(cells["mechanism"])
    columns = len(measures) if len(measures) > 1 else min(3, max(1, len(names)))
    panels = [(name, metric) for name in names for metric in measures]
    with paper_style():
        figure, axes = lay_out(
            len(panels),
            columns,
            height=0.13 * len(looks) + 0.1,
            share="none",
            margins=Margins(left=0.92, across=0.16, down=0.3, bottom=0.62),
        )
        for number, (axis, (name, metric)) in enumerate(zip(axes, panels, strict=True)):
            here = _of(cells, name, metric)
            axis.axvline(0.5 if "AUC" in metric else 0.0, color="#000000", linewidth=0.7)
            for place, (mechanism, look) in enumerate(looks.items()):
                if ends := _bars(here, mechanism):
                    axis.hlines(place, ends[0], ends[2], color=look.colour, linewidth=0.9)
                    axis.plot(ends[1], place, linestyle="", marker=look.marker, color=look.colour)
            first = number % columns == 0
            labels = [typeset(look.label) if first else "" for look in looks.values()]
            axis.set_yticks(range(len(looks)), labels)
            axis.set_ylim(len(looks) - 0.5, -0.5)
            axis.tick_params(axis="y", length=0)
            if first or len(measures) == 1:
                axis.set_title(plain(name), loc="left")
            last = number + columns >= len(panels)
            axis.tick_params(labelbottom=last)
            axis.set_xlabel(typeset(measures[metric]) if last else "")
        for column in range(columns):
            alike = axes[column::columns] if len(measures) > 1 else axes
            low, high = np.array([axis.get_xlim() for axis in alike]).T
            for axis in alike:
                axis.set_xlim(low.min(), high.max())
                few_ticks(axis)
        figure.text(
            0.5,
            0.06 / figure.get_figheight(),
            "one assignment in each class, so there are no blocks to compare; "
            "bars: 95 % over students drawn again",
            ha="center",
            va="bottom",
            fontsize=7.5,
        )
    return figure


class Unit(NamedTuple):
    """What gains are counted in: the metric of the rows, and what axes call it."""

    metric: str
    label: str


def unit_of(rows: pl.DataFrame) -> Unit:
    """What the gains of all classes can be counted in on one axis.

    Ranks, as in the paper, as long as nowhere more than twice as many are ranked as anywhere else;
    ranks of a hundred otherwise.
    """
    size = pl.col("value").fill_nan(0.0).abs()
    summed_up = (
        rows.filter(pl.col("experiment").str.starts_with(GAIN))
        .group_by("experiment", "mechanism")
        .agg(
            ranks=size.filter(pl.col("metric") == RANKS).sum(),
            of_hundred=size.filter(pl.col("metric") == PER_100).sum(),
        )
    )
    # A gain in ranks of a hundred is one in ranks over how many are ranked.
    ranked = summed_up.filter(pl.col("of_hundred") > 0).select(
        pl.col("ranks") / pl.col("of_hundred")
    )
    most, fewest = ranked.max().item(), ranked.min().item()
    if ranked.height and most > 2.0001 * fewest:
        return Unit(PER_100, "ranks per 100 students")
    return Unit(RANKS, "rank")


def gains_by_class(
    rows: pl.DataFrame, summary: Summary, xlabel: str, *, level: float | None
) -> Figure:
    """A panel for each mechanism: for each strategy a point with its interval for each class.

    Points are hollow where fewer than half of those who deviated are paid at all.
    """
    unit = unit_of(rows)
    rows = rows.filter(pl.col("metric") == unit.metric)
    tried = rows.group_by(CELL, maintain_order=True).agg(tried=pl.len())
    cells = summary(rows).join(tried, on=CELL, how="left", nulls_equal=True, maintain_order="left")
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
            legend_title="" if unit.metric == RANKS else f"gains in {unit.label}",
            xlabel=xlabel,
            margins=Margins(left=1.3, across=0.22),
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
                hollow = (2 * own["n"] < own["tried"]).to_numpy()
                for which, face in ((~hollow, style.colour), (hollow, "#ffffff")):
                    if not which.any():
                        continue
                    axis.plot(
                        middle[which],
                        place[which],
                        linestyle="",
                        marker=style.marker,
                        color=style.colour,
                        markerfacecolor=face,
                        markersize=2.8,
                    )
            axis.set_title(typeset(look.label))
        if axes:
            labels = [one.label for one in strategies.values()]
            axes[0].set_yticks(range(len(strategies)), labels)
            axes[0].set_ylim(len(strategies) - 0.5, -0.5)
        for axis in axes:
            few_ticks(axis)
            axis.grid(visible=False, axis="y")
            axis.tick_params(axis="y", length=0)
            for edge in range(1, len(strategies)):
                axis.axhline(edge - 0.5, color="#e2e2e2", linewidth=0.5)
    return figure
