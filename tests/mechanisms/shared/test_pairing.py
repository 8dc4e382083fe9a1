"""Φ and its conjugate, and the drawing of penalty tasks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from peergauge.core.acceleration import plain_numpy
from peergauge.core.randomness import stream
from peergauge.mechanisms.shared.pairing import Divergence, draw_pairings
from peergauge.tables import Reports
from tests.generators import class_of, clustered
from tests.generators import reports as any_reports

PHI: dict[Divergence, Callable[[float], float]] = {
    Divergence.TVD: lambda x: abs(x - 1) / 2,
    Divergence.KL: lambda x: x * log(x),
    Divergence.CHI2: lambda x: x**2 - 1,
    Divergence.H2: lambda x: (1 - sqrt(x)) ** 2,
}


@pytest.mark.parametrize("divergence", Divergence)
@given(ratio=st.floats(0.05, 20))
def test_the_subgradient_is_the_slope_of_phi(divergence: Divergence, ratio: float) -> None:
    if divergence is Divergence.TVD and abs(ratio - 1) < 1e-3:
        return  # TVD has a kink there
    phi, step = PHI[divergence], 1e-6
    slope = (phi(ratio + step) - phi(ratio - step)) / (2 * step)
    assert divergence.subgradient(np.array([np.log(ratio)]))[0] == pytest.approx(slope, abs=1e-4)


@pytest.mark.parametrize("divergence", Divergence)
@given(ratio=st.floats(0.05, 20))
def test_the_conjugate_is_the_largest_value_of_xy_minus_phi(
    divergence: Divergence, ratio: float
) -> None:
    y = divergence.subgradient(np.array([np.log(ratio)]))[0]
    found = minimize_scalar(
        lambda x: PHI[divergence](x) - x * y, bounds=(1e-9, 50), method="bounded",
        options={"xatol": 1e-10},
    )  # fmt: skip
    assert divergence.conjugate(np.array([np.log(ratio)]))[0] == pytest.approx(-found.fun, abs=1e-4)


@given(any_reports())
def test_penalties_are_other_tasks_of_the_two_graders_and_differ(reports: Reports) -> None:
    pairs = draw_pairings(reports, stream(1, "pairs"))
    drawn = pairs.penalty_one >= 0
    one, two = pairs.one[drawn], pairs.two[drawn]
    first, second = pairs.penalty_one[drawn], pairs.penalty_two[drawn]
    assert (reports.submission[pairs.one] == reports.submission[pairs.two]).all()
    assert (reports.grader[first] == reports.grader[one]).all()
    assert (reports.grader[second] == reports.grader[two]).all()
    assert (reports.assignment[first] == reports.assignment[one]).all()
    assert (reports.assignment[second] == reports.assignment[two]).all()
    assert (reports.submission[first] != reports.submission[second]).all()
    assert (reports.submission[first] != reports.submission[one]).all()
    assert (reports.submission[second] != reports.submission[two]).all()


@given(any_reports())
def test_plain_and_compiled_pairings_are_equal(reports: Reports) -> None:
    fast = draw_pairings(reports, stream(1, "pairs"))
    with plain_numpy():
        plain = draw_pairings(reports, stream(1, "pairs"))
    for one, other in zip(fast, plain, strict=True):
        np.testing.assert_array_equal(one, other)


def test_every_valid_pair_of_penalties_is_equally_likely() -> None:
    """Four of ann's other tasks, three of bob's, two of them shared: 12 − 2 pairs are valid."""
    tasks = {"s": {"ann": 1, "bob": 1}, "t": {"ann": 1, "bob": 1}, "u": {"ann": 1, "bob": 1}}
    own = {"v": {"ann": 1}, "w": {"ann": 1}, "x": {"bob": 1}}
    reports = class_of({**tasks, **own}, scale="0..2")
    draws = 4000
    seen = Counter(
        (int(pairs.penalty_one[0]), int(pairs.penalty_two[0]))
        for pairs in (draw_pairings(reports, stream(seed, "pairs")) for seed in range(draws))
    )
    assert len(seen) == 10
    # 400 expected of each, deviation √(4000 · 0.1 · 0.9) = 19; five deviations are allowed.
    assert max(abs(count - draws / 10) for count in seen.values()) < 95


def test_pairs_that_several_mechanisms_share_cannot_be_changed() -> None:
    reports = clustered(0)
    for column in draw_pairings(reports, np.random.default_rng(1)):
        assert not column.flags.writeable
