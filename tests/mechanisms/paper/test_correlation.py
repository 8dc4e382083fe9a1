"""Correlation against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import peergauge
from peergauge.models.pg1 import PG1
from peergauge.simulate import Setting, simulate
from tests.generators import class_of


def test_it_is_pearsons_correlation_with_the_estimated_scores() -> None:
    reports = simulate(Setting(students=12, assignments=2), seed=5).reports
    fit = PG1().fit(reports)
    rewards = peergauge.score("corr", reports)
    compared = 0
    for a in range(2):
        for k in range(12):
            own = (reports.assignment == a) & (reports.grader == k)
            x, y = reports.grade[own], fit.score[reports.submission[own]]
            if np.ptp(x) > 0:
                # Subtracting a bias from all of a grader's reports changes no correlation.
                expected = np.corrcoef(x, y)[0, 1]
                assert rewards.amount[a, k] == pytest.approx(expected)
                compared += 1
    assert compared > 12


def test_the_same_grade_for_everything_is_not_paid() -> None:
    reports = class_of(
        {"s": {"ann": 6, "bob": 8}, "t": {"ann": 6, "bob": 3}, "u": {"ann": 6, "bob": 5}}
    )
    amount = peergauge.score("corr", reports).amount[0]
    assert np.isnan(amount).tolist() == [True, False]


def test_one_undefined_correlation_may_void_the_whole_semester() -> None:
    first = {"s": {"ann": 6, "bob": 8}, "t": {"ann": 6, "bob": 3}}
    second = {"u": {"ann": 4, "bob": 8}, "v": {"ann": 6, "bob": 3}, "w": {"bob": 5, "cy": 3}}
    reports = class_of(first, second)
    usual = peergauge.score("corr", reports).amount
    assert np.isnan(usual).tolist() == [[True, False, True], [False, False, True]]
    voided = peergauge.score("corr:undefined=semester", reports).amount
    assert np.isnan(voided).tolist() == [[True, False, True], [True, False, True]]
    assert voided[:, 1] == pytest.approx(usual[:, 1])
