"""Error in proportion to spread: each step by hand, the argument in numbers, and its manners."""

from __future__ import annotations

from dataclasses import replace
from math import log, sqrt, tanh
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peergauge
from peergauge.core.acceleration import plain_numpy
from peergauge.core.arrays import Floats
from peergauge.core.errors import ConvergenceWarning, ParameterError
from peergauge.lab.beyond.spot_checks import LIES, joined
from peergauge.mechanisms import mechanisms
from peergauge.mechanisms.semester.spread_normalised_error import (
    Form,
    SpreadNormalisedError,
    account_of,
)
from peergauge.mechanisms.shared.semester import excess_so_far, expected_error, sums_so_far
from peergauge.metrics.rank_gain import RankGain
from peergauge.metrics.statistics import covariance_of_pairs
from peergauge.models.slopes import SlopePriors
from peergauge.simulate import Setting, simulate
from peergauge.simulate.spot_checks import checks_of, draw_checks
from peergauge.tables import Reports, Scale
from tests.generators import class_of
from tests.generators import reports as any_reports
from tests.mechanisms.sums import sums

PRIORS = ("given", "mean", "mean-and-variance")
ALL = [
    *(mechanisms.make("sne", form=form, prior=prior) for form in Form for prior in PRIORS),
    mechanisms.make("sne:error=distance"),
]
every = pytest.mark.parametrize("mechanism", ALL, ids=str)
every_form = pytest.mark.parametrize("form", Form)


# ------------------------------------------------------------------------------ step by step


FORTY = sums(
    n=[40, 40, 40], e=[0, 0, 0], ee=[40, 60, 20], d=[0, 0, 0], dd=[60, 60, 60], ed=[0, 10, -40],
    r=[0, 0, 0], rr=[100, 140, 10], unsure=[20, 20, 20],
)  # fmt: skip
"""Three graders with 40 reports, for whom R = 1: a usual one, a noisy one and a hedger."""


def parts_by_hand() -> list[tuple[float, float, float, float, float]]:
    """Of each grader of FORTY: U, the arguments of x1, x2 and x3 (without k), and y."""
    errors = []
    for ee in (40, 60, 20):
        noise = max((10.5 + ee) / 50 - 0.5, 0.2)
        keep = noise / (0.5 + noise)
        errors.append(keep**2 * ee / 40 + 0.5 * keep)
    middle = sorted(errors)[1]
    return [
        (log(middle / error), ed, rr, ee, 0.5 * log((rr + 0.5) / (39 * 3.15)))
        for error, ed, rr, ee in zip(
            errors, (0, 10, -40), (100, 140, 10), (40, 60, 20), strict=True
        )
    ]


def test_the_linear_form_by_hand() -> None:
    """Error and spread count alike; the hedger falls short of the prior's spread by far."""
    found = account_of(FORTY, np.array([[2.1]]), Form.LINEAR.weights, "expected")
    for i, (ahead, _, rr, _, spread) in enumerate(parts_by_hand()):
        ratio = (rr + 0.5 + 2.46) / (60 + 39 * 1.55 + 2.46)
        penalty = 2 * max(0, -0.35 - spread)
        assert found.total[0, i] == pytest.approx(ahead + log(ratio) - penalty)
    assert found.penalty[0, 0] == found.penalty[0, 1] == 0 < found.penalty[0, 2]


def test_the_sharp_form_by_hand() -> None:
    """Error saturates, and only spread is rewarded, up to a cap that the noisy grader meets."""
    found = account_of(FORTY, np.array([[2.1]]), Form.SHARP.weights, "expected")
    for i, (ahead, _, rr, _, spread) in enumerate(parts_by_hand()):
        reward = 0.88 * 0.5 * log((rr + 0.5 + 2) / (60 + 39 * 1.55 + 2))
        penalty = 2 * max(0, -0.28 - spread)
        pay = 0.25 * tanh(ahead / 0.25) + 0.15 * ahead + min(reward, 0.11) - penalty
        assert found.total[0, i] == pytest.approx(pay)
    more = FORTY._replace(rr=np.array([[100.0, 400.0, 10.0]]))
    assert (
        account_of(more, np.array([[2.1]]), Form.SHARP.weights, "expected").for_spread[0, 1] == 0.11
    )


