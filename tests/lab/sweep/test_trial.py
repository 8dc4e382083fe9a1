"""Trials: what cannot be simulated or measured is refused before anything is paid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from peergauge.core.errors import ParameterError
from peergauge.lab.sweep import planned
from peergauge.lab.sweep.trial import check
from peergauge.mechanisms.paper.output_agreement import OutputAgreement
from peergauge.metrics import MetricFacts, RewardMetric
from peergauge.simulate import BinaryEffort, CheapSignals, Setting
from peergauge.tables import Reports, Rewards, Truth

SMALL = Setting(students=12, assignments=2)


def tried(over: dict[str, Any], *specs: Any, **more: Any) -> None:
    measures, where = more.pop("measures", ["tau"]), more.pop("where", SMALL)
    check(planned(over, specs or ["mse"], measures, where, repetitions=3, **more), 0)


@pytest.mark.parametrize(
    ("over", "more", "words"),
    [
        ({"graders": [4, 12]}, {}, "The point graders=12 is impossible: A class of 12 has at most"),
        ({"students": [12, 15], "graders": [3]}, {}, "students=15, graders=3 is impossible"),
        ({"strategies": [{"hedge": 13}]}, {}, "13 strategic graders were asked for"),
        (
            {"strategic": [0.5, 0.0]},
            {"measures": ["strategic-auc"], "strategy": "hedge"},
            "needs who is strategic, and is undefined in the classes of the point strategic=0;",
        ),
        ({"graders": [2]}, {"measures": ["effort-auc"]}, "needs who is active"),
        (
            {"strategic": [0.5, 1.0]},
            {"measures": ["rank-gain"], "strategy": "hedge"},
            "The point strategic=1 is impossible: No grader is truthful",
        ),
        (
            {"graders": [2]},
            {"measures": ["rank-gain"], "strategy": "cheap"},
            "only a class simulated with cheap signals knows",
        ),
        (
            {"strategic": [0.5]},
            {"strategy": "when-ahead"},
            "acts on the standing that a mechanism shows",
        ),
    ],
)
def test_the_point_and_the_reason_are_named(
    over: dict[str, Any], more: dict[str, Any], words: str
) -> None:
    with pytest.raises(ParameterError) as refused:
        tried(over, **more)
    assert words in str(refused.value)


def test_what_is_possible_passes() -> None:
    tried({"graders": [2, 3]}, measures=["effort-auc"], where=Setting(12, effort=BinaryEffort()))
    tried({"strategic": [0, 0.5]}, strategy="hedge", measures=["rank-gain", "tau"])
    cheap = Setting(students=12, cheap=CheapSignals(0.5, 1.0))
    tried({"graders": [2]}, strategy="cheap", measures=["rank-gain"], where=cheap)


def test_a_mechanism_that_can_pay_at_no_point_is_refused() -> None:
    tried({"graders": [4, 5, 6]}, "mse", "dmi")
    with pytest.raises(
        ParameterError, match="dmi cannot pay the classes of any point: 12 students"
    ):
        tried({"graders": [5, 7, 8]}, "mse", "dmi", where=Setting(students=12))
    with pytest.raises(ParameterError, match="The point graders=5 is impossible: 12 students"):
        tried({"graders": [4, 5]}, "dmi")


@dataclass(frozen=True)
class NeverPaying(OutputAgreement):
    """A mechanism that must not be asked to pay."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        raise AssertionError


def test_nobody_is_paid_in_a_trial() -> None:
    tried({"graders": [2, 4]}, NeverPaying())


@dataclass(frozen=True)
class Demanding(RewardMetric):
    """A measure that fails on random rewards, as one of the user's own may."""

    facts = MetricFacts(
        name="demanding", label="", source="", of="rewards", needs="more", lowest=0.0, highest=1.0,
        better="higher",
    )  # fmt: skip

    def measure(self, rewards: Rewards, truth: Truth) -> float:
        raise KeyError


def test_a_measure_that_needs_more_than_random_rewards_is_given_a_chance() -> None:
    tried({"graders": [2, 4]}, measures=[Demanding()])
