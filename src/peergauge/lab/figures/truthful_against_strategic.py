"""Whether pay tells truthful graders from strategic ones: E4."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import About
from peergauge.lab.figures._gains import of_strategies
from peergauge.lab.figures._summaries import means

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE = "truthful_vs_strategic_payments-ce-bias"

ABOUT = About(
    title="Truthful against strategic pay",
    caption="AUC of telling truthful from strategic graders by their pay, against how many are "
    "strategic: above the line at 0.5 truthful graders are paid more, below it less. Means over "
    "simulated semesters; bands are 95 % confidence intervals (1.96 standard errors).",
    section="Appendix: robustness, simulated",
    order=180,
    needs=(FILE,),
)


def draw(results: pl.DataFrame) -> Figure:
    """Mean AUC against the number of strategic graders, a panel for each mechanism."""
    cells = means(results.filter(pl.col("experiment") == FILE))
    return of_strategies(cells, "AUC of truthful against strategic pay", columns=4, level=0.5)
