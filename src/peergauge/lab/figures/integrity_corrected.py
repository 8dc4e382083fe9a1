"""What correcting for bias does to measurement integrity: E1, the parametric mechanisms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.lab.figures import About, Look, looks_of, paper_style
from peergauge.lab.figures._grid import Margins, keys, lay_out, typeset, whole_ticks
from peergauge.lab.figures._integrity import FILE, MEASURES
from peergauge.lab.figures._lines import line
from peergauge.lab.figures._summaries import means

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ESTIMATED, CORRECTED = "payments-vs-mse_mse-p", "payments-vs-mse_parametric"
SETTINGS = {
    FILE: Look("bias ignored", "#0072B2", "-", "o"),
    ESTIMATED: Look("bias estimated, not corrected", "#E69F00", "-.", "s"),
    CORRECTED: Look("bias estimated and corrected", "#D55E00", "--", "^"),
}

ABOUT = About(
    title="Measurement integrity and correction for bias",
    caption="The parametric mechanisms when biases are left out, when they are estimated for the "
    "true scores alone (published for MSE_P only), and when they are also subtracted from the "
    "reports that are paid. Lines are means over simulated semesters, bands 95 % confidence "
    "intervals (1.96 standard errors); each measure has its own scale.",
    section="Appendix: measurement integrity, simulated",
    order=141,
    needs=tuple(SETTINGS),
)


def draw(results: pl.DataFrame) -> Figure:
    """A row for each parametric mechanism and a column for each measure."""
    cells = means(results.filter(pl.col("experiment").is_in(list(SETTINGS))))
    looks = looks_of(cells.filter(pl.col("experiment") != FILE)["mechanism"])
    with paper_style():
        figure, axes = lay_out(
            len(looks) * len(MEASURES),
            len(MEASURES),
            height=1.1,
            share="columns",
            legend=keys(SETTINGS.values()),
            xlabel="assignments",
            margins=Margins(across=0.38, down=0.14),
        )
        panels = [(name, metric) for name in looks for metric in MEASURES]
        for axis, (name, metric) in zip(axes, panels, strict=True):
            for file, look in SETTINGS.items():
                own = cells.filter(
                    pl.col("experiment") == file,
                    pl.col("metric") == metric,
                    pl.col("mechanism") == name,
                )
                if own.height:
                    line(axis, own, look, 1.8)
            whole_ticks(axis, 4)
        for axis, title in zip(axes, MEASURES.values(), strict=False):
            axis.set_title(typeset(title))
        for axis, row in zip(axes[:: len(MEASURES)], looks.values(), strict=True):
            axis.set_ylabel(typeset(row.label))
    return figure
