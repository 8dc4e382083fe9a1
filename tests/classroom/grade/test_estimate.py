"""Estimators of grades: values and weights, intervals for peers and for staff."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from peergauge.classroom.grade.estimate import (
    ESTIMATORS,
    GradeEstimate,
    estimate_grades,
    staff_interval,
)
from peergauge.core.arrays import Floats
from peergauge.core.errors import ConvergenceWarning, UnknownNameError
from peergauge.models import models
from peergauge.models.halfway import halfway_grades
from peergauge.models.posterior import PG1Posterior
from peergauge.simulate import Setting, simulate
from peergauge.tables import Reports
from peergauge.testing.classes import class_of

FEW = PG1Posterior(draws=200, warmup=100)


def of(reports: Reports, estimator: str, staff: Floats | None = None) -> GradeEstimate:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        posterior = FEW.fit(reports, staff)
    return estimate_grades(reports, posterior, halfway_grades(reports, posterior), estimator)


@pytest.fixture(scope="module")
def reports() -> Reports:
    return simulate(Setting(students=30, assignments=2, graders=5), 1).reports


@pytest.mark.parametrize("estimator", list(ESTIMATORS))
def test_grades_are_made_of_their_parts(reports: Reports, estimator: str) -> None:
    found = of(reports, estimator)
    made = np.bincount(reports.submission, found.weight * found.value, reports.submissions)
    mean = np.repeat(found.prior_mean, 30)
    np.testing.assert_allclose(found.score, made + found.prior_weight * mean)
    total = np.bincount(reports.submission, found.weight, reports.submissions)
    np.testing.assert_allclose(total + found.prior_weight, 1.0)
    assert (found.low <= found.score).all()
    assert (found.score <= found.high).all()


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name != "model"])
def test_other_estimators_give_the_scores_of_their_models(reports: Reports, name: str) -> None:
    np.testing.assert_allclose(of(reports, name).score, models.make(name).fit(reports).score)


def test_equal_grades_have_equal_weights_in_the_median() -> None:
    one = class_of({"s": {"a": 5, "b": 5, "c": 9}, "t": {"a": 6, "b": 7, "c": 8}})
    found = of(one, "median")
    np.testing.assert_allclose(found.weight, [0.5, 0.5, 0.0, 0.0, 1.0, 0.0])
    np.testing.assert_allclose(found.score, [5.0, 7.0])


def test_an_unknown_estimator_is_refused(reports: Reports) -> None:
    with pytest.raises(UnknownNameError, match="estimator"):
        of(reports, "mode")


def test_staff_grades_are_exact_and_shift_all_estimators(reports: Reports) -> None:
    staff = np.full(60, np.nan)
    staff[:10] = models.make("mean").fit(reports).score[:10] - 2.0
    for estimator in ESTIMATORS:
        plain, found = of(reports, estimator), of(reports, estimator, staff)
        np.testing.assert_array_equal(found.score[:10], staff[:10])
        np.testing.assert_array_equal(found.low[:10], found.high[:10])
        # Ten equal differences of 2: variance (0 + 2) / 11 / 10, weight 1 / (1 + 0.018).
        assert found.shift[0] == pytest.approx(2.0 / (1 + 2 / 110), rel=1e-6)
        assert found.shift[1] == 0
        if estimator != "model":
            np.testing.assert_allclose(
                found.peer_score[:30], np.maximum(plain.peer_score[:30] - found.shift[0], 0)
            )


def test_the_interval_for_staff_by_hand(reports: Reports) -> None:
    staff, peers = np.full(60, np.nan), np.full(60, 6.0)
    error = 1.0
    low, high = staff_interval(reports, staff, peers, error, 0.9)
    assert low is None
    assert high is None
    staff[:5] = [4.0, 5.0, 6.0, 7.0, 8.0]
    low, high = staff_interval(reports, staff, peers, error, 0.9)
    assert low is not None
    assert high is not None
    # Differences -2..2 have a standard deviation of 1.5811; times the root of 1 + 1/5, times the
    # 95 % quantile of Student's t with 4 degrees of freedom, 2.1318.
    half = 2.1318 * np.sqrt(2.5) * np.sqrt(1.2)
    np.testing.assert_allclose([low[9], high[9]], [6 - half, 6 + half], atol=1e-3)
    np.testing.assert_array_equal(low[:5], staff[:5])
    # Staff who agree with peers by chance cannot be predicted better than peers themselves.
    staff[:5] = 6.0
    low, high = staff_interval(reports, staff, peers, error, 0.9)
    assert low is not None
    assert low[9] == pytest.approx(6 - 2.1318 * np.sqrt(1.2), abs=1e-3)


@pytest.mark.statistical
def test_intervals_contain_the_mean_of_many_more_peers() -> None:
    # The same submissions are graded again by 40 other draws of four of the same graders: the mean
    # of 160 reviews is nearly the mean of all of them. Coverage of 90 % intervals over 6 classes of
    # 100 submissions; grades of one class share graders, so that the standard error is about 2 %.
    inside = []
    for seed in range(6):
        setting = Setting(students=100, assignments=1)
        found = of(simulate(setting, seed).reports, "model")
        others = [simulate(setting, seed, repeat=one).reports for one in range(1, 41)]
        many = np.mean([models.make("mean").fit(one).score for one in others], axis=0)
        inside += ((found.low <= many) & (many <= found.high)).tolist()
    assert 0.86 < np.mean(inside) < 0.97
