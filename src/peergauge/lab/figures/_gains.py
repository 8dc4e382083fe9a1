"""What the figures of simulated deviations share: a panel for each mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import looks_of
from peergauge.lab.figures._grid import typeset
from peergauge.lab.figures._lines import panels_of_lines

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE = "incentives_for_deviating-ce-bias"
UNCORRECTED = f"{FILE}-parametric-bias_correct_false"
NOVEL = f"{FILE}-extensions"

MEAN = "mean gain in rank of a deviator"


def of_strategies(
    cells: pl.DataFrame, ylabel: str, *, columns: int = 3, level: float | None = 0.0
) -> Figure:
    """A panel for each mechanism, with a line for each strategy against strategic graders."""
    panels = [
        (typeset(look.label), cells.filter(pl.col("mechanism") == name))
        for name, look in looks_of(cells["mechanism"]).items()
    ]
    return panels_of_lines(
        panels,
        "strategy",
        xlabel="strategic graders",
        ylabel=ylabel,
        columns=columns,
        height=1.6 if columns < 4 else 1.3,
        level=level,
    )
