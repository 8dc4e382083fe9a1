"""R² against scikit-learn's."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import r2_score

import peergauge
from peergauge.models.pg1 import PG1
from peergauge.simulate import Setting, simulate
from tests.generators import class_of


@pytest.mark.parametrize("bias", ["correct", "estimate", "ignore"])
def test_it_is_r2_of_reports_as_predictions_of_estimated_scores(bias: str) -> None:
    reports = simulate(Setting(students=12, assignments=2), seed=5).reports
    fit = PG1(bias=bias != "ignore").fit(reports)
    rewards = peergauge.score(f"r2:bias={bias}", reports)
    for a in range(2):
        for k in range(12):
            own = (reports.assignment == a) & (reports.grader == k)
            report = reports.grade[own] - (fit.bias[a, k] if bias == "correct" else 0)
            expected = r2_score(fit.score[reports.submission[own]], report)
            assert rewards.amount[a, k] == pytest.approx(expected)
    assert rewards.part is None


def test_a_grader_with_one_report_is_not_paid() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 8}, "t": {"ann": 5, "bob": 3, "cy": 8}})
    amount = peergauge.score("r2", reports).amount[0]
    assert np.isnan(amount).tolist() == [False, False, True]


def test_estimates_that_do_not_vary_leave_it_undefined() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 6}, "t": {"ann": 6, "bob": 6}})
    assert np.isnan(peergauge.score("r2", reports).amount).all()


def test_estimates_may_spread_around_the_prior_mean_instead() -> None:
    reports = simulate(Setting(students=12, assignments=2), seed=5).reports
    fit = PG1().fit(reports)
    rewards = peergauge.score("r2:around=prior", reports)
    for a in range(2):
        for k in range(12):
            own = (reports.assignment == a) & (reports.grader == k)
            report = reports.grade[own] - fit.bias[a, k]
            estimate = fit.score[reports.submission[own]]
            total = sum((one - 7.0) ** 2 for one in estimate)
            rest = sum((one - two) ** 2 for one, two in zip(report, estimate, strict=True))
            assert rewards.amount[a, k] == pytest.approx(1 - rest / total)


def test_around_the_prior_mean_one_report_will_do() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 8}, "t": {"ann": 5, "bob": 3, "cy": 8}})
    assert not np.isnan(peergauge.score("r2:around=prior", reports).amount).any()
