"""What reports tell about those of all others: the formula, its argument, what hedging costs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import peergauge
from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.mechanisms.semester.pointwise_mutual_information import PointwiseMutualInformation
from peergauge.mechanisms.shared.semester import Sums
from peergauge.metrics.rank_gain import RankGain
from peergauge.simulate import Setting, simulate
from peergauge.tables import Reports, Scale
from tests.generators import class_of
from tests.generators import reports as any_reports

VARIANCE, NOISE = 2.1, 1.05


def sums_of(r: Floats, d: Floats, unsure: float) -> Sums:
    """Sums over the reports of one grader, counted from the prior mean."""
    e = r - d
    columns = (np.ones_like(r), e, e * e, d, d * d, e * d, r, r * r, np.full_like(r, unsure))
    return Sums(*(np.array([[column.sum()]]) for column in columns))


def paid(given: PointwiseMutualInformation, r: Floats, d: Floats, unsure: float) -> float:
    return float(given.account_of(sums_of(r, d, unsure), np.array([[VARIANCE]])).total[0, 0])


def test_closeness_is_paid_and_a_lack_of_surprise_is_not() -> None:
    """Two reports, one above and one below the prior mean, on which others say 2 and −2.

    Others lead one to expect squares of 4 + 4 + (0.35 + 1.05) = 9.4. Reports of 3 and −3 have 18,
    more than that; reports of 0.5 and −0.5 have 0.5. So D is ln(11.4 / 20) and ln(11.4 / 2.5).
    """
    d = np.array([2.0, -2.0])
    wide, flat = np.array([3.0, -3.0]), np.array([0.5, -0.5])
    plain = PointwiseMutualInformation(error="distance", slack=1.0)
    assert paid(plain, wide, d, 0.35) == pytest.approx(0.5 * np.log(3.15 / 1))
    closeness = 0.5 * np.log(3.15 / 1.5**2)
    short = np.log(11.4 / 2.5)
    lost = 0.5 * 20 * (short - 1 / np.sqrt(2))
    assert paid(plain, flat, d, 0.35) == pytest.approx(closeness - lost)
    whole = PointwiseMutualInformation(share=1, strength=0, error="distance")
    assert paid(whole, flat, d, 0.35) == pytest.approx(closeness - 0.5 * short)
    more = 0.5 * np.log(3.15) - 0.5 * np.log(11.4 / 20)
    assert paid(whole, wide, d, 0.35) == pytest.approx(more)


def test_reports_that_do_not_follow_what_others_say_lose() -> None:
    """Others say 2 and −2. Reports of −3 and 3 have the slope 1 − 20 / (8 + 2) < 0.05.

    Two reports are allowed a logarithm of −3.8 / √2, which 0.05 is below and 0.4 is not.
    """
    d = np.array([2.0, -2.0])
    given = PointwiseMutualInformation(slack=10)
    penalties = {
        high: given.account_of(sums_of(np.array([high, -high]), d, 0.35), np.array([[VARIANCE]]))
        for high in (-3.0, 0.5)
    }
    assert penalties[-3.0].penalty[0, 0] == pytest.approx(0.5 * (-np.log(0.05) - 3.8 / np.sqrt(2)))
    assert penalties[0.5].penalty[0, 0] == 0


def test_the_whole_of_it_is_the_mean_log_ratio_of_densities() -> None:
    """Variances as likely as can be: that of distances around others, and that of reports.

    What others' reports alone decide is not paid, and is put back here. 5,000 reports leave no
    more than 0.001 of the 2 squared points, and of dividing by T − 1.
    """
    rng = np.random.default_rng(1)
    d = rng.normal(0, 1.3, 5000)
    r = d + rng.normal(0.4, 1.1, 5000)
    r -= r.mean()
    close = norm.logpdf(r, d, np.sqrt(np.mean((r - d) ** 2)))
    alone = norm.logpdf(r, 0, np.sqrt(np.mean(r**2)))
    whole = PointwiseMutualInformation(share=1, strength=0, error="distance")
    by_others = 0.5 * np.log((d.var() + 0.3 + NOISE) / (VARIANCE + NOISE))
    assert paid(whole, r, d, 0.3) + by_others == pytest.approx(np.mean(close - alone), abs=1e-3)


FACTORS = np.linspace(0.4, 1.6, 25)


@pytest.mark.parametrize("noise", [0.3, 1.05, 2.5])
@pytest.mark.parametrize("bias", [-1.5, 0.0, 0.7])
def test_the_whole_of_it_is_best_served_by_the_truth(noise: float, bias: float) -> None:
    """Normal signals of graders of every kind, stretched around the prior mean.

    The best factor among steps of 0.05 is 1. With 100,000 reports its standard error is 0.005.
    """
    rng = np.random.default_rng(2)
    unsure = 0.3
    d = rng.normal(0, np.sqrt(VARIANCE - unsure), 100_000)
    signal = d + rng.normal(bias, np.sqrt(unsure + noise), 100_000)
    whole = PointwiseMutualInformation(share=1, strength=0, error="distance")
    pay = [paid(whole, f * signal, d, unsure) for f in FACTORS]
    assert FACTORS[np.argmax(pay)] == pytest.approx(1.0)


def test_with_one_variance_for_everybody_careful_graders_would_exaggerate() -> None:
    """Why variances are a grader's own: the best factor would be (σ² + v) / V.

    That is 3.15 / 2.4 = 1.31 for a noise of 0.3, and 3.15 / 4.6 = 0.68 for one of 2.5.
    """
    rng = np.random.default_rng(3)
    unsure = 0.3
    d = rng.normal(0, np.sqrt(VARIANCE - unsure), 100_000)
    for noise, best in ((0.3, 1.31), (1.05, 1.0), (2.5, 0.68)):
        signal = d + rng.normal(0, np.sqrt(unsure + noise), 100_000)
        pay = [
            np.mean(
                norm.logpdf(f * signal, d, np.sqrt(unsure + NOISE))
                - norm.logpdf(f * signal, 0, np.sqrt(VARIANCE + NOISE))
            )
            for f in FACTORS
        ]
        assert FACTORS[np.argmax(pay)] == pytest.approx(best, abs=0.05)


def test_a_single_report_lacks_no_surprise() -> None:
    reports = class_of({"s": {"ann": 7, "bob": 6, "cy": 8}})
    surprise = PointwiseMutualInformation(share=1).account(reports).for_spread
    np.testing.assert_allclose(surprise, 0, atol=1e-12)


@given(any_reports(scales=(Scale(0, 10),)), st.sampled_from(["pmi", "pmi:share=1"]))
def test_another_scale_is_paid_the_same(reports: Reports, spec: str) -> None:
    wide = Reports(
        reports.assignment, reports.submission, reports.grader,
        20 + 5 * reports.grade, Scale(20, 70), graders=reports.graders,
    )  # fmt: skip
    np.testing.assert_allclose(
        peergauge.score(spec, wide).amount, peergauge.score(spec, reports).amount, atol=1e-9
    )


@pytest.mark.parametrize("strategic", [0, 80])
def test_hedging_loses_whoever_hedges(strategic: int) -> None:
    """One of 100 hedges over 10 assignments, alone or with 80 others; MSE_P lets them gain 40.

    Classes vary by 25 ranks, so the mean of 12 by 7: the bound is three of these away from what
    is usual, a loss of 40.
    """
    gains = []
    for seed in range(12):
        setting = Setting(students=100, assignments=10, strategies={"hedge": strategic})
        semester = simulate(setting, seed)
        hedging = semester.redo(semester.deviator, "hedge")
        before, after = (peergauge.score("pmi", r) for r in (semester.reports, hedging))
        gains.append(RankGain().measure(before, after, semester.deviator))
    assert np.mean(gains) < -20


@pytest.mark.parametrize(
    "spec", ["share=-1", "share=2", "strength=inf", "slack=-0.5", "prior_variance=0"]
)
def test_what_makes_no_sense_is_refused(spec: str) -> None:
    with pytest.raises(ParameterError):
        peergauge.score(f"pmi:{spec}", class_of({"s": {"ann": 7}}))
