"""Rank gains of coordinated lies, by the share of submissions that staff check."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from peergauge.core.lazy import pl
from peergauge.core.randomness import stream
from peergauge.engine.deviation import Deviation, deviation_gains
from peergauge.engine.experiment import Point, experiment, parameters_of
from peergauge.engine.results import Row
from peergauge.lab.figures import figure
from peergauge.lab.figures.grid import Margins
from peergauge.lab.figures.lines import measure_title, panels_of_lines
from peergauge.lab.figures.summaries import means
from peergauge.lab.paper.selections import Selection
from peergauge.lab.paper.sizes import OfOneSize
from peergauge.mechanisms import score, total_pay
from peergauge.metrics.binary_auc import BinaryAUC
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.rank_gain import RankGain
from peergauge.simulate import CheapSignals, Semester, Setting, simulate
from peergauge.simulate.spot_checks import checks_of, draw_checks

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CHECKED_PERCENTS = (0, 1, 2, 5, 10, 20, 50)
"""Shares of the submissions that staff check, in percent."""

MECHANISMS = (
    "sne",
    "sne:form=strict",
    "sne:prior=mean",
    "guarded-merit",
    "mls",
    "pmi",
    "guarded-mse-p",
    "mse-p",
    "mse",
    "staff-distance",
)


class Lie(NamedTuple):
    """A strategy that some tenths of the graders follow together."""

    tenths: int
    strategy: str
    words: str


LIES = {
    "mirror-60": Lie(6, "stretch:factor=-1", "60 % turn grades upside down"),
    "mirror-90": Lie(9, "stretch:factor=-1", "90 % turn grades upside down"),
    "shift-90": Lie(9, "shift:by=2", "90 % add two points"),
    "hedge-90": Lie(9, "hedge", "90 % hedge"),
    "highest-90": Lie(9, "all-tens", "90 % give the highest"),
    "cheap-90": Lie(9, "cheap", "90 % grade at a glance"),
}


@experiment(
    "spot-checks",
    label="Spot checks",
    source="called for by Burrell & Schoenebeck 2022; Gao et al. 2016",
    question="How many submissions must staff check until coordinated lies no longer pay?",
    beyond=True,
)
@dataclass(frozen=True)
class SpotChecks(OfOneSize):
    """Staff check 0 to 50 % of the submissions; one grader joins those who lie, or nobody lies.

    If nobody lies, the agreement of pay with squared error is measured. All shares use the same
    classes, lies and random draws, and a larger share includes the submissions of a smaller one.
    The cheap quality is independent of the true score.
    """

    def points(self) -> Sequence[Point]:
        return [Point(x, lie) for lie in ("", *LIES) for x in CHECKED_PERCENTS]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, Point(strategy=point.strategy), repetition)
        setting = Setting(self.students, self.assignments, cheap=CheapSignals(0.0))
        semester = simulate(setting, own)
        chosen = draw_checks(semester.reports, (point.x or 0) / 100, seed=own)
        checks = checks_of(semester.truth, semester.reports, chosen) if len(chosen) else None
        lie = LIES.get(point.strategy)
        deviation = joined(semester, lie, own) if lie else None
        found = self.measurement(
            repetition,
            own,
            **parameters_of(setting)
            | {"strategic": self.students * lie.tenths // 10 if lie else 0, "checked": point.x},
        )
        for mechanism in self.paying(MECHANISMS):
            if mechanism.facts.needs_truth and checks is None:
                continue
            staff: dict[str, Any] = {"seed": own, "truth": semester.truth, "checks": checks}
            if lie is None or deviation is None:
                rewards = score(mechanism, semester.reports, **staff)
                for measure in (BinaryAUC(), KendallTau()):
                    value = measure.measure(rewards, semester.truth)
                    yield found.row(mechanism, measure.facts.name, value)
                continue
            for gain in deviation_gains([deviation], partial(total_pay, mechanism, **staff)):
                value = gain.ranks(RankGain())
                yield found.row(
                    mechanism, RankGain.facts.name, value, strategy=lie.strategy, lie=point.strategy
                )


def joined(semester: Semester, lie: Lie, seed: int) -> Deviation:
    """The deviation of one more grader who joins those who lie."""
    order = stream(seed, "liars").permutation(semester.reports.graders)
    liars = len(order) * lie.tenths // 10
    before, after = (semester.redo(order[:count], lie.strategy) for count in (liars, liars + 1))
    return Deviation(before, after, (int(order[liars]),))


CHECKED_ROWS = Selection("spot-checks", x="checked")


@figure(
    "spot_checks",
    title="Spot checks",
    caption="How well pay identifies accurate graders, and the mean number of ranks that one "
    "grader gains by joining those who lie, against the share of submissions whose true score "
    "staff found out and gave to the mechanism; below zero the lie does not pay. Bands are 95 % "
    "confidence intervals of the means over simulated semesters (1.96 standard errors).",
    section="Beyond the paper",
    order=340,
    needs=(CHECKED_ROWS,),
)
def spot_checks(results: pl.DataFrame) -> Figure:
    """Two panels of integrity and one for each lie, with a line for each mechanism."""
    cells = means(CHECKED_ROWS.rows(results))
    measures = (BinaryAUC.facts.name, KendallTau.facts.name)
    panels = [(measure_title(name), cells.filter(pl.col("metric") == name)) for name in measures]
    panels += [(lie.words, cells.filter(pl.col("lie") == name)) for name, lie in LIES.items()]
    drawn = panels_of_lines(
        panels,
        "mechanism",
        xlabel="% of submissions checked",
        columns=3,
        height=1.6,
        share="none",
        margins=Margins(across=0.42, down=0.62),
    )
    for number, axis in enumerate(drawn.axes):
        # Small shares have as much room as large ones.
        axis.set_xscale("symlog", linthresh=1, linscale=0.4)
        axis.set_xticks(CHECKED_PERCENTS, [str(share) for share in CHECKED_PERCENTS])
        axis.minorticks_off()
        if number >= len(measures) and panels[number][1].height:
            axis.axhline(0.0, color="#000000", linewidth=0.7)
    return drawn
