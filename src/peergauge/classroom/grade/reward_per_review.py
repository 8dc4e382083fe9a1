"""Mean reward per review of each grader, shrunk towards the mean of the class.

A mechanism rewards reviews. The quality of a grader is the reward that their reviews would get on
average if there were many of them. With few reviews, the grader's own mean is combined with the
mean of the class (an empirical Bayes estimate).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.errors import PeergaugeError, TableError
from peergauge.core.randomness import stream
from peergauge.mechanisms import Mechanism, score
from peergauge.tables import Reports, Rewards, Truth

JACKKNIFE_GROUPS = 20
"""Groups of submissions that are left out in turn to estimate the variance of rewards."""

MAX_RANK_DRAWS = 2000
MIN_RANK_DRAWS = 50
MAX_RANK_CELLS = 4_000_000
"""Draws times graders that are ranked at once."""

NOBODY_PAID = "The mechanism cannot pay anybody in this class; choose another one."

WEIGHT_DIGITS = 3
"""Decimals of shrinkage weights: they are printed in percent with one decimal."""

MIN_REWARD_STEPS = 500
"""Units of the last decimal in one standard deviation of graders, when rewards are rounded.

Rounding then changes points of 5..10 by less than 0.005, and ranks hardly ever.
"""

MIN_REWARD_DIGITS = 2
MAX_REWARD_DIGITS = 12
"""Fewest and most decimals of rewards; some mechanisms pay very small amounts."""


@dataclass(frozen=True, eq=False)
class RewardPerReview:
    r"""Estimated mean reward per review of each grader.

    .. math:: \hat q_k = w_k \bar q_k + (1 - w_k) \bar q, \quad
        w_k = \frac{\sigma^2}{\sigma^2 + \varsigma^2 / n_k}

    Parameters
    ----------
    own_mean
        Mean reward of a grader's own reviews; NaN for a grader without rewarded reviews.
    reviews
        Number of rewarded reviews of each grader.
    class_mean
        Mean reward over all reviews of the class.
    between_variance, within_variance
        Variance between graders (σ²), and between the reviews of a grader (ς²).
    digits
        Decimals to which means and estimates are rounded, so that anybody who computes an estimate
        from the printed numbers gets the printed result. None if nothing is rounded.
    """

    own_mean: Floats
    reviews: NDArray[np.int64]
    class_mean: float
    between_variance: float
    within_variance: float
    digits: int | None = None

    @property
    def fitting_digits(self) -> int:
        """Decimals with which rewards of this size can be told apart."""
        deviation = math.sqrt(self.between_variance) or math.sqrt(self.within_variance)
        if not deviation > 0:
            return MIN_REWARD_DIGITS
        needed = math.ceil(math.log10(MIN_REWARD_STEPS / deviation))
        return min(max(needed, MIN_REWARD_DIGITS), MAX_REWARD_DIGITS)

    def rounded(self, digits: int) -> RewardPerReview:
        """The same with means, weights and estimates rounded; variances are kept."""
        return replace(
            self,
            own_mean=np.round(self.own_mean, digits),
            class_mean=round(self.class_mean, digits),
            digits=digits,
        )

    def with_earlier(self, reviews: NDArray[np.int64], own_mean: Floats) -> RewardPerReview:
        """Add earlier reviews of each grader, given their number and their mean reward."""
        both = self.reviews + reviews
        if self.digits is not None:
            own_mean = np.round(own_mean, self.digits)
        total = np.where(self.reviews > 0, self.reviews * self.own_mean, 0.0)
        total += np.where(reviews > 0, reviews * own_mean, 0.0)
        mean = np.where(both > 0, total / np.maximum(both, 1), np.nan)
        shrunk = _shrunk(mean, both, self.within_variance)
        return shrunk if self.digits is None else shrunk.rounded(self.digits)

    @cached_property
    def weight(self) -> Floats:
        """Shrinkage weight of each grader's own mean."""
        noise = self.within_variance / np.maximum(self.reviews, 1)
        between = self.between_variance
        if between <= 0:
            return np.zeros(len(self.own_mean))
        weight = np.where(self.reviews > 0, between / (between + noise), 0.0)
        return np.asarray(weight if self.digits is None else np.round(weight, WEIGHT_DIGITS))

    @cached_property
    def estimate(self) -> Floats:
        """Shrunk mean reward of each grader; NaN for a grader without rewarded reviews."""
        estimate = self.weight * self.own_mean + (1 - self.weight) * self.class_mean
        return np.asarray(estimate if self.digits is None else np.round(estimate, self.digits))

    @cached_property
    def standard_error(self) -> Floats:
        """Standard error of each estimate."""
        return np.asarray(np.sqrt(self.between_variance * (1 - self.weight)))

    def probability_better(self, one: int, other: int) -> float:
        """Probability that one grader is better than another."""
        from scipy.special import ndtr

        difference = self.estimate[one] - self.estimate[other]
        error = np.hypot(self.standard_error[one], self.standard_error[other])
        return float(ndtr(difference / error)) if error > 0 else 0.5

    def probability_above_mean(self) -> Floats:
        """Probability that each grader is better than the mean of the class."""
        from scipy.special import ndtr

        error = np.where(self.standard_error > 0, self.standard_error, np.inf)
        return np.asarray(ndtr((self.estimate - self.class_mean) / error))

    def rank_interval(self, level: float, seed: int) -> tuple[Floats, Floats]:
        """Interval that contains each grader's rank with probability *level*; 1 is the best.

        The arrays are read-only, because they are kept for further calls.
        """
        if (level, seed) not in self._rank_intervals:
            low, high = self._drawn_rank_interval(level, seed)
            low.flags.writeable = high.flags.writeable = False
            self._rank_intervals[level, seed] = low, high
        return self._rank_intervals[level, seed]

    @cached_property
    def _rank_intervals(self) -> dict[tuple[float, int], tuple[Floats, Floats]]:
        """Intervals of ranks that were computed so far, by level and seed."""
        return {}

    def _drawn_rank_interval(self, level: float, seed: int) -> tuple[Floats, Floats]:
        known = np.flatnonzero(~np.isnan(self.estimate))
        rng = stream(seed, "ranks")
        low, high = np.full((2, len(self.own_mean)), np.nan)
        if self.between_variance <= 0:
            # Nobody is known to be better than anybody else.
            low[known], high[known] = 1, len(known)
        elif len(known):
            draws = max(MIN_RANK_DRAWS, min(MAX_RANK_DRAWS, MAX_RANK_CELLS // len(known)))
            normal = rng.standard_normal((draws, len(known)))
            drawn = self.estimate[known] + self.standard_error[known] * normal
            rank = (-drawn).argsort(axis=1).argsort(axis=1) + 1
            low[known], high[known] = np.quantile(
                rank, [(1 - level) / 2, (1 + level) / 2], axis=0, method="nearest"
            )
        return low, high


def reward_per_review(rewards: Rewards, pay_again: Callable[[Reports], Rewards]) -> RewardPerReview:
    """Estimate the mean reward per review of each grader.

    Parameters
    ----------
    rewards
        Rewards of the class.
    pay_again
        Pays other reports by the same mechanism. It is called if the mechanism does not split
        rewards into reviews, see :func:`_jackknife`.
    """
    value = reward_of_reviews(rewards)
    if value is None:
        return _jackknife(rewards, pay_again)
    return estimated_from_reviews(value, rewards.reports)


def estimated_from_reviews(value: Floats, reports: Reports) -> RewardPerReview:
    """Estimate the mean reward per review from the reward of each review, NaN if it is not paid.

    If nobody has two rewarded reviews, it cannot be known whether graders differ, and the variance
    between them is 0.
    """
    if not np.isfinite(value).any():
        raise TableError(NOBODY_PAID)
    own_mean, reviews = mean_by_grader(value, reports)
    paid = ~np.isnan(value)
    degrees_of_freedom = int(paid.sum()) - int((reviews > 0).sum())
    if degrees_of_freedom == 0:
        mean, variance = float(np.mean(value[paid])), float(np.var(value[paid]))
        return RewardPerReview(own_mean, reviews, mean, 0.0, variance)
    squares = float(((value[paid] - own_mean[reports.grader[paid]]) ** 2).sum())
    return _shrunk(own_mean, reviews, squares / degrees_of_freedom)


def reward_of_reviews(rewards: Rewards) -> Floats | None:
    """Reward of each review, NaN if it is not paid; None if the mechanism does not split rewards.

    Infinite losses are replaced by the largest finite loss.
    """
    each = rewards.each
    if each is None or not np.isfinite(each).any():
        return each
    finite = each[np.isfinite(each)]
    return np.asarray(np.clip(each, finite.min(), finite.max()))


def mean_by_grader(value: Floats, reports: Reports) -> tuple[Floats, NDArray[np.int64]]:
    """Mean over the paid reviews of each grader, and the number of paid reviews."""
    paid = ~np.isnan(value)
    grader = reports.grader[paid]
    reviews = np.bincount(grader, minlength=reports.graders)
    total = np.bincount(grader, value[paid], reports.graders)
    return np.where(reviews > 0, total / np.maximum(reviews, 1), np.nan), reviews


def _shrunk(own_mean: Floats, reviews: NDArray[np.int64], within: float) -> RewardPerReview:
    """Estimate the variance between graders: the observed variance minus sampling variance."""
    known = reviews > 0
    mean = float(np.average(own_mean[known], weights=reviews[known]))
    observed = float(np.average((own_mean[known] - mean) ** 2, weights=reviews[known]))
    sampling = within * float(known.sum() - 1) / float(reviews[known].sum())
    return RewardPerReview(own_mean, reviews, mean, max(observed - sampling, 0.0), within)


def _jackknife(rewards: Rewards, pay_again: Callable[[Reports], Rewards]) -> RewardPerReview:
    """Estimate the variance of mean rewards by leaving out groups of submissions in turn.

    If the mechanism cannot pay without some of the submissions, it cannot be known whether graders
    differ, and the variance between them is 0.
    """
    reports = rewards.reports
    mean = rewards.per_report
    if not np.isfinite(mean).any():
        raise TableError(NOBODY_PAID)
    reviews = np.where(np.isnan(mean), 0, rewards.paid_reports)
    mean = np.where(reviews > 0, mean, np.nan)
    mean = np.where(np.isinf(mean), np.nanmin(np.where(np.isinf(mean), np.nan, mean)), mean)
    group = stream(0, "left out").integers(JACKKNIFE_GROUPS, size=reports.submissions)
    without = np.full((JACKKNIFE_GROUPS, reports.graders), np.nan)
    for left_out in range(JACKKNIFE_GROUPS):
        kept = group[reports.submission] != left_out
        with suppress(PeergaugeError):
            without[left_out] = pay_again(subset(reports, kept)).per_report
    finite = np.isfinite(without).all(axis=0) & np.isfinite(mean)
    if not finite.any():
        average = float(np.average(mean[reviews > 0], weights=reviews[reviews > 0]))
        return RewardPerReview(mean, reviews, average, 0.0, float(np.nanvar(mean)))
    variance = (JACKKNIFE_GROUPS - 1) * np.var(without[:, finite], axis=0)
    return _shrunk(mean, reviews, float(np.mean(variance * reviews[finite])))


def subset(reports: Reports, kept: NDArray[np.bool_]) -> Reports:
    """Some of the reports; assignments, submissions and graders keep their numbers."""
    return Reports(
        assignment=reports.assignment[kept],
        submission=reports.submission[kept],
        grader=reports.grader[kept],
        grade=reports.grade[kept],
        scale=reports.scale,
        assignments=reports.assignments,
        submissions=reports.submissions,
        graders=reports.graders,
        assignment_names=reports.assignment_names,
        submission_names=reports.submission_names,
        grader_names=reports.grader_names,
        submission_assignment=reports.assignment_of_submission,
    )


def estimated_by(
    mechanism: Mechanism, reports: Reports, truth: Truth | None, seed: int
) -> RewardPerReview:
    """Pay a class by a mechanism, and estimate the mean reward per review of each grader."""

    def pay_again(some: Reports) -> Rewards:
        return score(mechanism, some, seed=seed, truth=truth)

    return reward_per_review(pay_again(reports), pay_again)
