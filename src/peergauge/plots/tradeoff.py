"""Integrity against robustness: where every mechanism stands between the two."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from peergauge.plots import CONCEPTS, looks, paper_style

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.figure import Figure

UNCORRECTED, ESTIMATED, CORRECTED = (
    "payments-vs-mse_with-bias-in-model",
    "payments-vs-mse_mse-p",
    "payments-vs-mse_parametric",
)
GAINS, GAINS_UNCORRECTED = (
    "incentives_for_deviating-ce-bias",
    "incentives_for_deviating-ce-bias-parametric-bias_correct_false",
)
NEEDS = (UNCORRECTED, ESTIMATED, CORRECTED, GAINS, GAINS_UNCORRECTED)


class Standing(NamedTuple):
    """One mechanism on both axes, with the standard errors of both."""

    mechanism: str
    setting: str
    robustness: float
    robustness_error: float
    integrity: float
    integrity_error: float


def standings(cells: pl.DataFrame) -> tuple[list[Standing], list[Standing]]:
    """The paper's points, and those of one and the same mechanism on both axes.

    Integrity is the mean binary AUC over all numbers of assignments; robustness is minus the mean
    gain over all strategies and numbers of strategic graders. The paper takes integrity from
    parametric mechanisms that do not correct for bias and robustness from ones that do.
    """
    auc = "Binary AUCs"
    paper = [
        _standing(cells, name, "", (UNCORRECTED, auc), (GAINS, "rank gain"))
        for name in _of(cells, GAINS)
    ]
    parametric = set(_of(cells, CORRECTED))
    same = [
        _standing(cells, name, "", (UNCORRECTED, auc), (GAINS, "rank gain"))
        for name in _of(cells, GAINS)
        if name not in parametric
    ]
    for name in _of(cells, CORRECTED):
        same.append(_standing(cells, name, "corrected", (CORRECTED, auc), (GAINS, "rank gain")))
        # MSE_P estimates biases in both published files that do not correct for them.
        own = ESTIMATED if name in _of(cells, ESTIMATED) else UNCORRECTED
        same.append(
            _standing(cells, name, "uncorrected", (own, auc), (GAINS_UNCORRECTED, "rank gain"))
        )
    return paper, same


def draw(cells: pl.DataFrame) -> Figure:
    """The paper's figure, and beside it the one with the same mechanism on both axes."""
    import matplotlib.pyplot as plt
    from matplotlib.lines import Line2D

    paper, same = standings(cells)
    titles = (
        "as in the paper: integrity uncorrected, robustness corrected",
        "one and the same mechanism on both axes",
    )
    with paper_style():
        figure, axes = plt.subplots(
            1, 2, figsize=(9.0, 4.4), sharex=True, sharey=True, layout="constrained"
        )
        for axis, points, title in zip(axes, (paper, same), titles, strict=True):
            for point in points:
                look = looks()[point.mechanism]
                axis.errorbar(
                    point.robustness,
                    point.integrity,
                    xerr=1.96 * point.robustness_error,
                    yerr=1.96 * point.integrity_error,
                    marker=look.marker,
                    color=CONCEPTS[look.concept],
                    markerfacecolor="white" if point.setting == "corrected" else None,
                    markersize=5,
                    elinewidth=0.8,
                )
                # Of two points that lie close together, the lower one is labelled below.
                crowded = any(
                    abs(other.robustness - point.robustness) < 3
                    and 0 < other.integrity - point.integrity < 0.02
                    for other in points
                )
                axis.annotate(
                    look.label,
                    (point.robustness, point.integrity),
                    xytext=(5, -9 if crowded else 4),
                    textcoords="offset points",
                    fontsize=6.5,
                )
            axis.axvline(0, color="#000000", linewidth=0.8)
            axis.margins(x=0.12)
            axis.set_title(title)
            axis.set_xlabel("robustness: minus the mean gain in rank")
        axes[0].set_ylabel("measurement integrity: mean binary AUC")
        shown = {looks()[point.mechanism].concept for point in paper}
        handles = [
            Line2D([], [], marker="o", linestyle="", color=colour, label=concept.value)
            for concept, colour in CONCEPTS.items()
            if concept in shown
        ]
        hollow = Line2D([], [], marker="o", linestyle="", color="#444444", markerfacecolor="white")
        hollow.set_label("corrected for bias")
        handles.append(hollow)
        figure.legend(handles=handles, loc="outside lower center", ncols=6, frameon=False)
        plt.close(figure)
    return figure


def _of(cells: pl.DataFrame, file: str) -> list[str]:
    import polars as pl

    here = cells.filter(pl.col("experiment") == file)
    return here["mechanism"].unique(maintain_order=True).to_list()


def _standing(
    cells: pl.DataFrame,
    mechanism: str,
    setting: str,
    integrity: tuple[str, str],
    gains: tuple[str, str],
) -> Standing:
    import polars as pl

    values = []
    for file, metric in (gains, integrity):
        own = cells.filter(
            pl.col("experiment") == file,
            pl.col("metric") == metric,
            pl.col("mechanism") == mechanism,
        )
        mean = own["mean"].to_numpy()
        variance = own["sd"].to_numpy() ** 2 / own["n"].to_numpy()
        values += [float(mean.mean()), float(np.sqrt(variance.sum()) / len(mean))]
    gain, gain_error, auc, auc_error = values
    return Standing(mechanism, setting, -gain, gain_error, auc, auc_error)
