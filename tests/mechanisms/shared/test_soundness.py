"""Payments that cannot be right are refused when they are paid, with the name of the mechanism."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import peergauge
from peergauge.core.errors import PluginError
from peergauge.mechanisms import Mechanism, MechanismFacts
from peergauge.mechanisms.shared.soundness import parts_add_up
from peergauge.tables import Reports, Rewards
from peergauge.testing.classes import class_of, clustered
from tests.testing import broken


@pytest.mark.parametrize(
    ("cls", "why"),
    [
        (broken.PaysInfinity, r"pays \+∞ to grader 1 in assignment number 1; divide by nothing"),
        (broken.PaysMinusInfinity, r"pays −∞ to grader .*or declare minus_infinity=True\.$"),
        (broken.HidesItsRandomness, "draws from rng, but does not declare random=True"),
        (broken.PartsDoNotAddUp, "parts that do not add up to the amounts"),
        (broken.PaysAnArray, "should return Rewards, but returns a ndarray"),
    ],
)
def test_an_unsound_payment_is_refused(cls: type[Mechanism], why: str) -> None:
    with pytest.raises(PluginError, match=why) as refused:
        peergauge.score(cls(), clustered(1))
    assert str(refused.value).startswith("The mechanism 'median-distance' ")
    again = pickle.loads(pickle.dumps(refused.value))
    assert (str(again), again.why) == (str(refused.value), refused.value.why)


def test_a_grader_is_named_as_the_class_names_them() -> None:
    class_with_names = class_of({"essay": {"ann": 7, "bob": 7, "cy": 9}})
    with pytest.raises(PluginError, match="to grader ann in"):
        peergauge.score(broken.PaysInfinity(), class_with_names)


def test_a_class_that_is_no_dataclass_is_refused() -> None:
    class Plain(Mechanism):
        """Forgot the decorator."""

        facts = MechanismFacts(name="plain")

        def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
            return Rewards.from_parts(reports, [1] * len(reports))

    with pytest.raises(PluginError, match=r"'plain' is no dataclass.*put @dataclass"):
        peergauge.score(Plain(), clustered(1))


def test_a_declared_minus_infinity_is_paid() -> None:
    class Declared(broken.PaysMinusInfinity):
        """The same, declared."""

        facts = MechanismFacts(name="declared", minus_infinity=True)

    reports = clustered(1)
    assert np.isneginf(peergauge.score(Declared(), reports).amount).any()


def test_parts_of_the_paid_reports_and_of_undone_reviews_add_up() -> None:
    reports = clustered(2)
    missing = reports.grade.copy()
    missing[::5] = np.nan
    for some in (reports, reports.handed_in(missing)):
        assert parts_add_up(peergauge.score("mse", some))
    paid = Rewards.from_parts(reports, np.ones(len(reports)))
    assert not parts_add_up(Rewards(paid.amount * 1.01, reports, paid.part))
    assert not parts_add_up(Rewards(paid.amount, reports, np.full(len(reports), np.nan)))
    assert parts_add_up(Rewards(paid.amount, reports))


def test_a_name_is_enough_for_a_mechanism() -> None:
    from dataclasses import dataclass

    from peergauge.mechanisms import mechanism, mechanisms

    @mechanism("in-brief")
    @dataclass(frozen=True)
    class Brief(Mechanism):
        """Pay each report one point."""

        def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
            return Rewards.from_parts(reports, [1] * len(reports))

    try:
        assert mechanisms.make("in-brief").label == "in-brief"
        assert (peergauge.score("in-brief", clustered(1)).total == 8).all()
    finally:
        mechanisms.forget(Brief.__module__)
