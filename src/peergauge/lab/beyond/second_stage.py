"""What payment rules do to integrity, to the incentive to work, and to the gain of a deviator."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from peergauge.core.arrays import Bools, Floats
from peergauge.core.errors import ParameterError
from peergauge.core.randomness import stream
from peergauge.engine.experiment import Point, experiment, parameters_of
from peergauge.engine.results import Row
from peergauge.lab.paper.sizes import OfOneSize
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.metrics.binary_auc import BinaryAUC
from peergauge.payments import PaymentRule
from peergauge.payments.budget import Budget
from peergauge.payments.limited_liability import LimitedLiability
from peergauge.payments.linear import Linear
from peergauge.payments.lottery import Lottery
from peergauge.payments.tournament import Tournament
from peergauge.simulate import ContinuousEffort, Semester, Setting, simulate
from peergauge.simulate.strategies import tempting
from peergauge.tables import Reports, Rewards

MECHANISMS = ("mse-p", "pmi", "guarded-merit", "oa")

GAMBLES = ("extremes", "noise:deviation=3")
"""Strategies that make a score riskier, besides the paper's strategies."""

PILOT_SEMESTERS = 20
"""Truthful semesters from which the fixed slope and base of linear pay are computed."""

STEEP_FACTOR = 4.0
"""Slope of pay under limited liability, as a multiple of the slope of linear pay."""

INTEGRITY_METRIC = "binary-auc"
DRAWN_METRIC = "drawn-binary-auc"
"""Measures: AUC of expected pay and of drawn pay; they differ under random rules only."""

EFFORT_METRIC = "effort-incentive"
"""Measure: rise of expected pay with one unit of effort, in % of mean pay."""

SENSITIVITY_METRIC = "effort-sensitivity"
"""Measure: the same rise, in % of the standard deviation of pay among graders."""

DEVIATION_METRIC = "pay-gain"
"""Measure: rise of the expected pay of a deviator, in % of mean pay."""

POOR_METRIC = "pay-gain-poor"
"""Measure: the same for a deviator from the less accurate half of the class."""

NEGATIVE_METRIC = "negative-pay"
"""Measure: share of graders with negative pay, in %."""


class Line(NamedTuple):
    """Linear pay with a mean of 1 under which the lowest score of a usual class is paid nothing."""

    slope: float
    base: float


def line_of(mechanism: str | Mechanism, students: int, assignments: int) -> Line:
    """The line for a mechanism, from truthful classes that play no other part."""
    return _line_of(mechanisms.make(mechanism), students, assignments)


# The key is the mechanism and not its spec, because a mechanism may be redefined.
@lru_cache(maxsize=64)
def _line_of(made: Mechanism, students: int, assignments: int) -> Line:
    lowest, mean = [], []
    for seed in range(PILOT_SEMESTERS):
        semester = simulate(Setting(students, assignments), seed)
        total = score(made, semester.reports, seed=seed).total
        known = total[np.isfinite(total)]
        lowest.append(known.min())
        mean.append(known.mean())
    slope = 1 / (np.mean(mean) - np.mean(lowest))
    return Line(float(slope), float(-slope * np.mean(lowest)))


RULES: dict[str, Callable[[Line, int], PaymentRule]] = {
    "linear": lambda line, _: Linear(line.slope, line.base),
    "budget": lambda _, students: Budget(float(students)),
    "limited liability": lambda line, students: LimitedLiability(
        STEEP_FACTOR * line.slope, float(students)
    ),
    "tournament, best half": lambda _line, _students: Tournament(top=0.5, prize=2.0),
    "tournament, best tenth": lambda _line, _students: Tournament(top=0.1, prize=10.0),
    "tournament, one prize": lambda _, students: Tournament(prizes=(float(students),)),
    "lottery, ten prizes": lambda _, students: Lottery(prizes=10, prize=students / 10),
}
"""Payment rules with a mean pay of 1, by their names in results."""


@dataclass(frozen=True)
class RaisedEffort:
    """The effort of some distribution, raised for one grader."""

    usual: ContinuousEffort
    grader: int
    by: float

    def draw(self, graders: int, rng: np.random.Generator) -> tuple[Floats, Bools | None]:
        """Draw the usual effort of each grader, and raise that of the one."""
        effort, active = self.usual.draw(graders, rng)
        raised = effort.copy()
        raised[self.grader] += self.by
        return raised, active


