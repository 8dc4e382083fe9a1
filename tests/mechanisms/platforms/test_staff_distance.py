"""The distance to the staff's grades, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

import peergauge
from peergauge.core.errors import NeedsTruthError
from peergauge.mechanisms.platforms.staff_distance import StaffDistance
from peergauge.tables import Truth
from tests.generators import class_of, parts_of

REPORTS = class_of(
    {"s": {"ann": 4, "bob": 7}, "t": {"ann": 9, "cy": 6}, "u": {"dee": 3}},
)


def staff(**score: float) -> Truth:
    return Truth.from_frame({"submission": list(score), "score": list(score.values())})


def test_graders_earn_the_points_less_their_mean_distance_to_the_staff() -> None:
    """Ann is 2 and 1 off, 1.5 on average; Bob 1; Cy 2; Dee 3."""
    rewards = peergauge.score("staff-distance", REPORTS, truth=staff(s=6, t=8, u=6))
    np.testing.assert_allclose(rewards.amount, [[8.5, 9, 8, 7]])
    np.testing.assert_allclose(parts_of(rewards), [4, 9, 4.5, 8, 7])


def test_who_graded_nothing_that_the_staff_did_is_not_paid_rather_than_paid_0() -> None:
    rewards = peergauge.score("staff-distance", REPORTS, truth=staff(s=6))
    np.testing.assert_allclose(rewards.amount, [[8, 9, np.nan, np.nan]])
    rewards = peergauge.score("staff-distance", REPORTS, truth=staff(s=6, t=float("nan")))
    np.testing.assert_allclose(rewards.amount, [[8, 9, np.nan, np.nan]])


def test_points_are_counted_from_the_lowest_grade() -> None:
    reports = class_of({"s": {"ann": 1, "bob": 5}}, scale="1..6")
    rewards = peergauge.score("staff-distance", reports, truth=staff(s=6))
    np.testing.assert_allclose(rewards.amount, [[0, 4]])


def test_nobody_can_be_paid_without_a_single_staff_grade() -> None:
    with pytest.raises(NeedsTruthError, match="None of the submissions"):
        peergauge.score("staff-distance", REPORTS, truth=staff(s=float("nan")))


def test_it_cannot_do_without_true_scores() -> None:
    with pytest.raises(NeedsTruthError, match="paid by the true scores"):
        peergauge.score("staff-distance", REPORTS)
    with pytest.raises(NeedsTruthError):
        StaffDistance().score(REPORTS, peergauge.stream(0))


def test_spot_checks_pay_whom_they_do_not_concern_what_others_earn_on_average() -> None:
    """Ann is 2 off and Bob 1 on the only submission that was checked: they earn 8 and 9."""
    rewards = peergauge.score("staff-distance", REPORTS, checks=staff(s=6))
    np.testing.assert_allclose(rewards.amount, [[8, 9, 8.5, 8.5]])


def test_an_assignment_without_checks_pays_nobody() -> None:
    reports = class_of({"s": {"ann": 4}}, {"t": {"ann": 5, "bob": 6}})
    checks = Truth.from_frame({"assignment": [0], "submission": ["s"], "score": [6]})
    rewards = peergauge.score("staff-distance", reports, checks=checks)
    np.testing.assert_allclose(rewards.amount, [[8, np.nan], [np.nan, np.nan]])


def test_spot_checks_come_before_the_truth() -> None:
    rewards = peergauge.score(
        "staff-distance", REPORTS, truth=staff(s=10, t=10, u=10), checks=staff(s=6)
    )
    assert rewards == peergauge.score("staff-distance", REPORTS, checks=staff(s=6))
