"""What strategies are worth in classes, and where classes end that are paid for something plain."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from peergauge.lab.learning import learn
from peergauge.lab.learning.classes import (
    StrategyReports,
    StrategyTrials,
    mean_by_strategy,
)
from peergauge.lab.learning.dynamics import Dynamic, dynamics
from peergauge.mechanisms import Equilibrium, Mechanism, MechanismFacts, mechanisms
from peergauge.metrics.statistics import rank_shares
from peergauge.simulate import Setting, simulate
from peergauge.tables import Reports, Rewards

SMALL = Setting(students=24, assignments=2)


@dataclass(frozen=True)
class Tens(Mechanism):
    """Pays for every 10."""

    facts = MechanismFacts(
        name="tens", label="", source="", family="", equilibrium=Equilibrium.NONE, assumption=""
    )

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        return Rewards.from_parts(reports, (reports.grade == 10).astype(float))


@dataclass(frozen=True)
class Closeness(Mechanism):
    """Pays for being close to the true score, which it is told."""

    facts = replace(Tens.facts, name="closeness", needs_truth=True)

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        assert reports.staff_score is not None
        true = reports.staff_score[reports.submission]
        return Rewards.from_parts(reports, -np.abs(reports.grade - true))


def end(
    mechanism: Mechanism, dynamic: Dynamic, others: list[str], start: list[float]
) -> np.ndarray:
    trials = StrategyTrials(SMALL, ["truthful", *others], 3, 6)
    path = learn(
        dynamic,
        lambda mixture, time: trials.mean_fitness(mechanism, mixture, 2, time),
        np.array(start),
        40,
        least=1 / SMALL.students,
    )
    return np.asarray(path[-1])


def test_shares_of_others_that_one_is_paid_more_than() -> None:
    assert_allclose(rank_shares(np.array([3.0, 1.0, 2.0])), [1, 0, 0.5])
    # Ties count half, and one who is not paid is not compared.
    assert_allclose(rank_shares(np.array([-np.inf, 5.0, -np.inf, np.nan])), [0.25, 1, 0.25, np.nan])
    assert_allclose(rank_shares(np.array([1.0, np.nan])), [np.nan, np.nan])


def test_the_worth_of_a_strategy_is_the_mean_over_its_followers() -> None:
    shares = np.array([0.1, 0.5, np.nan, 0.9])
    assert_allclose(mean_by_strategy(shares, np.array([0, 0, 0, 2]), 4), [0.3, np.nan, 0.9, np.nan])


@pytest.mark.slow
def test_reports_are_those_of_a_class_with_these_strategies() -> None:
    setting = replace(SMALL, strategies={"hedge": 5, "noise": 7})
    taught = simulate(setting, 4)
    reports = StrategyReports.by(simulate(SMALL, 4), ["truthful", "hedge", "noise"])
    assert_array_equal(
        reports.of(taught.population.strategy.astype(np.int64)).grade, taught.reports.grade
    )


def test_ranks_are_half_on_average_whoever_follows_what() -> None:
    trials = StrategyTrials(SMALL, ["truthful", "hedge", "prior"], 1, 2)
    counts = np.array([10, 8, 6])
    worth = trials.fitness(mechanisms.make("mse"), counts, 0, 0)
    assert counts @ worth / 24 == pytest.approx(0.5)


def test_the_same_followers_under_every_mechanism_and_others_at_another_time() -> None:
    trials = StrategyTrials(SMALL, ["truthful", "noise"], 1, 1)
    counts = np.array([12, 12])
    mse, oa = mechanisms.make("mse"), mechanisms.make("oa")
    first = trials.fitness(mse, counts, 0, 0)
    trials.fitness(oa, counts, 0, 0)
    assert_array_equal(trials.fitness(mse, counts, 0, 0), first)
    assert_array_equal(
        StrategyTrials(SMALL, ["truthful", "noise"], 1, 1).fitness(mse, counts, 0, 0), first
    )
    assert (trials.fitness(mse, counts, 0, 1) != first).any()


def test_comparing_with_a_truthful_class_takes_noise_away_and_nothing_else() -> None:
    """A hundred classes; both means have errors below 0.02, and deviate by 0.12 and 0.25 or so."""
    trials = StrategyTrials(SMALL, ["truthful", "noise"], 5, 100)
    mse, counts = mechanisms.make("mse"), np.array([20, 4])
    compared, plain = [], []
    for number in range(100):
        compared.append(trials.fitness(mse, counts, number, 0)[1])
        usual = trials._truthful_ranks(mse, number)
        trials._truthful[mse, number] = np.full(24, 0.5)
        plain.append(trials.fitness(mse, counts, number, 0)[1])
        trials._truthful[mse, number] = usual
    assert np.mean(compared) == pytest.approx(np.mean(plain), abs=0.06)
    assert np.std(compared) < np.std(plain)


def test_looking_costs_those_who_look() -> None:
    counts = np.array([8, 8, 8])
    free, dear = (
        StrategyTrials(SMALL, ["truthful", "hedge", "prior"], 1, 1, cost).fitness(
            mechanisms.make("mse"), counts, 0, 0
        )
        for cost in (0.0, 7.0)
    )
    assert_allclose(free - dear, [0.07, 0.07, 0.0])


@pytest.mark.parametrize("dynamic", dynamics.all(), ids=str)
@pytest.mark.parametrize("start", [[0.9, 0.05, 0.05], [0.2, 0.1, 0.7]])
def test_a_class_that_is_paid_for_tens_reports_tens(dynamic: Dynamic, start: list[float]) -> None:
    assert end(Tens(), dynamic, ["all-tens", "hedge"], start)[1] > 0.8


@pytest.mark.parametrize("dynamic", dynamics.all(), ids=str)
@pytest.mark.parametrize("start", [[0.9, 0.05, 0.05], [0.1, 0.6, 0.3]])
def test_a_class_that_is_paid_for_the_truth_tells_it(dynamic: Dynamic, start: list[float]) -> None:
    assert end(Closeness(), dynamic, ["all-tens", "noise:deviation=3"], start)[0] > 0.8


def test_what_saves_effort_takes_over_if_nobody_is_told_apart() -> None:
    # Everybody is paid alike, so that only the cost of looking counts.
    flat = mechanisms.make("oa:prize=0")
    trials = StrategyTrials(SMALL, ["truthful", "prior"], 3, 4, cost=10.0)
    assert_allclose(trials.mean_fitness(flat, np.array([0.5, 0.5]), 2, 0), [0.4, 0.5])
