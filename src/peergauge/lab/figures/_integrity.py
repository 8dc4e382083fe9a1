"""What the figures of measurement integrity share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures._grid import Margins, typeset
from peergauge.lab.figures._lines import panels_of_lines
from peergauge.lab.figures._summaries import means

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE = "payments-vs-mse_with-bias-in-model"
BODY = (
    "BASELINE: MSE",
    "MSE_P: 0",
    "OA: 0",
    "Phi-DIV_P: KL",
    "Phi-DIV_P: SQUARED_HELLINGER",
)
"""The baselines, and the mechanisms that do not fall below output agreement."""

MEASURES = {
    "Binary AUCs": "Binary AUC",
    "Quinary AUCs": "Quinary AUC",
    "Taus": "Kendall τ_B",
    "Rhos": "Pearson ρ",
}


def of_measures(results: pl.DataFrame) -> Figure:
    """A panel for each measure, with a line of means for each mechanism."""
    cells = means(results.filter(pl.col("experiment") == FILE))
    panels = [
        (typeset(title), cells.filter(pl.col("metric") == name)) for name, title in MEASURES.items()
    ]
    return panels_of_lines(
        panels,
        "mechanism",
        xlabel="assignments",
        share="none",
        margins=Margins(across=0.5, down=0.7),
    )
