"""Grids of sweeps: what is understood, and what is refused in which words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import peergauge
from peergauge.core.errors import ParameterError, PeergaugeError
from peergauge.engine.environment import Environment
from peergauge.lab.paper.classes import PAPER
from peergauge.lab.sweep.grid import Grid, fitting, grid_of
from peergauge.mechanisms import mechanisms
from peergauge.simulate import (
    BinaryEffort,
    CheapSignals,
    ContinuousEffort,
    NormalBias,
    Setting,
    StudentBias,
    strategies,
)
from peergauge.simulate.source import SemesterSource


def grid(over: dict[Any, Any], *specs: str, **more: Any) -> Grid:
    chosen = [mechanisms.make(spec) for spec in specs or ("mse",)]
    where = more.pop("where", Setting())
    environment = where if isinstance(where, Environment) else Environment(SemesterSource(where))
    return grid_of(over, environment, chosen, **more)


def test_the_last_parameter_changes_fastest() -> None:
    found = grid({"graders": [2, 4], "students": range(10, 40, 10)})
    assert len(found) == 6
    assert [tuple(found.coordinates(one).values()) for one in range(3)] == [
        (2, 10), (2, 20), (2, 30),
    ]  # fmt: skip
    setting = found.point(5).environment.source.setting
    assert (setting.graders, setting.students, setting.assignments) == (4, 30, 10)


def test_a_dot_changes_a_parameter_of_a_part_and_keeps_the_others() -> None:
    found = grid({"bias.deviation": [0, 0.5]}, where=Setting(bias=NormalBias(2.0, mean=1.0)))
    assert found.point(1).environment.source.setting.bias == NormalBias(0.5, mean=1.0)
    both = grid({"effort.active": [3], "effort": [BinaryEffort(active_draws=5)]})
    assert both.point(0).environment.source.setting.effort == BinaryEffort(3, active_draws=5)


def test_a_parameter_of_mechanisms_leaves_those_without_it_alone() -> None:
    found = grid({"mechanism.prize": np.array([1.0, 2.0])}, "oa", "mse")
    assert [one.spec for one in found.point(1).mechanisms] == ["oa:prize=2", "mse"]
    assert [one.spec for one in found.mechanisms] == ["oa", "mse"]
    chosen = grid({"mechanism.bias": ["correct", "ignore"]}, "mse-p")
    assert chosen.point(0).mechanisms[0].spec == "mse-p:bias=correct"


def test_a_share_of_the_graders_is_strategic() -> None:
    over = {"strategic": [0.0, 0.25, 0.3], "strategy": ["hedge", strategies.make("noise")]}
    found = grid(over, where=Setting(students=10))
    counts = [found.point(one).environment.source.setting.strategies for one in range(6)]
    # A quarter of ten is rounded up.
    assert counts == [
        (("hedge", 0),), (("noise", 0),), (("hedge", 3),), (("noise", 3),), (("hedge", 3),),
        (("noise", 3),),
    ]  # fmt: skip
    mixed = grid({"strategic": [0.4]}, where=Setting(students=10), strategy="3*hedge&noise")
    assert dict(mixed.point(0).environment.source.setting.strategies) == {"hedge": 3, "noise": 1}


def test_what_mechanisms_are_given_can_be_swept_over() -> None:
    found = grid({"prior": ["paper", "true"], "checked": [0.0, 0.1]}, "mse-p")
    assert (found.point(3).environment.prior, found.point(3).environment.checked) == ("true", 0.1)


def test_labels_are_numbers_or_short_texts() -> None:
    parts = {"bias": [NormalBias(), StudentBias(0.7)], "scale": ["0..10", "1..5"]}
    found = grid(parts)
    assert found.dimensions[0].labels == ("NormalBias()", "StudentBias(spread=0.7)")
    assert found.dimensions[1].labels == ("0..10", "1..5")
    named = grid({"effort": {"half": BinaryEffort(), "all": ContinuousEffort()}})
    assert named.dimensions[0].labels == ("half", "all")
    assert grid({"effort.active": [None, 3]}, where=Setting(effort=BinaryEffort())).dimensions[
        0
    ].labels == (None, 3)
    assert grid({"graders": np.arange(2, 4)}).dimensions[0].labels == (2, 3)
    counts = grid({"strategies": [{"hedge": 3}, {"hedge": 1, "noise": 2}]})
    assert counts.dimensions[0].labels == ("hedge=3", "hedge=1, noise=2")
    assert not named.dimensions[0].numeric


@pytest.mark.parametrize(
    ("over", "words"),
    [
        ({}, "at least one parameter"),
        ({"gradres": [2]}, "did you mean 'graders'"),
        ({3: [2]}, "named by texts"),
        ({"graders": []}, "no values of 'graders'"),
        ({"graders": [2, 2]}, "the value 2 of 'graders' twice"),
        ({"graders": [2.5]}, "whole number, but 2.5"),
        ({"graders": [True]}, "whole number, but True"),
        ({"graders": None}, "whole number, but None"),
        ({"bias.deviation": [float("nan")]}, "is a number, but nan"),
        ({"bias.deviaton": [1]}, "did you mean 'bias.deviation'"),
        ({"bias.deviation": [-1]}, "The point bias.deviation=-1 is impossible: The deviation"),
        ({"effort": ["binary"]}, "objects of peergauge.simulate, but 'binary' was given"),
        ({"effort.active": [3]}, "no parameter of a sweep called 'effort.active'"),
        ({"cheap.noise": [1]}, "has no cheap of which 'noise' could be changed"),
        ({"mechanism.prise": [1]}, "chosen mechanisms called 'prise'; did you mean 'prize'"),
        ({"students": [0]}, "The point students=0 is impossible"),
        ({"design": ["odd"]}, "choose one of clusters, regular"),
        ({"checked": [0.1]}, "uses spot checks, so 'checked' would change nothing"),
        ({"prior": ["true"]}, "'prior' would change nothing"),
        ({"strategic": [0.1]}, "needs the strategy"),
        ({"strategic": [10], "strategy": ["hedge"]}, "share of the graders in 0..1"),
        ({"strategy": ["hege"]}, "did you mean 'hedge'"),
        ({"strategy": [3]}, "A strategy is given by its spec"),
        ({"strategic": [0.1], "strategies": [{"hedge": 1}], "strategy": ["hedge"]}, "already"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_sentence(over: dict[Any, Any], words: str) -> None:
    with pytest.raises(PeergaugeError) as refused:
        grid(over, "oa").point(0)
    assert words in str(refused.value)


def test_what_is_given_in_two_places_is_refused() -> None:
    with pytest.raises(ParameterError, match="The prize of 'oa:prize=3' is given and swept over"):
        grid({"mechanism.prize": [1, 2]}, "oa:prize=3")
    with pytest.raises(ParameterError, match="The strategy is given and swept over"):
        grid({"strategy": ["hedge"]}, strategy="noise")
    with pytest.raises(ParameterError, match="says already how many graders are strategic"):
        grid({"strategic": [0.1]}, strategy="noise", where=Setting(strategies={"hedge": 3}))


def test_the_size_of_a_class_with_the_shape_of_a_real_one_cannot_be_changed() -> None:
    shaped = Environment(SemesterSource(Setting(students=49), PAPER["spring-2019"]))
    with pytest.raises(ParameterError, match="so 'graders' would change nothing"):
        grid({"graders": [2, 3]}, where=shaped)
    assert len(grid({"bias.deviation": [0, 1]}, where=shaped)) == 2


def test_a_part_that_a_setting_has_can_be_changed() -> None:
    cheap = grid({"cheap.noise": [1.5]}, where=Setting(cheap=CheapSignals(0.5, 1.0)))
    assert cheap.point(0).environment.source.setting.cheap == CheapSignals(0.5, 1.5)
    assert peergauge.Setting().cheap is None


@pytest.mark.parametrize("value", [float("inf"), float("nan"), -float("inf")])
@pytest.mark.parametrize("kind", [int, float])
def test_a_number_of_a_sweep_is_finite(value: float, kind: type) -> None:
    with pytest.raises(ParameterError, match="number, but"):
        fitting(value, kind, "'graders' of a sweep")
