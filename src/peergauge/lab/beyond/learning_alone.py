"""Classes in which every student learns alone, from their own rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.randomness import stream
from peergauge.engine.experiment import Point, experiment, parameters_of
from peergauge.engine.results import Row
from peergauge.lab.beyond.choices import OverStrategies
from peergauge.lab.beyond.learning import PATH_STRETCHES, stretches
from peergauge.lab.learning.bandits import ExponentialBandit
from peergauge.lab.learning.basins import ANY_START, SHARE_METRIC
from peergauge.lab.learning.classes import StrategyTrials
from peergauge.mechanisms import Mechanism

MECHANISMS = ("mse-p", "pts", "ca", "guarded-mse-p", "pmi", "mls")
"""Mechanisms that lose classes, Correlated Agreement, and later mechanisms."""

LEARNER = "exp3"
"""Name of the learner in results, where other experiments name the dynamic."""


@experiment(
    "learn-alone",
    label="Students who learn alone",
    source="Auer, Cesa-Bianchi, Freund & Schapire 2002; for peer prediction Feng, Yu & Chen 2022",
    question="Does a class become truthful if each student knows nothing but their own rank?",
    beyond=True,
)
@dataclass(frozen=True)
class LearningAlone(OverStrategies):
    """Every student runs EXP3 for some semesters and sees only their own rank in each of them.

    Students draw a strategy each semester, and learn from the share of the others who are paid
    less (minus the cost of reading, if any). Nobody knows what other strategies would have earned
    or what others do. All students begin with the same probabilities, which are drawn evenly from
    all mixtures. Results contain the mean probabilities at the start, and their means over each
    tenth of the semesters. Exploration keeps every strategy at a share of γ / K or more, so that
    no strategy ever has the whole class.

    Parameters
    ----------
    repetitions
        Number of starts.
    semesters
        Number of semesters.
    classes
        Number of simulated classes of each start, which are used in rotation. Abilities change with
        the class, as if each semester were another course.
    exploration
        Share of exploring choices; ``none`` for the value with the best bound.
    """

    repetitions: int = 5
    semesters: int = 1000
    classes: int = 40
    exploration: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        ExponentialBandit(self.semesters, self.exploration)
        if self.semesters < PATH_STRETCHES or self.classes < 1:
            raise ParameterError(
                f"At least {PATH_STRETCHES} semesters and one class are needed, not "
                f"{self.semesters} and {self.classes}."
            )

    def points(self) -> Sequence[Point]:
        return [Point(kind=ANY_START)]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, point, repetition)
        start = stream(own, "start").dirichlet(np.ones(len(self.every)))
        trials = StrategyTrials(
            self.setting(), self.chosen(self.every), own, self.classes, self.cost
        )
        bandit = ExponentialBandit(self.semesters, self.exploration)
        found = self.measurement(repetition, own, **parameters_of(self.setting()), near="")
        for mechanism in self.paying(MECHANISMS):
            learnt = bandit.learn(
                partial(self.payoff, mechanism, trials), start, self.students, own
            )
            for time, mixture in stretches(learnt.path).items():
                for strategy, share in zip(self.every, mixture.tolist(), strict=True):
                    yield found.row(
                        mechanism,
                        SHARE_METRIC,
                        share,
                        strategy=strategy,
                        dynamic=LEARNER,
                        generation=time,
                    )

    def payoff(
        self,
        mechanism: Mechanism,
        trials: StrategyTrials,
        who: NDArray[np.int64],
        semester: int,
    ) -> Floats:
        """The payoff of each student in one semester."""
        return trials.payoffs(mechanism, who, semester % self.classes)
