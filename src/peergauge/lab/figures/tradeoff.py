"""Integrity against robustness: where every mechanism stands between the two. E6, simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.engine.results import cells
from peergauge.lab.figures import About
from peergauge.lab.figures._tradeoff import Standing, draw_standings, drawn
from peergauge.lab.paper.e06_trade_off import (
    BINARY_AUC,
    SIMULATED,
    as_in_the_paper,
    same_on_both_axes,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOUT = About(
    title="Integrity against robustness",
    caption="Where every mechanism stands: upwards the mean binary AUC over all numbers of "
    "assignments, to the right minus the mean gain in rank over all strategies and numbers of "
    "strategic graders, coloured by what is proven of truthful reporting. On the left as in the "
    "paper, which takes integrity from parametric mechanisms that do not correct for bias and "
    "robustness from ones that do; on the right the same mechanism on both axes, with a line "
    "between its two settings. Error bars are 95 % confidence intervals (1.96 standard errors).",
    section="Introduction",
    order=10,
    needs=SIMULATED,
)


def standings(results: pl.DataFrame) -> tuple[list[Standing], list[Standing]]:
    """The paper's points, and those of one and the same mechanism on both axes."""
    summed = cells(results)
    paper, same = as_in_the_paper(summed), same_on_both_axes(summed)
    return [drawn(one, BINARY_AUC) for one in paper], [drawn(one, BINARY_AUC) for one in same]


def draw(results: pl.DataFrame) -> Figure:
    """The paper's figure, and beside it the one with the same mechanism on both axes."""
    from matplotlib.lines import Line2D

    paper, same = standings(results)
    hollow = Line2D([], [], marker="o", linestyle="", color="#444444", markerfacecolor="white")
    hollow.set_label("corrected for bias (right)")
    return draw_standings(
        {"as in the paper": paper, "one and the same mechanism": same},
        integrity="measurement integrity: mean binary AUC",
        keys=[hollow],
    )
