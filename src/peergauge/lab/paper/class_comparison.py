"""Published results of the real classes against our results on simulated stand-ins.

Nothing is simulated here: E2 and E5 give our numbers. The figures compare them with the published
cells that are shipped with the package.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from peergauge.core.lazy import pl
from peergauge.engine.results import cells
from peergauge.lab.figures import figure
from peergauge.lab.figures.grid import keys, lay_out, typeset
from peergauge.lab.figures.looks import CLASS_COLOURS, CLASS_MARKERS, Look, strategy_looks
from peergauge.lab.figures.style import paper_style
from peergauge.lab.paper.claims import MSE, MSE_P, OA, PTS, label_of, labels_of
from peergauge.lab.paper.classes import fitted_model
from peergauge.lab.paper.published import (
    GAIN_KIND,
    INTEGRITY_KIND,
    ClassAgreement,
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
from peergauge.mechanisms import variant_of
from peergauge.metrics import metrics

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class ClassFinding(NamedTuple):
    """One finding about the paper's experiments with real data.

    Parameters
    ----------
    title
        A few words.
    text
        The finding in plain sentences.
    short
        One sentence for the first screen of the page; empty if the finding has none.
    """

    title: str
    text: str
    short: str = ""


SHOWN_VARIANTS, CLEAN_VARIANTS = (MSE, OA, MSE_P), (MSE, OA, PTS)
"""Mechanisms whose numbers the findings about gains and about integrity mention."""


def class_findings(compared: pl.DataFrame) -> list[ClassFinding]:
    """What the comparison with the published results of the real classes shows.

    *compared* is the result of :func:`~peergauge.lab.paper.published.class_agreement`. Findings
    whose experiment, stand-ins or mechanisms are missing are left out.
    """
    return [one for one in (_slip(compared), _too_clean(compared), _fit(compared)) if one]


def _whole(compared: pl.DataFrame, kind: str, stand_in: str, way: str) -> ClassAgreement | None:
    """The agreement of all classes together, for one kind, model and way."""
    wanted = (kind, "", stand_in, way)
    return next((one for one in class_summary(compared) if one[:4] == wanted), None)


def _slip(compared: pl.DataFrame) -> ClassFinding | None:
    """What the authors' way of deviating does to the gains in real classes."""
    ways = {way: _whole(compared, GAIN_KIND, "fitted", way) for way in ("alone", "authors")}
    alone, authors = ways["alone"], ways["authors"]
    if alone is None or authors is None:
        return None
    gains = compared.filter(pl.col("kind") == GAIN_KIND, pl.col("stand_in") == "fitted")
    by_variant = gains.with_columns(
        variant=pl.col("mechanism_ours").map_elements(variant_of, return_dtype=pl.String)
    )

    if not set(SHOWN_VARIANTS) <= set(by_variant["variant"]):
        return None

    def mean(column: str, variant: str, way: str) -> float:
        own = by_variant.filter(pl.col("variant") == variant, pl.col("way") == way)
        return float(own[column].mean())  # type: ignore[arg-type]

    shown = "; ".join(
        f"{label_of(one)}: {mean('mean_theirs', one, 'alone'):+.1f} published, "
        f"{mean('mean_ours', one, 'authors'):+.1f} in the authors' way, "
        f"{mean('mean_ours', one, 'alone'):+.1f} one at a time"
        for one in SHOWN_VARIANTS
    )
    own_gain = (
        by_variant.filter(pl.col("way") == "alone")
        .group_by("variant", maintain_order=True)
        .agg(pl.col("mean_ours").mean())
    )
    paying = [one for one, gain in own_gain.iter_rows() if gain > 0]
    text = (
        "The text describes an experiment in which one student deviates at a time. In the authors' "
        "script the reports of every earlier deviator stay changed, and students are ranked by "
        "their pay per grade. Neither is what the text says, and the published gains agree with "
        f"the script: over {authors.cells} published cells, gains in fitted stand-ins have a "
        f"correlation of {authors.correlation:.2f} with the published ones in the authors' way "
        f"(root mean square difference {authors.rms:.1f} ranks), but {alone.correlation:.2f} one "
        f"at a time ({alone.rms:.1f} ranks). Gains in ranks, averaged over strategies, classes and "
        f"settings: {shown}. One at a time, "
        f"deviating pays on average only under {labels_of(paying)}. The conclusions that rest on "
        "this slip are that most mechanisms are consistently susceptible in real classes, that "
        "real data corroborate the simulated robustness, and the horizontal axis of the trade-off "
        "with real data. That Φ-Div_P and PTS are robust does not rest on it."
    )
    short = (
        "The published robustness in real classes agrees with a script in which earlier deviators "
        f"go on deviating (r = {authors.correlation:.2f}), not with the text, in which one student "
        f"deviates at a time ({alone.correlation:.2f})."
    )
    return ClassFinding(
        "Robustness in real classes rests on a slip", _with_minus_signs(text), short
    )


