"""What letters made from pay cost designers with different losses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.beyond.designers_loss import DESIGNERS, FILE, agreement
from peergauge.lab.figures import About
from peergauge.lab.figures._grid import Margins, typeset
from peergauge.lab.figures._lines import panels_of_lines
from peergauge.lab.figures._summaries import means

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOUT = About(
    title="The designer's loss",
    caption="What letter grades A to F cost on average per grader that are made from pay in place "
    "of squared error, by what the designer thinks that a wrong letter costs; and quinary AUC. In "
    "brackets, Kendall's τ_B between the order of all mechanisms by that loss and by quinary AUC, "
    "on average over the numbers of assignments. Bands are 95 % confidence intervals of the means "
    "over simulated semesters (1.96 standard errors). DMI, CORR, MCC, three of Φ-Div and two each "
    "of Φ-Div_P and Φ-Div_P* are not drawn.",
    section="Beyond the paper",
    order=342,
    needs=(FILE,),
)
LEFT_OUT = (
    r"^DMI: |^CORR: |^MCC: |^Phi-DIV: (KL|CHI_SQUARED|SQUARED_HELLINGER)$|"
    r"^Phi-DIV_P\*?: (TVD|CHI_SQUARED)$"
)


def draw(results: pl.DataFrame) -> Figure:
    """A panel for each designer, and one of quinary AUC, with a line for each mechanism."""
    cells = means(results.filter(pl.col("experiment") == FILE))
    tau = {
        name: float(here["tau"].to_numpy().mean())
        for (name,), here in agreement(cells).group_by("metric")
    }
    shown = cells.filter(~pl.col("mechanism").str.contains(LEFT_OUT))
    panels = [
        (
            f"{name} ({tau.get(name, float('nan')):.2f})",
            shown.filter(pl.col("metric") == name),
        )
        for name in DESIGNERS
    ]
    quinary = shown.filter(pl.col("metric") == "Quinary AUCs")
    return panels_of_lines(
        [*panels, (typeset("Quinary AUC"), quinary)],
        "mechanism",
        xlabel="assignments",
        columns=3,
        height=1.8,
        share="none",
        margins=Margins(across=0.42, down=0.62),
    )
