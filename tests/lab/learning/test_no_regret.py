"""Learners without regret: their bounds, against adversaries, and their limits."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from peergauge.core.arrays import Floats
from peergauge.lab.learning import Fitness, learn, learnt
from peergauge.lab.learning.dynamics import Dynamic, History, dynamics
from peergauge.lab.learning.dynamics.multiplicative_weights import MultiplicativeWeights
from peergauge.lab.learning.dynamics.regret_matching import RegretMatching
from peergauge.lab.learning.dynamics.replicator import Replicator

LEARNERS = [one for one in dynamics.all() if one.facts.no_regret]

BOUNDS: dict[str, Callable[[int, int], float]] = {
    "multiplicative-weights": lambda time, count: (
        2 * np.sqrt(time / 2 * np.log(count)) + np.sqrt(np.log(count) / 8)
    ),
    "regret-matching": lambda time, count: np.sqrt(count * time),
}
"""Largest total regret after a number of generations, by the number of strategies."""


def even(count: int) -> Floats:
    return np.full(count, 1 / count)


def spiteful(mixture: Floats, _: int) -> Floats:
    """Only what fewest follow has any fitness."""
    return np.asarray(np.eye(len(mixture))[mixture.argmin()])


def cycling(mixture: Floats, time: int) -> Floats:
    return np.asarray(np.eye(len(mixture))[time % len(mixture)])


def late(mixture: Floats, time: int) -> Floats:
    """One strategy is better for a while, and another one for longer."""
    return np.asarray(np.eye(len(mixture))[0 if time < 60 else 1])


ADVERSARIES: list[Fitness] = [spiteful, cycling, late]


@pytest.mark.parametrize("dynamic", LEARNERS, ids=str)
@pytest.mark.parametrize("adversary", ADVERSARIES)
@pytest.mark.parametrize("count", [2, 7])
def test_no_adversary_makes_regret_exceed_the_bound(
    dynamic: Dynamic, adversary: Fitness, count: int
) -> None:
    for time in (1, 10, 200):
        found = learnt(dynamic, adversary, even(count), time)
        assert time * found.regret <= BOUNDS[dynamic.facts.name](time, count) + 1e-9


@pytest.mark.parametrize("dynamic", LEARNERS, ids=str)
@given(data=st.data(), count=st.integers(2, 5), time=st.integers(1, 25))
def test_no_sequence_of_fitness_makes_regret_exceed_the_bound(
    dynamic: Dynamic, data: st.DataObject, count: int, time: int
) -> None:
    one = st.lists(st.floats(0, 1), min_size=count, max_size=count)
    rows = np.array(data.draw(st.lists(one, min_size=time, max_size=time)))
    found = learnt(dynamic, lambda _, now: rows[now], even(count), time)
    assert time * found.regret <= BOUNDS[dynamic.facts.name](time, count) + 1e-9


def test_copying_the_last_winner_has_regret() -> None:
    """The bounds mean something: a fast replicator, which trusts the last lead, exceeds them."""
    hasty = learnt(Replicator(rate=30), spiteful, even(2), 200)
    assert 200 * hasty.regret > BOUNDS["multiplicative-weights"](200, 2)


def test_regret_by_hand() -> None:
    # Half and half, then all on the second: the class earns 1/2, then 0; the first earns 1 + 1.
    class Turns(RegretMatching):
        def advance(self, history: History) -> Floats:
            return np.array([0.0, 1.0])

    found = learnt(Turns(), lambda *_: np.array([1.0, 0.0]), even(2), 2)
    assert found.regret == pytest.approx((2 - 0.5) / 2)
    assert np.isnan(learnt(Turns(), spiteful, even(2), 0).regret)


def test_a_class_that_stopped_learning_has_no_more_regret() -> None:
    found = learnt(Replicator(rate=50), late, even(2), 100, patience=3)
    assert len(found.fitness) < 10 < len(found.path) == 101


def test_a_step_of_multiplicative_weights_by_hand() -> None:
    # Two strategies after one generation: the step size is (8 ln 2 / 2)^(1/2).
    onward = MultiplicativeWeights().step(np.array([0.25, 0.75]), np.array([1.0, 0.0]))
    odds = np.exp(np.sqrt(4 * np.log(2))) / 3
    assert_allclose(onward, [odds / (1 + odds), 1 / (1 + odds)])


def test_steps_of_regret_matching_by_hand() -> None:
    # Regrets 0.75 and -0.25, then (all on the first, which earns 0) -0.25 more and 0.5 more.
    assert_allclose(RegretMatching().step(np.array([0.25, 0.75]), np.array([1.0, 0.0])), [1.0, 0.0])
    history = History.first(np.array([0.25, 0.75]), np.array([1.0, 0.0]))
    assert_allclose(history.regret, [0.75, -0.25])
    second = history.then(np.array([1.0, 0.0]), np.array([0.0, 0.5]))
    assert_allclose(second.regret, [0.75, 0.25])
    assert_allclose(RegretMatching().advance(second), [0.75, 0.25])


def test_without_positive_regret_the_mixture_stays() -> None:
    corner = np.array([0.0, 1.0, 0.0])
    assert_allclose(RegretMatching().step(corner, np.array([0.0, 1.0, 0.5])), corner)


def coordination(mixture: Floats, _: int) -> Floats:
    return np.array([mixture[0], 0.8 * mixture[1], 0.3])


@pytest.mark.parametrize("start", [[0.5, 0.3, 0.2], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8]])
def test_fixed_steps_are_those_of_the_replicator(start: list[float]) -> None:
    first = np.array(start)
    weights = learn(MultiplicativeWeights(rate=2, step_size="fixed"), coordination, first, 50)
    assert_allclose(weights, learn(Replicator(rate=2), coordination, first, 50), atol=1e-9)


def test_small_steps_follow_the_replicator_equation() -> None:
    """Halving the step halves the distance to a fine solution of dx/dt = x (f - x·f), at t = 6."""

    def equation(steps: int) -> Floats:
        mixture = np.array([0.45, 0.4, 0.15])
        for _ in range(steps):
            fitness = coordination(mixture, 0)
            mixture = mixture + 6 / steps * mixture * (fitness - mixture @ fitness)
        return mixture

    # Richardson extrapolation of Euler's method, exact to the second order.
    exact = 2 * equation(4000) - equation(2000)
    off = []
    for steps in (30, 60, 120):
        dynamic = MultiplicativeWeights(rate=6 / steps, step_size="fixed")
        end = learn(dynamic, coordination, np.array([0.45, 0.4, 0.15]), steps)[-1]
        off.append(np.abs(end - exact).max())
    assert off[2] < 0.01
    assert_allclose(np.divide(off[:-1], off[1:]), 2, rtol=0.1)


def test_a_class_without_regret_may_agree_on_a_lie() -> None:
    """In a game of coordination, both ends are without regret: no regret is not truth."""
    for dynamic in LEARNERS:
        lost = learnt(dynamic, coordination, np.array([0.1, 0.85, 0.05]), 400)
        assert lost.path[-1, 1] > 0.9
        assert lost.regret < 0.05
