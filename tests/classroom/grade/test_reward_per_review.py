"""Mean reward per review: shrunk in proportion to the number of reviews."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from peergauge import score
from peergauge.classroom.grade.reward_per_review import (
    RewardPerReview,
    estimated_by,
    reward_of_reviews,
    reward_per_review,
    subset,
)
from peergauge.core.arrays import Floats
from peergauge.core.errors import TableError
from peergauge.core.randomness import stream
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


# --- boundaries, each worked by hand


@pytest.mark.parametrize(
    ("between", "within", "digits"),
    [
        (0.0, 0.0, 2),
        (1e-30, 1.0, 12),
        # 500 / 500 is 1, which needs no decimal; 500 / 4 needs three, and 500 / 50 one.
        (250_000.0, 1.0, 2),
        (16.0, 1.0, 3),
        # If graders do not differ, their reviews say which decimals matter.
        (0.0, 0.0025, 4),
    ],
)
def test_decimals_of_rewards_at_their_limits(between: float, within: float, digits: int) -> None:
    found = RewardPerReview(np.zeros(2), np.ones(2, dtype=np.int64), 0.0, between, within)
    assert found.fitting_digits == digits


def test_rewards_that_never_vary_have_no_weight_and_no_error() -> None:
    found = RewardPerReview(np.array([2.0, 2.0]), np.array([1, 2]), 2.0, 0.0, 0.0)
    assert found.weight.tolist() == [0.0, 0.0]
    assert found.estimate.tolist() == [2.0, 2.0]
    assert found.standard_error.tolist() == [0.0, 0.0]
    assert found.probability_above_mean().tolist() == [0.5, 0.5]


def test_probability_that_a_grader_is_better_than_the_class() -> None:
    """Estimates 1.5 and 2.5 around 2 with variance 1/2 each: z = ∓0.5 / √0.5 = ∓0.7071."""
    found = RewardPerReview(np.array([1.0, 3.0, 2.0]), np.array([10, 10, 10]), 2.0, 1.0, 10.0)
    assert found.probability_above_mean() == pytest.approx([0.2398, 0.7602, 0.5], abs=1e-4)


def test_earlier_reviews_of_graders_with_one_review_or_none() -> None:
    found = RewardPerReview(
        np.array([4.0, np.nan, np.nan, 2.0]), np.array([1, 0, 0, 3]), 1.0, 1.0, 0.5
    )
    both = found.with_earlier(np.array([0, 1, 0, 1]), np.array([np.nan, -2.0, np.nan, 6.0]))
    assert both.reviews.tolist() == [1, 1, 0, 4]
    np.testing.assert_allclose(both.own_mean, [4.0, -2.0, np.nan, 3.0])
    # The variance between reviews stays; the mean is (4 - 2 + 4 · 3) / 6, and the observed
    # variance by reviews ((5/3)² + (13/3)² + 4 (2/3)²) / 6, less 0.5 · 2 / 6 by chance.
    assert both.within_variance == 0.5
    assert both.class_mean == pytest.approx(14 / 6)
    observed = ((5 / 3) ** 2 + (13 / 3) ** 2 + 4 * (2 / 3) ** 2) / 6
    assert both.between_variance == pytest.approx(observed - 1 / 6)


def test_graders_who_differ_by_less_than_chance_do_not_differ() -> None:
    """Both have mean 0, and reviews that vary: the observed variance is 0, chance makes more."""
    reports = Reports.from_frame(
        {"submission": list("aabb"), "grader": list("xyxy"), "grade": [5, 6, 7, 8]}
    )
    part = np.array([-1.0, 2.0, 1.0, -2.0])
    found = reward_per_review(Rewards.from_parts(reports, part), refuse)
    assert found.within_variance == pytest.approx((1 + 1 + 4 + 4) / 2)
    assert found.between_variance == 0.0


def test_one_review_each_has_the_variance_of_all() -> None:
    reports = Reports.from_frame(
        {"submission": ["a", "a", "b"], "grader": ["x", "y", "z"], "grade": [5, 6, 7]}
    )
    found = reward_per_review(Rewards.from_parts(reports, np.array([-9.0, 0.0, -3.0])), refuse)
    assert found.class_mean == -4.0
    assert found.within_variance == pytest.approx(14.0)


STREAM = "peergauge.classroom.grade.reward_per_review.stream"


class Drawn:
    """A random generator that gives prepared numbers, and remembers how many it was asked for."""

    def __init__(self, normal: Callable[[tuple[int, int]], Floats]):
        self.normal = normal
        self.shapes: list[tuple[int, int]] = []

    def standard_normal(self, shape: tuple[int, int]) -> Floats:
        self.shapes.append(shape)
        return self.normal(shape)


def two_equal_graders() -> RewardPerReview:
    """Estimates 0 and 0, each with a standard error of √0.5."""
    return RewardPerReview(np.zeros(2), np.array([1, 1]), 0.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("second_better", "low", "high"),
    [
        (0.04, [1, 2], [1, 2]),
        (0.06, [1, 1], [2, 2]),
        (0.94, [1, 1], [2, 2]),
        (0.96, [2, 1], [2, 1]),
    ],
)
def test_an_interval_of_ranks_leaves_out_a_twentieth_at_either_end(
    second_better: float, low: list[int], high: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a share of the draws the second grader is better, in all others the first."""

    def normal(shape: tuple[int, int]) -> Floats:
        second = np.where(np.arange(shape[0]) < second_better * shape[0], 1.0, -1.0)
        return np.column_stack([np.zeros(shape[0]), second])

    monkeypatch.setattr(STREAM, lambda *_: Drawn(normal))
    found = two_equal_graders().rank_interval(0.9, seed=1)
    assert [one.tolist() for one in found] == [low, high]