def test_the_strict_form_by_hand() -> None:
    """All three logarithms count; the hedger's slope, 1 − 40 / 62.622, is above 0.05."""
    found = account_of(FORTY, np.array([[2.1]]), Form.STRICT.weights, "expected")
    k = 2.622
    for i, (ahead, ed, rr, ee, spread) in enumerate(parts_by_hand()):
        x1 = log(1 + ed / (60 + k))
        x2 = 0.5 * log((rr + 0.5 + k) / (60 + 39 * 1.55 + k))
        x3 = 0.5 * log((ee + 1) / (39 * 1.35 + 1))
        reward = min(-0.133 * x1 + 1.271 * x2 - 0.086 * x3, 0.206)
        penalty = 1.957 * max(0, -0.359 - spread)
        pay = 0.2976 * tanh(ahead / 0.2976) + 0.084 * ahead + reward - penalty
        assert found.total[0, i] == pytest.approx(pay)


def test_ten_reports_saturate_later_and_are_forgiven_more() -> None:
    """With T = 10, R = 4: the width is 0.25 · 4^0.4, the cap 0.22 and the slack 0.56."""
    ten = sums(n=[10, 10], ee=[10, 15], dd=[15, 15], rr=[9, 90], unsure=[5, 5])
    found = account_of(ten, np.array([[2.1]]), Form.SHARP.weights, "expected")
    errors = expected_error(ten)[0]
    middle = 0.5 * (-log(errors[0]) - log(errors[1]))
    ahead, width = -log(errors[0]) - middle, 0.25 * 4**0.4
    assert found.for_error[0, 0] == pytest.approx(width * tanh(ahead / width) + 0.15 * ahead)
    assert found.for_spread[0, 1] == pytest.approx(0.22)
    short = -0.56 - 0.5 * log(9.5 / (9 * 3.15))
    assert short > -0.02
    assert found.penalty[0, 0] == pytest.approx(2 * max(0, short))


def test_the_distance_can_stand_for_the_expected_error() -> None:
    """Mean squares of 1, 1.5 and 1/2: the middle one is 1. Nobody is closer than 0.1 points."""
    found = account_of(FORTY, np.array([[2.1]]), Form.LINEAR.weights, "distance")
    np.testing.assert_allclose(found.for_error, [[0, -log(1.5), log(2)]])
    perfect = account_of(
        sums(n=[1], unsure=[1]), np.array([[2.1]]), Form.LINEAR.weights, "distance"
    )
    assert perfect.error[0, 0] == 0.01


# --------------------------------------------------------------------------------- the argument


def uncorrelated(rng: np.random.Generator, *deviations: float) -> Floats:
    """Columns of 1000 numbers with mean 0, exactly these deviations, and no correlation."""
    columns = rng.normal(size=(1000, len(deviations)))
    basis, _ = np.linalg.qr(columns - columns.mean(axis=0))
    return np.asarray(basis * sqrt(1000) * deviations)


@pytest.mark.parametrize("bias", [-2.0, 0.0, 0.7])
@pytest.mark.parametrize("noise", [0.2, 1.5])
def test_error_over_spread_is_least_for_the_truth(bias: float, noise: float) -> None:
    """SE(f)/f² = SE(1) + Var(m) (1/f − 1)², where signals are m + bias + noise."""
    m, off = uncorrelated(np.random.default_rng(1), 1.2, noise).T
    signal = m + bias + off

    def error(f: float) -> float:
        return float(((f * signal - m) ** 2).mean())

    for f in (-2.0, -0.5, 0.1, 0.5, 0.9, 1.0, 1.1, 2.0):
        assert error(f) / f**2 == pytest.approx(error(1.0) + 1.2**2 * (1 / f - 1) ** 2)
    # What the linear form pays is largest at 1, while the error itself is not smallest there.
    grid = np.linspace(0.3, 2.0, 171)
    paid = [log((f * signal).var() / error(f)) for f in grid]
    assert grid[np.argmax(paid)] == pytest.approx(1.0)
    assert grid[np.argmin([error(f) for f in grid])] < 0.99


