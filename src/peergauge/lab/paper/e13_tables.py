"""The paper's tables, generated from the implementation."""

from __future__ import annotations

from collections.abc import Sequence
from math import lgamma, log
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from peergauge.core.lazy import pl
from peergauge.exports.preprocess import PriorFit
from peergauge.lab.figures import figure
from peergauge.lab.figures.grid import lay_out
from peergauge.lab.figures.style import paper_style
from peergauge.lab.paper.classes import PAPER, RETAINED_SHARES, GradedClass
from peergauge.lab.paper.e02_integrity_in_classes import ends_of_blocks, present_in_every_block
from peergauge.mechanisms import mechanisms, score
from peergauge.mechanisms.shared.pairing import Divergence
from peergauge.models.pg1 import PG1
from peergauge.models.prior import paper_prior
from peergauge.simulate import strategies
from peergauge.simulate.strategies import deviate
from peergauge.tables import Reports, Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PRIOR_FITS: dict[PriorFit, str] = {"likelihood": "", "discretised": ", rounded normal"}
"""Methods of fitting a prior, with the ends of the names of their columns."""


class SmallTable(NamedTuple):
    """A table of the paper.

    Parameters
    ----------
    name
        Name of the table and of its file.
    section
        Section of the paper to which it belongs.
    order
        Its place among all figures and tables.
    title
        A few words.
    caption
        What the rows and columns mean.
    rows
        The rows, each by the names of the columns.
    number
        The table of the paper that it corresponds to, such as ``Table 1``; empty if we added it.
    """

    name: str
    section: str
    order: int
    title: str
    caption: str
    rows: list[dict[str, Any]]
    number: str = ""

    def to_polars(self) -> pl.DataFrame:
        """The rows as a frame."""
        return pl.DataFrame(self.rows, strict=False)


def tables(classes: Sequence[GradedClass]) -> list[SmallTable]:
    """All tables in the paper's order; *classes* are those of the data summary."""
    return [data_summary(classes), phi_divergences(), merge_map(), equilibrium_concepts()]


def data_summary(classes: Sequence[GradedClass]) -> SmallTable:
    """Sizes of the classes of E2 and E5, and priors fitted to their true grades.

    The paper's numbers of a class stand above those of its stand-ins.
    """
    stand_ins = any(taught.stand_in for taught in classes)
    rows: dict[str, list[dict[str, Any]]] = {}
    for taught in classes:
        if not taught.stand_in:
            rows[taught.name] = [_summary_of(taught)]
        elif taught.name not in rows:
            # Stand-ins of both models have the same design and the same true grades.
            rows[taught.name] = [_summary_in_paper(taught.name), _summary_of(taught)]
    whose = (
        "The paper's private classes as its Table 1 describes them, and our simulated stand-ins, "
        "which replace them in E2 and E5."
        if stand_ins
        else "The classes of E2 and E5."
    )
    return SmallTable(
        "data_summary",
        "Model, classes and mechanisms",
        24,
        "The real classes and their simulated stand-ins" if stand_ins else "Your classes",
        f"{whose} The prior is a normal distribution that is fitted to the true grades by maximum "
        "likelihood (used by mechanisms and strategies), or one that is rounded to 0..10. The last "
        "columns count the students who gave a grade in each of four blocks of assignments (or in "
        "each assignment if there are fewer), those of them who graded a submission with a true "
        "grade, and the students whom mechanisms with penalty tasks can pay.",
        [row for group in rows.values() for row in group],
        "Table 1",
    )


UNKNOWN_TEXT = "–"


def _summary_in_paper(name: str) -> dict[str, Any]:
    """The row of one private class, as the paper's table and text describe it."""
    shape = PAPER[name]
    return {
        "class": name,
        "source": "paper",
        "students": shape.students,
        "assignments": shape.assignments,
        "submissions": shape.submissions,
        "with true grade": shape.submissions,
        "peer grades": shape.grades,
        "retained": f"{RETAINED_SHARES[name]:.1%}",
        "prior mean": shape.mean,
        "prior variance": round(shape.variance, 2),
        "prior mean, rounded normal": UNKNOWN_TEXT,
        "prior variance, rounded normal": UNKNOWN_TEXT,
        "students in every block": shape.counted,
        "measured": UNKNOWN_TEXT,
        "paid by pairing": UNKNOWN_TEXT,
    }


