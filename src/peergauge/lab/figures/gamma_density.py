"""What is thought of reliabilities before anything is seen: the prior of model PG1."""

from __future__ import annotations

from math import lgamma, log
from typing import TYPE_CHECKING

import numpy as np

from peergauge.core.lazy import pl
from peergauge.lab.figures import About, paper_style
from peergauge.lab.figures._grid import lay_out
from peergauge.models.pg1 import PG1
from peergauge.tables import Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ABOUT = About(
    title="Prior of reliabilities",
    caption="Density of the Gamma distribution from which model PG1 takes the reliabilities of "
    "graders to come, on the paper's scale of 0 to 10; the vertical line is its mean.",
    section="Appendix: implementation",
    order=70,
    needs=(),
)


def draw(results: pl.DataFrame) -> Figure:  # noqa: ARG001 - every figure is handed the results
    """The density wherever it is worth drawing."""
    prior = PG1().hyperparameters(Scale.parse("0..10"))
    mean, deviation = prior.shape / prior.rate, prior.shape**0.5 / prior.rate
    reliability = np.linspace(mean / 400, mean + 5 * deviation, 400)
    density = np.exp(
        prior.shape * log(prior.rate)
        - lgamma(prior.shape)
        + (prior.shape - 1) * np.log(reliability)
        - prior.rate * reliability
    )
    with paper_style():
        figure, (axis,) = lay_out(
            1, 1, height=2.2, width=4.4, xlabel="reliability", ylabel="density"
        )
        axis.plot(reliability, density, color="#0072B2")
        axis.fill_between(reliability, density, color="#0072B2", alpha=0.15, linewidth=0)
        axis.axvline(mean, color="#000000", linewidth=0.7, linestyle="--")
        axis.set_xlim(0, reliability[-1])
        axis.set_ylim(bottom=0)
        axis.set_title(f"Gamma with shape {prior.shape:.2f} and rate {prior.rate:g}")
    return figure
