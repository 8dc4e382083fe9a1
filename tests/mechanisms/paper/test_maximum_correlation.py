"""MCC against a plain mean over pairs."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

import peergauge
from peergauge.models.pg1 import PG1
from tests.generators import class_of


def test_pairs_earn_the_correlation_that_their_reliabilities_allow() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 8}, "t": {"ann": 5, "bob": 5, "cy": 8}})
    spread = [sqrt(2.1 + 1 / tau) for tau in PG1().fit(reports).reliability[0]]

    def rho(one: int, two: int) -> float:
        return 2.1 / (spread[one] * spread[two])

    ann, bob, cy = range(3)
    rewards = peergauge.score("mcc", reports)
    t_ann = (rho(ann, bob) + rho(ann, cy)) / 2
    t_bob = (rho(bob, ann) + rho(bob, cy)) / 2
    t_cy = (rho(cy, ann) + rho(cy, bob)) / 2
    np.testing.assert_allclose(
        rewards.amount[0], [rho(ann, bob) + t_ann, rho(ann, bob) + t_bob, t_cy]
    )


def test_a_report_without_a_co_grader_is_not_paid() -> None:
    rewards = peergauge.score("mcc", class_of({"s": {"ann": 6, "bob": 8}, "u": {"cy": 4}}))
    assert np.isnan(rewards.amount[0]).tolist() == [False, False, True]


def test_reliable_graders_earn_more() -> None:
    good = {f"s{i}": {"ann": g, "bob": g, "cy": 10 - g} for i, g in enumerate([2.0, 9, 8, 1, 7])}
    total = peergauge.score("mcc", class_of(good)).total
    assert total[2] < total[0] == pytest.approx(total[1])
