"""Dynamics on games whose answers are known, and what holds of every one of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.lab.learning import Fitness, learn
from peergauge.lab.learning.dynamics import Dynamic, Remembering, dynamics
from peergauge.lab.learning.dynamics.logit import Logit
from peergauge.lab.learning.dynamics.replicator import Replicator

EVERY = dynamics.all()
COPYING = [one for one in EVERY if not one.facts.innovative]
# Learners with ever smaller steps come to rest slowly; they are tested by their regret.
QUICK = [one for one in EVERY if not isinstance(one, Remembering)]
QUICK_COPYING = [one for one in COPYING if one in QUICK]

HAWK_DOVE = [[-1.0, 1.0], [0.0, 0.5]]  # value 1, injury 3: a third are hawks
COORDINATION = [[1.0, 0.0], [0.0, 1.0]]
STAG_HUNT = [[1.0, 0.0], [0.6, 0.6]]  # stag pays above a share of 0.6
PRISONERS = [[0.6, 0.0], [0.8, 0.2]]  # the second dominates, always by as much


def game(payoff: list[list[float]]) -> Fitness:
    """Everybody meets everybody, for payoffs in the size of ranks."""
    return lambda mixture, _: 0.1 * np.array(payoff) @ mixture


def end(dynamic: Dynamic, payoff: list[list[float]], first: float) -> float:
    """The share of the first of two strategies after a long time."""
    return float(learn(dynamic, game(payoff), np.array([first, 1 - first]), 3000)[-1, 0])


@st.composite
def mixtures(draw: st.DrawFn, least: int = 2) -> Floats:
    weights = draw(st.lists(st.floats(0.001, 1), min_size=least, max_size=7))
    return np.asarray(weights, dtype=np.float64) / sum(weights)


def fitness_for(data: st.DataObject, count: int) -> Floats:
    return np.array(data.draw(st.lists(st.floats(-1, 2), min_size=count, max_size=count)))


@pytest.mark.parametrize("dynamic", QUICK_COPYING, ids=str)
@pytest.mark.parametrize("first", [0.02, 0.3, 0.5, 0.97])
def test_hawks_and_doves_come_to_their_mixed_rest_point(dynamic: Dynamic, first: float) -> None:
    assert end(dynamic, HAWK_DOVE, first) == pytest.approx(1 / 3, abs=1e-4)


@pytest.mark.parametrize("dynamic", EVERY, ids=str)
def test_coordination_is_decided_by_the_larger_half(dynamic: Dynamic) -> None:
    assert end(dynamic, COORDINATION, 0.52) > 0.95
    assert end(dynamic, COORDINATION, 0.48) < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("dynamic", QUICK_COPYING, ids=str)
def test_the_stag_is_hunted_from_two_fifths_of_all_mixtures(dynamic: Dynamic) -> None:
    starts = np.linspace(0.005, 0.995, 100)
    hunted = [end(dynamic, STAG_HUNT, one) > 0.99 for one in starts.tolist()]
    assert np.mean(hunted) == pytest.approx(0.4)
    assert hunted == sorted(hunted)


@pytest.mark.parametrize("dynamic", QUICK, ids=str)
def test_what_is_dominated_dies_out(dynamic: Dynamic) -> None:
    # Smoothed choice leaves a share of e^(-0.02 / 0.02) / (1 + ...) to what lags 0.02 behind.
    left = 1 / (1 + np.e) if isinstance(dynamic, Logit) else 0.0
    assert end(dynamic, PRISONERS, 0.99) == pytest.approx(left, abs=0.01)


def test_logit_rests_where_choice_answers_to_itself() -> None:
    dynamic = Logit(temperature=0.03)
    mixture = learn(dynamic, game(HAWK_DOVE), np.array([0.9, 0.1]), 2000)[-1]
    chosen = np.exp(game(HAWK_DOVE)(mixture, 0) / 0.03)
    assert_allclose(mixture, chosen / chosen.sum(), atol=1e-9)


def test_logit_without_memory_is_the_smoothed_best_response() -> None:
    onward = Logit(temperature=0.5, memory=1).step(np.array([1.0, 0.0]), np.array([0.0, 0.5]))
    assert_allclose(onward, np.array([1, np.e]) / (1 + np.e))


def test_a_step_of_the_replicator_by_hand() -> None:
    # Odds 1 : 3 times e^(2 log 3 / 2) = 3.
    onward = Replicator(rate=2).step(np.array([0.25, 0.75]), np.array([np.log(3) / 2, 0.0]))
    assert_allclose(onward, [0.5, 0.5])


@pytest.mark.parametrize("spec", ["replicator:rate=1000", "multiplicative-weights:rate=1000"])
def test_a_fast_class_does_not_miss_what_nobody_does(spec: str) -> None:
    """A much better strategy without followers must not make the shares of all others vanish."""
    onward = dynamics.make(spec).step(np.array([0.5, 0.5, 0.0]), np.array([0.1, 0.0, 1.0]))
    assert_allclose(onward, [1, 0, 0], atol=1e-9)


def test_rates_that_cannot_be_are_refused() -> None:
    for spec in ("replicator:rate=0", "logit:temperature=0", "logit:memory=0.5"):
        with pytest.raises(ParameterError):
            dynamics.make(spec)
    with pytest.raises(ParameterError):
        dynamics.make("multiplicative-weights:rate=-1")
    for spec in ("imitation:share=1.5", "imitation:temperature=-1"):
        with pytest.raises(ParameterError):
            dynamics.make(spec)


@pytest.mark.parametrize("dynamic", EVERY, ids=str)
@given(mixture=mixtures(), data=st.data())
def test_a_mixture_stays_a_mixture(dynamic: Dynamic, mixture: Floats, data: st.DataObject) -> None:
    onward = dynamic.step(mixture, fitness_for(data, len(mixture)))
    assert (onward >= 0).all()
    assert onward.sum() == pytest.approx(1)


@pytest.mark.parametrize("dynamic", COPYING, ids=str)
@given(count=st.integers(2, 7), data=st.data())
def test_nobody_copies_what_nobody_does(dynamic: Dynamic, count: int, data: st.DataObject) -> None:
    corner = np.eye(count)[data.draw(st.integers(0, count - 1))]
    assert_allclose(dynamic.step(corner, fitness_for(data, count)), corner)


@pytest.mark.parametrize("dynamic", EVERY, ids=str)
@given(mixture=mixtures(), data=st.data())
def test_only_differences_of_worth_count(
    dynamic: Dynamic, mixture: Floats, data: st.DataObject
) -> None:
    fitness = fitness_for(data, len(mixture))
    assert_allclose(
        dynamic.step(mixture, fitness + 0.25), dynamic.step(mixture, fitness), atol=1e-9
    )


@pytest.mark.parametrize("dynamic", COPYING, ids=str)
@given(mixture=mixtures(), data=st.data())
def test_the_best_grows_and_the_worst_shrinks(
    dynamic: Dynamic, mixture: Floats, data: st.DataObject
) -> None:
    fitness = fitness_for(data, len(mixture))
    growth = dynamic.step(mixture, fitness) / mixture
    assert growth[fitness.argmax()] >= 1 - 1e-9
    assert growth[fitness.argmin()] <= 1 + 1e-9
