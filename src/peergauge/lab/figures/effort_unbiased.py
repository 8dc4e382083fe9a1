"""Whether pay tells active from passive graders who are not biased: E7."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import About
from peergauge.lab.figures._effort import Pair, draw_pairs

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLES = {
    "be-no_bias-phi_div": "Φ-Div",
    "be-no_bias-phi_div_p": "parametric Φ-Div",
    "be-no_bias-nonparam": "non-parametric",
    "be-no_bias-best_mechanisms": "the best",
}

ABOUT = About(
    title="Binary effort, unbiased graders",
    caption="AUC of telling active from passive graders by their pay. Left: boxes over simulated "
    "semesters in which half of the graders are active (median and quartiles, whiskers within 1.5 "
    "interquartile ranges, dots beyond). Right: medians by the number of active graders, with "
    "distribution-free 95 % confidence intervals from order statistics.",
    section="Appendix: effort as quality",
    order=90,
    needs=(*TITLES, *(f"{file}-box" for file in TITLES)),
)


def draw(results: pl.DataFrame) -> Figure:
    """Four groups of mechanisms: boxes, and medians by the number of active graders."""
    pairs = [
        Pair(
            title,
            results.filter(pl.col("experiment") == f"{file}-box"),
            results.filter(pl.col("experiment") == file),
        )
        for file, title in TITLES.items()
    ]
    return draw_pairs(pairs, height=1.3)
