"""Model PG1: a round by hand, the fixed point, and its invariances."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.acceleration import plain_numpy
from peergauge.core.errors import ConvergenceWarning, ParameterError
from peergauge.models.pg1 import PG1, check_prior
from peergauge.simulate import Setting, simulate
from peergauge.tables import Reports, Scale, Truth
from tests.generators import class_of
from tests.generators import reports as any_reports


def test_one_round_by_hand() -> None:
    """Two reports, 6 and 9, on one submission.

    Weights: prior √(1/2.1) = 0.690066, graders √(1/1.05) = 0.975900.
    Score: (7 · 0.690066 + 0.975900 · 15) / (0.690066 + 2 · 0.975900) = 7.369398.
    Biases: τ (r − score) / (1 + τ) with τ = 1/1.05, that is (r − score) / 2.05:
    −0.667999 and 0.795416.
    Reliabilities: (10/1.05 + 1/2) / (10 + (r − score − bias)² / 2): residuals −0.701399 and
    0.835186, so 10.023810 / 10.245980 and 10.023810 / 10.348768.
    """
    with pytest.warns(ConvergenceWarning):
        fit = PG1(most_rounds=1).fit(class_of({"s": {"ann": 6, "bob": 9}}))
    np.testing.assert_allclose(fit.score, [7.369398], atol=1e-6)
    np.testing.assert_allclose(fit.bias, [[-0.667999, 0.795416]], atol=1e-6)
    np.testing.assert_allclose(fit.reliability, [[0.978316, 0.968599]], atol=1e-6)


@pytest.mark.parametrize("bias", [True, False])
def test_the_estimates_solve_the_papers_equations(bias: bool) -> None:
    reports = simulate(Setting(students=30, assignments=3), seed=3).reports
    fit = PG1(bias=bias, tolerance=1e-12).fit(reports)
    prior = sqrt(1 / 2.1)
    for s in range(reports.submissions):
        rows = np.flatnonzero(reports.submission == s)
        by = reports.assignment[rows], reports.grader[rows]
        weight = np.sqrt(fit.reliability[by])
        top = 7 * prior + (weight * (reports.grade[rows] - fit.bias[by])).sum()
        assert fit.score[s] == pytest.approx(top / (prior + weight.sum()), abs=1e-9)
    for a in range(3):
        for k in range(30):
            rows = np.flatnonzero((reports.assignment == a) & (reports.grader == k))
            off = reports.grade[rows] - fit.score[reports.submission[rows]]
            b, tau, n = fit.bias[a, k], fit.reliability[a, k], len(rows)
            expected = tau * off.sum() / (1 + n * tau) if bias else 0.0
            assert b == pytest.approx(expected, abs=1e-9)
            spread = ((off - b) ** 2).sum()
            assert tau == pytest.approx((10 / 1.05 + n / 2) / (10 + spread / 2), abs=1e-9)


@given(any_reports(), st.booleans(), st.sampled_from(["text", "authors"]))
def test_plain_and_compiled_agree_on_any_class(reports: Reports, bias: bool, start: str) -> None:
    model = PG1(bias=bias, start=start)  # type: ignore[arg-type]
    fast = model.fit(reports)
    with plain_numpy():
        plain = model.fit(reports)
    np.testing.assert_allclose(fast.score, plain.score, rtol=0, atol=1e-9)
    np.testing.assert_allclose(fast.bias, plain.bias, rtol=0, atol=1e-9)
    np.testing.assert_allclose(fast.reliability, plain.reliability, rtol=1e-9)
    assert (fast.rounds == plain.rounds).all()
    assert (fast.converged == plain.converged).all()


def test_the_stop_rule_is_the_norm_of_the_change_of_all_scores() -> None:
    reports = simulate(Setting(students=40, assignments=1), seed=9).reports
    stopped = PG1().fit(reports)
    rounds = int(stopped.rounds[0])
    scores = []
    for cap in (rounds - 2, rounds - 1):
        with pytest.warns(ConvergenceWarning):
            scores.append(PG1(most_rounds=cap).fit(reports).score)
    scores.append(stopped.score)
    before, last = (np.linalg.norm(b - a) for a, b in zip(scores, scores[1:], strict=False))
    assert last <= 1e-4 < before


def test_not_converging_is_reported_and_warned_about_and_keeps_the_estimates() -> None:
    reports = simulate(Setting(students=20, assignments=2), seed=1).reports
    with pytest.warns(ConvergenceWarning, match="2 of 2 fits within 3 rounds"):
        fit = PG1(most_rounds=3).fit(reports)
    assert not fit.converged.any()
    assert (fit.rounds == 3).all()
    np.testing.assert_allclose(fit.score, PG1().fit(reports).score, atol=0.5)


@given(st.integers(0, 50))
def test_the_model_is_the_same_on_every_scale(seed: int) -> None:
    reports = simulate(Setting(students=10, assignments=1, graders=3), seed=seed).reports
    stretched = Reports(
        reports.assignment,
        reports.submission,
        reports.grader,
        20 + 5 * reports.grade,
        Scale(20, 70),
    )
    fit, wide = PG1().fit(reports), PG1().fit(stretched)
    np.testing.assert_allclose(wide.score, 20 + 5 * fit.score)
    np.testing.assert_allclose(wide.bias, 5 * fit.bias, atol=1e-12)
    np.testing.assert_allclose(wide.reliability, fit.reliability / 25)


def test_the_prior_pulls_as_its_variance_says() -> None:
    reports = class_of({"s": {"ann": 2, "bob": 2}})
    near = PG1(prior_mean=8, prior_variance=0.01, bias=False).fit(reports).score[0]
    far = PG1(prior_mean=8, prior_variance=100, bias=False).fit(reports).score[0]
    assert near > 6
    assert 2 < far < 3


def test_a_prior_given_in_whole_numbers_is_the_same_prior() -> None:
    reports = class_of({"s": {"ann": 2, "bob": 3}})
    assert PG1(prior_mean=8, prior_variance=2).fit(reports).score == pytest.approx(
        PG1(prior_mean=8.0, prior_variance=2.0).fit(reports).score, abs=0
    )
    assert PG1(prior_mean=8).fit(reports).score[0] % 1 != 0


def test_a_grader_without_reports_has_no_estimates() -> None:
    fit = PG1().fit(class_of({"s": {"ann": 6, "bob": 8}}, {"t": {"ann": 5, "cy": 8}}))
    assert np.isnan(fit.bias).tolist() == [[False, False, True], [False, True, False]]


def test_starting_where_the_authors_did_changes_nothing_for_their_prior() -> None:
    reports = simulate(Setting(students=50, assignments=2), seed=4).reports
    text, authors = PG1().fit(reports), PG1(start="authors").fit(reports)
    np.testing.assert_allclose(text.score, authors.score, atol=1e-6)


@pytest.mark.parametrize(
    "wrong", [{"prior_variance": 0.0}, {"prior_mean": float("nan")}, {"most_rounds": 0}]
)
def test_impossible_settings_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        PG1(**wrong)  # type: ignore[arg-type]


def test_a_round_with_a_checked_score_by_hand() -> None:
    """The same two reports where the score is known to be 8.

    Biases are (r − 8) / 2.05: −0.975610 and 0.487805; residuals −1.024390 and 0.512195.
    """
    checks = Truth.from_frame({"submission": ["s"], "score": [8]})
    with pytest.warns(ConvergenceWarning):
        fit = PG1(most_rounds=1).fit(class_of({"s": {"ann": 6, "bob": 9}}), checks)
    np.testing.assert_allclose(fit.score, [8])
    np.testing.assert_allclose(fit.bias, [[-0.975610, 0.487805]], atol=1e-6)
    top = 10 / 1.05 + 0.5
    np.testing.assert_allclose(
        fit.reliability, [[top / (10 + 1.024390**2 / 2), top / (10 + 0.512195**2 / 2)]], atol=1e-6
    )


@given(reports=any_reports(), data=st.data())
def test_checked_scores_stay_unchanged(reports: Reports, data: st.DataObject) -> None:
    score = np.full(reports.submissions, np.nan)
    chosen = data.draw(st.sets(st.integers(0, reports.submissions - 1)))
    score[list(chosen)] = reports.scale.highest
    checks = Truth(score, np.zeros(reports.submissions, dtype=np.int32))
    found = PG1().fit(reports, checks)
    assert (found.score[list(chosen)] == reports.scale.highest).all()
    with plain_numpy():
        np.testing.assert_allclose(PG1().fit(reports, checks).score, found.score, atol=1e-7)


@pytest.mark.parametrize(
    ("mean", "variance", "what"),
    [
        (np.nan, None, "The prior mean is a finite number, but nan was given."),
        (np.inf, 1.0, "The prior mean is a finite number, but inf was given."),
        (-np.inf, None, "The prior mean is a finite number, but -inf was given."),
        (7.0, 0.0, "The prior variance is a positive number, but 0.0 was given."),
        (None, -1.0, "The prior variance is a positive number, but -1.0 was given."),
        (None, np.inf, "The prior variance is a positive number, but inf was given."),
        (None, np.nan, "The prior variance is a positive number, but nan was given."),
    ],
)
def test_a_prior_that_is_no_normal_distribution_is_refused(
    mean: float | None, variance: float | None, what: str
) -> None:
    with pytest.raises(ParameterError) as refused:
        check_prior(mean, variance)
    assert str(refused.value) == what


@pytest.mark.parametrize(
    ("mean", "variance"), [(None, None), (0.0, 1e-300), (-3.0, None), (None, 1e300)]
)
def test_any_finite_mean_and_positive_variance_are_a_prior(
    mean: float | None, variance: float | None
) -> None:
    check_prior(mean, variance)
