"""PG1 with intervals: known answers, guarantees, and irregular classes."""

from __future__ import annotations

import warnings
from dataclasses import replace
from math import exp, inf, log
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from scipy.stats import truncnorm

from peergauge.core.arrays import Floats
from peergauge.core.errors import ConvergenceWarning, ParameterError
from peergauge.exports import open_class
from peergauge.models.posterior import (
    BIAS_DEGREES_OF_FREEDOM,
    CONSTANT_KIND,
    HEDGING_KIND,
    Chain,
    PG1Posterior,
    Posterior,
    Traits,
    constant_likelihood,
    edges,
    middle,
    settled,
    split_ratio,
)
from peergauge.simulate import BinomialScores, NormalBias, Setting, simulate
from peergauge.tables import Reports, Scale
from tests.generators import class_of
from tests.generators import reports as any_reports

QUICK = PG1Posterior(draws=40, warmup=10)
"""Enough where nothing depends on how well the draws have settled."""


def fitted(
    model: PG1Posterior,
    reports: Reports,
    staff: Floats | None = None,
    traits: Traits | None = None,
) -> Posterior:
    """Fit, whether or not the draws have settled: few of them often have not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(reports, staff, traits)


def known(bias: list[float], reliability: list[float]) -> Traits:
    """Graders of whom everything is known: biases and reliabilities hardly vary."""
    b, tau = np.array(bias), np.array(reliability)
    sure = np.full(len(b), 1e8)
    return Traits(b, 1 / sure, sure, sure / tau, 0 * b, 0 * b)


# --------------------------------------------------------------------------- known answers


def test_with_known_graders_and_a_known_class_it_is_the_conjugate_normal() -> None:
    """One submission in a class where everything else is known.

    Staff gave 2,000 other submissions 5 and 7 in turn, so μ = 6 and σ² = 1. Ann has bias 1 and
    reliability 4 and gives 8; Bob has bias −½ and reliability 1 and gives 7. Precisions add up:
    1 + 4 + 1 = 6, and the mean is (1 · 6 + 4 · (8 − 1) + 1 · (7 + ½)) / 6 = 41.5 / 6.

    The deviation is 1/√6 = 0.408, so 2,000 draws have a mean within 0.009, mostly, and a
    deviation within 1.6 %. σ² is known to 3 % (√(2 / 2000)), which moves weights by at most 0.005
    and the mean by 0.004. Tolerances are about four times these.
    """
    others = 2000
    scores = np.where(np.arange(others) % 2, 5.0, 7.0)
    reports = Reports(
        assignment=np.zeros(others + 2, np.int32),
        submission=np.concatenate([[0, 0], 1 + np.arange(others)]),
        grader=np.concatenate([[0, 1], np.full(others, 2)]),
        grade=np.concatenate([[8.0, 7.0], scores]),
        scale=Scale(0, 10),
    )
    model = PG1Posterior(reading="exact", kinds=False, draws=2000, warmup=100)
    staff = np.concatenate([[np.nan], scores])
    fit = model.fit(reports, staff, known([1.0, -0.5, 0.0], [4.0, 1.0, 1.0]))
    assert fit.score[0] == pytest.approx(41.5 / 6, abs=0.04)
    assert fit.score_draws[:, 0].mean() == pytest.approx(41.5 / 6, abs=0.04)
    assert fit.score_draws[:, 0].std() == pytest.approx(1 / np.sqrt(6), rel=0.07)
    np.testing.assert_allclose(fit.weight[:2], [4 / 6, 1 / 6], atol=0.02)
    assert fit.prior_weight[0] == pytest.approx(1 / 6, abs=0.02)
    np.testing.assert_allclose(fit.value[:2], [7.0, 7.5], atol=0.01)
    assert fit.prior_mean[0] == pytest.approx(6.0, abs=0.02)


def test_a_constant_grader_has_no_weight_and_a_hedging_grader_half() -> None:
    """Kinds are as known beforehand where there is too little to change anybody's mind.

    Their reports then have weight 0, and (z − μ − b) stretched by 1/½ = 2.
    """
    scores = np.tile([4.0, 5.0, 6.0, 7.0, 8.0], 8)
    grades = {
        "constant": np.full(40, 9.0),
        "hedge": (scores + 6) / 2,
        "plain": scores,
    }
    n = np.arange(40)
    reports = Reports(
        assignment=np.zeros(120, np.int32), submission=np.tile(n, 3),
        grader=np.repeat(np.arange(3), 40),
        grade=np.rint(np.concatenate(list(grades.values()))), scale=Scale(0, 10),
    )  # fmt: skip
    fit = fitted(PG1Posterior(), reports, staff=np.where(n < 20, scores, np.nan))
    assert fit.traits.constant[0] > 0.95
    assert fit.traits.hedging[1] > 0.8
    assert max(fit.traits.constant[2], fit.traits.hedging[2]) < 0.05
    assert fit.weight[reports.grader == 0].max() < 0.05
    hedged = np.flatnonzero(reports.grader == 1)
    bias = fit.bias[0, 1]
    stretch = (fit.value[hedged] - fit.prior_mean[0]) / (
        fit.meant[hedged] - fit.prior_mean[0] - bias
    )
    np.testing.assert_allclose(stretch, 2.0, atol=0.25)


def test_constant_likelihood_by_hand() -> None:
    """On 0..2 there are three levels, and a slip (one time in ten) may hit any of them.

    The same again: 0.9 + 0.1/3; another: 0.1/3. Ann gives 1, 1 and Bob 0, 2. Of the three levels
    that each may keep to, those that somebody never gave are left out.
    """
    same, other = 0.9 + 0.1 / 3, 0.1 / 3
    found = constant_likelihood(
        np.array([1.0, 1.0, 0.0, 2.0]), np.array([0, 0, 1, 1]), 2, Scale(0, 2), 1.0
    )
    np.testing.assert_allclose(found, [log(same**2 / 3), log(2 * same * other / 3)])


def test_omitted_terms_of_the_constant_likelihood_are_negligible() -> None:
    """For three reviews, all levels that were never given add up to less than 0.2 %."""
    levels, slip = 11, 0.1 / 11
    left_out = (levels - 1) / levels * slip**3
    found = constant_likelihood(np.full(3, 7.0), np.zeros(3, np.int64), 1, Scale(0, 10), 1.0)
    assert left_out < 0.002 * exp(found[0])


@pytest.mark.parametrize(
    ("reading", "low", "high"),
    [
        ("discrete", [-inf, 0.5, 9.5], [0.5, 1.5, inf]),
        ("censored", [-inf, 1.0, 10.0], [0.0, 1.0, inf]),
        ("exact", [0.0, 1.0, 10.0], [0.0, 1.0, 10.0]),
    ],
)
def test_bounds_of_latent_reports(reading: str, low: list[float], high: list[float]) -> None:
    found = edges(np.array([0.0, 1.0, 10.0]), Scale(0, 10), reading)
    np.testing.assert_array_equal(found, (low, high))


def test_without_steps_nothing_is_rounded() -> None:
    grade = np.array([0.0, 1.3, 10.0])
    found = edges(grade, Scale(0, 10, None), "discrete")
    np.testing.assert_array_equal(found, ([-inf, 1.3, 10.0], [0.0, 1.3, inf]))


def test_split_ratio_by_hand() -> None:
    """Halves 1, 3 and 5, 7: variance within 1; between, of 2 and 6, 4 and twice that is 8.

    √(1 + 8/1) = 3. Equal halves have nothing between them: 1.
    """
    np.testing.assert_allclose(split_ratio(np.array([[1.0], [3], [5], [7]])), [3.0])
    np.testing.assert_allclose(split_ratio(np.array([[1.0], [3], [1], [3]])), [1.0])


def test_halves_may_differ_by_a_harmless_amount() -> None:
    """The same by a hundredth: halves of 0.02 and 0.06 have a ratio of 3, and nobody minds."""
    far = np.array([[1.0], [3], [5], [7]])
    assert not settled(far)
    assert settled(far / 100)
    assert not settled(np.hstack([far, far / 100]))
    assert settled(np.array([[1.0], [3], [1], [3]]))


def test_the_middle_of_draws() -> None:
    low, high = middle(np.arange(101, dtype=np.float32)[:, None], 0.9)
    assert (low[0], high[0]) == pytest.approx((5.0, 95.0))


# ------------------------------------------------------------------------------------ staff


def test_staff_grades_are_the_scores() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 9}, "t": {"ann": 5, "bob": 7}})
    fit = fitted(QUICK, reports, np.array([3.0, np.nan]))
    assert fit.score[0] == 3.0
    assert (fit.score_draws[:, 0] == 3.0).all()
    assert fit.interval()[0][0] == fit.interval()[1][0] == 3.0
    assert fit.score_draws[:, 1].std() > 0


def test_staff_grades_are_the_scores_also_of_submissions_without_reviews() -> None:
    reports = replace(class_of({"s": {"ann": 6, "bob": 9}}), submissions=2, submission_names=None)
    fit = fitted(QUICK, reports, np.array([np.nan, 4.0]))
    assert fit.score[1] == 4.0
    assert (fit.score_draws[:, 1] == 4.0).all()


def test_a_few_staff_grades_move_all_others_towards_the_truth() -> None:
    """A class that is lenient by 1½: reports alone cannot tell, and 15 staff grades can.

    Without them scores are too high by nearly all of it, and with them by less than a third.
    """
    semester = simulate(Setting(students=150, assignments=1, bias=NormalBias(0.5, 1.5)), seed=71)
    truth = semester.truth.score
    staff = np.full(150, np.nan)
    staff[::10] = truth[::10]
    others = np.isnan(staff)
    model = PG1Posterior(draws=400)
    alone = (fitted(model, semester.reports).score - truth)[others].mean()
    helped = (fitted(model, semester.reports, staff).score - truth)[others].mean()
    assert alone > 0.9
    assert abs(helped) < 0.5


# --------------------------------------------------------------------- one after the other


def named_assignments(seed: int) -> pl.DataFrame:
    """A class of two assignments with names, graded by the same people."""
    reports = simulate(Setting(students=24, assignments=2, graders=3), seed).reports
    return reports.to_polars().with_columns(
        pl.Series("assignment", np.array(["one", "two"])[reports.assignment]),
        pl.Series("submission", [f"s{number:03}" for number in reports.submission]),
        pl.Series("grader", [f"g{number:03}" for number in reports.grader]),
    )


def test_carried_traits_are_all_that_an_assignment_knows_of_earlier_ones() -> None:
    """Both at once, or one by one with what was known of graders in between: the same."""
    frame = named_assignments(seed=72)
    both, one, two = (
        Reports.from_frame(some)
        for some in (frame, *(frame.filter(pl.col("assignment") == a) for a in ("one", "two")))
    )
    model = PG1Posterior(draws=100)
    together, first = fitted(model, both), fitted(model, one)
    second = fitted(model, two, traits=first.traits)
    np.testing.assert_array_equal(together.score, np.concatenate([first.score, second.score]))
    np.testing.assert_array_equal(together.score_draws[:, 24:], second.score_draws)
    for ours, theirs in zip(together.traits, second.traits, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert (second.score != fitted(model, two).score).any()


def test_the_posterior_of_graders_narrows_over_assignments() -> None:
    """After five assignments biases are known better than after the first."""
    reports = simulate(Setting(students=40, assignments=5), seed=73).reports
    early, late = (fitted(PG1Posterior(draws=300), some) for some in (reports.first(1), reports))
    assert np.median(late.traits.bias_variance) < 0.5 * np.median(early.traits.bias_variance)


def test_later_assignments_never_change_earlier_scores() -> None:
    reports = simulate(Setting(students=20, assignments=3), seed=74).reports
    few, many = (fitted(QUICK, some) for some in (reports.first(2), reports))
    np.testing.assert_array_equal(few.score, many.score[:40])
    np.testing.assert_array_equal(few.score_draws, many.score_draws[:, :40])


def test_graders_without_new_reports_keep_their_posterior() -> None:
    fit = fitted(QUICK, class_of({"s": {"ann": 6, "bob": 8}}, {"t": {"ann": 5, "cy": 8}}))
    first = fitted(QUICK, class_of({"s": {"ann": 6, "bob": 8}}))
    assert fit.traits.bias_mean[1] == first.traits.bias_mean[1]
    assert fit.traits.bias_mean[0] != first.traits.bias_mean[0]
    assert np.isfinite(fit.traits.bias_mean).all()


# ------------------------------------------------------------------------------- promises


@pytest.mark.slow
@given(any_reports(), st.sampled_from(["discrete", "censored", "exact"]), st.booleans(), st.data())
def test_reports_and_their_weights_make_up_the_score(
    reports: Reports, reading: str, kinds: bool, data: st.DataObject
) -> None:
    graded = data.draw(st.lists(st.booleans(), min_size=reports.submissions,
                                max_size=reports.submissions))  # fmt: skip
    staff = np.where(graded, reports.scale.values()[1], np.nan)
    model = replace(QUICK, reading=reading, kinds=kinds)  # type: ignore[arg-type]
    fit = fitted(model, reports, staff)
    by = reports.submission
    total = np.bincount(by, fit.weight, reports.submissions) + fit.prior_weight
    np.testing.assert_allclose(total, 1.0, atol=1e-12)
    assert (fit.weight >= 0).all()
    assert (fit.prior_weight > 0).all()
    assignment = np.zeros(reports.submissions, np.int64)
    assignment[by] = reports.assignment
    of_reports = np.bincount(by, fit.weight * fit.value, reports.submissions)
    made = of_reports + fit.prior_weight * fit.prior_mean[assignment]
    low, high = reports.scale.lowest, reports.scale.highest
    expected = np.where(graded, staff, np.clip(made, low, high))
    np.testing.assert_allclose(fit.score, expected, atol=1e-9 * (high - low))
    assert ((low <= fit.score_draws) & (fit.score_draws <= high)).all()


@pytest.mark.slow
@given(any_reports(), st.booleans())
def test_any_class_has_numbers_where_they_are_due(reports: Reports, kinds: bool) -> None:
    """All warnings except convergence warnings are errors here."""
    fit = fitted(replace(QUICK, kinds=kinds), reports)
    seen = np.isin(np.arange(reports.graders), reports.grader)
    for column in (fit.score, fit.meant, fit.value, fit.weight, fit.score_draws):
        assert np.isfinite(column).all()
    for draws in (fit.bias_draws, fit.reliability_draws):
        assert np.isfinite(draws[:, seen]).all()
        assert np.isnan(draws[:, ~seen]).all()
    for trait in fit.traits:
        assert np.isfinite(trait[seen]).all()
        assert np.isnan(trait[~seen]).all()
    assert (fit.traits.bias_variance[seen] > 0).all()


@pytest.mark.slow
def test_relabelling_changes_nothing_but_chance() -> None:
    """Graders and submissions by other numbers get other draws of the same distribution.

    With 4,000 draws the mean of a score is known to some 0.05 of its deviation, since draws that
    follow each other are alike (one in ten counts); the difference of two to 0.07. Among 60 the
    largest is some three times that. One that kept another's label would be off by 1 and more.
    """
    reports = simulate(Setting(students=60, assignments=1), seed=75).reports
    rng = np.random.default_rng(1)
    graders, submissions = rng.permutation(60), rng.permutation(60)
    other = Reports(
        reports.assignment, submissions[reports.submission].astype(np.int32),
        graders[reports.grader].astype(np.int32), reports.grade, reports.scale,
    )  # fmt: skip
    model = PG1Posterior(draws=4000)
    here, there = fitted(model, reports), fitted(model, other)
    off = (there.score[submissions] - here.score) / here.score_draws.std(axis=0)
    assert np.sqrt((off**2).mean()) < 0.15
    assert np.abs(off).max() < 0.4
    off = (there.bias[0, graders] - here.bias[0]) / here.bias_draws.std(axis=0)
    assert np.sqrt((off**2).mean()) < 0.15
    assert np.abs(off).max() < 0.4


@hypothesis_settings(max_examples=20)
@given(st.integers(0, 50), st.sampled_from([0.0, 20.0, -100.0]))
def test_another_scale_is_estimated_in_proportion(seed: int, shift: float) -> None:
    """The same draws, stretched: rounding alone tells them apart, in the first digits of none."""
    reports = simulate(Setting(students=10, assignments=1, graders=3), seed).reports
    stretched = Reports(
        reports.assignment, reports.submission, reports.grader, shift + 5 * reports.grade,
        Scale(shift, shift + 50, 5),
    )  # fmt: skip
    fit, wide = fitted(QUICK, reports), fitted(QUICK, stretched)
    np.testing.assert_allclose(wide.score, shift + 5 * fit.score, atol=1e-4)
    np.testing.assert_allclose(wide.bias, 5 * fit.bias, atol=1e-4)
    np.testing.assert_allclose(wide.reliability, fit.reliability / 25, rtol=1e-4)


def test_moments_are_those_of_the_scores_and_not_the_papers() -> None:
    """Scores Binomial(10, 0.4): mean 4 and variance 2.4, where the paper expects 7 and 2.1.

    Of 300 scores the mean is known to 0.09 by itself and the variance to 0.2; graders add a
    little, since their biases have a mean of 0 give or take 0.06.
    """
    setting = Setting(students=300, assignments=1, true_scores=BinomialScores(0.4))
    mean, variance = fitted(PG1Posterior(draws=200), simulate(setting, seed=78).reports).moments()
    assert mean == pytest.approx(4.0, abs=0.4)
    assert variance == pytest.approx(2.4, abs=0.8)


def test_the_same_seed_gives_the_same_draws_and_another_does_not() -> None:
    reports = simulate(Setting(students=12, assignments=1), seed=76).reports
    one, same, other = (fitted(replace(QUICK, seed=seed), reports) for seed in (3, 3, 4))
    np.testing.assert_array_equal(one.score_draws, same.score_draws)
    assert (one.score_draws != other.score_draws).any()


@pytest.mark.statistical
def test_chance_does_not_decide_how_many_hedge(real_classes: Path) -> None:
    """Where graders have two or three reviews each, little tells hedging from like submissions.

    When five graders were taken for granted, from 5 % to 57 % of this class seemed to hedge, by
    the seed.
    """
    reports = open_class(real_classes / "auckland-r-coding").reports
    shares = [fitted(PG1Posterior(seed=seed), reports).traits.hedging.mean() for seed in range(3)]
    assert max(shares) - min(shares) < 0.25


# ------------------------------------------------------------------------------ odd classes


@pytest.mark.slow
@pytest.mark.parametrize("reading", ["discrete", "censored", "exact"])
@pytest.mark.parametrize("grade", [0.0, 6.0, 10.0])
@pytest.mark.parametrize("scale", [Scale(0, 10), Scale(0, 10, None)])
def test_one_review(scale: Scale, grade: float, reading: str) -> None:
    reports = class_of({"s": {"ann": grade}}, scale=scale)
    fit = fitted(PG1Posterior(reading=reading), reports)  # type: ignore[arg-type]
    low, high = fit.interval()
    assert 0 <= low[0] < high[0] <= 10
    assert np.isfinite([fit.score[0], fit.bias[0, 0], fit.reliability[0, 0], fit.value[0]]).all()


@pytest.mark.slow
@pytest.mark.parametrize("scale", [Scale(0, 10), Scale(0, 10, None)])
@pytest.mark.parametrize("grade", [0.0, 6.0, 10.0])
def test_all_grades_the_same(scale: Scale, grade: float) -> None:
    grades = {f"s{s:02}": {f"g{k:02}": grade for k in (s, (s + 1) % 20, (s + 2) % 20)}
              for s in range(20)}  # fmt: skip
    fit = fitted(PG1Posterior(), class_of(grades, scale=scale))
    assert np.isfinite(fit.score).all()
    assert np.abs(fit.score - grade).max() < 1.5
    assert np.isfinite(fit.score_draws).all()


def test_a_submission_without_reviews_has_no_score_and_affects_no_other() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 9}, "t": {"ann": 5, "bob": 7}})
    more = replace(reports, submissions=3, submission_names=None)
    fit, without = fitted(QUICK, more), fitted(QUICK, reports)
    np.testing.assert_array_equal(fit.score[:2], without.score)
    assert np.isnan(fit.score[2])
    assert np.isnan(fit.interval()[0][2])


def test_draws_that_have_not_settled_are_warned_about() -> None:
    reports = simulate(Setting(students=30, assignments=1), seed=77).reports
    with pytest.warns(ConvergenceWarning, match="1 of 1 assignments"):
        fit = PG1Posterior(draws=4, warmup=0).fit(reports)
    assert not fit.converged.any()
    assert np.isfinite(fit.score).all()


# ------------------------------------------------------------------------------- how many


@pytest.mark.parametrize(
    ("reviews", "rounds"),
    [(1, (200, 800)), (25_000, (200, 800)), (50_000, (100, 400)), (100_000, (50, 200)),
     (10**6, (25, 100)), (10**7, (25, 100))],
)  # fmt: skip
def test_large_classes_get_fewer_draws(reviews: int, rounds: tuple[int, int]) -> None:
    assert PG1Posterior().rounds(reviews) == rounds


def test_moments_in_parts_are_those_of_all_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    from peergauge.models import posterior

    reports = simulate(Setting(students=30, assignments=2), seed=4).reports
    fit = fitted(PG1Posterior(draws=40, warmup=5), reports)
    # Parts of 7 or 8 of the 60 columns.
    monkeypatch.setattr(posterior, "MAX_PART_CELLS", 300)
    mean, variance = fit.score_moments
    np.testing.assert_allclose(mean, fit.score_draws.astype(float).mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(variance, fit.score_draws.astype(float).var(axis=0), rtol=1e-9)


def test_the_requested_number_of_draws_is_kept() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 9}})
    assert PG1Posterior(draws=50).rounds(10**7) == (12, 50)
    fit = fitted(PG1Posterior(draws=50, warmup=3), reports)
    assert fit.score_draws.shape == (50, 1)
    assert fit.rounds.tolist() == [53]


@pytest.mark.parametrize("given_", [{"draws": 1}, {"warmup": -1}, {"prior_variance": 0.0}])
def test_invalid_parameters_are_refused(given_: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        PG1Posterior(**given_)  # type: ignore[arg-type]


def test_kinds_have_the_places_that_traits_give_them() -> None:
    assert (CONSTANT_KIND, HEDGING_KIND) == (0, 1)


def test_draws_are_made_until_they_settle_unless_their_number_was_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from peergauge.models import posterior

    reports = simulate(Setting(students=8, assignments=1), seed=2).reports
    monkeypatch.setattr(posterior, "DEFAULT_DRAWS", 100)
    monkeypatch.setattr(posterior, "settled", lambda _: False)
    with pytest.warns(ConvergenceWarning):
        # 25 before and 100; then 100 before and 100 again, until there are 800.
        assert PG1Posterior().fit(reports).rounds.tolist() == [25 + 100 + 4 * 200]
    with pytest.warns(ConvergenceWarning):
        assert PG1Posterior(draws=100).fit(reports).rounds.tolist() == [125]
    monkeypatch.setattr(posterior, "settled", lambda _: True)
    assert PG1Posterior().fit(reports).rounds.tolist() == [125]


# ----------------------------------------------------------------------- single steps of the chain


def chain_of(graders: int, staff: float = np.nan) -> Chain:
    """A chain in which each of so many new graders gives one submission a 5."""
    unknown = np.full(graders, np.nan)
    return Chain(
        grade=np.full(graders, 5.0),
        s=np.arange(graders),
        k=np.arange(graders),
        staff=np.full(graders, staff),
        before=Traits(*[unknown] * len(Traits._fields)),
        scale=Scale(0, 10),
        model=PG1Posterior(reading="discrete"),
        rng=np.random.default_rng(1),
    )


def test_latent_reports_are_drawn_from_a_truncated_normal() -> None:
    """A 5 stands for 4.5 to 5.5; expected at 4 with a precision of 4, it is nearer to 4.5.

    4,000 independent draws have a mean within 0.004, and the tolerance is three times that; each is
    the 40th of its own chain, and two successive draws hardly depend on each other.
    """
    chain = chain_of(4000)
    chain.mean, chain.x, chain.tau = 4.0, np.zeros(4000), np.full(4000, 4.0)
    for _ in range(40):
        chain.draw_latent()
    expected = truncnorm(1.0, 3.0, loc=4.0, scale=0.5)
    assert chain.z.mean() == pytest.approx(expected.mean(), abs=0.012)
    assert chain.z.std() == pytest.approx(expected.std(), rel=0.05)


@pytest.mark.parametrize("common", [-2.0, 0.0, 2.0])
def test_how_much_biases_differ_does_not_depend_on_what_they_have_in_common(common: float) -> None:
    """Biases of t with the degrees of freedom of the model and a scale of 1.

    The variance of a scale that is estimated from 3,000 values is known to 3 %; the last draw of
    60 may be off by four times that.
    """
    chain = chain_of(3000, staff=5.0)
    chain.draw_scores()
    tails = np.random.default_rng(2).standard_t(BIAS_DEGREES_OF_FREEDOM, 3000)
    chain.b = common + tails
    for _ in range(60):
        chain.draw_class()
    assert chain.common == pytest.approx(common, abs=0.15)
    assert chain.bias_variance == pytest.approx(1.0, rel=0.12)
