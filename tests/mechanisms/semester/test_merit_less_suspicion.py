"""Merit less suspicion: each part by hand, the lemma behind it, and what hedging earns."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from math import exp, log, tanh

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peergauge
from peergauge.core.acceleration import plain_numpy
from peergauge.mechanisms import mechanisms
from peergauge.mechanisms.semester.merit_less_suspicion import (
    CAUTION_SQUARED_POINTS,
    Form,
    MeritLessSuspicion,
    account_of,
)
from peergauge.mechanisms.shared.semester import ahead_of_the_median
from peergauge.metrics.rank_gain import RankGain
from peergauge.simulate import Setting, simulate
from peergauge.tables import Reports, Scale
from tests.generators import class_of
from tests.generators import reports as any_reports
from tests.mechanisms.sums import sums

every_form = pytest.mark.parametrize("form", Form)

FORTY = sums(
    n=[40, 40, 40], e=[0, 0, 0], ee=[40, 60, 20], d=[0, 0, 0], dd=[60, 60, 60], ed=[0, -58, -40],
    r=[0, 0, 0], rr=[100, 140, 10], unsure=[20, 20, 20],
)  # fmt: skip
"""Three graders with 40 reports, for whom R = 1: a usual one, one who guesses, and a hedger."""


def ahead() -> list[float]:
    """How far each grader of FORTY is ahead of the usual one, by hand."""
    errors = []
    for ee in (40, 60, 20):
        noise = max((10.5 + ee) / 50 - 0.5, 0.2)
        keep = noise / (0.5 + noise)
        errors.append(keep**2 * ee / 40 + 0.5 * keep)
    middle = sorted(errors)[1]
    return [log(middle / error) for error in errors]


def spreads() -> list[tuple[float, float, float]]:
    """Slope, spread and spread by the prior of each, by hand."""
    expected = 60 + 39 * 1.55
    return [
        (
            log(max(1 + ed / (60 + CAUTION_SQUARED_POINTS), 0.05)),
            0.5 * log((rr + 0.5 + CAUTION_SQUARED_POINTS) / (expected + CAUTION_SQUARED_POINTS)),
            0.5 * log((rr + 0.5) / (39 * 3.15)),
        )
        for ed, rr in ((0, 100), (-58, 140), (-40, 10))
    ]


@every_form
def test_merit_suspicion_and_both_guards_by_hand(form: Form) -> None:
    weights = form.weights
    found = account_of(FORTY, np.array([[2.1]]), weights)
    for i, (u, (slope, spread, by_prior)) in enumerate(zip(ahead(), spreads(), strict=True)):
        guarded = weights.by_others * spread + (1 - weights.by_others) * by_prior
        penalty = weights.guard * max(0, -weights.slack - guarded)
        penalty += weights.flat * max(0, -weights.flat_slack - slope)
        assert found.for_error[0, i] == pytest.approx(tanh(weights.merit * u) + weights.rest * u)
        suspicion = weights.suspicion * exp(-weights.steepness * spread + weights.with_error * u)
        assert found.for_spread[0, i] == pytest.approx(-suspicion)
        assert found.penalty[0, i] == pytest.approx(penalty)
    # Guessing shows in the slope, hedging in the spread.
    assert found.penalty[0, 0] == 0 < found.penalty[0, 1] < found.penalty[0, 2]
    assert found.for_spread[0, 2] < found.for_spread[0, 0] < found.for_spread[0, 1] < 0


@every_form
def test_few_reports_tell_less_of_merit_and_are_forgiven_more(form: Form) -> None:
    """With a quarter of the reports R = 4: merit is less steep, and twice the slack is free."""
    weights = form.weights
    few = sums(
        n=[10, 10, 10], e=[0, 0, 0], ee=[10, 15, 5], dd=[15, 15, 15], rr=[25, 25, 9],
        unsure=[5, 5, 5],
    )  # fmt: skip
    found = account_of(few, np.array([[2.1]]), weights)
    errors = []
    for ee in (10, 15, 5):
        noise = max((10.5 + ee) / 20 - 0.5, 0.2)
        keep = noise / (0.5 + noise)
        errors.append(keep**2 * ee / 10 + 0.5 * keep)
    u = log(sorted(errors)[1] / errors[1])
    steep = weights.merit * 4**weights.merit_growth
    assert found.for_error[0, 1] == pytest.approx(tanh(steep * u) + weights.rest * u)
    by_prior = 0.5 * log(9.5 / (9 * 3.15))
    spread = 0.5 * log((9.5 + CAUTION_SQUARED_POINTS) / (15 + 9 * 1.55 + CAUTION_SQUARED_POINTS))
    guarded = weights.by_others * spread + (1 - weights.by_others) * by_prior
    assert found.penalty[0, 2] == pytest.approx(
        weights.guard * max(0, -2 * weights.slack - guarded)
    )


# ------------------------------------------------------------------------------------ the lemma


@given(
    st.lists(st.floats(0, 1), min_size=5, max_size=5),
    st.lists(st.integers(1, 9), min_size=5, max_size=5),
    st.floats(0, 3),
)
def test_no_ranking_measures_better_that_gives_the_deviation_no_more(
    chance: list[float], deviating: list[int], weight: float
) -> None:
    """Of all rankings of five equally likely kinds of statistics, tried one by one."""
    pi, ratio = np.array(chance), 5 * np.array(deviating) / sum(deviating)
    best = np.argsort(np.argsort(pi - weight * ratio, kind="stable"))

    def measured(rank: np.ndarray) -> float:
        return float(rank @ pi)

    def gained(rank: np.ndarray) -> float:
        return float(rank @ (ratio - 1))

    for order in permutations(range(5)):
        rank = np.array(order)
        if gained(rank) <= gained(best):
            assert measured(rank) <= measured(best) + 1e-9


# ------------------------------------------------------------------------------ what it is worth


@pytest.mark.slow
@every_form
@pytest.mark.parametrize("others", [0, 90])
def test_hedging_loses_however_many_do_it(form: Form, others: int) -> None:
    """Claim: whoever begins to report halfway between signal and prior falls by more than 20 ranks.

    60 classes; gains spread by some 25 ranks, so the error is about 3, and falls are 35 or more.
    """
    mechanism, gains = MeritLessSuspicion(form=form), []
    for seed in range(60):
        semester = simulate(Setting(strategies={"hedge": others}), seed)
        before, after = (
            peergauge.score(mechanism, reports)
            for reports in (semester.reports, semester.redo(semester.deviator, "hedge"))
        )
        gains.append(RankGain().measure(before, after, semester.deviator))
    assert np.mean(gains) < -20


@every_form
def test_graders_with_one_report_are_paid_and_suspected_alike(form: Form) -> None:
    """There is no spread to speak of yet, so suspicion differs by what goes with error at most."""
    reports = class_of({"one": {"a": 7, "b": 6}, "two": {"c": 7, "d": 9}})
    account = MeritLessSuspicion(form=form).account(reports)
    assert np.isfinite(account.total).all()
    without_error = account.for_spread * np.exp(
        -form.weights.with_error * ahead_of_the_median(account.error)
    )
    assert np.ptp(without_error) == pytest.approx(0)
    assert (account.penalty == 0).all()


@every_form
@given(reports=any_reports(scales=(Scale(0, 10),)))
def test_plain_equals_compiled(form: Form, reports: Reports) -> None:
    mechanism = MeritLessSuspicion(form=form)
    fast = peergauge.score(mechanism, reports)
    with plain_numpy():
        plain = peergauge.score(mechanism, replace(reports))
    np.testing.assert_allclose(fast.amount, plain.amount, atol=1e-7)


def test_sums_are_shared_with_other_mechanisms_of_the_same_prior() -> None:
    reports = simulate(Setting(students=12, assignments=2), seed=6).reports
    own = MeritLessSuspicion().sums(reports)
    assert mechanisms.make("sne").sums(reports) is own  # type: ignore[attr-defined]
    assert mechanisms.make("sne:prior=mean").sums(reports) is not own  # type: ignore[attr-defined]