def _with_minus_signs(text: str) -> str:
    """The text with minus signs instead of hyphens before numbers, and none before zero."""
    return re.sub(r"-(?=\d)", "−", re.sub(r"-(?=0\.0+\b)", "", text))


def _too_clean(compared: pl.DataFrame) -> ClassFinding | None:
    """How the integrity in stand-ins of the paper's model differs from that of real classes."""
    paper, fitted = (_whole(compared, INTEGRITY_KIND, one, "") for one in ("paper", "fitted"))
    if paper is None or fitted is None:
        return None
    taus = compared.filter(
        pl.col("kind") == INTEGRITY_KIND, pl.col("metric_ours") == "tau"
    ).with_columns(
        variant=pl.col("mechanism_ours").map_elements(variant_of, return_dtype=pl.String)
    )
    if not set(CLEAN_VARIANTS) <= set(taus["variant"]):
        return None

    def mean(variant: str, column: str, stand_in: str) -> float:
        own = taus.filter(pl.col("variant") == variant, pl.col("stand_in") == stand_in)
        return float(own[column].mean())  # type: ignore[arg-type]

    def values(variant: str) -> str:
        return (
            f"{label_of(variant)} {mean(variant, 'mean_theirs', 'fitted'):.2f} published, "
            f"{mean(variant, 'mean_ours', 'paper'):.2f} in the paper's model, "
            f"{mean(variant, 'mean_ours', 'fitted'):.2f} fitted"
        )

    text = (
        "Classes simulated by the paper's own model are too clean: mechanisms measure the quality "
        "of grading much better in them than in the real classes. τ_B, averaged over blocks and "
        f"the classes that were published: {'; '.join(map(values, CLEAN_VARIANTS))}. Over "
        f"{paper.cells} published cells of four measures, the root mean square difference is "
        f"{paper.rms:.2f} with stand-ins of the paper's model and {fitted.rms:.2f} with fitted "
        f"ones; the correlation is {paper.correlation:.2f} and {fitted.correlation:.2f}."
    )
    return ClassFinding("The paper's model of a class is too clean", _with_minus_signs(text))


def _fit(compared: pl.DataFrame) -> ClassFinding | None:
    """What the fit says about real classes, and what it cannot say."""
    if _whole(compared, INTEGRITY_KIND, "fitted", "") is None:
        return None
    fit = fitted_model()
    text = (
        "The fitted stand-ins have two more parameters than the paper's model: an error that all "
        f"graders of a submission share (standard deviation {fit.shared_error:.2f} ± "
        f"{fit.shared_error_uncertainty:.2f} points) and response styles, which are slopes of "
        f"graders about the class mean (standard deviation {fit.styles:.2f} ± "
        f"{fit.styles_uncertainty:.2f}). They were fitted to the published integrity of two "
        "classes, not to gains. In the fitted model graders of a submission share "
        f"{fit.shared_part:.0%} of the variance of their errors, and the squared error of reports "
        f"is {fit.squared_error:.1f} times that of the paper's model. What is identified is a "
        "shared error: models without one are rejected. What is not identified is the second "
        "feature: careless reports with smaller biases, for example, describe the published "
        "results about as well. The fitted model itself is not far from rejection "
        f"(p = {fit.p_value:.3f}). "
        "The shared error is not proof that peers share errors: an error in the true grade, which "
        "is one instructor's grade or computed from peer grades, is shared by all reports on a "
        "submission too."
    )
    return ClassFinding("What the fit says about real classes", text)


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
