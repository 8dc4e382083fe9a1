"""Payments for closeness to the estimated true scores."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy.optimize import brentq

import peergauge
from peergauge.tables import Truth
from tests.generators import class_of, parts_of


def test_two_who_agree_are_paid_by_the_pull_of_the_prior() -> None:
    """Both say 9; with no biases the estimate solves one equation in one unknown.

    Both have error e and reliability (10/1.05 + 1/2) / (10 + e²/2), so that the estimate is
    (7 √(1/2.1) + 2·9 √τ) / (√(1/2.1) + 2 √τ).
    """

    def gap(estimate: float) -> float:
        reliability = (10 / 1.05 + 0.5) / (10 + (9 - estimate) ** 2 / 2)
        weight, prior = sqrt(reliability), sqrt(1 / 2.1)
        return (7 * prior + 18 * weight) / (prior + 2 * weight) - estimate

    estimate = brentq(gap, 7, 9)
    rewards = peergauge.score("mse-p:bias=ignore", class_of({"s": {"ann": 9, "bob": 9}}))
    np.testing.assert_allclose(rewards.amount, -((9 - estimate) ** 2), atol=1e-4)


def test_correcting_for_bias_forgives_a_steady_severity() -> None:
    good = {f"s{i}": {"ann": g, "bob": g, "cy": g - 2.0} for i, g in enumerate([6.0, 8, 7, 9, 5])}
    reports = class_of(good)
    cy = 2
    as_it_is = peergauge.score("mse-p", reports).total
    corrected = peergauge.score("mse-p:bias=correct", reports).total
    assert as_it_is[cy] == as_it_is.min() < -1
    assert corrected[cy] > as_it_is[cy] / 4


def test_every_report_is_paid_even_a_single_one() -> None:
    rewards = peergauge.score("mse-p", class_of({"s": {"ann": 2}}))
    assert rewards.amount[0, 0] < 0


def test_amounts_are_means_over_reports() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 8}, "t": {"ann": 5, "bob": 5, "cy": 8}})
    rewards = peergauge.score("mse-p", reports)
    assert rewards.amount[0, 2] == pytest.approx(parts_of(rewards)[-1])
    assert rewards.amount[0, 0] == pytest.approx(parts_of(rewards)[[0, 2]].sum())


def test_where_everything_was_checked_the_true_scores_are_what_counts() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 8}, "t": {"ann": 5, "bob": 5, "cy": 8}})
    checks = Truth.from_frame({"submission": ["s", "t"], "score": [7, 9]})
    rewards = peergauge.score("mse-p:bias=estimate", reports, checks=checks)
    np.testing.assert_allclose(rewards.amount, [[-(1 + 16) / 2, -(1 + 16) / 2, -1]])


def test_a_check_tells_which_of_two_is_to_be_believed_elsewhere() -> None:
    """Ann is 5 below Bob on both; the check says that she is right, or that he is."""
    reports = class_of({"s": {"ann": 4, "bob": 9}, "t": {"ann": 4, "bob": 9}})
    for score, better in ((4, 0), (9, 1)):
        checks = Truth.from_frame({"submission": ["s"], "score": [score]})
        rewards = peergauge.score("mse-p:bias=estimate", reports, checks=checks)
        on_t = parts_of(rewards)[2:]
        assert on_t.argmax() == better
