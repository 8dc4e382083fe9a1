"""MSE_P with a premium on leaving the mean."""

from __future__ import annotations

import numpy as np

import peergauge
from peergauge.models.pg1 import PG1
from tests.generators import class_of, parts_of

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
