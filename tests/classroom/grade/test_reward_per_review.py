"""Mean reward per review: shrunk in proportion to the number of reviews."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge import score
from peergauge.classroom.grade.reward_per_review import RewardPerReview, reward_per_review, subset
from peergauge.core.errors import TableError
from peergauge.mechanisms import Mechanism, mechanisms
from peergauge.simulate import Setting, simulate
from peergauge.tables import Reports, Rewards

REPORTS = Reports.from_frame(
    {
        "submission": ["a", "a", "a", "b", "b", "c"],
        "grader": ["x", "y", "z", "x", "y", "x"],
        "grade": [5, 6, 7, 8, 9, 10],
    }
)


def refuse(reports: Reports) -> Rewards:
    raise AssertionError("rewards are split into reviews, so nothing need be paid again")


def test_shrinkage_is_that_of_the_formula() -> None:
    """x earned 1, 2, 3 (mean 2), y 6, 8 (mean 7), z 4.

    Within: (1 + 0 + 1 + 1 + 1 + 0) / (6 - 3) = 4/3. Average by reviews: 24 / 6 = 4. Spread by
    reviews: (3·4 + 2·9 + 1·0) / 6 = 5; chance alone makes 4/3 · 2 / 6 = 4/9 of it.
    """
    part = np.array([1.0, 6.0, 4.0, 2.0, 8.0, 3.0])
    found = reward_per_review(Rewards.from_parts(REPORTS, part), refuse)
    assert found.own_mean.tolist() == [2.0, 7.0, 4.0]
    assert found.within_variance == pytest.approx(4 / 3)
    assert found.class_mean == pytest.approx(4.0)
    assert found.between_variance == pytest.approx(5 - 4 / 9)
    between = 5 - 4 / 9
    weight = [between / (between + 4 / 3 / n) for n in (3, 2, 1)]
    assert found.weight == pytest.approx(weight)
    assert found.estimate == pytest.approx(4 + np.array(weight) * (np.array([2, 7, 4]) - 4))
    assert found.standard_error == pytest.approx(np.sqrt(between * (1 - np.array(weight))))


def test_a_mean_over_an_assignment_is_taken_apart_again() -> None:
    part = np.array([1.0, 6.0, 4.0, 2.0, 8.0, 3.0])
    summed = reward_per_review(Rewards.from_parts(REPORTS, part), refuse)
    averaged = reward_per_review(Rewards.from_parts(REPORTS, part, mean=True), refuse)
    assert averaged.own_mean == pytest.approx(summed.own_mean)


def test_graders_without_rewarded_reviews_have_no_estimate() -> None:
    part = np.array([1.0, 6.0, np.nan, 2.0, 8.0, -np.inf])
    found = reward_per_review(Rewards.from_parts(REPORTS, part), refuse)
    assert found.reviews.tolist() == [3, 2, 0]
    assert np.isnan(found.estimate[2])
    # An infinite loss is replaced by the largest finite one.
    assert found.own_mean[0] == pytest.approx((1 + 2 + 1) / 3)


def test_probability_that_a_grader_is_better_than_another() -> None:
    found = RewardPerReview(np.array([1.0, 3.0, 2.0]), np.array([10, 10, 10]), 2.0, 1.0, 10.0)
    # Both estimates are half way to the average: 1.5 and 2.5, with variance 1/2 each.
    assert found.probability_better(1, 0) == pytest.approx(0.8413, abs=1e-4)
    assert found.probability_better(0, 1) == pytest.approx(1 - 0.8413, abs=1e-4)
    assert found.probability_above_mean()[2] == 0.5
    low, high = found.rank_interval(0.9, seed=1)
    assert (low <= high).all()
    assert (low.min(), high.max()) == (1, 3)


def test_graders_who_do_not_differ_have_all_ranks() -> None:
    means = np.array([1.0, 3.0, np.nan, 2.0])
    found = RewardPerReview(means, np.array([2, 2, 0, 2]), 2.0, 0.0, 1.0)
    low, high = found.rank_interval(0.9, seed=1)
    assert low[[0, 1, 3]].tolist() == [1, 1, 1]
    assert high[[0, 1, 3]].tolist() == [3, 3, 3]


def test_earlier_reviews_are_added() -> None:
    found = RewardPerReview(np.array([1.0, np.nan]), np.array([2, 0]), 1.0, 1.0, 1.0)
    both = found.with_earlier(np.array([2, 4]), np.array([3.0, 5.0]))
    assert both.reviews.tolist() == [4, 4]
    assert both.own_mean == pytest.approx([2.0, 5.0])


def test_one_review_each_does_not_show_whether_graders_differ() -> None:
    reports = Reports.from_frame(
        {"submission": ["a", "a", "b"], "grader": ["x", "y", "z"], "grade": [5, 6, 7]}
    )
    found = reward_per_review(Rewards.from_parts(reports, np.array([-9.0, 0.0, -3.0])), refuse)
    assert found.between_variance == 0
    assert found.estimate.tolist() == [-4.0, -4.0, -4.0]


def test_a_class_that_cannot_be_paid_without_some_submissions_is_paid_alike() -> None:
    """One submission is all there is, so that no reward can be computed without it."""
    reports = Reports.from_frame(
        {"submission": ["a"] * 3, "grader": ["x", "y", "z"], "grade": [5, 6, 9]}
    )
    found = reward_per_review(
        score("guarded-mse-p", reports), lambda some: score("guarded-mse-p", some)
    )
    assert found.between_variance == 0
    assert np.isfinite(found.estimate).all()


def test_a_mechanism_that_pays_nobody_is_refused() -> None:
    reports = Reports.from_frame(
        {"submission": ["a", "a", "b", "b"], "grader": ["x", "y"] * 2, "grade": [7] * 4}
    )
    with pytest.raises(TableError, match="cannot pay anybody"):
        reward_per_review(score("corr", reports), lambda some: score("corr", some))


@pytest.mark.parametrize(
    ("between", "digits"), [(0.25, 3), (1.0, 3), (2500.0, 2), (1e-10, 8), (0.0, 3)]
)
def test_rewards_have_enough_decimals_to_tell_graders_apart(between: float, digits: int) -> None:
    found = RewardPerReview(np.zeros(2), np.ones(2, dtype=np.int64), 0.0, between, 1.0)
    assert found.fitting_digits == digits


def test_every_number_follows_from_rounded_numbers() -> None:
    exact = RewardPerReview(
        np.array([-1.23456, np.nan]), np.array([3, 0]), -0.98765, 0.5, 1.0
    ).rounded(3)
    assert exact.own_mean[0] == -1.235
    assert exact.class_mean == -0.988
    assert exact.weight.tolist() == [0.6, 0.0]
    # 0.6 times -1.235 plus 0.4 times -0.988 is -1.1362.
    assert exact.estimate[0] == -1.136
    later = exact.with_earlier(np.array([3, 2]), np.array([-2.00049, -1.0]))
    assert later.digits == 3
    # -2.00049 counts as -2.000: the mean with -1.235 is -1.6175.
    assert later.own_mean[0] == pytest.approx(-1.6175, abs=0.00051)


@pytest.mark.parametrize("mechanism", mechanisms.all(), ids=str)
def test_every_mechanism_has_rewards_per_review(mechanism: Mechanism) -> None:
    facts = mechanism.facts
    setting = Setting(students=20, assignments=2, design=facts.design.replace("any", "regular"))  # type: ignore[arg-type]
    semester = simulate(setting, seed=7)
    truth = semester.truth if facts.needs_truth else None

    def again(some: Reports) -> Rewards:
        return score(mechanism, some, truth=truth)

    found = reward_per_review(again(semester.reports), again)
    assert np.isfinite(found.estimate).all()
    assert min(found.within_variance, found.between_variance) >= 0
    assert ((found.weight >= 0) & (found.weight <= 1)).all()


def test_some_of_the_reports_keep_their_numbers() -> None:
    kept = np.array([True, False, True, True, False, False])
    some = subset(REPORTS, kept)
    assert len(some) == 3
    assert (some.graders, some.submissions) == (3, 3)
    assert some.grade.tolist() == [5, 7, 8]


def test_estimates_are_nearer_the_truth_than_averages() -> None:
    """Shrinking lowers the squared error of quality, as it should where reviews are few.

    Quality is the mean over 40 assignments; the estimate has 2. Over 100 graders the averages'
    squared error is several times as large, so the comparison is far from chance.
    """
    long = simulate(Setting(students=100, assignments=40), seed=11)
    quality = reward_per_review(score("mse", long.reports), refuse).own_mean
    found = reward_per_review(score("mse", long.reports.first(2)), refuse)
    squared = ((found.estimate - quality) ** 2).mean()
    assert squared < 0.9 * ((found.own_mean - quality) ** 2).mean()


def test_how_sure_an_order_is_depends_on_errors_and_difference() -> None:
    """Estimates 1.5 and 2.5 with errors of 1/5 each: z = 1 / √(2/25) = 3.54."""
    found = RewardPerReview(np.array([1.0, 3.0]), np.array([10, 10]), 2.0, 0.08, 0.8)
    np.testing.assert_allclose(found.standard_error, [0.2, 0.2])
    assert found.probability_better(1, 0) == pytest.approx(0.9998, abs=5e-5)


def test_graders_who_are_known_exactly_are_no_better_than_each_other() -> None:
    found = RewardPerReview(np.array([2.0, 2.0]), np.array([5, 5]), 2.0, 0.0, 1.0)
    assert found.probability_better(1, 0) == 0.5
