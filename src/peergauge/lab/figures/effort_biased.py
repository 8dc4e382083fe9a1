"""Whether pay tells active from passive graders who are biased: E8."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import About
from peergauge.lab.figures._effort import Pair, draw_pairs
from peergauge.mechanisms import mechanisms

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE = "be-bias-all"
BASELINE = "BASELINE: MSE"

ABOUT = About(
    title="Binary effort, biased graders",
    caption="AUC of telling active from passive graders by their pay when graders are biased and "
    "the parametric mechanisms correct for it; the baseline is in both rows. Left: boxes over "
    "simulated semesters in which half of the graders are active (median and quartiles, whiskers "
    "within 1.5 interquartile ranges, dots beyond). Right: medians by the number of active "
    "graders, with distribution-free 95 % confidence intervals from order statistics.",
    section="Appendix: effort as quality",
    order=100,
    needs=(FILE, f"{FILE}-box"),
)


def draw(results: pl.DataFrame) -> Figure:
    """Boxes and medians, without and with a model of grading."""
    parametric = [
        one.published for one in mechanisms.all() if one.facts.family.startswith("parametric")
    ]
    name = pl.col("mechanism")
    groups = {
        "non-parametric and baseline": ~name.is_in(parametric),
        "parametric and baseline": name.is_in(parametric) | (name == BASELINE),
    }
    pairs = [
        Pair(
            title,
            results.filter(pl.col("experiment") == f"{FILE}-box", group),
            results.filter(pl.col("experiment") == FILE, group),
        )
        for title, group in groups.items()
    ]
    return draw_pairs(pairs, height=1.9)
