"""What strategies are worth in simulated classes: the mean rank of those who follow them."""

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
from peergauge.metrics.statistics import midranks
from peergauge.simulate import Semester, Setting, strategies
from peergauge.simulate.source import SemesterSource
from peergauge.tables import Reports


def rank_shares(pay: Floats) -> Floats:
    """The share of the others that each is paid more than, ties counting half; NaN if not paid."""
    shares = np.full(len(pay), np.nan)
    paid = ~np.isnan(pay)
    count = int(np.count_nonzero(paid))
    if count > 1:
        shares[paid] = (midranks(pay[paid]) - 1) / (count - 1)
    return shares


def mean_by_strategy(shares: Floats, who: NDArray[np.int64], count: int) -> Floats:
    """The mean over the followers of each strategy who are paid; NaN where nobody is."""
    paid = ~np.isnan(shares)
    people = np.bincount(who[paid], minlength=count)
    sums = np.bincount(who[paid], weights=shares[paid], minlength=count)
    return np.where(people > 0, sums / np.maximum(people, 1), np.nan)


@dataclass(frozen=True, eq=False)
class Told:
    """A semester, with what all its graders would report under each of several strategies."""

    semester: Semester
    grade: Floats
    """Strategies × reports."""

    @classmethod
    def by(cls, semester: Semester, specs: Sequence[str]) -> Told:
        """What everybody would report under each of *specs*."""
        everybody = np.arange(len(semester.population))
        return cls(semester, np.array([semester.redo(everybody, one).grade for one in specs]))

    def reports(self, who: NDArray[np.int64]) -> Reports:
        """The reports, if each grader follows the strategy of that number."""
        reports = self.semester.reports
        return reports.with_grades(self.grade[who[reports.grader], np.arange(len(reports))])


class Lessons:
    """Some classes in which strategies are tried out, and what they are worth there.

    The graders, their submissions and what they see do not depend on who follows what, nor on the
    mechanism: whatever is compared, is compared in the same classes. Each time that a mixture is
    tried, chance says anew who follows what.

    A student's rank owes more to their ability than to their strategy. So what counts is by how
    much their rank differs from the one that they have if everybody is truthful, which is one half
    on average, whoever follows what: the mean is the same, and the noise is mostly smaller.

    Parameters
    ----------
    setting
        What the classes are like.
    specs
        The strategies.
    seed
        Of these classes.
    count
        How many classes there are.
    cost
        What it costs to look at submissions, in ranks of a hundred: it is taken off what every
        strategy is worth that depends on the signal.
    """

    def __init__(
        self, setting: Setting, specs: Sequence[str], seed: int, count: int, cost: float = 0.0
    ):
        self.setting, self.specs, self.seed, self.cost = setting, tuple(specs), seed, cost
        source = SemesterSource(setting)
        self._classes = [source.draw(derived_seed(seed, "class", i)) for i in range(count)]
        self._told: dict[tuple[str, int], Told] = {}
        self._usual: dict[tuple[str, int], Floats] = {}

    def __len__(self) -> int:
        return len(self._classes)

    @cached_property
    def effort(self) -> Floats:
        """What each strategy costs, as a share of the ranks."""
        informed = [strategies.make(spec).facts.informed for spec in self.specs]
        return self.cost / 100 * np.array(informed, dtype=np.float64)

    def worth(
        self, mechanism: Mechanism, counts: NDArray[np.int64], number: int, time: int
    ) -> Floats:
        """What each strategy is worth in one class if so many follow it; NaN if nobody is paid."""
        who = np.repeat(np.arange(len(self.specs)), counts)
        who = who[stream(self.seed, "who", time, number).permutation(len(who))]
        gained = self._ranks(mechanism, number, who) - self._usual_ranks(mechanism, number)
        return 0.5 + mean_by_strategy(gained, who, len(self.specs)) - self.effort

    def mean_worth(
        self, mechanism: Mechanism, mixture: Floats, semesters: int, time: int
    ) -> Floats:
        """The same in the mean over the next so many classes, which come round again and again.

        Every strategy has one follower at the least, so that it is known what it would be worth.
        Who is not paid learns nothing, and takes a strategy to be worth an average rank.
        """
        counts = head_counts(mixture, self.setting.students)
        first = time * semesters
        found = np.array(
            [
                self.worth(mechanism, counts, number % len(self), time)
                for number in range(first, first + semesters)
            ]
        )
        known = ~np.isnan(found)
        sums = np.where(known, found, 0.0).sum(axis=0)
        times = known.sum(axis=0)
        return np.where(times > 0, sums / np.maximum(times, 1), 0.5 - self.effort)

    def _usual_ranks(self, mechanism: Mechanism, number: int) -> Floats:
        """Everybody's rank in a truthful class."""
        key = mechanism.spec, number
        if key not in self._usual:
            truthful = self.specs.index(TRUTHFUL)
            everybody = np.full(self.setting.students, truthful)
            self._usual[key] = self._ranks(mechanism, number, everybody)
        return self._usual[key]

    def _ranks(self, mechanism: Mechanism, number: int, who: NDArray[np.int64]) -> Floats:
        told = self._told_by(mechanism, number)
        truth = told.semester.truth
        paid = score(mechanism, told.reports(who), seed=told.semester.seed, truth=truth)
        return rank_shares(paid.total)

    def _told_by(self, mechanism: Mechanism, number: int) -> Told:
        key = mechanism.facts.design, number
        if key not in self._told:
            semester = self._classes[number].semester(mechanism.facts.design)
            self._told[key] = Told.by(semester, self.specs)
        return self._told[key]
