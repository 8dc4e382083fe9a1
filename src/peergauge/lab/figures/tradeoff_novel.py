"""Integrity against robustness with the novel mechanisms: E6."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.lazy import pl
from peergauge.engine.results import cells
from peergauge.lab.figures import About, Dash
from peergauge.lab.figures._tradeoff import Standing, draw_standings, drawn, front
from peergauge.lab.paper.e06_trade_off import EFFORT_AUC, NOVEL, with_novel_mechanisms
from peergauge.mechanisms import mechanisms

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ABOUT = About(
    title="Integrity against robustness, novel mechanisms",
    caption="The trade-off once more, with the mechanisms that the paper proposes. Integrity is "
    "here the AUC of telling active from passive graders, averaged over all numbers of active "
    "graders; robustness is minus the mean gain in rank over all strategies and numbers of "
    "strategic graders for which it is defined. Error bars are 95 % confidence intervals "
    "(1.96 standard errors). The lines are the Pareto fronts without and with the novel "
    "mechanisms; LOO is left out because it is given the true scores.",
    section="Appendix: novel mechanisms",
    order=80,
    needs=NOVEL,
)

FRONTS: dict[bool, tuple[str, str, Dash, float]] = {
    False: ("established", "#cccccc", "-", 2.5),
    True: ("with the novel ones", "#332288", "--", 0.8),
}


def standings(results: pl.DataFrame) -> list[Standing]:
    """Every mechanism that has both numbers and is not given the truth."""
    return [drawn(one, EFFORT_AUC) for one in with_novel_mechanisms(cells(results))]


def draw(results: pl.DataFrame) -> Figure:
    """Established and novel mechanisms, and the fronts of both."""
    from matplotlib.lines import Line2D

    novel = {one.published for one in mechanisms.all() if one.facts.novel}

    def fronts(axis: Axes, every: Sequence[Standing]) -> list[Floats]:
        (left, right), (bottom, top) = axis.get_xlim(), axis.get_ylim()
        lines = []
        for with_novel, (_, colour, dash, thick) in FRONTS.items():
            best = front(one for one in every if with_novel or one.mechanism not in novel)
            if best:
                line = [(left, best[0].integrity.middle)]
                for one in best:
                    line.append((line[-1][0], one.integrity.middle))
                    line.append((one.robustness.middle, one.integrity.middle))
                lines.append(np.array([*line, (line[-1][0], bottom)]))
                axis.plot(*lines[-1].T, color=colour, linestyle=dash, linewidth=thick, zorder=1.5)
        axis.set_xlim(left, right)
        axis.set_ylim(bottom, top)
        return lines

    keys = [
        Line2D([], [], color=colour, linestyle=dash, linewidth=thick, label=f"Pareto front, {what}")
        for what, colour, dash, thick in FRONTS.values()
    ]
    return draw_standings(
        {"": standings(results)},
        integrity="integrity: mean AUC of active against passive",
        height=4.2,
        keys=keys,
        before=fronts,
    )
