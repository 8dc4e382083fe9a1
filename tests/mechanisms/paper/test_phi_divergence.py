"""A class of four small enough to work Φ-Div out by hand."""

from __future__ import annotations

from math import exp, inf, log, nan, sqrt

import numpy as np
import pytest

import peergauge
from peergauge.core.errors import DesignError
from peergauge.mechanisms import mechanisms
from peergauge.mechanisms.shared.pairing import Divergence
from peergauge.tables import Reports
from tests.generators import class_of, parts_of, unshuffled

# Unshuffled, {s, t} is one half and {u, v} the other. Every pair has one choice of penalties.
#
# From {u, v}: P(1,1) = 1/2, P(1,2) = P(2,1) = 1/4, P(1) = 3/4, P(2) = 1/4, so that
#   JP(1,1) = 8/9, JP(1,2) = 4/3, JP(2,2) = 0.
# From {s, t}: P(1,1) = P(2,2) = P(1) = P(2) = 1/2, so that JP(1,1) = JP(2,2) = 2, JP(1,2) = 0.
#
# pair      bonus          penalties                  by the estimate of
# ann, bob  s: JP(1,1)     t by ann, u by bob: (2,1)  {u, v}: 8/9 and 4/3
# ann, cy   t: JP(2,2)     s by ann, v by cy: (1,2)   {u, v}: 0 and 4/3
# bob, dee  u: JP(1,1)     s by bob, v by dee: (1,1)  {s, t}: 2 and 2
# cy, dee   v: JP(2,1)     t by cy, u by dee: (2,1)   {s, t}: 0 and 0
CLASS = {
    "s": {"ann": 1, "bob": 1},
    "t": {"ann": 2, "cy": 2},
    "u": {"bob": 1, "dee": 1},
    "v": {"cy": 2, "dee": 1},
}
EARNED = {
    "tvd": (-1 / 2 - 1 / 2, -1 / 2 - 1 / 2, 1 / 2 - 1 / 2, -1 / 2 + 1 / 2),
    "kl": (1 + log(8 / 9) - 4 / 3, -inf, 1 + log(2) - 2, -inf),
    "chi2": (16 / 9 - 25 / 9, 0 - 25 / 9, 4 - 5, 0 - 1),
    "h2": (
        1 - sqrt(9 / 8) - (sqrt(4 / 3) - 1),
        -inf,
        1 - sqrt(1 / 2) - (sqrt(2) - 1),
        -inf,
    ),
}


@pytest.fixture
def reports() -> Reports:
    return class_of(CLASS, scale="0..2")


@pytest.mark.parametrize("divergence", EARNED)
def test_pairs_earn_the_bonus_less_the_penalty(reports: Reports, divergence: str) -> None:
    s, t, u, v = EARNED[divergence]
    rewards = mechanisms.make(f"phi-div:divergence={divergence}").score(reports, unshuffled())
    np.testing.assert_allclose(parts_of(rewards), [s, s, t, t, u, u, v, v], atol=1e-12)
    np.testing.assert_allclose(rewards.amount, [[s + t, s + u, t + v, u + v]], atol=1e-12)


def test_unseen_pairs_can_be_bounded_as_the_authors_did(reports: Reports) -> None:
    bounded = mechanisms.make("phi-div:divergence=kl,unseen=int64")
    assert bounded.score(reports, unshuffled()).amount[0, 2] == -2 * 2.0**63


def test_a_grade_that_the_other_half_never_saw_has_subgradient_zero() -> None:
    strange = {**CLASS, "s": {"ann": 0, "bob": 0}}
    rewards = mechanisms.make("phi-div:divergence=kl").score(
        class_of(strange, scale="0..2"), unshuffled()
    )
    # The bonus on s is worth 0; its penalty is (2,1), as before, with JP = 4/3.
    assert parts_of(rewards)[0] == pytest.approx(0 - 4 / 3)
    # The penalty of ann and cy, (0,2), is undefined: Φ*(0) = 1/e; the bonus is −∞ as before.
    # The penalty of bob and dee is (0,1), estimated from {s, t}: seen, never together: JP = 0.
    assert parts_of(rewards)[2] == -inf
    assert exp(-1) == pytest.approx(float(Divergence.KL.conjugate(np.array([nan]))[0]))


def test_a_pair_without_two_different_penalty_tasks_is_skipped() -> None:
    together = {"s": {"ann": 1, "bob": 1}, "t": {"ann": 2, "bob": 2}}
    apart = {"u": {"ann": 1, "cy": 1}, "v": {"cy": 2, "dee": 2}, "w": {"dee": 0, "ann": 0}}
    rewards = peergauge.score("phi-div", class_of(together, apart, scale="0..2"))
    assert np.isnan(rewards.amount[0]).all()
    assert not np.isnan(rewards.amount[1, [0, 2, 3]]).any()


def test_a_class_that_cannot_be_halved_is_refused_with_the_reason() -> None:
    with pytest.raises(DesignError, match="each half of the submissions from the other"):
        peergauge.score("phi-div", class_of({"s": {"ann": 1, "bob": 1}, "t": {"ann": 3}}))


def test_tvd_pays_like_correlated_agreement() -> None:
    """With TVD the payments are ±1/2 ∓ 1/2: correlated (JP > 1) or not, on bonus and penalty."""
    reports = class_of(CLASS, scale="0..2")
    part = parts_of(mechanisms.make("phi-div").score(reports, unshuffled()))
    assert set(part.tolist()) <= {-1.0, 0.0, 1.0}
