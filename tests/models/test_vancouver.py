"""Vancouver: two rounds by hand, edge cases, and invariances."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.acceleration import plain_numpy
from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.models.mean import Mean
from peergauge.models.vancouver import Vancouver, VancouverEstimates
from peergauge.simulate import NormalBias, Setting, simulate
from peergauge.tables import Reports
from tests.generators import class_of
from tests.generators import reports as any_reports

CLASS = class_of({"s": {"ann": 6, "bob": 8, "cy": 7}, "t": {"ann": 4, "bob": 6, "cy": 8}})


def known(column: Floats | None) -> Floats:
    assert column is not None
    return column


@pytest.mark.parametrize("plainly", [True, False])
def test_two_rounds_by_hand(plainly: bool) -> None:
    """Three graders of s and t, with ε = 1 so that fractions stay small.

    Round 1. All variances are 1, so everybody is told the mean of the other two, with variance
    2 · 1/4 = 1/2. s: ann 7.5, bob 6.5, cy 7; t: ann 7, bob 6, cy 5. Back, each variance is the
    squared difference on the other submission. To s: ann (4 − 7)² = 9, bob (6 − 6)² = 0,
    cy (8 − 5)² = 9. To t: ann (6 − 7.5)² = 9/4, bob (8 − 6.5)² = 9/4, cy (7 − 7)² = 0.

    Round 2. On s the weights 1/(1 + variance) are 1/10, 1, 1/10. Ann is told
    (8 · 1 + 7 · 0.1) / 1.1 = 87/11 with variance (0 · 1 + 9 · 0.01) / 1.21 = 9/121; bob 6.5 with
    9/2; cy (6 · 0.1 + 8 · 1) / 1.1 = 86/11 with 9/121. On t they are 4/13, 4/13, 1. Ann is told
    (6 · 4 + 8 · 13) / 17 = 128/17 with variance (9/4)(4/17)² = 36/289; bob
    (4 · 4 + 8 · 13) / 17 = 120/17 with 36/289; cy 5 with 9/8. Back, to s: ann
    (4 − 128/17)² = 3600/289, bob (6 − 120/17)² = 324/289, cy 9. To t: ann
    (6 − 87/11)² = 441/121, bob (8 − 6.5)² = 9/4, cy (7 − 86/11)² = 81/121.

    The end. s: weights 289/3889 = 0.074312, 289/613 = 0.471452, 0.1, together 0.645764:
    (6 · 0.074312 + 8 · 0.471452 + 7 · 0.1) / 0.645764 = 7.614992, variance
    (12.456747 · 0.005522 + 1.121107 · 0.222267 + 9 · 0.01) / 0.417011 = 0.978331.
    t: 121/562 = 0.215302, 4/13 = 0.307692, 121/202 = 0.599010, together 1.122005:
    (4 · 0.215302 + 6 · 0.307692 + 8 · 0.599010) / 1.122005 = 6.683968, variance
    (3.644628 · 0.046355 + 2.25 · 0.094675 + 0.669421 · 0.358813) / 1.258895 = 0.494213.
    Ann weighs s by 1/(1 + 9/121) = 121/130 and t by 289/325, together 1.82:
    (0.930769 · 1.614992² + 0.889231 · 2.683968²) / 1.82 = 4.853498. Bob: 2/11 and 289/325,
    (0.181818 · 0.385008² + 0.889231 · 0.683968²) / 1.071049 = 0.413561. Cy: 121/130 and 8/17,
    (0.930769 · 0.614992² + 0.470588 · 1.316032²) / 1.401357 = 0.832808.

    All grades have variance (0.25 + 2.25 + 0.25 + 6.25 + 0.25 + 2.25) / 6 = 11.5/6, so ann's
    quality is 1 − √(4.853498 / (23/6)) < 0, which is 0; bob's 1 − √0.107885 = 0.671541; cy's
    1 − √0.217254 = 0.533894.
    """
    model = Vancouver(rounds=2, epsilon=1)
    if plainly:
        with plain_numpy():
            fit = model.fit(CLASS)
    else:
        fit = model.fit(CLASS)
    np.testing.assert_allclose(fit.score, [7.614992, 6.683968], atol=1e-6)
    np.testing.assert_allclose(known(fit.deviation) ** 2, [0.978331, 0.494213], atol=1e-6)
    np.testing.assert_allclose(known(fit.variance), [[4.853498, 0.413561, 0.832808]], atol=1e-6)
    np.testing.assert_allclose(known(fit.quality), [[0, 0.671541, 0.533894]], atol=1e-6)
    assert fit.bias.tolist() == [[0, 0, 0]]


def test_one_round_with_biases_by_hand() -> None:
    """After round 1 everybody is told the means of the others, with equal variances.

    The bias towards s is the difference on t: ann −3, bob 0, cy 3; towards t that on s: −1.5,
    1.5, 0. With a single other submission nothing is left for the variance, so weights are equal.
    s: (9 + 8 + 4) / 3 = 7; t: (5.5 + 4.5 + 8) / 3 = 6. In the end ann's bias is
    (−1.5 − 3) / 2 = −2.25, bob's 0.75, cy's 1.5; ann's variance
    ((6 + 2.25 − 7)² + (4 + 2.25 − 6)²) / 2 = 0.8125, bob's ((0.25)² + (−0.75)²) / 2 = 0.3125,
    cy's ((−1.5)² + 0.5²) / 2 = 1.25.
    """
    fit = Vancouver(rounds=1, debias=True).fit(CLASS)
    np.testing.assert_allclose(fit.score, [7, 6])
    np.testing.assert_allclose(fit.bias, [[-2.25, 0.75, 1.5]])
    np.testing.assert_allclose(known(fit.variance), [[0.8125, 0.3125, 1.25]])
    np.testing.assert_allclose(fit.reliability, [[1 / 0.8125, 3.2, 0.8]])


def everything(fit: VancouverEstimates) -> list[Floats]:
    return [fit.score, fit.reliability, fit.bias] + [
        known(one) for one in (fit.deviation, fit.variance, fit.quality)
    ]


@pytest.mark.parametrize("debias", [False, True])
def test_edges_are_finite(debias: bool) -> None:
    """One report; a grader with one submission, a submission with one review; all the same."""
    model = Vancouver(debias=debias)
    for reports in (
        class_of({"s": {"ann": 5}}),
        class_of({"s": {"ann": 5, "bob": 6, "cy": 9}}),
        class_of({"s": {"ann": 5}, "t": {"ann": 6}, "u": {"ann": 9}}),
        class_of({"s": {"ann": 5, "bob": 7}, "t": {"ann": 6}}),
        CLASS.with_grades(np.full(6, 7.0)),
    ):
        for column in everything(model.fit(reports)):
            assert np.isfinite(column).all()


def test_where_all_grades_are_the_same_everybody_is_as_good_as_can_be() -> None:
    fit = Vancouver().fit(CLASS.with_grades(np.full(6, 7.0)))
    np.testing.assert_allclose(fit.score, [7, 7])
    np.testing.assert_allclose(known(fit.deviation), [0, 0], atol=1e-9)
    assert known(fit.quality).tolist() == [[1, 1, 1]]
    # No variance counts as ε, so that reliabilities are finite.
    np.testing.assert_allclose(fit.reliability, [[1e4, 1e4, 1e4]])
    assert fit.converged.all()


def test_a_review_alone_is_the_score() -> None:
    fit = Vancouver().fit(class_of({"s": {"ann": 5}}))
    assert fit.score.tolist() == [5]


def test_no_grader_receives_their_own_messages() -> None:
    """Of two graders, each is held against the other alone: 4 and 4 apart after one round.

    With their own messages they would be told the mean, and be 2 off.
    """
    fit = Vancouver(rounds=1, epsilon=1e-9).fit(
        class_of({"s": {"ann": 2, "bob": 6}, "t": {"ann": 3, "bob": 7}})
    )
    # Both variances are 16, so the score is the mean with variance 2 · 16/4 = 8.
    np.testing.assert_allclose(known(fit.deviation) ** 2, [8, 8])


@given(any_reports())
def test_plain_and_compiled_agree_with_biases(reports: Reports) -> None:
    """Over three rounds: with biases, the last bits grow from round to round."""
    model = Vancouver(rounds=3, debias=True)
    fast = model.fit(reports)
    with plain_numpy():
        plain = model.fit(reports)
    np.testing.assert_allclose(fast.score, plain.score, atol=1e-7)
    np.testing.assert_allclose(fast.bias, plain.bias, atol=1e-7)
    np.testing.assert_allclose(known(fast.variance), known(plain.variance), atol=1e-7)
    # Roots of what is nearly 0 would be further apart.
    np.testing.assert_allclose(known(fast.deviation) ** 2, known(plain.deviation) ** 2, atol=1e-7)


def test_plain_and_compiled_agree_over_all_rounds_of_a_class() -> None:
    reports = simulate(Setting(students=60, assignments=2), seed=1).reports
    fast = Vancouver().fit(reports)
    with plain_numpy():
        plain = Vancouver().fit(reports)
    np.testing.assert_allclose(fast.score, plain.score, atol=1e-9)
    np.testing.assert_allclose(known(fast.quality), known(plain.quality), atol=1e-7)
    assert (fast.converged == plain.converged).all()


@given(st.integers(0, 50))
def test_scores_lie_between_the_grades_and_qualities_between_0_and_1(seed: int) -> None:
    reports = simulate(Setting(students=12, assignments=2, graders=3), seed=seed).reports
    fit = Vancouver().fit(reports)
    for s, score in enumerate(fit.score):
        own = reports.grade[reports.submission == s]
        assert own.min() - 1e-9 <= score <= own.max() + 1e-9
    quality = known(fit.quality)
    assert ((quality >= 0) & (quality <= 1)).all()


def test_careless_graders_have_less_weight_and_scores_beat_the_mean() -> None:
    """100 submissions by 30 graders, a third of whom guess.

    With 40 grades each, the variances of guessers, some 8, and of others, some 1, are told apart
    to a fifth or so, and weights by variance halve the error of the mean.
    """
    rng = np.random.default_rng(1)
    true = rng.integers(2, 9, 100).astype(float)
    submission = np.repeat(np.arange(100, dtype=np.int32), 12)
    grader = np.concatenate([np.sort(rng.permutation(30)[:12]) for _ in range(100)])
    careful = np.clip(np.rint(true[submission] + rng.normal(0, 1, 1200)), 0, 10)
    grade = np.where(grader < 10, rng.integers(0, 11, 1200), careful)
    reports = Reports(np.zeros(1200, np.int32), submission, grader, grade)
    fit = Vancouver().fit(reports)
    assert known(fit.quality)[0, :10].max() < known(fit.quality)[0, 10:].min()
    ours = ((fit.score - true) ** 2).mean()
    assert ours < 0.6 * ((Mean().fit(reports).score - true) ** 2).mean()


def test_biases_are_found_if_asked_for() -> None:
    """Biases with deviation 1, four assignments of 40 students, each graded by 10.

    An estimated bias is a mean of ten differences of deviation 1 to 1.5, so off by 0.5 at most in
    most cases, and correlates with the true bias at 0.8 or more.
    """
    setting = Setting(students=40, assignments=4, graders=10, bias=NormalBias(1))
    semester = simulate(setting, seed=3)
    fit = Vancouver(debias=True, rounds=3).fit(semester.reports)
    bias = semester.truth.trait("bias", semester.reports)
    for row in fit.bias:
        assert np.corrcoef(row, bias)[0, 1] > 0.8


def test_the_number_of_rounds_is_fixed_and_convergence_is_reported() -> None:
    few = Vancouver(rounds=2).fit(CLASS)
    assert (few.rounds.tolist(), few.converged.tolist()) == ([2], [False])
    # One round has nothing before it to compare with.
    assert Vancouver(rounds=1).fit(CLASS).converged.tolist() == [False]
    # From the second round on, two who say the same on all submissions are told the same again.
    same = class_of({"s": {"ann": 4, "bob": 4}, "t": {"ann": 7, "bob": 7}})
    assert Vancouver(rounds=2).fit(same).converged.tolist() == [True]


@pytest.mark.parametrize("wrong", [{"rounds": 0}, {"epsilon": 0.0}, {"epsilon": float("inf")}])
def test_impossible_settings_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        Vancouver(**wrong)  # type: ignore[arg-type]
