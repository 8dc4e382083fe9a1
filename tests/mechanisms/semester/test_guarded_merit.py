"""Guarded merit: its parts by hand, its guards, and what attacks earn."""

from __future__ import annotations

from math import log, tanh

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import peergauge
from peergauge.core.errors import ParameterError
from peergauge.mechanisms import total_pay
from peergauge.mechanisms.semester.guarded_merit import USUAL_WEIGHTS, GuardedMerit, account_of
from peergauge.mechanisms.shared.evidence import Evidence
from peergauge.metrics.rank_gain import rank
from peergauge.simulate import simulate
from peergauge.tables import Reports
from tests.generators import reports as any_reports
from tests.mechanisms.shared.test_evidence import copying


def evidence(graders: int, **given: list[float]) -> Evidence:
    """Evidence after one assignment; forty reports with an error of 1 and nothing else odd."""
    usual = {"n": 40.0, "error": 1.0}
    columns = (given.get(name, [usual.get(name, 0.0)] * graders) for name in Evidence._fields)
    return Evidence(*(np.array([column]) for column in columns))


def test_merit_is_a_sigmoid_of_the_error_below_the_median() -> None:
    found = account_of(evidence(3, error=[0.5, 1.0, 2.0]), USUAL_WEIGHTS)
    honest = USUAL_WEIGHTS.usual
    inside = USUAL_WEIGHTS.inside * honest
    merit = [
        tanh(USUAL_WEIGHTS.merit * (one + inside)) + USUAL_WEIGHTS.rest * one
        for one in (log(2), 0.0, -log(2))
    ]
    assert_allclose(found.for_error, [merit])
    assert_allclose(found.for_spread, USUAL_WEIGHTS.outside * honest)
    assert_allclose(found.penalty, 0.0)


def test_hedged_reports_are_corrected_inside_and_outside_of_merit() -> None:
    given = evidence(3, spread=[-0.2, 0.0, 0.0], slope=[-0.2, 0.0, 0.0])
    found = account_of(given, USUAL_WEIGHTS)
    x = -0.2 - 0.2 * USUAL_WEIGHTS.slope + USUAL_WEIGHTS.usual
    assert_allclose(found.for_spread[0, 0], USUAL_WEIGHTS.outside * x)
    assert_allclose(found.for_error[0, 0], tanh(USUAL_WEIGHTS.merit * USUAL_WEIGHTS.inside * x))
    free = account_of(given, USUAL_WEIGHTS, strength=0.0)
    assert_allclose(free.for_error, 0.0, atol=1e-12)
    assert_allclose(free.for_spread, 0.0, atol=1e-12)


def test_too_much_spread_costs_a_little_and_earns_nothing() -> None:
    given = evidence(3, spread=[0.1, 0.6, 0.0])
    found = account_of(given, USUAL_WEIGHTS)
    assert found.total[0, 0] >= found.total[0, 2]
    assert found.total[0, 1] < found.total[0, 0]
    wide = 0.6 + USUAL_WEIGHTS.usual - USUAL_WEIGHTS.excess_slack
    assert_allclose(found.for_spread[0, 1], -USUAL_WEIGHTS.outside * USUAL_WEIGHTS.excess * wide)


def test_guards_charge_for_compression_guessing_and_copies() -> None:
    given = evidence(
        4,
        by_prior=[-0.5, 0.3, 0.0, 0.0],
        slope=[0.0, -1.0, 0.0, 0.0],
        matches=[0.0, 0.0, 5.0, 0.0],
        borrowed=[-3.0, 1.3, 0.0, 2.0],
    )
    found = account_of(given, USUAL_WEIGHTS)
    assert_allclose(
        found.penalty[0],
        [
            0.5 * USUAL_WEIGHTS.guard,
            USUAL_WEIGHTS.flat * (1.0 - USUAL_WEIGHTS.flat_slack),
            5.0 - USUAL_WEIGHTS.copied_slack,
            USUAL_WEIGHTS.borrowed * (2.0 - USUAL_WEIGHTS.borrowed_slack),
        ],
    )


def test_whoever_did_nothing_has_the_lowest_total() -> None:
    semester = simulate(students=20, assignments=2, seed=1)
    grade = semester.reports.grade.copy()
    grade[semester.reports.grader == 3] = np.nan
    few = semester.reports.handed_in(grade)
    pay = peergauge.score("guarded-merit", few).total
    assert pay[3] == np.nanmin(np.delete(pay, 3))
    assert np.isnan(peergauge.score("guarded-merit", few.with_assigned(None)).total[3])


@given(any_reports(), st.booleans())
def test_totals_are_those_of_all_assignments(some: Reports, absent: bool) -> None:
    if absent:
        some = some.with_assigned(some.done + 1)
    if not len(some):
        return
    expected = peergauge.score("guarded-merit", some).total
    assert_allclose(total_pay("guarded-merit", some), expected, atol=1e-9)


@pytest.mark.parametrize("strength", [-0.1, float("inf"), float("nan")])
def test_an_impossible_strength_is_refused(strength: float) -> None:
    with pytest.raises(ParameterError, match="strength"):
        GuardedMerit(strength=strength)


def gain(reports: Reports, after: Reports, grader: int, mechanism: str = "guarded-merit") -> float:
    """Ranks that a grader gains."""
    before, now = peergauge.score(mechanism, reports).total, peergauge.score(mechanism, after).total
    return rank(before, grader) - rank(now, grader)


@pytest.mark.statistical
def test_copying_and_missing_reviews_lose_many_ranks() -> None:
    # Claim: a lone grader who copies loses about 25 ranks, one who does half of the reviews about
    # 25. Means over 24 graders have standard errors of about 6; the bound is four of them away.
    copies, fewer = [], []
    for seed in (11, 12):
        semester = simulate(seed=seed)
        for grader in range(0, 100, 8):
            copies.append(gain(semester.reports, copying(semester.reports, grader), grader))
            grade = semester.reports.grade.copy()
            grade[np.flatnonzero(semester.reports.grader == grader)[20:]] = np.nan
            fewer.append(gain(semester.reports, semester.reports.handed_in(grade), grader))
    assert np.mean(copies) < -2
    assert np.mean(fewer) < -2


@pytest.mark.statistical
def test_disguised_copies_do_not_gain() -> None:
    # Claim: who reports the mean of two co-graders plus a point of noise loses about 13 ranks; the
    # standard error over 50 graders is about 5. Without the penalty it is a gain of about 27.
    gains = []
    for seed in range(5):
        semester = simulate(seed=300 + seed)
        for one in range(0, 100, 10):
            after = semester.redo(one, "in-turn:steps=copy:sources=2+noise")
            gains.append(gain(semester.reports, after, one))
    assert np.mean(gains) < 3


@pytest.mark.statistical
@pytest.mark.parametrize("strategy", ["hedge", "prior", "all-tens", "merge", "stretch:factor=0.8"])
def test_hedges_lose_ranks(strategy: str) -> None:
    # Claim: each loses 5 to 40 ranks on average; standard errors over 40 graders are below 4 for
    # the first four, and below 2 for the last one.
    gains = []
    for seed in range(5):
        semester = simulate(seed=100 + seed)
        gains += [
            gain(semester.reports, semester.redo(one, strategy), one) for one in range(0, 100, 12)
        ]
    assert np.mean(gains) < 0
