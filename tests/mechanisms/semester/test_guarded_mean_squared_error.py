"""MSE_P with a penalty for reports that hardly vary: its threshold, and its sums by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import peergauge
from peergauge.core.errors import ParameterError
from peergauge.mechanisms.semester.guarded_mean_squared_error import (
    GuardedMeanSquaredError,
    least_variance,
    spread_so_far,
)
from peergauge.metrics.rank_gain import RankGain
from peergauge.simulate import Setting, simulate
from peergauge.tables import Reports, Scale
from tests.generators import class_of
from tests.generators import reports as any_reports


@pytest.mark.parametrize("reports", [2, 4, 12, 40])
@pytest.mark.parametrize("quantile", [0.05, 0.2])
def test_the_threshold_is_the_quantile_of_drawn_variances(reports: int, quantile: float) -> None:
    """200,000 graders by the prior, each with so many normal reports.

    The share below the threshold has a standard error of at most 0.0009; four of them are allowed.
    """
    rng = np.random.default_rng(reports)
    one = 2.1 + 1 / rng.gamma(10 / 1.05, 1 / 10, 200_000)
    drawn = one * rng.chisquare(reports - 1, 200_000) / (reports - 1)
    share = np.mean(drawn < least_variance(reports, quantile, 2.1))
    assert share == pytest.approx(quantile, abs=0.0036)


def test_a_single_report_has_no_threshold_and_more_reports_a_higher_one() -> None:
    found = [least_variance(n, 0.05, 2.1) for n in (1, 2, 4, 10, 40, 400)]
    assert found[0] == 0
    assert found == sorted(found)
    # With very many reports only the reliability is unknown, so it stays below the mean.
    assert found[-1] < 2.1 + 1.05


def test_who_always_says_the_same_pays_for_the_whole_threshold() -> None:
    """Ann's four reports over two assignments are all 7, so that V = 0: λ A V_q is 8 V_q.

    After the first assignment it was 4 V_q with the quantile for two reports; the second adds the
    rest. Bob's reports vary by more than any threshold here, and he has what MSE_P pays.
    """
    reports = class_of(
        {"s": {"ann": 7, "bob": 2}, "t": {"ann": 7, "bob": 10}},
        {"u": {"ann": 7, "bob": 1}, "v": {"ann": 7, "bob": 10}},
    )
    plain = peergauge.score("mse-p:bias=estimate", reports).amount
    guarded = peergauge.score("guarded-mse-p", reports).amount
    two, four = (least_variance(n, 0.05, 2.1) for n in (2, 4))
    np.testing.assert_allclose((plain - guarded)[:, 0], [4 * two, 8 * four - 4 * two])
    np.testing.assert_allclose(guarded[:, 1], plain[:, 1])


def test_an_assignment_that_a_grader_has_no_part_in_changes_nothing() -> None:
    reports = class_of(
        {"s": {"ann": 7, "bob": 6}, "t": {"ann": 7, "bob": 6}}, {"u": {"bob": 9, "cy": 4}}
    )
    amount = peergauge.score("guarded-mse-p", reports).amount
    assert np.isnan(amount).tolist() == [[False, False, True], [True, False, False]]
    assert GuardedMeanSquaredError().penalty(reports)[:, 2].tolist() == [0, 0]


@given(any_reports())
def test_spreads_so_far_are_those_of_the_first_reports(reports: Reports) -> None:
    n, spread, graded = spread_so_far(reports)
    for a in range(reports.assignments):
        for k in range(reports.graders):
            own = (reports.grader == k) & (reports.assignment <= a)
            grade = reports.grade[own]
            assert n[a, k] == len(grade)
            assert graded[a, k] == len(np.unique(reports.assignment[own]))
            expected = len(grade) * grade.var() if len(grade) else 0.0
            assert spread[a, k] == pytest.approx(expected, abs=1e-6)


@given(any_reports(scales=(Scale(0, 10),)))
def test_another_scale_is_paid_in_proportion(reports: Reports) -> None:
    wide = Reports(
        reports.assignment, reports.submission, reports.grader,
        20 + 5 * reports.grade, Scale(20, 70), graders=reports.graders,
    )  # fmt: skip
    here = peergauge.score("guarded-mse-p", reports)
    there = peergauge.score("guarded-mse-p", wide)
    np.testing.assert_allclose(there.amount, 25 * here.amount, atol=1e-6)


def test_a_strength_of_0_is_no_guard() -> None:
    reports = simulate(Setting(students=30, assignments=3), seed=1).reports
    for bias in ("correct", "estimate", "ignore"):
        guarded = peergauge.score(f"guarded-mse-p:bias={bias},strength=0", reports)
        np.testing.assert_array_equal(
            guarded.amount, peergauge.score(f"mse-p:bias={bias}", reports).amount
        )


def test_hedging_loses() -> None:
    """One of 100 hedges over 10 assignments; without the guard it gains some 40 ranks.

    Classes vary by 25 ranks, so the mean of 12 by 7: the bound is more than three of these away.
    """
    gains = []
    for seed in range(12):
        semester = simulate(Setting(students=100, assignments=10), seed)
        hedging = semester.redo(semester.deviator, "hedge")
        before = peergauge.score("guarded-mse-p", semester.reports)
        after = peergauge.score("guarded-mse-p", hedging)
        gains.append(RankGain().measure(before, after, semester.deviator))
    assert np.mean(gains) < -20


@pytest.mark.parametrize("spec", ["quantile=0", "quantile=1", "strength=-1", "strength=inf"])
def test_what_is_no_guard_is_refused(spec: str) -> None:
    with pytest.raises(ParameterError):
        peergauge.score(f"guarded-mse-p:{spec}", class_of({"s": {"ann": 7}}))