@pytest.mark.parametrize(
    ("graders", "draws"), [(2, 2000), (2000, 2000), (2500, 1600), (80_000, 50), (90_000, 50)]
)
def test_large_classes_have_fewer_draws_of_ranks(
    graders: int, draws: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four million cells in all, at most 2000 draws and at least 50."""
    drawn = Drawn(lambda _: np.zeros((1, graders)))
    monkeypatch.setattr(STREAM, lambda *_: drawn)
    mean, reviews = np.zeros(graders), np.ones(graders, dtype=np.int64)
    RewardPerReview(mean, reviews, 0.0, 1.0, 1.0).rank_interval(0.9, seed=1)
    assert drawn.shapes == [(draws, graders)]


def test_intervals_of_ranks_are_kept_and_cannot_be_changed() -> None:
    found = two_equal_graders()
    low, high = found.rank_interval(0.9, seed=1)
    assert found.rank_interval(0.9, seed=1)[0] is low
    assert found.rank_interval(0.9, seed=2)[0] is not low
    assert found.rank_interval(0.5, seed=1)[0] is not low
    assert not low.flags.writeable
    assert not high.flags.writeable


def test_nobody_without_a_reward_has_a_rank() -> None:
    for between in (0.0, 1.0):
        found = RewardPerReview(
            np.array([np.nan, 1.0, 5.0]), np.array([0, 4, 4]), 3.0, between, 1e-9
        )
        low, high = found.rank_interval(0.9, seed=1)
        expected = ([np.nan, 2, 1], [np.nan, 2, 1]) if between else ([np.nan, 1, 1], [np.nan, 2, 2])
        np.testing.assert_array_equal([low, high], expected)
    nobody = RewardPerReview(np.array([np.nan]), np.array([0]), 0.0, 1.0, 1.0)
    assert np.isnan(nobody.rank_interval(0.9, seed=1)).all()


def paid_per_report(reports: Reports, mean: list[float]) -> Rewards:
    """Rewards of a mechanism that does not split them, with these means per report."""
    done = np.bincount(reports.grader, minlength=reports.graders)
    return Rewards(np.array([mean]) * done, reports)


def test_rewards_that_are_not_split_vary_as_leaving_out_submissions_shows() -> None:
    """A payment of one point for each report on submission ``a``, divided by all reports.

    Twenty groups of submissions are left out in turn. Ann's mean of 1/2 becomes 0 without ``a``,
    1 without ``b``, and stays with the other 18: a variance of (2 / 4) / 20 around its mean, times
    19, which is 0.475. Bob has the same. By two reports each that is a variance of 0.95 within
    graders; they do not differ.
    """
    reports = Reports.from_frame(
        {"submission": list("aabb"), "grader": list("xyxy"), "grade": [5, 6, 7, 8]}
    )
    groups = stream(0, "left out").integers(20, size=2)
    assert groups[0] != groups[1]
    kept = []

    def share_of_first(some: Reports) -> Rewards:
        kept.append(set(some.submission.tolist()))
        mine = [float(np.mean(some.submission[some.grader == k] == 0)) for k in range(some.graders)]
        return paid_per_report(some, mine)

    found = reward_per_review(share_of_first(reports), share_of_first)
    assert kept[1:] == [{s for s in (0, 1) if groups[s] != one} for one in range(20)]
    assert found.own_mean.tolist() == [0.5, 0.5]
    assert found.within_variance == pytest.approx(0.95)
    assert found.between_variance == 0.0


def test_a_jackknife_leaves_out_graders_who_are_not_always_paid() -> None:
    """Only the second grader is paid without each submission; the first has an infinite loss.

    An infinite loss counts as the largest finite one, and a grader without pay has no mean.
    """
    reports = Reports.from_frame(
        {"submission": list("aaabbb"), "grader": list("xyzxyz"), "grade": [5, 6, 7, 8, 9, 10]}
    )
    first = paid_per_report(reports, [-np.inf, -3.0, np.nan])

    def again(some: Reports) -> Rewards:
        return paid_per_report(some, [np.nan, float(len(some)) - 9.0, np.nan])

    found = reward_per_review(first, again)
    np.testing.assert_array_equal(found.own_mean, [-3.0, -3.0, np.nan])
    assert found.reviews.tolist() == [2, 2, 0]
    # Six reports in 18 groups, three in two: -3 and -6, so 9 · 0.1 · 0.9 · 19 · 2 reviews.
    assert found.within_variance == pytest.approx(9 * 0.09 * 19 * 2)


def test_a_jackknife_that_pays_nobody_twice_shows_no_difference() -> None:
    """The mean by reviews is (3 · 1 + 1 · 5) / 4, and the variance of the two means is 4."""
    reports = Reports.from_frame(
        {"submission": list("abcaa"), "grader": list("xxxyz"), "grade": [5, 6, 7, 8, 9]}
    )

    def never(some: Reports) -> Rewards:
        raise TableError("Nobody can be paid.")

    found = reward_per_review(paid_per_report(reports, [1.0, 5.0, np.nan]), never)
    assert (found.class_mean, found.between_variance) == (2.0, 0.0)
    assert found.within_variance == pytest.approx(4.0)


def test_a_class_is_paid_by_its_seed_and_by_its_true_scores() -> None:
    semester = simulate(Setting(students=12, assignments=2, graders=3), seed=7)
    reports, truth = semester.reports, semester.truth
    ea = mechanisms["ea"]
    one, other = (estimated_by(ea, reports, None, seed) for seed in (1, 2))
    again = reward_per_review(score(ea, reports, seed=1), refuse)
    np.testing.assert_array_equal(one.own_mean, again.own_mean)
    assert not np.array_equal(one.own_mean, other.own_mean)
    loo = estimated_by(mechanisms["loo"], reports, truth, 0)
    direct = reward_per_review(score("loo", reports, truth=truth), refuse)
    np.testing.assert_array_equal(loo.own_mean, direct.own_mean)


def test_a_reward_of_a_review_may_be_missing_or_lost_for_everybody() -> None:
    for value in (np.nan, -np.inf):
        rewards = Rewards.from_parts(REPORTS, np.full(6, value))
        each = reward_of_reviews(rewards)
        assert each is not None
        np.testing.assert_array_equal(each, np.full(6, value))
        with pytest.raises(TableError, match="cannot pay anybody"):
            reward_per_review(rewards, refuse)


def test_parts_of_a_class_keep_their_names() -> None:
    some = subset(REPORTS, np.arange(6) < 3)
    assert some.grader_names == REPORTS.grader_names
    assert some.submission_names == REPORTS.submission_names
    assert some.assignment_names == REPORTS.assignment_names
    assert some.assignment_of_submission.tolist() == [0, 0, 0]


def test_an_infinite_loss_counts_as_the_largest_of_several_losses() -> None:
    reports = Reports.from_frame(
        {"submission": list("aaabbb"), "grader": list("xyzxyz"), "grade": [5, 6, 7, 8, 9, 10]}
    )
    found = reward_per_review(
        paid_per_report(reports, [-np.inf, -3.0, -1.0]),
        lambda some: paid_per_report(some, [0.0] * 3),
    )
    assert found.own_mean.tolist() == [-3.0, -3.0, -1.0]
