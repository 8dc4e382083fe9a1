"""What every measure promises, asked of each that is found."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, replace
from functools import cache
from typing import Any, Literal, TypeAlias, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import peergauge
from peergauge.core.arrays import Floats
from peergauge.core.registry import parameters
from peergauge.metrics import (
    DeviationMetric,
    EstimateMetric,
    Metric,
    RepeatMetric,
    RewardMetric,
    metrics,
)
from peergauge.simulate import BinaryEffort, Setting, simulate
from peergauge.tables import Rewards, Truth
from tests.metrics.classes import classes

every_metric = pytest.mark.parametrize("name", metrics.classes())
KINDS = {
    "rewards": RewardMetric,
    "deviation": DeviationMetric,
    "estimates": EstimateMetric,
    "repeats": RepeatMetric,
}


# Everything that any measure asks about: rewards, those after a deviation, who deviated,
# estimates of the true scores, and the truth.
Question: TypeAlias = tuple[Rewards, Rewards, int, Floats, Truth]


def answer(metric: Metric, asked: Question) -> float:
    rewards, after, grader, estimates, truth = asked
    match metric:
        case RewardMetric():
            return metric.measure(rewards, truth)
        case DeviationMetric():
            return metric.measure(rewards, after, grader)
        case EstimateMetric():
            return metric.measure(estimates, rewards.reports, truth)
        case RepeatMetric():
            return metric.measure([(rewards, truth), (after, truth)])
    raise TypeError(f"{metric} takes something new: teach this test to ask it")


def relabelled(asked: Question, new: list[int]) -> Question:
    """The same question, with grader *k* called ``new[k]``."""
    rewards, after, grader, estimates, truth = asked
    old = np.argsort(new)
    traits = {name: getattr(truth, name)[old] for name in ("effort", "active", "strategic")}
    return (
        relabelled_rewards(rewards, new),
        relabelled_rewards(after, new),
        new[grader],
        estimates,
        replace(truth, **traits),
    )


def relabelled_rewards(rewards: Rewards, new: list[int]) -> Rewards:
    reports, part = rewards.reports, rewards.part
    assert part is not None
    rows = np.lexsort((np.array(new)[reports.grader], reports.submission))
    return Rewards(rewards.amount[:, np.argsort(new)], reports.relabel(new), part[rows])


def in_every_setting(name: str) -> Iterator[Metric]:
    """The measure by default, and with each of its parameters changed."""
    cls = metrics.classes()[name]
    hints = get_type_hints(cls)
    yield cls()
    for field in parameters(cls):
        yield cls(**{field.name: another(field.default, hints[field.name])})


def another(value: Any, hint: Any) -> Any:
    if get_origin(hint) is Literal:
        return next(choice for choice in get_args(hint) if choice != value)
    return not value if hint is bool else value + 1


@cache
def simulated() -> Question:
    semester = simulate(Setting(effort=BinaryEffort(), strategies={"hedge": 20}), seed=1)
    rewards = peergauge.score("mse", semester.reports)
    after = peergauge.score("mse", semester.redo(semester.deviator, "hedge"))
    estimates = np.full(semester.reports.submissions, semester.setting.prior[0])
    return rewards, after, semester.deviator, estimates, semester.truth


@st.composite
def questions(draw: st.DrawFn) -> Question:
    rewards, truth = draw(classes())
    reports, part = rewards.reports, rewards.part
    assert part is not None
    after = Rewards.from_parts(reports, -part)
    grader = draw(st.integers(0, reports.graders - 1))
    return rewards, after, grader, np.arange(reports.submissions) / 2, truth


def in_range(metric: Metric, value: float) -> bool:
    return np.isnan(value) or metric.facts.lowest <= value <= metric.facts.highest


@every_metric
def test_its_docstring_opens_with_a_sentence(name: str) -> None:
    summary = metrics.classes()[name].summary()
    assert summary[:1].isupper()
    assert summary.endswith(".")


@every_metric
def test_it_takes_what_it_declares_to_be_of(name: str) -> None:
    cls = metrics.classes()[name]
    assert issubclass(cls, KINDS[cls.facts.of])


@every_metric
def test_it_declares_a_range_and_which_end_is_better(name: str) -> None:
    facts = metrics.classes()[name].facts
    assert facts.lowest < facts.highest
    assert facts.better in ("higher", "lower")


@every_metric
def test_it_comes_back_from_its_spec_string(name: str) -> None:
    for metric in in_every_setting(name):
        assert metrics.make(metric.spec) == metric


@every_metric
def test_changing_any_parameter_changes_its_spec_string(name: str) -> None:
    specs = [metric.spec for metric in in_every_setting(name)]
    assert len(set(specs)) == len(specs)


@every_metric
def test_it_comes_back_from_a_pickle(name: str) -> None:
    for metric in in_every_setting(name):
        assert pickle.loads(pickle.dumps(metric)) == metric


@every_metric
def test_it_cannot_be_changed(name: str) -> None:
    with pytest.raises(FrozenInstanceError):
        metrics.make(name).int64 = True  # type: ignore[attr-defined]


@every_metric
def test_a_simulated_class_has_an_answer_within_its_range(name: str) -> None:
    for metric in in_every_setting(name):
        value = answer(metric, simulated())
        assert type(value) is float
        assert not np.isnan(value)
        assert in_range(metric, value)


@every_metric
# Shrinking a class takes longer than reading one.
@settings(max_examples=20, phases=[Phase.explicit, Phase.generate])
@given(asked=questions())
def test_odd_classes_have_an_answer_within_its_range(name: str, asked: Question) -> None:
    for metric in in_every_setting(name):
        value = answer(metric, asked)
        assert in_range(metric, value), f"{metric} is {value!r}"


@every_metric
@settings(max_examples=20)
@given(asked=questions(), data=st.data())
def test_what_graders_are_called_makes_no_difference(
    name: str, asked: Question, data: st.DataObject
) -> None:
    new = data.draw(st.permutations(range(asked[0].reports.graders)))
    for metric in in_every_setting(name):
        expected = pytest.approx(answer(metric, asked), abs=1e-12, nan_ok=True)
        assert answer(metric, relabelled(asked, new)) == expected, metric.spec


@every_metric
def test_what_it_is_asked_about_is_left_as_it_was(name: str) -> None:
    before = pickle.dumps(simulated())
    for metric in in_every_setting(name):
        answer(metric, simulated())
    assert pickle.dumps(simulated()) == before


@every_metric
def test_asking_twice_gives_the_same_answer(name: str) -> None:
    for metric in in_every_setting(name):
        assert answer(metric, simulated()) == answer(metric, simulated())
