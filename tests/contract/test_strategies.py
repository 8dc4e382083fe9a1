"""What every strategy promises."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from peergauge.core.arrays import Floats
from peergauge.simulate import CheapSignals, Setting, simulate
from peergauge.simulate.strategies import Strategy, strategies
from peergauge.tables import Scale
from tests.generators import SCALES
from tests.simulate.strategies.situations import situation

ALL = strategies.all()
every_strategy = pytest.mark.parametrize("strategy", ALL, ids=str)
every_scale = pytest.mark.parametrize("scale", SCALES, ids=str)


def other_chance(seed: int, count: int) -> dict[str, object]:
    """Other random numbers and other graders."""
    rng = np.random.default_rng(seed)
    normal = rng.standard_normal((2, count))
    return {
        "grader": rng.permutation(count).astype(np.int32),
        "bias_sign": rng.choice([-1.0, 1.0], count),
        "normal": lambda per, _: normal[len(per) % 2],
        "cheap": 7.0 + rng.standard_normal(count),
    }


def all_signals_often(scale: Scale) -> Floats:
    return np.repeat(scale.values(), 20)


@every_scale
@every_strategy
def test_reports_lie_on_the_scale(strategy: Strategy, scale: Scale) -> None:
    cheap = CheapSignals()
    setting = Setting(8, 3, 3, scale=scale, strategies={strategy.spec: 8}, cheap=cheap)
    grade = simulate(setting, seed=1).reports.grade
    assert np.isin(grade, scale.values()).all()


@every_scale
@every_strategy
def test_there_is_a_finite_report_for_every_signal(strategy: Strategy, scale: Scale) -> None:
    where = situation(scale.values(), scale=scale, prior_mean=scale.lowest + 7 * scale.unit)
    report = strategy.report(where)
    assert report.shape == where.signal.shape
    assert np.isfinite(report).all()


@every_strategy
def test_reports_depend_on_the_signal_exactly_if_the_strategy_is_informed(
    strategy: Strategy,
) -> None:
    # One grader's, and the same ones in another order, for those who take off their own mean.
    one = np.zeros(6, dtype=np.int32)
    low, high = (strategy.report(situation(seen * 3, grader=one)) for seen in ([1, 9], [9, 1]))
    assert strategy.facts.informed == (not np.array_equal(low, high))


@every_strategy
def test_reports_depend_on_other_signals_exactly_if_the_strategy_has_memory(
    strategy: Strategy,
) -> None:
    one = np.zeros(3, dtype=np.int32)
    low, high = (strategy.report(situation([5, *seen], grader=one)) for seen in ([1, 3], [9, 8]))
    assert strategy.facts.memory == (low[0] != high[0])


@every_scale
@every_strategy
def test_reports_are_functions_of_the_signal_exactly_if_the_strategy_is_not_random(
    strategy: Strategy, scale: Scale
) -> None:
    signal = all_signals_often(scale)
    mean = scale.lowest + 7 * scale.unit
    once, again = (
        strategy.report(
            situation(signal, scale=scale, prior_mean=mean, **other_chance(seed, len(signal)))
        )
        for seed in (1, 2)
    )
    one_each = len(set(zip(signal, once, strict=True))) == scale.levels
    assert strategy.facts.random == (not one_each)
    assert strategy.facts.random == (not np.array_equal(once, again))


@every_strategy
def test_inputs_stay_untouched(strategy: Strategy) -> None:
    where = situation([0, 3, 7, 10])
    given = replace(where, signal=where.signal.copy(), grader=where.grader.copy())
    strategy.report(given)
    assert np.array_equal(given.signal, where.signal)
    assert np.array_equal(given.grader, where.grader)


@every_strategy
def test_read_only_inputs_are_enough(strategy: Strategy) -> None:
    where = situation([0, 3, 7, 10])
    where.signal.setflags(write=False)
    where.grader.setflags(write=False)
    assert len(strategy.report(where)) == 4


@every_strategy
def test_the_spec_string_leads_back(strategy: Strategy) -> None:
    assert strategies.make(strategy.spec) == strategy


@every_strategy
def test_pickling_leads_back(strategy: Strategy) -> None:
    copy = pickle.loads(pickle.dumps(strategy))
    assert copy == strategy
    assert copy.facts == strategy.facts


@every_strategy
def test_it_says_in_words_what_to_do(strategy: Strategy) -> None:
    words = strategy.in_words()
    assert words[0].isupper()
    assert not words.endswith(".")


@every_strategy
def test_there_is_a_docstring_of_its_own(strategy: Strategy) -> None:
    # A dataclass without one is given its signature instead.
    assert not (type(strategy).__doc__ or "").startswith(f"{type(strategy).__name__}(")
    assert strategy.summary().endswith(".")


@every_strategy
def test_there_is_a_test_file_for_its_file(strategy: Strategy) -> None:
    file = type(strategy).__module__.rpartition(".")[2]
    folder = Path(__file__).parents[1] / "simulate" / "strategies"
    assert (folder / f"test_{file}.py").is_file()


@pytest.mark.parametrize("fact", ["name", "label", "published"])
def test_no_two_strategies_share_a_name(fact: str) -> None:
    called = [getattr(cls.facts, fact) for cls in strategies.classes().values()]
    called = [name for name in called if name]
    assert len(set(called)) == len(called)


def test_every_strategy_in_the_published_results_is_found(published: Path) -> None:
    named = pl.read_csv(published / "deviation_gain_abm.csv")["strategy"].unique()
    assert set(named) <= {strategy.facts.published for strategy in ALL}
    assert len(named) == 6
