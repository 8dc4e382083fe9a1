"""The closed form of model PG1, and payments by it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import multivariate_normal, norm

import peergauge
from peergauge.mechanisms import mechanisms
from peergauge.mechanisms.paper.parametric_phi_divergence import log_ratio
from peergauge.models.pg1 import PG1
from tests.generators import class_of, parts_of, unshuffled

CLASS = {
    "s": {"ann": 6, "bob": 7},
    "t": {"ann": 9, "cy": 8},
    "u": {"bob": 4, "dee": 6},
    "v": {"cy": 7, "dee": 7},
}


def by_densities(x: float, y: float, mean: float, variance: float, noise: float) -> float:
    """log JP from the densities that define it."""
    own = variance + noise
    joint = multivariate_normal([mean, mean], [[own, variance], [variance, own]])
    single = norm(mean, np.sqrt(own))
    return float(joint.logpdf([x, y]) - single.logpdf(x) - single.logpdf(y))


@given(
    x=st.floats(-3, 13),
    y=st.floats(-3, 13),
    mean=st.floats(0, 10),
    variance=st.floats(0.1, 10),
    noise=st.floats(0.1, 10),
)
def test_the_closed_form_is_the_ratio_of_normal_densities(
    x: float, y: float, mean: float, variance: float, noise: float
) -> None:
    got = log_ratio(np.array([x - mean]), np.array([y - mean]), variance, noise, noise)[0]
    assert got == pytest.approx(by_densities(x, y, mean, variance, noise), rel=1e-7, abs=1e-7)


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
