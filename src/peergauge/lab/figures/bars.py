"""Horizontal bars that are stacked, and legend entries of their colours."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from peergauge.lab.figures.grid import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def stacked_bar(
    axis: Axes, row: int, shares: Mapping[str, float], colours: Mapping[str, str]
) -> None:
    """Draw one bar in percent, with a part for each share in the order of *colours*."""
    left = 0.0
    for name in (name for name in colours if name in shares):
        width = 100 * shares[name]
        axis.barh(row, width, 0.75, left, color=colours[name], edgecolor="#777777", linewidth=0.3)
        left += width


def colour_keys(colours: Mapping[str, str]) -> list[Any]:
    """Legend entries, a patch for each colour."""
    from matplotlib.patches import Patch

    return [
        Patch(facecolor=colour, edgecolor="#777777", linewidth=0.4, label=plain(name))
        for name, colour in colours.items()
    ]
