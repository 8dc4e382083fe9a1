"""Hand-worked payments for closeness to the consensus."""

from __future__ import annotations

import numpy as np

import peergauge
from tests.generators import class_of, parts_of


def test_each_grader_earns_minus_the_mean_squared_distance_to_the_consensus() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 8}, "t": {"ann": 5, "bob": 5, "cy": 8}})
    # Consensus 7 and 6. ann: 1 and 1; bob: 1 and 1; cy: 4.
    rewards = peergauge.score("mse", reports)
    np.testing.assert_allclose(rewards.amount, [[-1.0, -1.0, -4.0]])
    np.testing.assert_allclose(parts_of(rewards), [-0.5, -0.5, -0.5, -0.5, -4.0])


def test_a_report_without_company_is_not_paid_and_not_counted() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 8}, "t": {"ann": 2}, "u": {"cy": 9}})
    rewards = peergauge.score("mse", reports)
    np.testing.assert_allclose(rewards.amount, [[-1.0, -1.0, np.nan]])
    np.testing.assert_allclose(parts_of(rewards), [-1.0, -1.0, np.nan, np.nan])


def test_identical_reports_earn_the_most_there_is() -> None:
    reports = class_of({"s": {"ann": 3, "bob": 3}}, {"t": {"ann": 9, "bob": 9}})
    assert (peergauge.score("mse", reports).amount == 0).all()