@pytest.mark.slow
@pytest.mark.parametrize(("error", "best"), [("distance", {1.0}), ("expected", {0.8, 0.9})])
def test_the_linear_form_pays_most_for_reports_that_are_hardly_stretched(
    error: Literal["distance", "expected"], best: set[float]
) -> None:
    """One of 40 graders stretches their reports around 7 by a factor, over 40 assignments.

    The mean of what each of the 40 would be paid for error and spread, by the factor. Grades are
    neither rounded nor cut. By the distance the truth pays best, as in the argument, which gives
    losses of ln(1 + Var(m) (1/f − 1)² / SE(1)), some 0.01 at 0.9 and 0.02 at 1.2. By the expected
    error a little hedging pays, though less than 0.05.
    """
    reports = simulate(Setting(students=40, assignments=40), seed=3).reports
    mean, variance = np.full(40, 7.0), np.full(40, 2.1)
    factors = [0.5, 0.7, 0.8, 0.9, 1.0, 1.2, 1.5]
    paid = np.zeros((len(factors), 40))
    for i, f in enumerate(factors):
        for k in range(40):
            own = reports.grader == k
            points = np.where(own, 7 + f * (reports.grade - 7), reports.grade)
            found, _ = sums_so_far(points, reports.layout, mean, variance, SlopePriors())
            account = account_of(found, variance[:, None], Form.LINEAR.weights, error)
            paid[i, k] = account.for_error[-1, k] + account.for_spread[-1, k]
    by_factor = paid.mean(axis=1)
    assert factors[int(by_factor.argmax())] in best
    assert by_factor.max() - by_factor[factors.index(1.0)] < 0.05


@every_form
def test_hedging_loses(form: Form) -> None:
    """One of 100 hedges over 10 assignments: it costs some 45 ranks, and gains 40 under MSE_P.

    Classes vary by 25 ranks, so the mean of 12 by 7: the bounds are more than three of these away.
    """
    gains = {spec: list[float]() for spec in (f"sne:form={form.value}", "mse-p:bias=estimate")}
    for seed in range(12):
        semester = simulate(Setting(students=100, assignments=10), seed)
        hedging = semester.redo(semester.deviator, "hedge")
        for spec, found in gains.items():
            before, after = peergauge.score(spec, semester.reports), peergauge.score(spec, hedging)
            found.append(RankGain().measure(before, after, semester.deviator))
    ours, usual = gains.values()
    assert np.mean(ours) < -20
    assert np.mean(usual) > 15


# ---------------------------------------------------------------------------------- its manners


IRREGULAR = class_of(
    {"s": {"ann": 5, "bob": 7}, "t": {"ann": 8, "bob": 6, "cy": 9}, "u": {"dee": 4}},
    {"v": {"ann": 6, "cy": 6}, "w": {"cy": 10, "ann": 7}},
    {"x": {"eve": 3, "bob": 5, "ann": 4}},
)
"""Dee and Eve have one report each; Dee is never compared with anybody."""


@every
def test_totals_are_those_of_the_first_assignments(mechanism: SpreadNormalisedError) -> None:
    for reports in (simulate(Setting(students=30, assignments=5), seed=2).reports, IRREGULAR):
        rewards = peergauge.score(mechanism, reports)
        for a in range(1, reports.assignments + 1):
            then = peergauge.score(mechanism, reports.first(a)).total
            np.testing.assert_array_equal(rewards.first(a).total, then)
            np.testing.assert_allclose(then, mechanism.account(reports.first(a)).total[-1])


@every
def test_graders_with_one_report_are_paid_and_not_penalised(
    mechanism: SpreadNormalisedError,
) -> None:
    account = mechanism.account(IRREGULAR)
    names = IRREGULAR.grader_names
    assert names is not None
    for name in ("dee", "eve"):
        k = names.index(name)
        assert account.reports[-1, k] == 1
        assert account.penalty[-1, k] == 0
        assert np.isfinite(account.total[-1, k])
    assert np.isnan(account.total[:2, names.index("eve")]).all()


@pytest.mark.slow
@every
@given(reports=any_reports())
def test_plain_equals_compiled(mechanism: SpreadNormalisedError, reports: Reports) -> None:
    fast = peergauge.score(mechanism, reports).amount
    with plain_numpy():
        plain = peergauge.score(mechanism, replace(reports)).amount
    np.testing.assert_allclose(fast, plain, rtol=1e-7, atol=1e-7)


@pytest.mark.slow
@every
@given(
    reports=any_reports(scales=(Scale(0, 10),)),
    shift=st.sampled_from([0, 20, -100]),
)
def test_another_scale_is_paid_the_same(
    mechanism: SpreadNormalisedError, reports: Reports, shift: int
) -> None:
    stretched = Reports(
        reports.assignment, reports.submission, reports.grader,
        shift + 5 * reports.grade, Scale(shift, shift + 50), graders=reports.graders,
    )  # fmt: skip
    here, there = peergauge.score(mechanism, reports), peergauge.score(mechanism, stretched)
    np.testing.assert_allclose(there.amount, here.amount, atol=1e-7)


