"""Lead of one strategy over truthful reporting, by the number of its followers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from peergauge.core.lazy import pl
from peergauge.core.randomness import derived_seed
from peergauge.engine.experiment import Point, experiment, parameters_of
from peergauge.engine.results import Row
from peergauge.lab.beyond.choices import LEARNING_SECTION, MECHANISMS, OverStrategies
from peergauge.lab.figures import figure
from peergauge.lab.figures.grid import Margins, lay_out, plain, rows_of_names, typeset
from peergauge.lab.figures.lines import by_mechanism
from peergauge.lab.figures.looks import looks_of
from peergauge.lab.figures.phase import phase_line, phase_line_keys
from peergauge.lab.figures.style import paper_style
from peergauge.lab.figures.summaries import means
from peergauge.lab.learning import TRUTHFUL
from peergauge.lab.learning.classes import StrategyTrials
from peergauge.lab.learning.phase import CLEAR_ERRORS, LEAD_METRIC, PhaseLine, lines_of
from peergauge.lab.paper.selections import Selection
from peergauge.mechanisms import Mechanism
from peergauge.metrics.statistics import mean_with_error

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MIN_STUDENTS_PER_STRATEGY = 10
"""Followers of the rarer strategy over which a lead is averaged in each class."""


@experiment(
    "learn-two",
    label="Truthful against one strategy",
    source="peergauge; the question is left open by Burrell & Schoenebeck 2022",
    question="How many students must follow a strategy until it pays more than truthful reporting?",
    beyond=True,
)
@dataclass(frozen=True)
class TwoStrategies(OverStrategies):
    """One student to all but one follow a strategy; the others are truthful.

    The lead is the mean rank of the followers minus that of truthful graders, out of 100. If fewer
    than ten students follow one of the two strategies, followers are drawn several times, so that
    ten students are averaged in every class. All shares, strategies and mechanisms use the same
    classes.
    """

    repetitions: int = 60

    def points(self) -> Sequence[Point]:
        return [Point(strategy=one) for one in self.others]

    def followers(self) -> list[int]:
        """Numbers of followers of the strategy."""
        inner = (round(part * self.students) for part in np.linspace(0.1, 0.9, 9))
        twentieth = round(self.students / 20)
        ends = (1, twentieth, self.students - twentieth, self.students - 1)
        return sorted({*ends, *inner} - {0, self.students})

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = derived_seed(seed, self.facts.name, repetition)
        both = self.chosen((TRUTHFUL, point.strategy))
        trials = StrategyTrials(self.setting(), both, own, 1, self.cost)
        found = self.measurement(repetition, own, **parameters_of(self.setting()))
        for mechanism in self.paying(MECHANISMS):
            for followers in self.followers():
                lead = self.lead(trials, mechanism, followers)
                yield found.row(
                    mechanism, LEAD_METRIC, lead, strategy=point.strategy, followers=followers
                )

    def lead(self, trials: StrategyTrials, mechanism: Mechanism, followers: int) -> float:
        """Mean lead of so many followers over truthful graders, in ranks out of 100."""
        counts = np.array([self.students - followers, followers])
        times = -(-MIN_STUDENTS_PER_STRATEGY // int(counts.min()))
        fitness = np.array([trials.fitness(mechanism, counts, 0, time) for time in range(times)])
        return mean_with_error(100 * (fitness[:, 1] - fitness[:, 0])).mean


LEAD_ROWS = Selection("learn-two", x="followers")


@figure(
    "learning_gains",
    title="Followers of a strategy against truthful graders",
    caption="Mean rank of the followers of a strategy minus that of the truthful graders in the "
    "same class, in ranks out of 100, against the number of followers. Above zero, a class that "
    "learns takes the strategy up. Bands are 95 % confidence intervals over simulated semesters "
    "(1.96 standard errors).",
    section=LEARNING_SECTION,
    order=311,
    needs=(LEAD_ROWS,),
)
def learning_gains(results: pl.DataFrame) -> Figure:
    """Mean gain against the number of followers, a panel for each mechanism."""
    cells = means(LEAD_ROWS.rows(results))
    ylabel = "gain on truthful graders, in ranks out of 100"
    return by_mechanism(cells, ylabel, xlabel="followers of the strategy")


@figure(
    "learning_phase_lines",
    title="Phase lines of two strategies",
    caption="Some students follow a strategy, and all others are truthful. Blue: truthful graders "
    "rank higher, so that a class that learns moves left. Orange: followers rank higher, and it "
    "moves right. Grey: the difference is within 1.96 standard errors of zero. Filled dots are "
    "mixtures to which a class comes back, hollow dots are the edge of the basin of truthful "
    "reporting.",
    section=LEARNING_SECTION,
    order=310,
    needs=(LEAD_ROWS,),
)
def learning_phase_lines(results: pl.DataFrame) -> Figure:
    """A line for each strategy, in a panel for each mechanism."""
    rows = LEAD_ROWS.rows(results)
    specs = rows["strategy"].unique(maintain_order=True).to_list()
    looks = looks_of(rows["mechanism"])
    with paper_style():
        drawn, axes = lay_out(
            len(looks),
            3,
            height=max(0.5, 0.19 * len(specs)),
            legend=phase_line_keys(),
            xlabel="% who follow the strategy",
            margins=Margins(left=0.95),
        )
        for axis, (mechanism, look) in zip(axes, looks.items(), strict=True):
            lines = lines_of(rows.filter(pl.col("mechanism") == mechanism))
            for spec, one in lines.items():
                _draw_phase_line(axis, specs.index(spec), one)
            axis.set_title(typeset(look.label))
            axis.set_xlim(-3, 103)
            rows_of_names(axis, [plain(spec, 13) for spec in specs])
    return drawn


def _draw_phase_line(axis: Axes, row: int, line: PhaseLine) -> None:
    """Draw the directions of a class at every share that was tried, and its rest points."""
    known = np.abs(line.mean) > CLEAR_ERRORS * line.error
    signs = np.where(known, np.sign(line.mean), 0).astype(np.int64)
    rests = [(100 * rest.share, rest.stable) for rest in line.rest_points]
    phase_line(axis, row, 100 * line.share, signs, rests)
