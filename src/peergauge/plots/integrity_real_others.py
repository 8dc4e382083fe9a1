"""Measurement integrity in classes with true grades: E2, the other measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.plots import About, looks_of, paper_style
from peergauge.plots._grid import Margins, keys, lay_out, plain, typeset, whole_ticks
from peergauge.plots._integrity import MEASURES
from peergauge.plots._lines import line
from peergauge.plots._real import INTEGRITY, classes
from peergauge.plots._summaries import means

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

ABOUT = About(
    title="Measurement integrity in classes with true grades, other measures",
    caption="Three more measures of how well average pay tells who graded accurately, after each "
    "of four blocks of assignments; a row for each class. Lines are means over repetitions of the "
    "draws of the mechanisms, bands 95 % confidence intervals (1.96 standard errors).",
    section="Appendix: integrity in classes with true grades",
    order=150,
    needs=(f"{INTEGRITY}*",),
)


def draw(results: pl.DataFrame) -> Figure:
    """Three measures after each block of assignments, a row of panels for each class."""
    import polars as pl

    names = classes(results, INTEGRITY)
    others = {metric: title for metric, title in MEASURES.items() if metric != "Taus"}
    cells = means(results.filter(pl.col("experiment").str.starts_with(INTEGRITY)))
    looks = looks_of(cells["mechanism"])
    with paper_style():
        figure, axes = lay_out(
            len(names) * len(others),
            len(others),
            height=1.5 if len(names) <= 4 else 1.1,
            share="columns",
            legend=keys(looks.values()),
            xlabel="blocks of assignments",
            margins=Margins(across=0.42, down=0.14),
        )
        panels = [(name, metric) for name in names for metric in others]
        for axis, (name, metric) in zip(axes, panels, strict=True):
            here = cells.filter(
                pl.col("experiment") == f"{INTEGRITY}{name}", pl.col("metric") == metric
            )
            for mechanism, look in looks.items():
                own = here.filter(pl.col("mechanism") == mechanism)
                if own.height:
                    line(axis, own, look)
            whole_ticks(axis)
        for axis, title in zip(axes, others.values(), strict=False):
            axis.set_title(typeset(title))
        for axis, name in zip(axes[:: len(others)], names, strict=True):
            axis.set_ylabel(plain(name, 20))
    return figure