@pytest.mark.slow
@every
@given(reports=any_reports(), data=st.data())
def test_rewards_follow_their_grader(
    mechanism: SpreadNormalisedError, reports: Reports, data: st.DataObject
) -> None:
    new = np.array(data.draw(st.permutations(range(reports.graders))))
    moved = peergauge.score(mechanism, reports.relabel(new))
    here = peergauge.score(mechanism, reports)
    np.testing.assert_allclose(moved.amount[:, new], here.amount, atol=1e-7)


@every
def test_assignments_without_reports_pay_nobody_who_has_none_yet(
    mechanism: SpreadNormalisedError,
) -> None:
    """The first and the third of four assignments have no reports."""
    reports = simulate(Setting(students=12, assignments=2), seed=6).reports
    later = Reports(
        2 * reports.assignment + 1, reports.submission, reports.grader, reports.grade, assignments=4
    )
    fast = peergauge.score(mechanism, later)
    with plain_numpy():
        plain = peergauge.score(mechanism, replace(later))
    np.testing.assert_allclose(fast.amount, plain.amount, atol=1e-9)
    assert np.isnan(fast.amount[0]).all()
    then = peergauge.score(mechanism, reports.first(1)).total
    np.testing.assert_array_equal(fast.first(2).total, then)


def test_estimates_that_do_not_converge_are_warned_about(monkeypatch: pytest.MonkeyPatch) -> None:
    module = "peergauge.mechanisms.shared.semester.SlopePriors"
    monkeypatch.setattr(module, lambda: SlopePriors(tolerance=0.0, most_rounds=1))
    reports = simulate(Setting(students=12, assignments=2), seed=6).reports
    with pytest.warns(ConvergenceWarning, match="after 2 of 2 assignments"):
        peergauge.score("sne", reports)


# -------------------------------------------------------------------------------------- priors


def test_an_estimated_prior_is_that_of_the_reports_so_far() -> None:
    reports = simulate(Setting(students=30, assignments=3), seed=4).reports
    both = SpreadNormalisedError(prior="mean-and-variance")
    mean, variance = both.priors(reports, reports.grade)
    for a in range(3):
        first = reports.first(a + 1)
        assert mean[a] == pytest.approx(first.grade.mean())
        around = covariance_of_pairs(first.submission, first.grade - first.grade.mean())
        assert variance[a] == pytest.approx(max(around, 0.5))
    only, given_variance = SpreadNormalisedError(prior="mean").priors(reports, reports.grade)
    np.testing.assert_array_equal(only, mean)
    np.testing.assert_array_equal(given_variance, [2.1] * 3)


def test_a_given_prior_is_used_as_an_estimated_one() -> None:
    reports = simulate(Setting(students=30, assignments=1), seed=5).reports
    found = SpreadNormalisedError(prior="mean-and-variance")
    (mean,), (variance,) = found.priors(reports, reports.grade)
    same = SpreadNormalisedError(prior_mean=float(mean), prior_variance=float(variance))
    np.testing.assert_allclose(
        peergauge.score(found, reports).amount, peergauge.score(same, reports).amount
    )
    assert peergauge.score("sne", reports) != peergauge.score(same, reports)


def test_without_pairs_the_variance_is_the_given_one_and_an_estimated_one_has_a_floor() -> None:
    both = SpreadNormalisedError(prior="mean-and-variance")
    alone = class_of({"s": {"ann": 5}, "t": {"bob": 9}})
    assert both.priors(alone, alone.grade)[1] == pytest.approx([2.1])
    known = SpreadNormalisedError(prior="mean-and-variance", prior_variance=3.0)
    assert known.priors(alone, alone.grade)[1] == pytest.approx([3.0])
    same = class_of({"s": {"ann": 7, "bob": 7}, "t": {"ann": 7, "bob": 7}})
    assert both.priors(same, same.grade)[1] == pytest.approx([0.5])


# ---------------------------------------------------------------------- what graders can be told


