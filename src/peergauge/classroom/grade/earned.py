"""What graders earned for a review, and how sure it is that one is better than another.

A mechanism pays reviews. A grader's quality is what their reviews would earn on average if there
were many; with few of them, their own average is trusted in proportion to how many there are, and
the class's average for the rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.errors import TableError
from peergauge.core.randomness import stream
from peergauge.mechanisms import Mechanism, score
from peergauge.tables import Reports, Rewards, Truth

GROUPS = 20
"""Parts of the class that are left out in turn to see how much pay depends on them."""

RANK_DRAWS = 2000


@dataclass(frozen=True, eq=False)
class Earned:
    r"""What each grader earned for a review.

    .. math:: \hat q_k = w_k \bar q_k + (1 - w_k) \bar q, \quad
        w_k = \frac{\sigma^2}{\sigma^2 + \varsigma^2 / n_k}

    Parameters
    ----------
    own
        The average over a grader's own reviews; NaN for one without any that could be paid.
    reviews
        How many of those there are.
    average
        The class's average.
    between, within
        Variance between graders, and between the reviews of one.
    """

    own: Floats
    reviews: NDArray[np.int64]
    average: float
    between: float
    within: float

    def after(self, reviews: NDArray[np.int64], own: Floats) -> Earned:
        """The same with what graders earned before: so many reviews, with this average."""
        both = self.reviews + reviews
        total = np.where(self.reviews > 0, self.reviews * self.own, 0.0)
        total += np.where(reviews > 0, reviews * own, 0.0)
        average = np.where(both > 0, total / np.maximum(both, 1), np.nan)
        return _shrunk(average, both, self.within)

    @cached_property
    def weight(self) -> Floats:
        """How much a grader's own average counts."""
        noise = self.within / np.maximum(self.reviews, 1)
        if self.between <= 0:
            return np.zeros(len(self.own))
        return np.asarray(np.where(self.reviews > 0, self.between / (self.between + noise), 0.0))

    @cached_property
    def estimate(self) -> Floats:
        """What a grader's reviews are worth; NaN for a grader without any."""
        return np.asarray(self.weight * self.own + (1 - self.weight) * self.average)

    @cached_property
    def deviation(self) -> Floats:
        """How far off the estimate may well be."""
        return np.asarray(np.sqrt(self.between * (1 - self.weight)))

    def better(self, one: int, other: int) -> float:
        """How likely it is that one grader is better than another."""
        from scipy.special import ndtr

        off = self.estimate[one] - self.estimate[other]
        spread = np.hypot(self.deviation[one], self.deviation[other])
        return float(ndtr(off / spread)) if spread > 0 else 0.5

    def above_average(self) -> Floats:
        """How likely each grader is better than the class's average."""
        from scipy.special import ndtr

        spread = np.where(self.deviation > 0, self.deviation, np.inf)
        return np.asarray(ndtr((self.estimate - self.average) / spread))

    def ranks(self, level: float, seed: int) -> tuple[Floats, Floats]:
        """Between what ranks each grader lies with a probability of *level*; 1 is the best."""
        known = np.flatnonzero(~np.isnan(self.estimate))
        rng = stream(seed, "ranks")
        low, high = np.full((2, len(self.own)), np.nan)
        if len(known):
            drawn = self.estimate[known] + self.deviation[known] * rng.standard_normal(
                (max(50, min(RANK_DRAWS, 4_000_000 // len(known))), len(known))
            )
            rank = (-drawn).argsort(axis=1).argsort(axis=1) + 1
            low[known], high[known] = np.quantile(
                rank, [(1 - level) / 2, (1 + level) / 2], axis=0, method="nearest"
            )
        return low, high


def earned_for(rewards: Rewards, again: Callable[[Reports], Rewards]) -> Earned:
    """What graders earned for a review.

    Parameters
    ----------
    rewards
        What a mechanism pays.
    again
        The same mechanism for other reports, for mechanisms that do not say what each report adds.
    """
    value = value_of_reviews(rewards)
    if value is None:
        return _by_leaving_out(rewards, again)
    if not np.isfinite(value).any():
        raise TableError("Nobody could be paid; choose another mechanism.")
    own, reviews = averages(value, rewards.reports)
    paid = ~np.isnan(value)
    grader = rewards.reports.grader[paid]
    free = int(paid.sum()) - int((reviews > 0).sum())
    squares = float(((value[paid] - own[grader]) ** 2).sum())
    within = squares / free if free > 0 else float(np.var(value[paid]))
    return _shrunk(own, reviews, within)


def value_of_reviews(rewards: Rewards) -> Floats | None:
    """What each review earned, where a mechanism says it; NaN for one that could not be paid."""
    each = rewards.each
    if each is None or not np.isfinite(each).any():
        return each
    # An infinite loss counts as the largest of those that are not.
    finite = each[np.isfinite(each)]
    return np.asarray(np.clip(each, finite.min(), finite.max()))


def averages(value: Floats, reports: Reports) -> tuple[Floats, NDArray[np.int64]]:
    """The average over each grader's reviews that were paid, and how many there are."""
    paid = ~np.isnan(value)
    grader = reports.grader[paid]
    reviews = np.bincount(grader, minlength=reports.graders)
    total = np.bincount(grader, value[paid], reports.graders)
    return np.where(reviews > 0, total / np.maximum(reviews, 1), np.nan), reviews


def _shrunk(own: Floats, reviews: NDArray[np.int64], within: float) -> Earned:
    """Tell the variance between graders from what chance makes of equal ones."""
    known = reviews > 0
    average = float(np.average(own[known], weights=reviews[known]))
    spread = float(np.average((own[known] - average) ** 2, weights=reviews[known]))
    by_chance = within * float(known.sum() - 1) / float(reviews[known].sum())
    return Earned(own, reviews, average, max(spread - by_chance, 0.0), within)


def _by_leaving_out(rewards: Rewards, again: Callable[[Reports], Rewards]) -> Earned:
    """The same by paying again with a twentieth of the submissions left out, in turn."""
    reports = rewards.reports
    reviews = rewards.paid_reports
    own = np.where(reviews > 0, rewards.total, np.nan)
    own = np.where(np.isinf(own), np.nanmin(np.where(np.isinf(own), np.nan, own)), own)
    group = stream(0, "left out").integers(GROUPS, size=reports.submissions)
    without = np.full((GROUPS, reports.graders), np.nan)
    for left in range(GROUPS):
        kept = group[reports.submission] != left
        without[left] = again(subset(reports, kept)).total
    steady = np.isfinite(without).all(axis=0) & np.isfinite(own)
    square = (GROUPS - 1) * np.var(without[:, steady], axis=0)
    within = float(np.mean(square * reviews[steady])) if steady.any() else float(np.nanvar(own))
    return _shrunk(own, reviews, within)


def subset(reports: Reports, kept: NDArray[np.bool_]) -> Reports:
    """Some of the reports, with everybody and everything numbered as before."""
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
    )


def pay(mechanism: Mechanism, reports: Reports, truth: Truth | None, seed: int) -> Earned:
    """Pay by a mechanism, and say what graders earned for a review."""

    def again(some: Reports) -> Rewards:
        return score(mechanism, some, seed=seed, truth=truth)

    return earned_for(again(reports), again)
