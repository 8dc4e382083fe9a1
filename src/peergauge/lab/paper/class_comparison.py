"""Published results of the real classes against our results on simulated stand-ins.

Nothing is simulated here: E2 and E5 give our numbers. The figures compare them with the published
cells that are shipped with the package.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from peergauge.core.lazy import pl
from peergauge.engine.results import cells
from peergauge.lab.figures import figure
from peergauge.lab.figures.grid import keys, lay_out, typeset
from peergauge.lab.figures.looks import CLASS_COLOURS, CLASS_MARKERS, Look, strategy_looks
from peergauge.lab.figures.style import paper_style
from peergauge.lab.paper.published import (
    GAIN_KIND,
    INTEGRITY_KIND,
    class_agreement,
    class_summary,
    shipped_cells,
)
from peergauge.lab.paper.selections import (
    CLASS_GAINS,
    CLASS_GAINS_AUTHORS,
    CLASS_INTEGRITY,
    CLASS_INTEGRITY_PAPER_MODEL,
)
from peergauge.metrics import metrics

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Comparison(NamedTuple):
    """One panel: a kind of cells in one way, on one model of stand-ins."""

    title: str
    kind: str
    stand_in: str
    way: str


MEASURES = ("binary-auc", "quinary-auc", "tau", "pearson")
"""The measures of E2."""


def _measure_looks() -> dict[str, Look]:
    """A look for each measure."""
    return {
        name: Look(metrics.label_of(name), colour, "-", marker)
        for name, colour, marker in zip(MEASURES, CLASS_COLOURS, CLASS_MARKERS, strict=False)
    }


@figure(
    "integrity_against_published",
    title="Integrity in simulated stand-ins against the published results of real classes",
    caption="Every point is one mechanism after one block of assignments by one measure: the "
    "published value of a real class (horizontal) and the mean over simulated stand-ins of the "
    "same class (vertical). Points on the diagonal agree. Stand-ins of the paper's own model "
    "(left) are too clean: accurate mechanisms lie above the diagonal. Stand-ins whose graders "
    "share an error on each submission and differ in response style (right) were fitted to these "
    "same published values with two parameters. r is the correlation over all points, rms the "
    "root mean square of the differences.",
    section="Measurement integrity, simulated stand-ins for the real classes",
    order=45,
    needs=(CLASS_INTEGRITY, CLASS_INTEGRITY_PAPER_MODEL),
)
def integrity_against_published(results: pl.DataFrame) -> Figure:
    """Published integrity against that of both models of stand-ins."""
    panels = [
        Comparison("stand-ins of the paper's model", INTEGRITY_KIND, "paper", ""),
        Comparison("fitted stand-ins", INTEGRITY_KIND, "fitted", ""),
    ]
    return _draw(results, panels, "metric_ours", "measured value", digits=3)


@figure(
    "gains_against_published",
    title="Gains in simulated stand-ins against the published results of real classes",
    caption="Every point is one mechanism and one strategy: the published mean gain in rank in a "
    "real class (horizontal) and the mean gain in a simulated stand-in for the same class "
    "(vertical). Points on the diagonal agree. The text of the paper describes one deviator at a "
    "time (left). The published numbers agree with the authors' script instead (right), in which "
    "the reports of earlier deviators stay changed and students are ranked by pay per grade. The "
    "stand-ins were not fitted to gains. r is the correlation over all points, rms the root mean "
    "square of the differences in ranks.",
    section="Robustness, simulated stand-ins for the real classes",
    order=65,
    needs=(CLASS_GAINS, CLASS_GAINS_AUTHORS),
)
def gains_against_published(results: pl.DataFrame) -> Figure:
    """Published gains against those of fitted stand-ins, in both ways."""
    panels = [
        Comparison("one deviator at a time (text)", GAIN_KIND, "fitted", "alone"),
        Comparison("earlier deviators stay (script)", GAIN_KIND, "fitted", "authors"),
    ]
    return _draw(results, panels, "strategy_ours", "gain in rank", digits=1)


def _draw(
    results: pl.DataFrame,
    panels: list[Comparison],
    by: Literal["metric_ours", "strategy_ours"],
    quantity: str,
    *,
    digits: int,
) -> Figure:
    """Draw our value against the published one in each panel, coloured by a column."""
    compared = class_agreement(cells(results), shipped_cells())
    measured = compared["strategy_ours"].unique(maintain_order=True).to_list()
    looks = (
        _measure_looks()
        if by == "metric_ours"
        else strategy_looks(name for name in measured if name)
    )
    with paper_style():
        drawn, axes = lay_out(
            len(panels),
            2,
            height=3.0,
            legend=keys(looks.values(), dashes=False),
            xlabel=f"{quantity}, published for real classes",
            ylabel=f"{quantity}, simulated stand-ins",
        )
        own = [
            compared.filter(
                pl.col("kind") == panel.kind,
                pl.col("stand_in") == panel.stand_in,
                pl.col("way") == panel.way,
            )
            for panel in panels
        ]
        both = np.concatenate([one.select("mean_ours", "mean_theirs").to_numpy() for one in own])
        low, high = (np.nanmin(both), np.nanmax(both)) if len(both) else (0.0, 1.0)
        for axis, panel, rows in zip(axes, panels, own, strict=True):
            axis.plot([low, high], [low, high], color="#000000", linewidth=0.7)
            for name, look in looks.items():
                part = rows.filter(pl.col(by) == name)
                axis.plot(
                    part["mean_theirs"],
                    part["mean_ours"],
                    linestyle="",
                    marker=look.marker,
                    color=look.colour,
                    markersize=2.6,
                    alpha=0.75,
                )
            axis.set_title(typeset(panel.title))
            summary = [one for one in class_summary(rows) if not one.taught]
            if summary:
                text = f"r = {summary[0].correlation:.2f}, rms {summary[0].rms:.{digits}f}"
                axis.text(0.04, 0.95, text, transform=axis.transAxes, va="top", fontsize=7.5)
    return drawn