def test_a_grader_is_told_where_they_stand_and_what_changed() -> None:
    mechanism = SpreadNormalisedError()
    rewards = peergauge.score(mechanism, IRREGULAR)
    names = IRREGULAR.grader_names
    assert names is not None
    cy = names.index("cy")
    told = mechanism.progress(IRREGULAR, cy)
    assert told["graded"].to_list() == [1, 2, 0]
    np.testing.assert_allclose(told["total"].to_numpy(), rewards.running[:, cy])
    np.testing.assert_allclose(told["change"].to_numpy(), rewards.amount[:, cy])
    parts = told["from_error"] + told["from_spread"] + told["from_penalty"]
    np.testing.assert_allclose(parts.to_numpy(), told["change"].to_numpy())
    # Cy did not grade the last assignment, but others now stand elsewhere.
    assert told["change"][2] != 0
    eve = mechanism.progress(IRREGULAR, names.index("eve"))
    assert eve["total"].is_null().to_list() == [True, True, False]
    assert eve["total"][2] == eve["change"][2]


def test_distances_are_told_on_the_scale_of_the_class() -> None:
    wide = Reports(
        IRREGULAR.assignment, IRREGULAR.submission, IRREGULAR.grader,
        10 * IRREGULAR.grade, Scale(0, 100),
    )  # fmt: skip
    here, there = (SpreadNormalisedError().progress(r, 0)["off_by"] for r in (IRREGULAR, wide))
    np.testing.assert_allclose(there.to_numpy(), 10 * here.to_numpy())


def test_nobody_is_told_of_a_grader_who_is_not_there() -> None:
    with pytest.raises(ParameterError, match="no grader 9 among 5"):
        SpreadNormalisedError().progress(IRREGULAR, 9)


# ------------------------------------------------------------------------------------- checks


def test_where_everything_was_checked_the_error_is_that_of_the_reports() -> None:
    semester = simulate(Setting(students=20, assignments=3), seed=5)
    account = SpreadNormalisedError().account(
        semester.reports.with_staff_score(semester.truth.score, spot_checks=True)
    )
    off = (semester.reports.grade - semester.truth.score[semester.reports.submission]) ** 2
    mean = np.bincount(semester.reports.grader, off) / np.bincount(semester.reports.grader)
    np.testing.assert_allclose(account.error[-1], mean)


def test_excess_counts_as_far_as_it_is_beyond_chance() -> None:
    """After four checked reports that are 3 too high, e² = 2.05 / 4, and d (1 − 4 e² / d²) counts.

    That is 3 (1 − 2.05 / 9). The first by itself is 3 too high too, but 4 · 2.05 / 9 of it could
    be chance. One that is 2 too high could be chance altogether.
    """
    nan = np.nan
    found = excess_so_far(np.array([nan, 3.0, nan, 3.0, 3.0, 3.0, nan]))
    np.testing.assert_allclose(found[[1, 2]], 3 * (1 - 8.2 / 9))
    np.testing.assert_allclose(found[[5, 6]], 3 * (1 - 2.05 / 9))
    np.testing.assert_allclose(excess_so_far(np.array([nan, 2.0, -2.0])), 0)
    np.testing.assert_allclose(excess_so_far(np.array([-3.0])), -3 * (1 - 8.2 / 9))


def test_checks_correct_an_estimated_mean() -> None:
    """All give 9 in place of 7 on a submission with 40 graders, and it was checked."""
    reports = class_of({"s": {f"g{i:02}": 9 for i in range(40)}})
    mechanism = SpreadNormalisedError(prior="mean")
    mean, _ = mechanism.priors(reports, reports.grade, np.array([7.0]))
    np.testing.assert_allclose(mean, 9 - 2 * (1 - 0.205 / 4))
    mean, _ = mechanism.priors(reports, reports.grade, np.array([np.nan]))
    np.testing.assert_allclose(mean, 9)


@every_form
def test_turning_grades_upside_down_together_pays_until_two_in_a_hundred_are_checked(
    form: Form,
) -> None:
    """60 of 100 turn grades upside down, and one more joins: some +35 ranks, and −45 with checks.

    Classes vary by 35 ranks, so the mean of 12 by 10.
    """
    without, with_checks = list[float](), list[float]()
    spec = f"sne:form={form.value}"
    for seed in range(12):
        semester = simulate(Setting(), seed)
        before, after, (joins,), _ = joined(semester, LIES["mirror-60"], seed)
        chosen = draw_checks(semester.reports, 0.02, seed=seed)
        checks = checks_of(semester.truth, semester.reports, chosen)
        for found, known in ((without, None), (with_checks, checks)):
            first, then = (peergauge.score(spec, one, checks=known) for one in (before, after))
            found.append(RankGain().measure(first, then, joins))
    assert np.mean(without) > 5
    assert np.mean(with_checks) < -20
