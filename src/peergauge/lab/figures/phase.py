"""Phase lines of two strategies and triangles of three: directions in which a class moves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.lab.figures.grid import KEY_MARKER_SIZE, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TOWARDS_COLOUR, AWAY_COLOUR, UNSURE_COLOUR = "#0072B2", "#D55E00", "#cccccc"
"""Colours: truthful reporting grows, it shrinks, and neither is certain."""

MIN_STEPS_FOR_ARROW = 6
"""Number of neighbouring shares with the same direction from which on they have an arrow."""

TRIANGLE_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]])
"""Corners of a triangle whose edges have length 1."""

MAX_ARROW_LENGTH = 0.11


def phase_line(
    axis: Axes,
    row: int,
    share: Floats,
    signs: NDArray[np.int64],
    rest_points: Iterable[tuple[float, bool]],
) -> None:
    """Draw one phase line.

    Parameters
    ----------
    axis, row
        Where to draw it.
    share
        Shares of followers that were tried, in percent.
    signs
        Direction at each share: 1 away from truthful reporting, -1 towards it, 0 if unknown.
    rest_points
        Shares in percent where a class rests, and whether it comes back there.
    """
    edges = np.r_[0, (share[1:] + share[:-1]) / 2, 100]
    starts = np.flatnonzero(np.r_[True, np.diff(signs) != 0])
    ends = np.r_[starts[1:], len(signs)]
    for begin, end in zip(starts.tolist(), ends.tolist(), strict=True):
        sign = int(signs[begin])
        hue = {-1: TOWARDS_COLOUR, 0: UNSURE_COLOUR, 1: AWAY_COLOUR}[sign]
        stretch = [edges[begin], edges[end]]
        axis.plot(stretch, [row, row], color=hue, linewidth=3.2, solid_capstyle="butt")
        if sign and end - begin >= MIN_STEPS_FOR_ARROW:
            marker = ">" if sign > 0 else "<"
            axis.plot(sum(stretch) / 2, row, color=hue, marker=marker, markersize=6.5)
    for at, stable in rest_points:
        axis.plot(
            at,
            row,
            color="#000000",
            marker="o",
            markersize=4,
            markerfacecolor="#000000" if stable else "#ffffff",
            zorder=3,
        )


def phase_line_keys() -> list[Any]:
    """Legend entries of phase lines."""
    from matplotlib.lines import Line2D

    words = {
        "towards truthful": TOWARDS_COLOUR,
        "away from it": AWAY_COLOUR,
        "not known": UNSURE_COLOUR,
    }
    lines = [Line2D([], [], color=hue, linewidth=3, label=word) for word, hue in words.items()]
    dots = [
        Line2D(
            [],
            [],
            color="#000000",
            linestyle="",
            marker="o",
            markersize=KEY_MARKER_SIZE,
            markerfacecolor=face,
            label=word,
        )
        for word, face in (("stable mix", "#000000"), ("edge of a basin", "#ffffff"))
    ]
    return lines + dots


def triangle(axis: Axes, names: Sequence[str]) -> None:
    """Draw the triangle of all mixtures of three strategies."""
    axis.set_axis_off()
    axis.set_aspect("equal")
    axis.set_xlim(-0.2, 1.2)
    axis.set_ylim(-0.12, 1.0)
    axis.plot(*TRIANGLE_CORNERS[[0, 1, 2, 0]].T, color="#999999", linewidth=0.6)
    for corner, name, side in zip(TRIANGLE_CORNERS, names, ("top", "top", "bottom"), strict=False):
        height = corner[1] + (-0.03 if side == "top" else 0.03)
        axis.text(corner[0], height, plain(name, 12), ha="center", va=side, fontsize=6.5)


def arrows(axis: Axes, share: Floats, lead: Floats) -> None:
    """Draw the direction of the replicator dynamic at each mixture of a triangle.

    Rows are mixtures and columns strategies, truthful reporting first: their shares, and their
    lead over the class.
    """
    at, motion, grows = flow(share, lead)
    if len(at):
        axis.quiver(
            *at.T,
            *motion.T,
            color=np.where(grows, TOWARDS_COLOUR, AWAY_COLOUR).tolist(),
            angles="xy",
            scale_units="xy",
            scale=1,
            width=0.011,
            headwidth=3.5,
            headlength=3.5,
            headaxislength=3.2,
            minlength=0.3,
        )


def flow(share: Floats, lead: Floats) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Where arrows begin, how far they reach, and whether truthful reporting, the first, grows."""
    whole = np.isfinite(share).all(axis=1) & np.isfinite(lead).all(axis=1)
    share, lead = share[whole], lead[whole]
    # The speed of the replicator dynamic; its sum is zero but for rounding.
    speed = share * (lead - (share * lead).sum(axis=1, keepdims=True))
    corners = TRIANGLE_CORNERS[: share.shape[1]]
    motion = speed @ corners
    length = np.hypot(*motion.T)
    longest = float(length.max(initial=0.0)) or 1.0
    scale = MAX_ARROW_LENGTH / np.sqrt(np.maximum(length, 1e-12) * longest)
    return share @ corners, motion * scale[:, None], speed[:, 0] > 0


def arrow_keys() -> list[Any]:
    """Legend entries of the arrows in triangles."""
    from matplotlib.lines import Line2D

    hues = {"more truthful": TOWARDS_COLOUR, "less truthful": AWAY_COLOUR}
    return [
        Line2D([], [], color=hue, linestyle="", marker=">", markersize=KEY_MARKER_SIZE, label=word)
        for word, hue in hues.items()
    ]