@experiment(
    "second-stage",
    label="Payments as a second stage",
    source="the question of Zhang & Schoenebeck 2023, in the model of Burrell & Schoenebeck 2022",
    question="What does a payment rule do to integrity, to the incentive to work and to honesty?",
    beyond=True,
)
@dataclass(frozen=True)
class SecondStageOfPay(OfOneSize):
    """Truthful classes are scored by a mechanism and paid by several rules with a mean pay of 1.

    Linear pay has a fixed slope and base: the lowest score of a usual class is paid nothing. The
    budget rule is its relative version without negative pay. Under limited liability, the slope is
    four times as steep and the threshold uses the budget.

    Measured are the AUC with which pay tells the more accurate half of the graders from the others;
    the rise of a grader's expected pay if their effort rises by one unit, all else equal; and the
    rise if they follow a strategy, for a random grader and for one from the less accurate half. The
    same random draws are used before and after.

    Parameters
    ----------
    deviators
        Graders whose effort and strategy are changed in each class, one at a time.
    raise_by
        Units of effort by which effort is raised.
    """

    repetitions: int = 60
    deviators: int = 4
    raise_by: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 1 <= self.deviators <= self.students or not 0 < self.raise_by < np.inf:
            raise ParameterError(
                "At least one deviator, at most all students, and a positive rise of effort are "
                f"needed, not {self.deviators} and {self.raise_by:g}."
            )

    def points(self) -> Sequence[Point]:
        return [Point()]

    def tried(self) -> tuple[str, ...]:
        """Specs of the strategies of deviators."""
        return (*tempting(), *GAMBLES)

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, point, repetition)
        setting = Setting(self.students, self.assignments)
        semester = simulate(setting, own)
        who = stream(own, "deviators").permutation(self.students)[: self.deviators].tolist()
        harder = {one: self._harder(semester, one) for one in who}
        lies = {
            (one, strategy): semester.redo(one, strategy)
            for one in who
            for strategy in self.tried()
        }
        poor = self._poor(semester)
        found = self.measurement(repetition, own, **parameters_of(setting))
        for mechanism in self.paying(MECHANISMS):
            line = line_of(mechanism.spec, self.students, self.assignments)
            rewards = score(mechanism, semester.reports, seed=own)
            worked = {one: _totals(mechanism, reports, own) for one, reports in harder.items()}
            lied = {key: _totals(mechanism, reports, own) for key, reports in lies.items()}
            for name, make in RULES.items():
                rule = make(line, self.students)
                pay = rule.expected(rewards.total)
                mean, deviation = float(np.nanmean(pay)), float(np.nanstd(pay))
                rise = [(rule.expected(worked[one])[one] - pay[one]) / self.raise_by for one in who]
                drawn = rule.draw(rewards.total, stream(own, "second stage", name))
                values = {
                    INTEGRITY_METRIC: _integrity(rewards, pay, semester),
                    DRAWN_METRIC: _integrity(rewards, drawn, semester),
                    EFFORT_METRIC: 100 * float(np.mean(rise)) / mean,
                    SENSITIVITY_METRIC: 100 * float(np.mean(rise)) / deviation,
                    NEGATIVE_METRIC: 100 * float(np.mean(pay < 0)),
                }
                for metric, value in values.items():
                    yield found.row(mechanism, metric, value, payment=name)
                for strategy in self.tried():
                    gains = {
                        one: 100 * (rule.expected(lied[one, strategy])[one] - pay[one]) / mean
                        for one in who
                    }
                    groups = {
                        DEVIATION_METRIC: list(gains.values()),
                        POOR_METRIC: [gain for one, gain in gains.items() if poor[one]],
                    }
                    for metric, some in groups.items():
                        if some:
                            yield found.row(
                                mechanism,
                                metric,
                                float(np.mean(some)),
                                strategy=strategy,
                                payment=name,
                            )

    def _harder(self, semester: Semester, grader: int) -> Reports:
        """The reports if one grader had worked harder, with all else equal."""
        effort = RaisedEffort(ContinuousEffort(), grader, self.raise_by)
        return simulate(semester.setting, semester.seed, effort=effort).reports

    def _poor(self, semester: Semester) -> Bools:
        """Whether the expected squared error of each grader is above the median, by their traits.

        The error of a report is the squared bias plus a variance over the number of draws.
        """
        bias, effort = semester.population.bias, semester.population.effort
        error = bias**2 + semester.setting.prior[1] * (1 - np.exp(-effort)) / effort
        return np.asarray(error > np.median(error))


def _totals(mechanism: Mechanism, reports: Reports, seed: int) -> Floats:
    return score(mechanism, reports, seed=seed).total


def _integrity(rewards: Rewards, pay: Floats, semester: Semester) -> float:
    """The AUC of pay, as that of rewards in one assignment and none in the others."""
    amount = np.zeros_like(rewards.amount)
    amount[-1] = pay
    amount[:, np.isnan(pay)] = np.nan
    return BinaryAUC().measure(Rewards(amount, rewards.reports), semester.truth)
