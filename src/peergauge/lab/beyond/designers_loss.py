"""Losses of designers with different costs of a wrong letter grade, by mechanism."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.engine.experiment import Point, experiment, parameters_of
from peergauge.engine.results import Row
from peergauge.lab.beyond.roster import LATER_MECHANISMS
from peergauge.lab.figures import figure
from peergauge.lab.figures.grid import Margins
from peergauge.lab.figures.lines import measure_title, panels_of_lines
from peergauge.lab.figures.looks import is_variant
from peergauge.lab.figures.summaries import means
from peergauge.lab.paper.roster import body, novel
from peergauge.lab.paper.selections import Selection
from peergauge.lab.paper.sizes import UpToSomeAssignments
from peergauge.mechanisms import score
from peergauge.metrics.letter_loss import LetterLoss
from peergauge.metrics.quinary_auc import QuinaryAUC
from peergauge.simulate import Setting
from peergauge.simulate.source import SemesterSource

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DESIGNERS = {
    "all steps cost the same": LetterLoss(),
    "too low costs triple": LetterLoss(too_low=3.0),
    "steps are squared": LetterLoss(power=2.0),
    "only failing counts": LetterLoss(line="below-d"),
    "failed wrongly costs tenfold": LetterLoss(too_low=10.0, line="below-d"),
}

MECHANISMS = (
    *body("estimate"),
    *(spec for spec in novel("estimate") if not spec.startswith("loo")),
    *LATER_MECHANISMS,
)


@experiment(
    "designers-loss",
    label="The designer's loss",
    source="called for by Burrell & Schoenebeck 2022, Quantifying Measurement Integrity",
    question="Does the best mechanism depend on the designer's loss over letter grades?",
    beyond=True,
)
@dataclass(frozen=True)
class DesignersLoss(UpToSomeAssignments):
    """500 students grade up to 15 assignments; pay is turned into letters, whose loss is measured.

    One semester is paid after each of its assignments. Five designers differ in their loss. Quinary
    AUC is measured too. LOO is left out, because it needs the true scores.
    """

    repetitions: int = 40
    students: int = 500

    def points(self) -> Sequence[Point]:
        return [Point()]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, point, repetition)
        setting = Setting(self.students, self.most_assignments)
        simulated = SemesterSource(setting).draw(own)
        found = self.measurement(repetition, own, **parameters_of(setting))
        for mechanism in self.paying(MECHANISMS):
            semester = simulated.semester(mechanism.facts.design)
            rewards = score(mechanism, semester.reports, seed=own)
            for paid in self.numbers():
                so_far = rewards.first(paid)
                for designer, loss in DESIGNERS.items():
                    value = loss.measure(so_far, semester.truth)
                    name = loss.facts.name
                    yield found.row(mechanism, name, value, designer=designer, paid=paid)
                value = QuinaryAUC().measure(so_far, semester.truth)
                yield found.row(mechanism, QuinaryAUC.facts.name, value, paid=paid)


def agreement(cells: pl.DataFrame) -> pl.DataFrame:
    """Kendall's τ_B between the order of mechanisms by each loss and by quinary AUC.

    Returns a table with the columns ``designer``, ``paid`` (assignments paid so far) and ``tau``,
    which is 1 if both orders are the same.
    """
    from peergauge.metrics.statistics import kendall_tau_b

    own = cells.filter(pl.col("experiment") == DesignersLoss.facts.name)
    loss = pl.col("metric") == LetterLoss.facts.name
    auc = own.filter(~loss).select("mechanism", "paid", auc="mean")
    both = own.filter(loss).join(auc, on=["mechanism", "paid"]).sort("paid", "mechanism")
    found = [
        {
            "designer": designer,
            "paid": paid,
            "tau": kendall_tau_b(-here["mean"].to_numpy(), here["auc"].to_numpy()),
        }
        for (paid, designer), here in both.group_by("paid", "designer", maintain_order=True)
    ]
    schema = {"designer": pl.String, "paid": pl.Int64, "tau": pl.Float64}
    return pl.DataFrame(found, schema=schema)


LOSS_ROWS = Selection("designers-loss", x="paid")
NOT_DRAWN = (
    "dmi",
    "corr",
    "mcc",
    "phi-div:divergence=kl",
    "phi-div:divergence=chi2",
    "phi-div:divergence=h2",
    *(f"{name}:divergence=tvd" for name in ("phi-div-p", "phi-div-p-star")),
    *(f"{name}:divergence=chi2" for name in ("phi-div-p", "phi-div-p-star")),
)


@figure(
    "designers_loss",
    title="The designer's loss",
    caption="Mean cost per grader of letter grades A to F that are made from pay instead of "
    "squared error, for designers with different costs of a wrong letter; and quinary AUC. In "
    "brackets, Kendall's τ_B between the order of all mechanisms by that loss and by quinary AUC, "
    "averaged over the numbers of assignments. Bands are 95 % confidence intervals of the means "
    "over simulated semesters (1.96 standard errors). DMI, CORR, MCC, three of Φ-Div and two each "
    "of Φ-Div_P and Φ-Div_P* are not drawn.",
    section="Beyond the paper",
    order=342,
    needs=(LOSS_ROWS,),
)
def designers_loss(results: pl.DataFrame) -> Figure:
    """A panel for each designer, and one of quinary AUC, with a line for each mechanism."""
    cells = means(LOSS_ROWS.rows(results))
    tau = {
        name: float(here["tau"].to_numpy().mean())
        for (name,), here in agreement(cells).group_by("designer")
    }
    shown = cells.filter(~is_variant(cells, NOT_DRAWN))
    panels = [
        (
            f"{name} ({tau.get(name, float('nan')):.2f})",
            shown.filter(pl.col("designer") == name),
        )
        for name in DESIGNERS
    ]
    quinary = QuinaryAUC.facts.name
    panels.append((measure_title(quinary), shown.filter(pl.col("metric") == quinary)))
    return panels_of_lines(
        panels,
        "mechanism",
        xlabel="assignments",
        columns=3,
        height=1.8,
        share="none",
        margins=Margins(across=0.42, down=0.62),
    )
