"""Grades that are half a model's and half a mean: parts, ends of the scale, robustness, history."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy.special import ndtri

from peergauge.core.errors import ConvergenceWarning
from peergauge.models import models
from peergauge.models.halfway import (
    AssignmentParts,
    HalfwayEstimates,
    HalfwayModel,
    censored_variance,
    class_shift,
    combined_parts,
    grades_with,
    halfway_grades,
    review_deviation,
)
from peergauge.models.leniency import LeniencyPrior
from peergauge.models.posterior import PG1Posterior
from peergauge.simulate import BinomialScores, NormalBias, Setting, simulate
from peergauge.tables import Reports, Scale
from peergauge.testing.classes import class_of

FEW = PG1Posterior(draws=200, warmup=100)


def of(reports: Reports, share: float = 0.5) -> HalfwayEstimates:
    with warnings.catch_warnings():
        # So few draws converge by chance alone.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return halfway_grades(reports, FEW.fit(reports), share=share)


@pytest.fixture(scope="module")
def reports() -> Reports:
    return simulate(Setting(students=40, assignments=2), 1).reports


@pytest.fixture(scope="module")
def found(reports: Reports) -> HalfwayEstimates:
    return of(reports)


def test_weights_add_up_and_make_the_grade(reports: Reports, found: HalfwayEstimates) -> None:
    total = np.bincount(reports.submission, found.weight, reports.submissions)
    np.testing.assert_allclose(total + found.prior_weight, 1.0)
    mean = found.prior_mean[(np.arange(reports.submissions) >= 40).astype(int)]
    made = np.bincount(reports.submission, found.weight * found.value, reports.submissions)
    np.testing.assert_allclose(found.score, made + found.prior_weight * mean)


def test_the_grade_is_halfway_between_model_and_mean(reports: Reports) -> None:
    posterior = FEW.fit(reports)
    model, half, mean = (
        halfway_grades(reports, posterior, share=one).score for one in (1.0, 0.5, 0.0)
    )
    np.testing.assert_allclose(half, (model + mean) / 2)


def test_without_distant_grades_the_mean_is_the_plain_mean() -> None:
    near = class_of({f"s{n}": {"a": 6, "b": 7, "c": 8} for n in range(6)})
    np.testing.assert_allclose(of(near, share=0.0).score, 7.0)


def test_grades_never_leave_the_scale_and_values_neither(reports: Reports) -> None:
    top = simulate(Setting(students=40, assignments=1, true_scores=BinomialScores(0.97)), 3).reports
    for one in (reports, top):
        found = of(one)
        for column in (found.value, found.corrected_grade, found.pulled_in, found.score):
            assert column.min() >= 0
            assert column.max() <= 10


def test_the_top_of_the_scale_does_not_erase_the_order_of_the_mean() -> None:
    # Presentations of a closed session, most of them near the top of a scale of 1..5. The model
    # alone would put several of them exactly at the top.
    rng = np.random.default_rng(5)
    quality = np.linspace(4.3, 5.4, 14)
    grade = np.clip(np.rint(quality[:, None] + rng.normal(0, 0.5, (14, 14))), 1, 5)
    given = {f"s{s}": {f"p{k}": int(grade[s, k]) for k in range(14) if k != s} for s in range(14)}
    reports = class_of(given, scale="1..5")
    score, mean = of(reports).score, models.make("mean").fit(reports).score
    assert (score < 5).sum() >= (mean < 5).sum()
    assert len(np.unique(score[mean < 5].round(9))) == (mean < 5).sum()


def test_a_distant_grade_is_pulled_in_and_a_very_distant_one_counts_as_the_median() -> None:
    def counted_as(last: float) -> float:
        # Reviews agree otherwise, so that the standard deviation of a review is its minimum of half
        # a tenth of the scale, 5 points, and the median is 6.
        grade, s = np.append(np.full(39, 6.0), last), np.repeat(np.arange(10), 4)
        same = np.full(40, 1e6)
        parts = AssignmentParts(grade, s, np.zeros(40), same, same, 6.0, 1.0, Scale(0, 100))
        return float(parts.pulled_in()[-1])

    assert counted_as(16.0) == 16.0
    assert counted_as(18.5) == pytest.approx(18.5)
    # 14 away: 1.5 beyond 12.5, so that 11 are left.
    assert counted_as(20.0) == pytest.approx(17.0, abs=1e-3)
    assert counted_as(60.0) == pytest.approx(6.0, abs=1e-3)


@pytest.mark.parametrize(("mean", "deviation"), [(7.0, 1.5), (9.5, 2.0), (0.0, 5.0), (12.0, 1.0)])
def test_the_variance_of_a_clipped_normal_number(mean: float, deviation: float) -> None:
    # A million quantiles of the normal distribution stand for the integral.
    at = ndtri((np.arange(10**6) + 0.5) / 10**6)
    plain = np.clip(mean + deviation * at, 0, 10).var()
    assert censored_variance(mean, deviation**-2, Scale(0, 10)) == pytest.approx(plain, rel=1e-3)


def test_a_saboteur_moves_a_grade_by_less_than_half_as_much_as_the_mean(reports: Reports) -> None:
    # Every tenth submission gets a 0 instead of the grade that is nearest to its mean.
    mean = models.make("mean")
    plain = mean.fit(reports).score
    attacked = np.arange(0, reports.submissions, 10)
    grade = reports.grade.copy()
    for submission in attacked:
        rows = np.flatnonzero(reports.submission == submission)
        grade[rows[np.abs(grade[rows] - plain[submission]).argmin()]] = 0.0
    sabotaged = reports.with_grades(grade)
    moved = (of(sabotaged).score - of(reports).score)[attacked].mean()
    by_mean = (mean.fit(sabotaged).score - plain)[attacked].mean()
    assert by_mean < -1
    assert by_mean / 2 < moved < 0


def test_a_majority_is_not_overruled_by_the_rest_of_the_class() -> None:
    # All other work is excellent, and two of three reviewers find that this one is not.
    given = {f"s{n}": {f"p{(n + k) % 30}": 13 + (n + k) % 2 for k in range(3)} for n in range(30)}
    given["s0"] = {"p0": 2, "p1": 2, "p2": 14}
    given["s1"] = {"p1": 3, "p2": 3, "p3": 3}
    score = of(class_of(given, scale="0..14")).score
    # Half of the grade follows the two; the model doubts them, because they agree with nobody.
    assert score[0] < 8
    assert score[1] < 4


def test_a_history_adds_at_most_a_quarter_to_the_median_strength() -> None:
    semester = simulate(Setting(students=30, assignments=8), 2).reports
    posterior = FEW.fit(semester)
    last = np.flatnonzero(semester.assignment == 7)
    known = halfway_grades(semester, posterior)
    # Weights inside a submission are in proportion to strengths, apart from distance.
    strength = posterior.weight[last] / posterior.prior_weight[semester.submission[last]]
    assert strength.max() > 1.25 * np.median(strength), "the cap would have nothing to do"
    mean, precision = float(posterior.prior_mean[7]), float(posterior.precision[7])
    limit = 1.25 * np.median(strength) * precision
    limit *= censored_variance(mean, precision, semester.scale)
    weight_of_mean = known.prior_weight[semester.submission[last]] / known.share
    # A weight over that of the mean is a strength times (4 + 1) / (4 + distance) <= 5 / 4, over
    # (15 + 1) / (15 + distance of the mean).
    from_mean = (mean - known.score[semester.submission[last]]) ** 2
    of_mean = 16 / (15 + 4 * from_mean / censored_variance(mean, precision, semester.scale))
    assert (known.model_weight[last] / weight_of_mean <= 1.25 * limit / of_mean).all()


def test_staff_grades_are_final_and_move_the_level_of_the_others(reports: Reports) -> None:
    lenient = simulate(Setting(students=60, assignments=1, bias=NormalBias(mean=1.5)), 4)
    staff = np.full(60, np.nan)
    staff[:20] = lenient.truth.score[:20]
    with_staff = HalfwayModel(draws=200, warmup=100).fit(lenient.reports, staff)
    without = HalfwayModel(draws=200, warmup=100).fit(lenient.reports)
    np.testing.assert_array_equal(with_staff.score[:20], staff[:20])
    assert 0.8 < with_staff.shift[0] < 2.2
    off = [(one.score - lenient.truth.score)[20:].mean() for one in (with_staff, without)]
    assert abs(off[0]) < abs(off[1]) / 2


def test_the_shift_is_shrunk_if_staff_graded_little() -> None:
    scale, grade, s = Scale(0, 10), np.array([9.0, 9.0, 8.0, 8.0]), np.array([0, 0, 1, 1])
    unknown = np.array([np.nan, np.nan])
    assert class_shift(grade, s, unknown, scale) == 0
    # One difference of 2 points with a variance of 1: half of it.
    assert class_shift(grade, s, np.array([7.0, np.nan]), scale) == pytest.approx(1.0)
    # Two equal differences: variance (0 + 2) / 3 / 2 = 1/3, weight 3/4.
    assert class_shift(grade, s, np.array([7.0, 6.0]), scale) == pytest.approx(1.5)


def test_the_deviation_of_a_review_by_hand() -> None:
    # Pairs that are 2 apart: distance 2 over the root of 2, times 1.4826.
    grade, s = np.array([4.0, 6.0, 7.0, 9.0]), np.array([0, 0, 1, 1])
    assert review_deviation(grade, s, 2) == pytest.approx(1.4826 * 2 / np.sqrt(2))
    assert review_deviation(grade[:1], s[:1], 1) == 0


def test_parts_by_hand() -> None:
    one = class_of({"s": {"a": 6, "b": 8}})
    weight, value = combined_parts(
        one, 0.5, np.array([5.0, 7.0]), np.array([6.0, 8.0]), np.array([0.4, 0.2])
    )
    np.testing.assert_allclose(weight, [0.45, 0.35])
    np.testing.assert_allclose(value * weight, [0.2 * 5 + 0.25 * 6, 0.1 * 7 + 0.25 * 8])


def test_unchanged_grades_give_the_same_scores(reports: Reports, found: HalfwayEstimates) -> None:
    again = grades_with(reports, reports.grade, FEW.fit(reports), found)
    np.testing.assert_allclose(again, found.peer_score, atol=1e-9)
    changed = reports.grade.copy()
    changed[reports.submission == 7] = 10.0
    moved = grades_with(reports, changed, FEW.fit(reports), found) - again
    assert np.flatnonzero(np.abs(moved) > 1e-9).tolist() == [7]


def test_later_assignments_do_not_change_earlier_grades(reports: Reports) -> None:
    first = reports.assignment == 0
    alone = Reports(
        assignment=reports.assignment[first],
        submission=reports.submission[first],
        grader=reports.grader[first],
        grade=reports.grade[first],
        scale=reports.scale,
    )
    np.testing.assert_allclose(of(alone).score, of(reports).score[:40])


def test_leniency_is_carried_over_to_the_next_run(reports: Reports) -> None:
    whole = of(reports)
    first, second = reports.assignment == 0, reports.assignment == 1
    prior = LeniencyPrior(
        whole.leniency[0], whole.leniency_ratio[0], of_first(reports, first).evidence
    )
    posterior = FEW.fit(reports)
    again = Reports(
        assignment=reports.assignment[second] * 0,
        submission=reports.submission[second] - 40,
        grader=reports.grader[second],
        grade=reports.grade[second],
        scale=reports.scale,
    )
    # The leniencies depend on reports alone, so a run of its own gives what the whole semester has.
    found = halfway_grades(again, FEW.fit(again), prior=prior)
    np.testing.assert_allclose(found.leniency[0], whole.leniency[1], atol=1e-9)
    assert posterior.score.shape == whole.score.shape


def of_first(reports: Reports, first: np.ndarray) -> HalfwayEstimates:
    alone = Reports(
        assignment=reports.assignment[first],
        submission=reports.submission[first],
        grader=reports.grader[first],
        grade=reports.grade[first],
        scale=reports.scale,
    )
    return of(alone)


KINDS = {
    "the paper's": {},
    "no leniency": {"bias": NormalBias(deviation=0.0)},
    "two graders": {"graders": 2},
    "ceiling": {"true_scores": BinomialScores(0.93)},
    "hedging": {"strategies": {"hedge": 24}},
    "all tens": {"strategies": {"all-tens": 24}},
    "closed clusters": {"design": "clusters"},
    "five points": {"scale": Scale(1, 5)},
}


@pytest.mark.statistical
@pytest.mark.parametrize("kind", list(KINDS))
def test_grades_are_never_clearly_worse_than_the_mean(kind: str) -> None:
    # Root mean squared error minus that of the mean, over six classes of 80 students. The claim is
    # that it is not above 0 by two standard errors.
    gaps = []
    for seed in range(50, 56):
        semester = simulate(Setting(students=80, assignments=1, **KINDS[kind]), seed)  # type: ignore[arg-type]
        truth, unit = semester.truth.score, semester.reports.scale.unit
        scores = of(semester.reports).score, models.make("mean").fit(semester.reports).score
        halfway, mean = (np.sqrt((((one - truth) / unit) ** 2).mean()) for one in scores)
        gaps.append(halfway - mean)
    assert np.mean(gaps) < 2 * np.std(gaps, ddof=1) / np.sqrt(len(gaps))
