"""Classes that learn which strategies pay, and the mixtures in which they end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.lazy import pl
from peergauge.core.randomness import stream
from peergauge.engine.experiment import Point, experiment, parameters_of
from peergauge.engine.results import Row
from peergauge.lab.beyond.choices import LEARNING_SECTION, MECHANISMS, OverStrategies
from peergauge.lab.figures import figure
from peergauge.lab.figures.bars import colour_keys, stacked_bar
from peergauge.lab.figures.grid import Margins, lay_out, plain, rows_of_names, typeset
from peergauge.lab.figures.looks import looks_of, strategy_looks
from peergauge.lab.figures.style import paper_style
from peergauge.lab.learning import MIXED_FATE, MOVING_FATE, TAKEOVER_SHARE, TRUTHFUL, Learnt, learnt
from peergauge.lab.learning.basins import ANY_START, REGRET_METRIC, SHARE_METRIC, basins
from peergauge.lab.learning.classes import StrategyTrials
from peergauge.lab.learning.dynamics import Dynamic, dynamics
from peergauge.lab.paper.selections import Selection
from peergauge.mechanisms import Mechanism
from peergauge.simulate import strategies
from peergauge.simulate.strategies import tempting

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEAR_SHARE = 0.9
"""Share of students who follow a strategy at the start of a class near that strategy."""

PATH_STRETCHES = 10
"""Number of stretches of generations over which the path of a class is averaged."""


@experiment(
    "learn",
    label="Classes that learn",
    source="peergauge; the question is left open by Burrell & Schoenebeck 2022",
    question="From which mixtures of strategies does a class become truthful, and where else does "
    "it end?",
    beyond=True,
)
@dataclass(frozen=True)
class LearningClasses(OverStrategies):
    """A class of 100 students starts with any mixture of strategies and learns for 60 generations.

    In each generation, the mixture is rounded to whole students, with at least one follower of each
    strategy, and some semesters are simulated and paid. The fitness of a strategy is the mean rank
    of its followers minus its cost, and the dynamic computes the next mixture from it. Each start
    has its own classes, which are used in rotation with other followers. All mechanisms and
    dynamics use the same classes. The noise of a few semesters is part of the result, because real
    students have no more than that to learn from.

    Starts are drawn evenly from all mixtures, and near each strategy: nine tenths of the students
    follow it, and the rest follow a random mixture. Results contain the shares at the start, their
    means over each tenth of the generations, and the external regret: by how many ranks out of 100
    the best single strategy on the path was ahead of the class, on average over the generations in
    which the class learnt.

    Parameters
    ----------
    repetitions
        Number of starts drawn from all mixtures.
    near
        Number of starts near each strategy; there are four times as many near truthful reporting.
    dynamics
        Specs of the dynamics.
    generations
        Number of generations.
    semesters
        Number of semesters in each generation.
    classes
        Number of simulated classes of each start.
    patience
        A class stops to learn after one strategy has had nearly all students for this number of
        generations; 0 to never stop.
    """

    sampled: ClassVar[tuple[str, ...]] = ("repetitions", "near")

    repetitions: int = 70
    near: int = 5
    dynamics: tuple[str | Dynamic, ...] = ("replicator", "logit")
    generations: int = 60
    semesters: int = 4
    classes: int = 40
    patience: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        one = isinstance(self.dynamics, str | Dynamic)
        given = [self.dynamics] if one else self.dynamics
        made = dynamics.distinct(given)  # type: ignore[arg-type]
        object.__setattr__(self, "dynamics", tuple(map(dynamics.spec_or_object, made)))
        # In a smaller class, the single followers of the others keep any strategy from taking over.
        fewest = round(len(self.others) / (1 - TAKEOVER_SHARE))
        if self.students <= fewest:
            raise ParameterError(
                f"{len(self.every)} strategies need a class of more than {fewest} students, but it "
                f"has {self.students}."
            )
        if self.generations < PATH_STRETCHES:
            raise ParameterError(
                f"At least {PATH_STRETCHES} generations are needed, not {self.generations}."
            )
        if self.semesters < 1 or self.classes < 1 or not self.dynamics:
            raise ParameterError("At least one dynamic, one semester and one class are needed.")

    def scaled(self, share: float) -> Self:
        return replace(super().scaled(share), near=min(self.near, max(1, round(share * self.near))))

    def points(self) -> Sequence[Point]:
        near = [Point(x, kind="near") for x in range(len(self.every))] if self.near else []
        return [Point(kind=ANY_START), *near]

    def repetitions_at(self, point: Point, seed: int) -> int:
        if point.kind == ANY_START:
            return self.repetitions
        return self.near if point.x else 4 * self.near

    def start(self, point: Point, seed: int) -> Floats:
        """The starting mixture of a class."""
        mixture = stream(seed, "start").dirichlet(np.ones(len(self.every)))
        if point.x is not None:
            mixture *= 1 - NEAR_SHARE
            mixture[point.x] += NEAR_SHARE
        return mixture

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, point, repetition)
        start = self.start(point, own)
        near = "" if point.x is None else self.every[point.x]
        trials = StrategyTrials(
            self.setting(), self.chosen(self.every), own, self.classes, self.cost
        )
        found = self.measurement(repetition, own, **parameters_of(self.setting()), near=near)
        for chosen in self.dynamics:
            dynamic = str(chosen)
            for mechanism in self.paying(MECHANISMS):
                found_path = self.path(chosen, mechanism, trials, start)
                yield found.row(mechanism, REGRET_METRIC, 100 * found_path.regret, dynamic=dynamic)
                for time, mixture in stretches(found_path.path).items():
                    for strategy, share in zip(self.every, mixture.tolist(), strict=True):
                        yield found.row(
                            mechanism,
                            SHARE_METRIC,
                            share,
                            strategy=strategy,
                            dynamic=dynamic,
                            generation=time,
                        )

    def path(
        self, dynamic: str | Dynamic, mechanism: Mechanism, trials: StrategyTrials, start: Floats
    ) -> Learnt:
        """The mixtures and fitnesses of a class in all generations, under one mechanism."""
        return learnt(
            dynamics.make(dynamic),
            lambda mixture, time: trials.mean_fitness(mechanism, mixture, self.semesters, time),
            start,
            self.generations,
            least=1 / self.students,
            patience=self.patience,
        )


def stretches(path: Floats) -> dict[int, Floats]:
    """The start and the mean mixture of each tenth of a path, by the last generation."""
    ends = np.linspace(0, len(path) - 1, PATH_STRETCHES + 1).round().astype(int).tolist()
    means = {0: path[0]}
    for begin, end in zip(ends[:-1], ends[1:], strict=True):
        means[end] = path[begin + 1 : end + 1].mean(axis=0)
    return means


@experiment(
    "learn-unaware",
    label="Classes that learn, unaware of biases",
    source="peergauge; the question is left open by Burrell & Schoenebeck 2022",
    question="Where does a class end up if no student knows their own bias?",
    beyond=True,
)
@dataclass(frozen=True)
class UnawareClasses(LearningClasses):
    """Classes without the strategies for which students must know their own bias.

    Among the paper's six, that is Fix Bias. It pays under most mechanisms if many follow it,
    because it makes reports more accurate; a class that adopts it loses nothing except that its
    reports are no longer called truthful.
    """

    def usual(self) -> tuple[str, ...]:
        return tuple(one for one in tempting() if not strategies.make(one).facts.latent)


LEARNING_ROWS, UNAWARE_ROWS = Selection("learn"), Selection("learn-unaware")
START_TITLES = {"": "from anywhere", TRUTHFUL: "from near truthful"}
"""Where classes begin: near which strategy, and how titles say so."""

FATE_COLOURS = {TRUTHFUL: "#000000", MIXED_FATE: "#cccccc", MOVING_FATE: "#f2f2f2"}


def fate_colours(fates: Iterable[str]) -> dict[str, str]:
    """The colour of every fate: truthful first, then the strategies, then mixtures."""
    present = set(fates)
    looks = strategy_looks(sorted(one for one in present if one not in FATE_COLOURS))
    strategy_colours = {spec: look.colour for spec, look in looks.items()}
    order = {TRUTHFUL: FATE_COLOURS[TRUTHFUL], **strategy_colours, **FATE_COLOURS}
    return {one: colour for one, colour in order.items() if one in present}


@figure(
    "learning_fates",
    title="Where classes that learn end up",
    caption="Share of starting mixtures from which a class ends up with at least four fifths of "
    "its students following one strategy, in a mix that stays, or still moving, after 60 "
    "generations. On the left, mixtures are drawn evenly from all mixtures. On the right, nine in "
    "ten students begin truthful. Unaware classes lack Fix Bias, for which students must know "
    "their own bias. A share p of n starts has a standard error of √(p (1 − p) / n).",
    section=LEARNING_SECTION,
    order=300,
    needs=((LEARNING_ROWS, UNAWARE_ROWS),),
)
def learning_fates(results: pl.DataFrame) -> Figure:
    """Stacked bars, one for each mechanism, in a panel for each dynamic and kind of start."""
    found = [one for one in basins(results) if one.near in START_TITLES]
    looks = looks_of(one.mechanism for one in found)
    colours = fate_colours(fate for one in found for fate in one.fates)
    kinds = dict.fromkeys((one.experiment, one.dynamic) for one in found)
    panels = [(*kind, near) for kind in kinds for near in START_TITLES]
    row_of = {name: row for row, name in enumerate(looks)}
    with paper_style():
        drawn, axes = lay_out(
            len(panels),
            len(START_TITLES),
            height=max(0.6, 0.15 * len(looks)),
            legend=colour_keys(colours),
            xlabel="share of starts in %",
            margins=Margins(left=1.15, right=0.2, across=0.3),
        )
        for axis, panel in zip(axes, panels, strict=True):
            for one in found:
                if (one.experiment, one.dynamic, one.near) == panel:
                    stacked_bar(axis, row_of[one.mechanism], one.shares(), colours)
            name, dynamic, near = panel
            who = "unaware, " if name == UNAWARE_ROWS.experiment else ""
            axis.set_title(f"{plain(dynamic, 20)}, {who}{START_TITLES[near]}")
            axis.set_xlim(0, 100)
            rows_of_names(axis, [typeset(look.label) for look in looks.values()])
    return drawn
