"""MSE_P with a premium on leaving the mean."""

from __future__ import annotations

import numpy as np

import peergauge
from peergauge.models.pg1 import PG1
from peergauge.testing import check_mechanism
from tests.generators import class_of, parts_of

AMSE = "amse-p:bias=ignore,boldness=0.5,target=consensus"
CLASS = {"s": {"ann": 6, "bob": 8}, "t": {"ann": 5, "bob": 5, "cy": 8}}


def test_each_report_earns_minus_its_error_plus_a_tenth_of_its_boldness() -> None:
    reports = class_of(CLASS)
    fit = PG1().fit(reports)
    expected = []
    for row in range(len(reports)):
        report = reports.grade[row] - fit.bias[0, reports.grader[row]]
        error = report - fit.score[reports.submission[row]]
        expected.append(-(error**2) + 0.1 * (report - 7) ** 2)
    rewards = peergauge.score("amse-p", reports)
    np.testing.assert_allclose(parts_of(rewards), expected)
    np.testing.assert_allclose(
        rewards.amount[0], [expected[0] + expected[2], expected[1] + expected[3], expected[4]]
    )


def test_without_boldness_it_is_the_sum_that_mse_p_takes_the_mean_of() -> None:
    reports = class_of(CLASS)
    np.testing.assert_allclose(
        peergauge.score("amse-p:boldness=0", reports).amount[0],
        peergauge.score("mse-p:bias=correct", reports).amount[0] * [2, 2, 1],
    )


def test_the_target_can_be_the_consensus() -> None:
    """Minus the squared distance to the mean of a submission, plus half of that to the prior mean.

    The reports 6 and 8 on s have mean 7, and 5, 5 and 8 on t have mean 6.
    """
    reports = class_of(CLASS)
    part = parts_of(peergauge.score(AMSE, reports))
    expected = [-1 + 0.5 * 1, -1 + 0.5 * 1, -1 + 0.5 * 4, -1 + 0.5 * 4, -4 + 0.5 * 1]
    np.testing.assert_allclose(part, expected)


def test_without_boldness_the_consensus_pays_the_sum_that_mse_takes_the_mean_of() -> None:
    reports = class_of(CLASS)
    np.testing.assert_allclose(
        peergauge.score("amse-p:bias=ignore,boldness=0,target=consensus", reports).amount[0],
        peergauge.score("mse", reports).amount[0] * [2, 2, 1],
    )


def test_a_single_report_has_no_consensus() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 8}, "t": {"ann": 5}})
    assert np.isnan(parts_of(peergauge.score(AMSE, reports))).tolist() == [False, False, True]
    assert np.isfinite(parts_of(peergauge.score("amse-p", reports))).all()


def test_the_contract_holds_with_the_consensus() -> None:
    check_mechanism(AMSE, quick=True)
