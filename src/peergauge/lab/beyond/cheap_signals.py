"""Gains of graders who report a cheap quality that is seen at a glance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from peergauge.core.lazy import pl
from peergauge.core.randomness import stream
from peergauge.engine.deviation import Deviation, deviation_gains
from peergauge.engine.experiment import Point, experiment, parameters_of
from peergauge.engine.results import Row
from peergauge.lab.beyond.roster import LATER_MECHANISMS
from peergauge.lab.figures import figure
from peergauge.lab.figures.grid import Margins
from peergauge.lab.figures.lines import panels_of_lines
from peergauge.lab.figures.looks import is_variant
from peergauge.lab.figures.summaries import means
from peergauge.lab.paper.roster import DIVERGENCES, body
from peergauge.lab.paper.selections import Selection
from peergauge.lab.paper.sizes import OfOneSize
from peergauge.mechanisms import score, total_pay
from peergauge.metrics.binary_auc import BinaryAUC
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.rank_gain import RankGain
from peergauge.simulate import CheapSignals, Semester, Setting, strategies
from peergauge.simulate.source import SemesterSource

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class CheapReports(NamedTuple):
    """What graders report who use the cheap quality."""

    correlation: float
    """Correlation of the cheap quality with the true score."""

    weight: float = 1.0
    """Weight of the cheap quality; the rest is the weight of what the grader saw."""

    @property
    def strategy(self) -> str:
        """The strategy of these graders.

        A mean of two independent signals varies less than each of them, and would look like a
        hedged grade. Graders who mix therefore restore the spread.
        """
        if self.weight == 1:
            return "cheap"
        factor = 1 / np.hypot(self.weight, 1 - self.weight)
        mixed = f"mix-cheap:weight={self.weight};correlation={self.correlation}"
        return strategies.make(f"in-turn:steps={mixed}+stretch:factor={factor:.2f}").spec

    @property
    def title(self) -> str:
        """The title of a panel."""
        mixed = "" if self.weight == 1 else ", mixed"
        return f"ρ = {self.correlation:g}{mixed}"


CHEAP_REPORTS = {
    "0": CheapReports(0.0),
    "0-half": CheapReports(0.0, 0.5),
    "0.5": CheapReports(0.5),
    "0.8": CheapReports(0.8),
}
"""What graders report, by the kind of a point."""

MECHANISMS = (*body("estimate"), *LATER_MECHANISMS)


@experiment(
    "cheap-signals",
    label="Cheap signals",
    source="called for by Burrell & Schoenebeck 2022; Gao et al. 2016",
    question="Do graders gain by reporting a cheap quality together, and from which share on?",
    beyond=True,
)
@dataclass(frozen=True)
class CheapSignalsPay(OfOneSize):
    """0 to 90 out of 100 graders report a cheap quality; one more joins, or one of them returns.

    The cheap quality correlates with the true score by 0, 0.5 or 0.8. In a fourth kind of class,
    graders mix a worthless cheap quality half and half with what they saw, and restore the spread.
    The rank gain is that of the grader who joins, or who returns to reporting the full signal. The
    agreement of pay with squared error is measured too. The effort that a cheap report saves is not
    counted.
    """

    repetitions: int = 60

    def points(self) -> Sequence[Point]:
        tenth = self.students // 10
        return [Point(tenth * x, kind=kind) for kind in CHEAP_REPORTS for x in range(10)]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own, reported = self.own_seed(seed, point, repetition), CHEAP_REPORTS[point.kind]
        strategy = reported.strategy
        setting = Setting(
            self.students,
            self.assignments,
            strategies={strategy: point.x or 0},
            cheap=CheapSignals(reported.correlation),
        )
        simulated = SemesterSource(setting).draw(own)
        found = self.measurement(
            repetition,
            own,
            **parameters_of(setting),
            correlation=reported.correlation,
            weight=reported.weight,
        )
        changes: dict[str, dict[str, Deviation]] = {}
        for mechanism in self.paying(MECHANISMS):
            design = mechanism.facts.design
            semester = simulated.semester(design)
            if design not in changes:
                changes[design] = _changes(semester, own, strategy)
            rewards = score(mechanism, semester.reports, seed=own, truth=semester.truth)
            for measure in (BinaryAUC(), KendallTau()):
                value = measure.measure(rewards, semester.truth)
                yield found.row(mechanism, measure.facts.name, value, strategy=strategy)
            pay = partial(total_pay, mechanism, seed=own, truth=semester.truth)
            paid = semester.reports, rewards.total
            for change, deviation in changes[design].items():
                for gain in deviation_gains([deviation], pay, paid=paid):
                    value = gain.ranks(RankGain())
                    yield found.row(
                        mechanism, RankGain.facts.name, value, strategy=strategy, change=change
                    )


def _changes(semester: Semester, seed: int, strategy: str) -> dict[str, Deviation]:
    """One grader who joins the strategic group, and one who returns from it if there is one."""
    who, before = semester.deviator, semester.reports
    changes = {"joining": Deviation(before, semester.redo(who, strategy), (who,))}
    strategic = np.flatnonzero(semester.population.strategy)
    if len(strategic):
        back = int(stream(seed, "returns").choice(strategic))
        changes["returning"] = Deviation(before, semester.redo(back, "truthful"), (back,))
    return changes


CHEAP_ROWS = Selection("cheap-signals", x="strategic")
NOT_DRAWN = (
    *(f"phi-div:divergence={one}" for one in DIVERGENCES),
    "phi-div-p:divergence=tvd",
    "phi-div-p:divergence=chi2",
)


@figure(
    "cheap_signals",
    title="Cheap signals",
    caption="Upper row: mean number of ranks that one grader gains by joining the graders who "
    "grade by what is seen at a glance, against the number of these graders. Lower row: how well "
    "pay identifies accurate graders (binary AUC). Columns differ in the correlation ρ of the "
    "cheap quality with the true score, and in whether graders mix it with what they saw. Bands "
    "are 95 % confidence intervals of the means over simulated "
    "semesters (1.96 standard errors). Φ-Div and two of Φ-Div_P are left out.",
    section="Beyond the paper",
    order=341,
    needs=(CHEAP_ROWS,),
)
def cheap_signals(results: pl.DataFrame) -> Figure:
    """A panel for each correlation, of gains and of integrity, with a line for each mechanism."""
    rows = CHEAP_ROWS.rows(results)
    cells = means(rows.filter(~is_variant(rows, NOT_DRAWN)))
    measures = {
        "ranks gained": pl.col("change") == "joining",
        "integrity": pl.col("metric") == BinaryAUC.facts.name,
    }
    panels = [
        (
            f"{title}, {reported.title}",
            cells.filter(
                measured,
                pl.col("correlation") == reported.correlation,
                pl.col("weight") == reported.weight,
            ),
        )
        for title, measured in measures.items()
        for reported in CHEAP_REPORTS.values()
    ]
    drawn = panels_of_lines(
        panels,
        "mechanism",
        xlabel="graders who use it",
        columns=4,
        height=1.8,
        share="none",
        margins=Margins(across=0.42, down=0.62),
    )
    for axis in drawn.axes[: len(CHEAP_REPORTS)]:
        axis.axhline(0.0, color="#000000", linewidth=0.7)
    return drawn
