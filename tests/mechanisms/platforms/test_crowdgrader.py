"""CrowdGrader's review grades, worked by hand."""

from __future__ import annotations

import numpy as np
from hypothesis import given

import peergauge
from peergauge.tables import Reports
from tests.generators import class_of, parts_of
from tests.generators import reports as any_reports


def test_reviews_earn_the_share_of_points_left_after_their_distance_to_the_median() -> None:
    """s: median 7 of 4, 7, 8, so 0.7, 1, 0.9. t: median 6 of 5, 5, 7, 9, so 0.9, 0.9, 0.9, 0.7."""
    reports = class_of(
        {"s": {"ann": 4, "bob": 7, "cy": 8}, "t": {"ann": 5, "bob": 5, "cy": 7, "dee": 9}}
    )
    rewards = peergauge.score("crowdgrader", reports)
    np.testing.assert_allclose(rewards.amount, [[0.8, 0.95, 0.9, 0.7]])
    np.testing.assert_allclose(parts_of(rewards), [0.35, 0.5, 0.45, 0.45, 0.45, 0.45, 0.7])


def test_the_own_grade_is_part_of_the_median() -> None:
    """The median of 2, 6, 10 is 6; that of the other two is 8, 6 and 4, and cy would be 6 off."""
    rewards = peergauge.score("crowdgrader", class_of({"s": {"ann": 2, "bob": 6, "cy": 10}}))
    np.testing.assert_allclose(rewards.amount, [[0.6, 1.0, 0.6]])


def test_a_single_review_earns_the_maximum_and_two_earn_the_same() -> None:
    reports = class_of({"s": {"ann": 2}, "t": {"bob": 4, "cy": 9}})
    np.testing.assert_allclose(peergauge.score("crowdgrader", reports).amount, [[1, 0.75, 0.75]])


def test_points_are_counted_from_the_lowest_grade() -> None:
    """On 1..6 there are 5 points: the median of 1, 6, 6 is 6, and 1 earns nothing."""
    reports = class_of({"s": {"ann": 1, "bob": 6, "cy": 6}}, scale="1..6")
    np.testing.assert_allclose(peergauge.score("crowdgrader", reports).amount, [[0, 1, 1]])


@given(any_reports())
def test_everybody_earns_a_share(reports: Reports) -> None:
    part = parts_of(peergauge.score("crowdgrader", reports))
    assert ((part >= 0) & (part <= 1)).all()
