"""Hand-worked payments for closeness to the consensus."""

from __future__ import annotations

import numpy as np

import peergauge
from peergauge.tables import Truth
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


def test_the_true_score_takes_the_place_of_the_consensus_where_it_was_checked() -> None:
    """s is truly 9: ann is 3 off and bob 1. On t ann and bob are 1 off, cy is 2 off."""
    reports = class_of({"s": {"ann": 6, "bob": 8}, "t": {"ann": 5, "bob": 5, "cy": 8}})
    checks = Truth.from_frame({"submission": ["s"], "score": [9]})
    rewards = peergauge.score("mse", reports, checks=checks)
    np.testing.assert_allclose(rewards.amount, [[-(9 + 1) / 2, -(1 + 1) / 2, -4.0]])


def test_a_single_report_is_paid_if_it_was_checked() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 8}, "t": {"ann": 2}, "u": {"cy": 9}})
    checks = Truth.from_frame({"submission": ["t"], "score": [5]})
    rewards = peergauge.score("mse", reports, checks=checks)
    np.testing.assert_allclose(rewards.amount, [[-(1 + 9) / 2, -1.0, np.nan]])
