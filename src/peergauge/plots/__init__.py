"""Cells in, figures out: nothing is simulated here.

Each figure is a file of this folder with a function ``draw`` and the names of the published files
whose cells it ``NEEDS``.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from peergauge.mechanisms import Equilibrium, mechanisms

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

# Colour-blind safe (after Okabe and Ito 2008), one hue for each family; dashes tell members apart.
HUES = {
    "baseline": "#000000",
    "output agreement": "#E69F00",
    "peer truth serum": "#CC79A7",
    "determinant": "#8C6D31",
    "parametric MSE": "#D55E00",
    "Φ-divergence pairing": "#0072B2",
    "parametric Φ-divergence pairing": "#009E73",
    "novel": "#666666",
}
DASHES = ("-", "--", "-.", ":")
MARKERS = ("o", "s", "^", "D")

CONCEPTS = {
    Equilibrium.NONE: "#000000",
    Equilibrium.HELPFUL: "#CC79A7",
    Equilibrium.TRUTHFUL: "#E69F00",
    Equilibrium.NEARLY_STRONGLY: "#0072B2",
    Equilibrium.DOMINANTLY: "#009E73",
    Equilibrium.NOT_ANALYSED: "#999999",
}


class Look(NamedTuple):
    """How a mechanism appears in every figure."""

    label: str
    colour: str
    dash: str
    marker: str
    concept: Equilibrium


@cache
def looks() -> dict[str, Look]:
    """The look of every mechanism, by what the published files call it."""
    found: dict[str, Look] = {}
    place = {family: number for number, family in enumerate(HUES)}
    known = [cls for cls in mechanisms.classes().values() if cls.facts.published]
    for cls in sorted(known, key=lambda c: place.get(c.facts.family, len(place))):
        for member, variant in enumerate(cls.facts.variants):
            one = cls(**variant)
            found[one.published] = Look(
                one.label,
                HUES.get(one.facts.family, HUES["novel"]),
                DASHES[member % len(DASHES)],
                MARKERS[member % len(MARKERS)],
                one.facts.equilibrium,
            )
    return found


def figures(cells: pl.DataFrame) -> dict[str, Figure]:
    """Every figure that *cells* have the numbers for, by its name."""
    files = set(cells["experiment"].unique())
    drawn = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name.startswith("_"):
            continue
        figure = importlib.import_module(f"{__name__}.{module.name}")
        if set(figure.NEEDS) <= files:
            drawn[module.name] = figure.draw(cells)
    return drawn


@contextmanager
def paper_style() -> Iterator[None]:
    """Figures as a paper has them: small sans-serif type, light grids, nothing boxed in."""
    import matplotlib as mpl

    settings: dict[Any, Any] = {
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": 8.0,
        "axes.titlesize": 8.5,
        "axes.labelsize": 8.0,
        "legend.fontsize": 7.0,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#dddddd",
        "grid.linewidth": 0.5,
        "lines.linewidth": 1.2,
        "figure.dpi": 100,
        "savefig.dpi": 200,
        "svg.hashsalt": "peergauge",
        "svg.fonttype": "path",
    }
    with mpl.rc_context(settings):
        yield
