"""The contract of measures: what every measure promises, one check for each promise."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import FrozenInstanceError, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import PeergaugeError
from peergauge.mechanisms import score
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
from peergauge.testing.classes import many_classes
from peergauge.testing.promises import broken, checks_of, promise, require, same
from peergauge.testing.settings import in_every_setting

KIND = "metric"

KINDS_OF_INPUT = {
    "rewards": RewardMetric,
    "deviation": DeviationMetric,
    "estimates": EstimateMetric,
    "repeats": RepeatMetric,
}
"""The base class of measures by what they declare to take."""


class Question(NamedTuple):
    """Everything that any measure takes.

    Parameters
    ----------
    rewards, after
        The rewards of a class before and after a grader deviates.
    grader
        The number of that grader.
    estimates
        Estimated scores of the submissions.
    truth
        The true scores and the traits of the graders.
    """

    rewards: Rewards
    after: Rewards
    grader: int
    estimates: Floats
    truth: Truth


def check_metric(metric: str | Metric) -> None:
    """Check that a measure, given as an object or by its spec string, keeps every promise.

    >>> check_metric("tau")
    """
    made = metrics.make(metric) if isinstance(metric, str) else metric
    for check in checks_of(KIND, made):
        check(made)


def answer(metric: Metric, asked: Question) -> float:
    """The value of a measure of any kind."""
    match metric:
        case RewardMetric():
            return metric.measure(asked.rewards, asked.truth)
        case DeviationMetric():
            return metric.measure(asked.rewards, asked.after, asked.grader)
        case EstimateMetric():
            return metric.measure(asked.estimates, asked.rewards.reports, asked.truth)
        case RepeatMetric():
            return metric.measure([(asked.rewards, asked.truth), (asked.after, asked.truth)])
    raise broken(metric, "is none of the four kinds of measures; derive its class from one of them")


@cache
def simulated_question() -> Question:
    """A simulated class with active, passive and strategic graders, paid by MSE."""
    semester = simulate(Setting(effort=BinaryEffort(), strategies={"hedge": 20}), seed=1)
    rewards = score("mse", semester.reports)
    after = score("mse", semester.redo(semester.deviator, "hedge"))
    estimates = np.full(semester.reports.submissions, semester.setting.prior[0])
    return Question(rewards, after, semester.deviator, estimates, semester.truth)


def odd_questions() -> Iterator[Question]:
    """Classes in which some reports are unpaid, some true scores unknown, and many values tie."""
    for number, reports in enumerate(many_classes()):
        rng = np.random.default_rng([number, 7])
        part = rng.choice([np.nan, -1.0, 0.0, 0.5, 1.0, 1e6], len(reports))
        assignment = np.zeros(reports.submissions, dtype=np.int32)
        assignment[reports.submission] = reports.assignment
        truth = Truth(
            score=rng.choice([np.nan, 0.0, 0.5, 1.0, 2.0], reports.submissions),
            assignment=assignment,
            effort=rng.choice([0.0, 1.0, 1.5, 3.0], reports.graders),
            active=rng.random(reports.graders) < 0.5,
            strategic=rng.random(reports.graders) < 0.5,
            assignment_names=reports.assignment_names,
            submission_names=reports.submission_names,
            grader_names=reports.grader_names,
        )
        yield Question(
            Rewards.from_parts(reports, part),
            Rewards.from_parts(reports, -part),
            int(rng.integers(reports.graders)),
            np.arange(reports.submissions) / 2,
            truth,
        )


def relabelled(asked: Question, new: Sequence[int]) -> Question:
    """The same question, with grader *k* numbered ``new[k]``."""
    rewards, after, grader, estimates, truth = asked
    old = np.argsort(new)
    traits: dict[str, Any] = {
        name: column[old]
        for name in ("effort", "active", "strategic")
        if (column := getattr(truth, name)) is not None
    }
    names = truth.grader_names
    return Question(
        _relabelled_rewards(rewards, new),
        _relabelled_rewards(after, new),
        int(new[grader]),
        estimates,
        replace(truth, **traits, grader_names=names and tuple(names[k] for k in old)),
    )


def _relabelled_rewards(rewards: Rewards, new: Sequence[int]) -> Rewards:
    reports, part = rewards.reports, rewards.part
    assert part is not None
    rows = np.lexsort((np.array(new)[reports.grader], reports.submission))
    return Rewards(
        rewards.amount[:, np.argsort(new)], reports.relabel(new), part[rows], rewards.averaged
    )


@promise(KIND)
def check_explains_itself(metric: Metric) -> None:
    """The docstring of a measure begins with a sentence."""
    summary = metric.summary()
    require(
        summary[:1].isupper() and summary.endswith("."),
        metric,
        "has no docstring that begins with a sentence",
    )


@promise(KIND)
def check_declares_what_it_takes(metric: Metric) -> None:
    """A measure is of the kind that it declares in ``of``."""
    kind = KINDS_OF_INPUT[metric.facts.of]
    require(
        isinstance(metric, kind),
        metric,
        f"declares of='{metric.facts.of}', but is not derived from {kind.__name__}",
    )


@promise(KIND)
def check_declares_its_range(metric: Metric) -> None:
    """A measure declares its lowest and highest value, and which end is better."""
    facts = metric.facts
    require(facts.lowest < facts.highest, metric, "declares an empty range")
    require(
        facts.better in ("higher", "lower"), metric, "does not declare better='higher' or 'lower'"
    )


@promise(KIND)
def check_spec_and_pickle_give_it_back(metric: Metric) -> None:
    """With any parameter changed, the spec string and a pickle make an equal measure."""
    specs = []
    for one in in_every_setting(metric):
        specs.append(one.spec)
        try:
            again = metrics.make(one.spec) == one
        except PeergaugeError:
            again = False
        require(again, metric, f"cannot be made from its spec {one.spec}")
        require(pickle.loads(pickle.dumps(one)) == one, metric, "is not the same after pickling")
    require(len(set(specs)) == len(specs), metric, "has a parameter that its spec does not show")


@promise(KIND)
def check_cannot_be_changed(metric: Metric) -> None:
    """A measure is a frozen dataclass."""
    try:
        metric.changed = True  # type: ignore[attr-defined]
    except FrozenInstanceError:
        return
    raise broken(metric, "can be changed; make its class a frozen dataclass")


@promise(KIND)
def check_simulated_classes_have_a_value(metric: Metric) -> None:
    """A simulated class has a value, a float within the declared range, in every setting."""
    asked = simulated_question()
    for one in in_every_setting(metric):
        value = answer(one, asked)
        require(
            type(value) is float, one, f"should return a float, but returns {type(value).__name__}"
        )
        require(not np.isnan(value), one, "has no value in a simulated class")
        _require_in_range(one, value)


def _require_in_range(metric: Metric, value: float) -> None:
    facts = metric.facts
    require(
        np.isnan(value) or facts.lowest <= value <= facts.highest,
        metric,
        f"is {value!r}, outside the range {facts.lowest} to {facts.highest} that it declares",
    )


@promise(KIND)
def check_odd_classes_stay_in_range(metric: Metric, *questions: Question) -> None:
    """Any class has a value within the declared range, or NaN."""
    for asked in questions or odd_questions():
        for one in in_every_setting(metric):
            _require_in_range(one, answer(one, asked))


@promise(KIND)
def check_grader_numbers_do_not_matter(
    metric: Metric, *questions: Question, new: Sequence[int] | None = None
) -> None:
    """The value does not depend on the order of graders."""
    for asked in questions or odd_questions():
        count = asked.rewards.reports.graders
        order = np.random.default_rng(count).permutation(count) if new is None else new
        moved = relabelled(asked, list(order))
        for one in in_every_setting(metric):
            require(
                same(answer(one, moved), answer(one, asked), 1e-12),
                one,
                "has another value when graders are numbered in another order",
            )


@promise(KIND)
def check_inputs_stay_untouched(metric: Metric) -> None:
    """A measure changes nothing that it is given, and gives the same value again."""
    asked = simulated_question()
    before = pickle.dumps(asked)
    for one in in_every_setting(metric):
        require(
            same(answer(one, asked), answer(one, asked)), one, "has another value the second time"
        )
    require(pickle.dumps(asked) == before, metric, "changes the tables that it is given")
