"""Fitness of strategies in simulated classes: the mean rank of their followers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.randomness import derived_seed, stream
from peergauge.lab.learning import TRUTHFUL, head_counts
from peergauge.mechanisms import Mechanism, score
from peergauge.metrics.statistics import rank_shares
from peergauge.simulate import Semester, Setting, strategies
from peergauge.simulate.source import SemesterSource
from peergauge.simulate.strategies import Strategy
from peergauge.tables import Reports


def mean_by_strategy(shares: Floats, who: NDArray[np.int64], count: int) -> Floats:
    """Mean over the paid followers of each strategy; NaN for a strategy without any."""
    paid = ~np.isnan(shares)
    people = np.bincount(who[paid], minlength=count)
    sums = np.bincount(who[paid], weights=shares[paid], minlength=count)
    return np.where(people > 0, sums / np.maximum(people, 1), np.nan)


@dataclass(frozen=True, eq=False)
class StrategyReports:
    """Reports of all graders of a semester under each of several strategies."""

    semester: Semester
    grade: Floats
    """Grades: strategies × assigned reviews, NaN where a review is not done."""

    @classmethod
    def by(cls, semester: Semester, chosen: Sequence[str | Strategy]) -> StrategyReports:
        """Compute the reports of all graders under each of the chosen strategies."""
        everybody = np.arange(len(semester.population))
        return cls(semester, np.array([semester.redone(everybody, one) for one in chosen]))

    def of(self, who: NDArray[np.int64]) -> Reports:
        """The reports if each grader follows the strategy with the given number."""
        grader = self.semester.design.grader
        return self.semester.handed_in(self.grade[who[grader], np.arange(len(grader))])


class StrategyTrials:
    """Simulated classes in which the fitness of strategies is measured.

    Graders, submissions and signals depend neither on who follows which strategy nor on the
    mechanism, so all comparisons use the same classes. Each time that a mixture is tried, the
    followers of each strategy are drawn at random again.

    A student's rank depends more on ability than on strategy. To reduce this noise, the rank that
    the student has in a truthful class is subtracted (a control variate). It is one half on average
    for any group of followers, so the mean fitness stays the same.

    Parameters
    ----------
    setting
        Setting of the classes.
    chosen
        Strategies, or their specs.
    seed
        Seed of the classes.
    count
        Number of classes.
    cost
        Cost of reading submissions, in ranks out of 100. It is subtracted from the fitness of every
        strategy that depends on the signal.
    """

    def __init__(
        self,
        setting: Setting,
        chosen: Sequence[str | Strategy],
        seed: int,
        count: int,
        cost: float = 0.0,
    ):
        # The strategies as they are now, because a plug-in may be redefined.
        self.strategies = tuple(map(strategies.make, chosen))
        self.specs = tuple(one.spec for one in self.strategies)
        self.setting, self.seed, self.cost = setting, seed, cost
        source = SemesterSource(setting)
        self._classes = [source.draw(derived_seed(seed, "class", i)) for i in range(count)]
        self._reports: dict[tuple[str, int], StrategyReports] = {}
        self._truthful: dict[tuple[Mechanism, int], Floats] = {}

    def __len__(self) -> int:
        return len(self._classes)

    @cached_property
    def effort(self) -> Floats:
        """Cost of each strategy, as a share of the ranks."""
        informed = [one.facts.informed for one in self.strategies]
        return self.cost / 100 * np.array(informed, dtype=np.float64)

    def fitness(
        self, mechanism: Mechanism, counts: NDArray[np.int64], number: int, time: int
    ) -> Floats:
        """Fitness of each strategy in one class, by numbers of followers; NaN if none is paid."""
        who = np.repeat(np.arange(len(self.specs)), counts)
        who = who[stream(self.seed, "who", time, number).permutation(len(who))]
        gained = self._ranks(mechanism, number, who) - self._truthful_ranks(mechanism, number)
        return 0.5 + mean_by_strategy(gained, who, len(self.specs)) - self.effort

    def payoffs(self, mechanism: Mechanism, who: NDArray[np.int64], number: int) -> Floats:
        """Rank of each student in one class minus the cost of their strategy, within 0..1.

        *who* is the number of each student's strategy. NaN for students who are not paid.
        """
        return np.clip(self._ranks(mechanism, number, who) - self.effort[who], 0.0, 1.0)

    def mean_fitness(
        self, mechanism: Mechanism, mixture: Floats, semesters: int, time: int
    ) -> Floats:
        """Mean fitness of each strategy over the next classes, which are used in rotation.

        Every strategy has at least one follower, so that its fitness is known. The fitness of a
        strategy whose followers are not paid is that of an average rank.
        """
        counts = head_counts(mixture, self.setting.students)
        first = time * semesters
        found = np.array(
            [
                self.fitness(mechanism, counts, number % len(self), time)
                for number in range(first, first + semesters)
            ]
        )
        known = ~np.isnan(found)
        sums = np.where(known, found, 0.0).sum(axis=0)
        times = known.sum(axis=0)
        return np.where(times > 0, sums / np.maximum(times, 1), 0.5 - self.effort)

    def _truthful_ranks(self, mechanism: Mechanism, number: int) -> Floats:
        """Ranks of all graders if everybody is truthful."""
        key = mechanism, number
        if key not in self._truthful:
            truthful = self.specs.index(TRUTHFUL)
            everybody = np.full(self.setting.students, truthful)
            self._truthful[key] = self._ranks(mechanism, number, everybody)
        return self._truthful[key]

    def _ranks(self, mechanism: Mechanism, number: int, who: NDArray[np.int64]) -> Floats:
        reports = self._reports_of(mechanism, number)
        seed, truth = reports.semester.seed, reports.semester.truth
        paid = score(mechanism, reports.of(who), seed=seed, truth=truth)
        return rank_shares(paid.total)

    def _reports_of(self, mechanism: Mechanism, number: int) -> StrategyReports:
        key = mechanism.facts.design, number
        if key not in self._reports:
            semester = self._classes[number].semester(mechanism.facts.design)
            self._reports[key] = StrategyReports.by(semester, self.strategies)
        return self._reports[key]
