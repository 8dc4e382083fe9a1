"""Where does a class end up that learns what pays?"""

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
from peergauge.lab.learning import MIX, MOVING, TAKEN, TRUTHFUL, learn
from peergauge.lab.learning.basins import ANYWHERE, SHARE, basins
from peergauge.lab.learning.classes import Lessons
from peergauge.lab.learning.dynamics import dynamics
from peergauge.lab.paper.selections import Selection
from peergauge.mechanisms import Mechanism
from peergauge.simulate import strategies
from peergauge.simulate.strategies import tempting

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NEAR = 0.9
"""The share of students who follow a strategy in a class that begins near it."""

STRETCHES = 10
"""How many stretches of time a path is told by."""


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
    """A class of 100 begins with any mixture of strategies, and learns over 60 generations.

    In each generation the mixture is rounded to whole students, one for each strategy at the least:
    somebody always tries what nobody does any more, and stands for it. So many semesters are
    simulated and paid. What a strategy is worth is the mean rank of its followers, less what it
    costs, and the dynamic makes the next mixture of that. A start has classes of its own, which
    come round again with other followers; all mechanisms and dynamics are tried on the same ones.
    The noise of few semesters is part of the answer, as it is in life.

    Starts are drawn evenly from all mixtures, and near each strategy: nine tenths follow it, and
    the rest are anyhow. Shares are told for each tenth of the time, as means over it.

    Parameters
    ----------
    repetitions
        How many starts are drawn from all mixtures.
    near
        How many starts there are near each strategy; near truthful reporting four times as many.
    dynamics
        By these the class learns; each by its spec, as for mechanisms.
    generations
        How often it learns.
    semesters
        From how many semesters each time.
    classes
        How many classes a start has, for all of its semesters.
    patience
        A class in which one strategy has had all students but those who try the others, for so
        many generations, is left there; 0 to go on regardless.
    """

    sampled: ClassVar[tuple[str, ...]] = ("repetitions", "near")

    repetitions: int = 70
    near: int = 5
    dynamics: tuple[str, ...] = ("replicator", "logit")
    generations: int = 60
    semesters: int = 4
    classes: int = 40
    patience: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [self.dynamics] if isinstance(self.dynamics, str) else self.dynamics
        object.__setattr__(self, "dynamics", tuple(dynamics.make(one).spec for one in given))
        # Otherwise those who try the others are too many for any strategy to take over.
        fewest = round(len(self.others) / (1 - TAKEN))
        if self.students <= fewest:
            raise ParameterError(
                f"{len(self.every)} strategies need a class of more than {fewest}, but it has "
                f"{self.students} students."
            )
        if self.generations < STRETCHES:
            raise ParameterError(f"A class learns {STRETCHES} times at the least.")
        if self.semesters < 1 or self.classes < 1 or not self.dynamics:
            raise ParameterError("To learn takes a dynamic, a semester and a class at the least.")

    def scaled(self, share: float) -> Self:
        return replace(super().scaled(share), near=min(self.near, max(1, round(share * self.near))))

    def points(self) -> Sequence[Point]:
        near = [Point(x, kind="near") for x in range(len(self.every))] if self.near else []
        return [Point(kind=ANYWHERE), *near]

    def repetitions_at(self, point: Point, seed: int) -> int:
        if point.kind == ANYWHERE:
            return self.repetitions
        return self.near if point.x else 4 * self.near

    def start(self, point: Point, seed: int) -> Floats:
        """The mixture that a class begins with."""
        mixture = stream(seed, "start").dirichlet(np.ones(len(self.every)))
        if point.x is not None:
            mixture *= 1 - NEAR
            mixture[point.x] += NEAR
        return mixture

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, point, repetition)
        start = self.start(point, own)
        near = "" if point.x is None else self.every[point.x]
        lessons = Lessons(self.setting(), self.every, own, self.classes, self.cost)
        found = self.measurement(repetition, own, **parameters_of(self.setting()), near=near)
        for dynamic in self.dynamics:
            for mechanism in self.paying(MECHANISMS):
                path = self.path(dynamic, mechanism, lessons, start)
                for time, mixture in stretches(path).items():
                    for strategy, share in zip(self.every, mixture.tolist(), strict=True):
                        yield found.row(
                            mechanism,
                            SHARE,
                            share,
                            strategy=strategy,
                            dynamic=dynamic,
                            generation=time,
                        )

    def path(self, dynamic: str, mechanism: Mechanism, lessons: Lessons, start: Floats) -> Floats:
        """The mixtures that a class goes through under a mechanism."""
        return learn(
            dynamics.make(dynamic),
            lambda mixture, time: lessons.mean_worth(mechanism, mixture, self.semesters, time),
            start,
            self.generations,
            least=1 / self.students,
            patience=self.patience,
        )


def stretches(path: Floats) -> dict[int, Floats]:
    """The start, and the mean mixture of each tenth of the time, by the end of that tenth."""
    ends = np.linspace(0, len(path) - 1, STRETCHES + 1).round().astype(int).tolist()
    told = {0: path[0]}
    for begin, end in zip(ends[:-1], ends[1:], strict=True):
        told[end] = path[begin + 1 : end + 1].mean(axis=0)
    return told


@experiment(
    "learn-unaware",
    label="Classes that learn, unaware of biases",
    source="peergauge; the question is left open by Burrell & Schoenebeck 2022",
    question="Where does a class end up if nobody knows whether they grade too high or too low?",
    beyond=True,
)
@dataclass(frozen=True)
class UnawareClasses(LearningClasses):
    """The same without the strategies that a student can only follow who knows their own bias.

    Of the paper's six that is Fix Bias. Where many follow it, it pays under most mechanisms, since
    it makes reports better: what a class loses by it is the word truthful and no more.
    """

    def usual(self) -> tuple[str, ...]:
        return tuple(one for one in tempting() if not strategies.make(one).facts.latent)


LEARNING_ROWS, UNAWARE_ROWS = Selection("learn"), Selection("learn-unaware")
START_TITLES = {"": "from anywhere", TRUTHFUL: "from near truthful"}
"""Where classes begin: near which strategy, and how titles say so."""

FATE_COLOURS = {TRUTHFUL: "#000000", MIX: "#cccccc", MOVING: "#f2f2f2"}


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
