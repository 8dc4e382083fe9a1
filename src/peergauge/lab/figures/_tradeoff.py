"""What the figures of the trade-off share: where mechanisms stand, and how that is drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.lab.figures import CONCEPTS, looks_of, paper_style
from peergauge.lab.figures._grid import Margins, lay_out, typeset
from peergauge.lab.figures._labels import place_labels
from peergauge.lab.paper import e06_trade_off as trade_off

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Estimate(NamedTuple):
    """A number and the ends of its error bar."""

    middle: float
    low: float
    high: float


class Standing(NamedTuple):
    """One mechanism on both axes."""

    mechanism: str
    setting: str
    robustness: Estimate
    integrity: Estimate


def drawn(standing: trade_off.Standing, measure: str) -> Standing:
    """A mechanism's numbers with 1.96 standard errors on either side."""
    robustness, integrity = standing.robustness(), standing.integrity[measure]
    return Standing(
        standing.mechanism,
        standing.setting,
        *(
            Estimate(mean, mean - 1.96 * error, mean + 1.96 * error)
            for mean, error in (robustness, integrity)
        ),
    )


def front(standings: Iterable[Standing]) -> list[Standing]:
    """Those that no other beats on both axes, from left to right."""
    every = list(standings)
    points = [(one.robustness.middle, one.integrity.middle) for one in every]
    return [every[i] for i in trade_off.pareto_front(points)]


def draw_standings(
    panels: Mapping[str, Sequence[Standing]],
    *,
    integrity: str,
    robustness: str = "robustness: minus the mean gain in rank",
    height: float = 3.3,
    width: float = 7.0,
    keys: Sequence[Any] = (),
    before: Callable[[Axes, Sequence[Standing]], list[Floats]] | None = None,
) -> Figure:
    """A panel for each title: robustness to the right, integrity upwards, coloured by concept."""
    from matplotlib.lines import Line2D

    panels = {
        title: [
            one
            for one in standings
            if np.isfinite((one.robustness.middle, one.integrity.middle)).all()
        ]
        for title, standings in panels.items()
    }
    every = [one for standings in panels.values() for one in standings]
    looks = looks_of(one.mechanism for one in every)
    shown = {look.concept for look in looks.values()}
    legend = [
        Line2D([], [], marker="o", linestyle="", color=colour, label=concept.value)
        for concept, colour in CONCEPTS.items()
        if concept in shown
    ]
    with paper_style():
        figure, axes = lay_out(
            len(panels),
            2,
            height=height,
            width=width,
            legend=[*legend, *keys],
            legend_title="coloured by what is proven of truthful reporting",
            xlabel=robustness,
            ylabel=integrity,
            margins=Margins(left=0.62, across=0.15, top=0.28 if "" not in panels else 0.1),
        )
        for axis, (title, standings) in zip(axes, panels.items(), strict=True):
            axis.axvline(0, color="#000000", linewidth=0.7)
            pairs: dict[str, list[Standing]] = {}
            for one in standings:
                look = looks[one.mechanism]
                colour = CONCEPTS[look.concept]
                axis.errorbar(
                    one.robustness.middle,
                    one.integrity.middle,
                    xerr=_reach(one.robustness),
                    yerr=_reach(one.integrity),
                    marker=look.marker,
                    color=colour,
                    markerfacecolor="white" if one.setting == "corrected" else colour,
                    markersize=4.5,
                    markeredgewidth=0.9,
                    elinewidth=0.8,
                    zorder=3,
                )
                pairs.setdefault(one.mechanism, []).append(one)
            for pair in pairs.values():
                axis.plot(*_line(pair).T, color="#bbbbbb", linewidth=0.7, zorder=2)
            axis.set_title(title)
        if axes:
            axes[0].margins(x=0.1, y=0.07)
            axes[0].autoscale_view()
        for axis, standings in zip(axes, panels.values(), strict=True):
            axis.set_xlim(axis.get_xlim())
            axis.set_ylim(axis.get_ylim())
            lines = before(axis, standings) if before else []
            _name(axis, standings, lines, 7.5 if len(panels) == 1 else 6.5)
    return figure


def _reach(one: Estimate) -> list[list[float]]:
    # A mean may be a rounding error beyond the highest of equal values.
    return [[max(0.0, one.middle - one.low)], [max(0.0, one.high - one.middle)]]


def _line(standings: Sequence[Standing]) -> Floats:
    return np.array([(one.robustness.middle, one.integrity.middle) for one in standings])


def _name(axis: Axes, standings: Sequence[Standing], lines: list[Floats], size: float) -> None:
    """Label every mechanism once, at its last point."""
    looks = looks_of(one.mechanism for one in standings)
    last = list({one.mechanism: one for one in standings}.values())
    marks = [
        box
        for one in standings
        for r, i in ((one.robustness, one.integrity),)
        for box in (
            (r.low, i.middle, r.high, i.middle),
            (r.middle, i.low, r.middle, i.high),
            (r.middle, i.middle, r.middle, i.middle),
        )
    ]
    for end in last:
        pair = [one for one in standings if one.mechanism == end.mechanism]
        lines = [*lines, _line(pair)] if len(pair) > 1 else lines
    bottom, top = axis.get_ylim()
    place_labels(
        axis,
        _line(last),
        [typeset(looks[one.mechanism].label) for one in last],
        np.array(marks),
        [*lines, np.array([(0.0, bottom), (0.0, top)])],
        size=size,
    )
