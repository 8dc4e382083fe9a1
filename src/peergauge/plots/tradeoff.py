"""Integrity against robustness: where every mechanism stands between the two. E6, simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.plots import About
from peergauge.plots._gains import FILE as GAINS
from peergauge.plots._gains import UNCORRECTED as GAINS_UNCORRECTED
from peergauge.plots._integrity import FILE as UNCORRECTED
from peergauge.plots._tradeoff import GAIN, Standing, draw_standings, over_grid

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

ESTIMATED, CORRECTED = "payments-vs-mse_mse-p", "payments-vs-mse_parametric"
AUC = "Binary AUCs"

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
    needs=(UNCORRECTED, ESTIMATED, CORRECTED, GAINS, GAINS_UNCORRECTED),
)


def standings(results: pl.DataFrame) -> tuple[list[Standing], list[Standing]]:
    """The paper's points, and those of one and the same mechanism on both axes.

    Integrity is the mean binary AUC over all numbers of assignments; robustness is minus the mean
    gain over all strategies and numbers of strategic graders. The paper takes integrity from
    parametric mechanisms that do not correct for bias and robustness from ones that do.
    """
    import polars as pl

    integrity = {
        (file, name): over_grid(rows)
        for (file, name), rows in results.filter(
            pl.col("experiment").is_in([UNCORRECTED, ESTIMATED, CORRECTED]), pl.col("metric") == AUC
        ).group_by("experiment", "mechanism", maintain_order=True)
    }
    robustness = {
        (file, name): over_grid(rows, -1.0)
        for (file, name), rows in results.filter(
            pl.col("experiment").is_in([GAINS, GAINS_UNCORRECTED]), pl.col("metric") == GAIN
        ).group_by("experiment", "mechanism", maintain_order=True)
    }

    def standing(name: str, setting: str, file: str, gains: str) -> list[Standing]:
        if (file, name) not in integrity or (gains, name) not in robustness:
            return []
        return [Standing(name, setting, robustness[gains, name], integrity[file, name])]

    names = [name for file, name in robustness if file == GAINS]
    paper = [one for name in names for one in standing(name, "", UNCORRECTED, GAINS)]
    parametric = [name for file, name in integrity if file == CORRECTED]
    same = [one for one in paper if one.mechanism not in parametric]
    for name in parametric:
        # MSE_P estimates biases in both published files that do not correct for them.
        own = ESTIMATED if (ESTIMATED, name) in integrity else UNCORRECTED
        same += standing(name, "uncorrected", own, GAINS_UNCORRECTED)
        same += standing(name, "corrected", CORRECTED, GAINS)
    return paper, same


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