def _summary_of(taught: GradedClass) -> dict[str, Any]:
    """The row of one class in the data summary."""
    reports = taught.reports.paid_only
    counted = present_in_every_block(reports, ends_of_blocks(reports))
    row: dict[str, Any] = {
        "class": taught.name,
        "source": "simulated stand-in" if taught.stand_in else "real class",
        "students": len(taught.students),
        "assignments": len(np.unique(reports.assignment)),
        "submissions": len(np.unique(reports.submission)),
        "with true grade": len(taught.true_grades),
        "peer grades": len(reports),
        "retained": UNKNOWN_TEXT if taught.stand_in else f"{taught.retained:.1%}",
    }
    for method, how in PRIOR_FITS.items():
        mean, variance = taught.fitted(method)
        row[f"prior mean{how}"] = round(mean, 2)
        row[f"prior variance{how}"] = round(variance, 2)
    row["students in every block"] = len(counted)
    row["measured"] = len(np.intersect1d(counted, taught.measured))
    row["paid by pairing"] = _paid_by_pairing(taught)
    return row


def _paid_by_pairing(taught: GradedClass) -> int:
    """Number of students whom mechanisms with penalty tasks can pay."""
    total = score("phi-div-p", taught.reports).total
    return int(np.count_nonzero(~np.isnan(total)))


def phi_divergences() -> SmallTable:
    """The functions Φ that Φ-Div and Φ-Div_P can use."""
    rows = [
        {"Φ(x)": one.formula, "divergence": one.full_name, "notation": one.label}
        for one in Divergence
    ]
    return SmallTable(
        "phi_divergences",
        "Model, classes and mechanisms",
        26,
        "Choices of Φ",
        "The functions that Φ-Div and Φ-Div_P can use.",
        rows,
        "Table 2",
    )


def merge_map() -> SmallTable:
    """The report of Merge Signals for every signal, with the paper's prior."""
    scale = Scale()
    signal = scale.values()
    rows = np.arange(len(signal), dtype=np.int32)
    seen = Reports(np.zeros_like(rows), rows, np.zeros_like(rows), signal, scale)
    merge = strategies.make("merge")
    mean, _ = paper_prior(scale)
    report = deviate(seen, 0, merge, prior_mean=mean, seed=0).grade
    return SmallTable(
        "merge_map",
        "Robustness, simulated",
        48,
        "Merge Signals",
        f"Reports of a grader who merges signals, if true scores have mean {mean:g}.",
        [
            {"signals": ", ".join(f"{s:g}" for s in signal[report == to]), "report": f"{to:g}"}
            for to in np.unique(report)
        ],
        "Table 3",
    )


def equilibrium_concepts() -> SmallTable:
    """The equilibrium concept of each mechanism of the paper's body, and its assumption."""
    rows = [
        {
            "mechanism": cls.facts.label.partition(":")[0],
            "concept": cls.facts.equilibrium.value,
            "assumption": cls.facts.assumption,
        }
        for cls in mechanisms.classes().values()
        if cls.facts.in_paper and not cls.facts.novel
    ]
    return SmallTable(
        "equilibrium_concepts",
        "Appendix: equilibrium concepts",
        65,
        "Equilibrium concepts",
        "The equilibrium concept that is proved for truthful reporting under each mechanism, and "
        "the weakest assumption about the signals that is known to suffice.",
        rows,
        "Table 4",
    )


@figure(
    "gamma_density",
    number="Figure B.1a",
    title="Prior of reliabilities",
    caption="Density of the Gamma distribution that model PG1 uses as the prior of the graders' "
    "reliabilities, on the paper's scale of 0 to 10. The vertical line is its mean.",
    section="Appendix: implementation",
    order=70,
    needs=(),
)
def gamma_density(_: pl.DataFrame) -> Figure:
    """The density of the prior of reliabilities, up to five standard deviations above the mean."""
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
        drawn, (axis,) = lay_out(
            1, 1, height=2.2, width=4.4, xlabel="reliability", ylabel="density"
        )
        axis.plot(reliability, density, color="#0072B2")
        axis.fill_between(reliability, density, color="#0072B2", alpha=0.15, linewidth=0)
        axis.axvline(mean, color="#000000", linewidth=0.7, linestyle="--")
        axis.set_xlim(0, reliability[-1])
        axis.set_ylim(bottom=0)
        axis.set_title(f"Gamma with shape {prior.shape:.2f} and rate {prior.rate:g}")
    return drawn
