"""Mechanisms between two axes, with error bars, labels and a Pareto front."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.lab.figures.grid import KEY_MARKER_SIZE, PAGE_WIDTH, Margins, lay_out, typeset
from peergauge.lab.figures.labels import place_labels
from peergauge.lab.figures.looks import CONCEPTS, Look, looks_of
from peergauge.lab.figures.style import paper_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Estimate(NamedTuple):
    """A number and the ends of its error bar."""

    middle: float
    low: float
    high: float

    @classmethod
    def of(cls, mean: float, error: float) -> Estimate:
        """A mean with 1.96 standard errors on either side."""
        return cls(mean, mean - 1.96 * error, mean + 1.96 * error)

    @property
    def reach(self) -> list[list[float]]:
        """Length of the error bar on either side."""
        # A mean may be a rounding error beyond the highest of equal values.
        return [[max(0.0, self.middle - self.low)], [max(0.0, self.high - self.middle)]]


class Place(NamedTuple):
    """One mechanism on both axes; *hollow* if its marker is not filled."""

    mechanism: str
    robustness: Estimate
    integrity: Estimate
    hollow: bool = False

    @property
    def point(self) -> tuple[float, float]:
        """Where its marker is."""
        return self.robustness.middle, self.integrity.middle


ADDED_MARK = " (added)"
"""Ends the label of a mechanism that the paper's figure does not show."""

Before = Callable[["Axes", Sequence[Place]], "list[Floats]"]
"""Draws lines into a panel whose limits are final, and returns them."""


def draw_places(
    panels: Mapping[str, Sequence[Place]],
    *,
    integrity: str | Sequence[str],
    robustness: str = "robustness: minus the mean gain in rank",
    height: float = 3.3,
    width: float = PAGE_WIDTH,
    keys: Sequence[Any] = (),
    added: Collection[str] = (),
    right: float = Margins().right,
    before: Before | None = None,
) -> Figure:
    """Draw a panel for each title: robustness to the right, integrity upwards.

    Colours stand for equilibrium concepts.

    Parameters
    ----------
    panels
        Titles and places of mechanisms.
    integrity, robustness
        Names of the axes. If each panel has a name of its own for integrity, each has its own
        scale too.
    height, width
        Height of a panel and width of the figure, in inches.
    keys
        Legend entries besides those of the concepts.
    added
        Mechanisms that the paper's figure does not show; their labels say so.
    right
        Room to the right of the panels, in inches.
    before
        Draws more lines into a panel, before labels are placed around them.
    """
    known = {
        title: [one for one in places if np.isfinite(one.point).all()]
        for title, places in panels.items()
    }
    looks = looks_of(one.mechanism for places in known.values() for one in places)
    shared = isinstance(integrity, str)
    with paper_style():
        figure, axes = lay_out(
            len(known),
            2,
            height=height,
            width=width,
            legend=[*_concept_keys(looks), *keys],
            legend_title="colours: equilibrium concept of truthful reporting",
            xlabel=robustness,
            ylabel=integrity if isinstance(integrity, str) else "",
            share="all" if shared else "none",
            margins=Margins(
                left=0.62,
                right=right,
                across=0.15 if shared else 0.55,
                top=0.28 if "" not in known else 0.1,
            ),
        )
        for axis, (title, places) in zip(axes, known.items(), strict=True):
            _draw_markers(axis, places, looks)
            axis.set_title(title)
        for axis in axes[:1] if shared else axes:
            axis.margins(x=0.1, y=0.07)
            axis.autoscale_view()
        if not shared:
            for axis, name in zip(axes, integrity, strict=True):
                axis.set_ylabel(typeset(name))
        for axis, places in zip(axes, known.values(), strict=True):
            axis.set_xlim(axis.get_xlim())
            axis.set_ylim(axis.get_ylim())
            lines = before(axis, places) if before else []
            _draw_labels(axis, places, lines, added, 7.5 if len(known) == 1 else 6.5)
    return figure


def _concept_keys(looks: Mapping[str, Look]) -> list[Any]:
    """Legend entries of the equilibrium concepts that mechanisms have."""
    from matplotlib.lines import Line2D

    shown = {look.concept for look in looks.values()}
    return [
        Line2D(
            [],
            [],
            marker="o",
            markersize=KEY_MARKER_SIZE,
            linestyle="",
            color=colour,
            label=concept.value,
        )
        for concept, colour in CONCEPTS.items()
        if concept in shown
    ]


def _draw_markers(axis: Axes, places: Sequence[Place], looks: Mapping[str, Look]) -> None:
    """Draw markers with error bars, and lines between several places of one mechanism."""
    axis.axvline(0, color="#000000", linewidth=0.7)
    pairs: dict[str, list[Place]] = {}
    for one in places:
        look = looks[one.mechanism]
        colour = CONCEPTS[look.concept]
        axis.errorbar(
            *one.point,
            xerr=one.robustness.reach,
            yerr=one.integrity.reach,
            marker=look.marker,
            color=colour,
            markerfacecolor="white" if one.hollow else colour,
            markersize=4.5,
            markeredgewidth=0.9,
            elinewidth=0.8,
            zorder=3,
        )
        pairs.setdefault(one.mechanism, []).append(one)
    for pair in pairs.values():
        axis.plot(*_points(pair).T, color="#bbbbbb", linewidth=0.7, zorder=2)


def _points(places: Sequence[Place]) -> Floats:
    return np.array([one.point for one in places])


def _draw_labels(
    axis: Axes,
    places: Sequence[Place],
    lines: list[Floats],
    added: Collection[str],
    size: float,
) -> None:
    """Label every mechanism once, at its last place."""
    looks = looks_of(one.mechanism for one in places)
    last = list({one.mechanism: one for one in places}.values())
    marks = [
        box
        for one in places
        for r, i in ((one.robustness, one.integrity),)
        for box in (
            (r.low, i.middle, r.high, i.middle),
            (r.middle, i.low, r.middle, i.high),
            (r.middle, i.middle, r.middle, i.middle),
        )
    ]
    for end in last:
        pair = [one for one in places if one.mechanism == end.mechanism]
        lines = [*lines, _points(pair)] if len(pair) > 1 else lines
    bottom, top = axis.get_ylim()
    place_labels(
        axis,
        _points(last),
        [
            typeset(looks[one.mechanism].label) + ADDED_MARK * (one.mechanism in added)
            for one in last
        ],
        np.array(marks),
        [*lines, np.array([(0.0, bottom), (0.0, top)])],
        size=size,
    )


def draw_front(
    axis: Axes, front: Sequence[Place], *, colour: str, dash: str, width: float
) -> list[Floats]:
    """Draw the Pareto front through *front*, from left to right, as steps down to the right."""
    if not front:
        return []
    left, bottom = axis.get_xlim()[0], axis.get_ylim()[0]
    corners = [(left, front[0].integrity.middle)]
    for one in front:
        corners.append((corners[-1][0], one.integrity.middle))
        corners.append(one.point)
    steps = np.array([*corners, (corners[-1][0], bottom)])
    axis.plot(*steps.T, color=colour, linestyle=dash, linewidth=width, zorder=1.5)
    return [steps]
