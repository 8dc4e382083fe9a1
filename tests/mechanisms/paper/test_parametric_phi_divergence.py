"""The closed form of model PG1, and payments by it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

import peergauge
from peergauge.core.errors import ParameterError
from peergauge.mechanisms import mechanisms
from peergauge.mechanisms.paper.parametric_phi_divergence import (
    ParametricPhiDivergence,
    log_ratio,
)
from peergauge.mechanisms.shared.pairing import Divergence
from peergauge.models.pg1 import PG1
from peergauge.tables import Reports
from peergauge.testing import check_mechanism
from peergauge.testing.mechanisms import check_plain_equals_compiled
from tests.generators import class_of, parts_of, unshuffled
from tests.generators import reports as any_reports

CLASS = {
    "s": {"ann": 6, "bob": 7},
    "t": {"ann": 9, "cy": 8},
    "u": {"bob": 4, "dee": 6},
    "v": {"cy": 7, "dee": 7},
}


def by_densities(
    x: float, y: float, mean: float, variance: float, noise: float, other: float | None = None
) -> float:
    """log JP from the densities that define it; both reports have the same noise by default."""
    v_x, v_y = variance + noise, variance + (noise if other is None else other)
    joint = multivariate_normal([mean, mean], [[v_x, variance], [variance, v_y]])
    alone = norm(mean, np.sqrt(v_x)).logpdf(x) + norm(mean, np.sqrt(v_y)).logpdf(y)
    return float(joint.logpdf([x, y]) - alone)


@given(
    x=st.floats(-3, 13),
    y=st.floats(-3, 13),
    mean=st.floats(0, 10),
    variance=st.floats(0.1, 10),
    noise=st.floats(0.1, 10),
    other=st.floats(0.1, 10),
)
def test_the_closed_form_is_the_ratio_of_normal_densities(
    x: float, y: float, mean: float, variance: float, noise: float, other: float
) -> None:
    got = log_ratio(np.array([x - mean]), np.array([y - mean]), variance, noise, other)[0]
    expected = by_densities(x, y, mean, variance, noise, other)
    assert got == pytest.approx(expected, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("bias", ["correct", "ignore"])
def test_pairs_earn_the_bonus_less_the_penalty(bias: str) -> None:
    """Each pair has one choice of penalties, so that KL pays 1 + log JP(bonus) − JP(penalty)."""
    reports = class_of(CLASS)
    rewards = mechanisms.make(f"phi-div-p:divergence=kl,bias={bias}").score(reports, unshuffled())
    offset = PG1().fit(reports).bias[0] if bias == "correct" else np.zeros(4)
    ann, bob, cy, dee = range(4)

    def jp(one: int, x: float, two: int, y: float) -> float:
        return by_densities(x - offset[one], y - offset[two], 7.0, 2.1, 0.7)

    s = 1 + jp(ann, 6, bob, 7) - np.exp(jp(ann, 9, bob, 4))
    t = 1 + jp(ann, 9, cy, 8) - np.exp(jp(ann, 6, cy, 7))
    u = 1 + jp(bob, 4, dee, 6) - np.exp(jp(bob, 7, dee, 7))
    v = 1 + jp(cy, 7, dee, 7) - np.exp(jp(cy, 8, dee, 6))
    np.testing.assert_allclose(parts_of(rewards), [s, s, t, t, u, u, v, v])
    np.testing.assert_allclose(rewards.amount, [[s + t, s + u, t + v, u + v]])


def test_without_correction_no_estimate_enters() -> None:
    reports = class_of(CLASS)
    ignored = peergauge.score("phi-div-p:bias=ignore", reports)
    assert (peergauge.score("phi-div-p:bias=estimate", reports).amount == ignored.amount).all()


def test_the_prior_can_be_given() -> None:
    reports = class_of(CLASS)
    spec = "phi-div-p:divergence=kl,bias=ignore,prior_mean=6,prior_variance=3"
    rewards = mechanisms.make(spec).score(reports, unshuffled())
    expected = 1 + by_densities(6, 7, 6, 3, 0.7) - np.exp(by_densities(9, 4, 6, 3, 0.7))
    assert parts_of(rewards)[0] == pytest.approx(expected)


def test_another_scale_pays_the_same_in_proportion() -> None:
    tenfold = {s: {k: 10 * g for k, g in grades.items()} for s, grades in CLASS.items()}
    for divergence in ("tvd", "kl", "chi2", "h2"):
        spec = f"phi-div-p:divergence={divergence}"
        np.testing.assert_allclose(
            peergauge.score(spec, class_of(tenfold, scale="0..100")).amount,
            peergauge.score(spec, class_of(CLASS)).amount,
        )


def test_a_pair_that_shares_everything_is_skipped() -> None:
    reports = class_of({"s": {"ann": 1, "bob": 1}, "t": {"ann": 2, "bob": 2}})
    assert np.isnan(peergauge.score("phi-div-p", reports).amount).all()


# --- reliabilities between the estimates and 1/0.7


@pytest.mark.parametrize("shrinkage", [0.0, 0.4])
@pytest.mark.parametrize("bias", ["correct", "estimate", "ignore"])
def test_graders_have_a_noise_variance_of_their_own(bias: str, shrinkage: float) -> None:
    """The noise variance is the shrinkage times 0.7 plus the rest times 1 / reliability."""
    reports = class_of(CLASS)
    spec = f"phi-div-p:divergence=kl,bias={bias},shrinkage={shrinkage}"
    rewards = mechanisms.make(spec).score(reports, unshuffled())
    fit = PG1(bias=bias != "ignore").fit(reports)
    offset = fit.bias[0] if bias == "correct" else np.zeros(4)
    noise = 0.7 * shrinkage + (1 - shrinkage) / fit.reliability[0]
    assert len(set(noise)) == 4
    ann, bob, _, _ = range(4)

    def jp(x: float, y: float) -> float:
        return by_densities(x - offset[ann], y - offset[bob], 7.0, 2.1, noise[ann], noise[bob])

    assert parts_of(rewards)[0] == pytest.approx(1 + jp(6, 7) - np.exp(jp(9, 4)))


@pytest.mark.parametrize("divergence", Divergence, ids=lambda one: one.value)
def test_full_shrinkage_is_the_fixed_reliability(divergence: Divergence) -> None:
    """A shrinkage of 1 is the default, and one that is nearly 1 pays nearly the same."""
    reports = peergauge.simulate(peergauge.Setting(students=20, assignments=2), seed=4).reports
    spec = f"phi-div-p:divergence={divergence.value}"
    fixed = peergauge.score(spec, reports).amount
    assert (peergauge.score(f"{spec},shrinkage=1", reports).amount == fixed).all()
    nearly = peergauge.score(f"{spec},shrinkage=0.9999999999", reports).amount
    np.testing.assert_allclose(nearly, fixed, rtol=1e-6, atol=1e-6)
    assert not np.allclose(peergauge.score(f"{spec},shrinkage=0", reports).amount, fixed)


def test_estimated_reliabilities_pay_the_same_on_another_scale() -> None:
    tenfold = {s: {k: 10 * g for k, g in grades.items()} for s, grades in CLASS.items()}
    spec = "phi-div-p:divergence=kl,shrinkage=0.5"
    np.testing.assert_allclose(
        peergauge.score(spec, class_of(tenfold, scale="0..100")).amount,
        peergauge.score(spec, class_of(CLASS)).amount,
        rtol=1e-5,
    )


def test_a_grader_with_only_spare_reports_has_the_fixed_noise() -> None:
    """Nothing is estimated for Dee, whose reports still serve as penalty tasks of others."""
    reports = class_of(CLASS)
    reports = replace(reports, spare=reports.grader == 3)
    noise = ParametricPhiDivergence(shrinkage=0.25).noise_of_graders(reports, 0.7)
    fit = PG1().fit(reports.paid_only)
    assert np.isnan(fit.reliability[0]).tolist() == [False, False, False, True]
    expected = 0.25 * 0.7 + 0.75 / np.nan_to_num(fit.reliability[0], nan=1 / 0.7)
    np.testing.assert_allclose(noise, expected[reports.grader])


@pytest.mark.parametrize("shrinkage", [-0.1, 1.1])
def test_a_shrinkage_outside_0_to_1_is_refused(shrinkage: float) -> None:
    with pytest.raises(ParameterError, match="between 0 and 1"):
        mechanisms.make(f"phi-div-p:shrinkage={shrinkage}")


def test_the_contract_holds_with_estimated_reliabilities() -> None:
    for divergence in Divergence:
        check_mechanism(f"phi-div-p:divergence={divergence.value},shrinkage=0.5", quick=True)


@pytest.mark.slow
@pytest.mark.parametrize("divergence", Divergence, ids=lambda one: one.value)
@given(reports=any_reports())
def test_plain_equals_compiled_with_estimated_reliabilities(
    divergence: Divergence, reports: Reports
) -> None:
    made = mechanisms.make(f"phi-div-p:divergence={divergence.value},shrinkage=0.3")
    check_plain_equals_compiled(made, reports)
