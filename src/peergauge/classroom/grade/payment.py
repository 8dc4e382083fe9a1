"""Rewards of one run, in the decimals in which they are printed.

People compute their reward again from the numbers on their page. So that they get exactly the same,
every number is rounded as it is printed before the next one is computed from it: the reports and
what they are compared with, the reward of each review, the mean, its weight, and the result.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from peergauge.classroom.grade.forgiving import DEFAULT_MECHANISM
from peergauge.classroom.grade.reward_per_review import (
    RewardPerReview,
    estimated_from_reviews,
    mean_by_grader,
    reward_of_reviews,
    reward_per_review,
)
from peergauge.core.acceleration import compiled_twins
from peergauge.core.arrays import Floats
from peergauge.mechanisms import Mechanism, comparison, score
from peergauge.tables import Comparison, Reports, Rewards, Scale

if TYPE_CHECKING:
    from peergauge.exports.validate import OpenedClass

REFERENCE_DIGITS = 3
"""Decimals of reports and references on a scale of 0..10; on other scales in proportion."""

MIN_REFERENCE_DIGITS = 2

MAX_COMPARISON_ERROR = 1e-6
"""Largest relative difference between a reward and the formula that a mechanism declares for it."""


@dataclass(frozen=True, eq=False)
class Payment:
    """The rewards of one run.

    Parameters
    ----------
    rewards
        The rewards as the mechanism computed them.
    estimated
        Mean reward per review of each grader, rounded.
    each
        Reward of each review, rounded; NaN for a review that is not rewarded. None if the mechanism
        rewards all reviews of a grader together.
    comparison
        What each review was compared with, rounded; None if the mechanism does not pay by a
        distance.
    deduction
        What is subtracted from the mean reward of each grader, rounded; None if nothing is.
    """

    rewards: Rewards
    estimated: RewardPerReview
    each: Floats | None = None
    comparison: Comparison | None = None
    deduction: Floats | None = None

    @property
    def digits(self) -> int:
        """Decimals of all rewards."""
        return self.estimated.digits or self.estimated.fitting_digits

    @property
    def pays_squared_distances(self) -> bool:
        """Whether rewards are minus squared distances, which people read as distances."""
        return self.comparison is not None and self.comparison.is_squared_distance


MAX_PLAIN_PAID_REVIEWS = 10_000
"""Reviews up to which every mechanism pays in plain NumPy: the plain versions of some have loops,
which take longer than compiling in a larger class."""


def pay_graders(mechanism: Mechanism, opened: OpenedClass, seed: int) -> Payment:
    """Pay the graders of a class by a mechanism.

    The default mechanism needs no loops, so that its version is chosen by the caller.
    """
    loops = mechanism.facts.name != DEFAULT_MECHANISM
    if loops and len(opened.reports) > MAX_PLAIN_PAID_REVIEWS:
        with compiled_twins():
            return _pay_graders(mechanism, opened, seed)
    return _pay_graders(mechanism, opened, seed)


def _pay_graders(mechanism: Mechanism, opened: OpenedClass, seed: int) -> Payment:

    def pay(some: Reports) -> Rewards:
        return score(mechanism, some, seed=seed, truth=opened.truth, rubric=opened.rubric)

    return payment_of(
        pay(opened.reports), pay, comparison(mechanism, opened.reports, truth=opened.truth)
    )


def payment_of(
    rewards: Rewards, pay_again: Callable[[Reports], Rewards], compared: Comparison | None
) -> Payment:
    """Round rewards and estimate the mean reward per review of each grader.

    A comparison from which the rewards do not follow is left out.

    Parameters
    ----------
    rewards, pay_again
        As for :func:`peergauge.classroom.grade.reward_per_review.reward_per_review`.
    compared
        What the mechanism compared each report with, if it says so.
    """
    reports, value = rewards.reports, reward_of_reviews(rewards)
    if value is not None:
        if compared is None or compared.deduction_words or not _agree(compared.reward, value):
            compared = None
        else:
            compared = compared.rounded(reference_digits(reports.scale))
            value = compared.reward
        estimated = estimated_from_reviews(value, reports)
        digits = estimated.fitting_digits
        each = np.round(value, digits)
        own_mean, _ = mean_by_grader(each, reports)
        estimated = replace(estimated, own_mean=own_mean).rounded(digits)
        return Payment(rewards, estimated, each, compared)
    estimated = reward_per_review(rewards, pay_again)
    digits = estimated.fitting_digits
    if compared is None or not compared.deduction_words:
        return Payment(rewards, estimated.rounded(digits))
    exact, _ = mean_by_grader(compared.reward, reports)
    compared = compared.rounded(reference_digits(reports.scale))
    each = np.round(compared.reward, digits)
    mean = np.round(mean_by_grader(each, reports)[0], digits)
    deduction = np.round(exact - estimated.own_mean, digits)
    estimated = replace(estimated, own_mean=mean - deduction).rounded(digits)
    return Payment(rewards, estimated, each, compared, deduction)


def reference_digits(scale: Scale) -> int:
    """Decimals of reports and references: three on 0..10, two on 0..100, four on 0..1.

    >>> [reference_digits(Scale.parse(one)) for one in ("0..10", "0..25", "0..100", "0..1")]
    [3, 3, 2, 4]
    """
    return max(MIN_REFERENCE_DIGITS, REFERENCE_DIGITS - round(math.log10(scale.unit)))


def _agree(one: Floats, other: Floats) -> bool:
    return bool(
        np.allclose(
            one, other, rtol=MAX_COMPARISON_ERROR, atol=MAX_COMPARISON_ERROR, equal_nan=True
        )
    )
