"""Hand-worked payments for agreement."""

from __future__ import annotations

import numpy as np
import pytest

import peergauge
from tests.generators import class_of, parts_of


def test_each_report_earns_the_share_of_co_graders_who_said_the_same() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 8}, "t": {"ann": 5, "bob": 5, "cy": 8}})
    rewards = peergauge.score("oa", reports)
    np.testing.assert_allclose(parts_of(rewards), [0, 0, 1 / 2, 1 / 2, 0])
    np.testing.assert_allclose(rewards.amount, [[0.5, 0.5, 0.0]])


def test_the_prize_multiplies_everything() -> None:
    reports = class_of({"t": {"ann": 5, "bob": 5, "cy": 8, "dee": 5}})
    rewards = peergauge.score("oa:prize=11", reports)
    np.testing.assert_allclose(rewards.amount, [[22 / 3, 22 / 3, 0.0, 22 / 3]])


def test_a_report_without_a_co_grader_is_not_paid() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 6}, "u": {"ann": 4}, "v": {"cy": 4}})
    rewards = peergauge.score("oa", reports)
    np.testing.assert_allclose(rewards.amount, [[1.0, 1.0, np.nan]])


def test_a_submission_with_very_many_graders_is_paid_by_the_same_rule() -> None:
    grades = {f"g{k:03}": float(k % 4) for k in range(100)}
    rewards = peergauge.score("oa", class_of({"s": grades}))
    # Each of four grades is given by 25 of 100, so 24 of the 99 others agree.
    np.testing.assert_allclose(rewards.amount, 24 / 99)


def test_grades_need_no_steps_to_agree() -> None:
    reports = class_of({"s": {"ann": 0.25, "bob": 0.25, "cy": 0.3}}, scale="0..1:any")
    np.testing.assert_allclose(peergauge.score("oa", reports).amount, [[0.5, 0.5, 0.0]])


@pytest.mark.parametrize("graders", [2, 3, 4, 5, 6, 31, 32, 33, 34])
def test_every_number_of_graders_is_paid_by_the_same_rule(graders: int) -> None:
    """All but one grader say 7. Kernels have rules of their own for some numbers of graders."""
    names = [f"g{k:02}" for k in range(graders)]
    grades = dict.fromkeys(names, 7.0) | {names[1]: 4.0}
    expected = np.full(graders, (graders - 2) / (graders - 1))
    expected[1] = 0.0
    np.testing.assert_allclose(peergauge.score("oa", class_of({"s": grades})).amount, [expected])


def test_five_graders_in_groups_of_three_and_two() -> None:
    grades = {"ann": 5, "bob": 8, "cy": 5, "dee": 8, "eve": 5}
    rewards = peergauge.score("oa", class_of({"r": {"ann": 1, "bob": 2}, "s": grades}))
    np.testing.assert_allclose(parts_of(rewards), [0, 0, 2 / 4, 1 / 4, 2 / 4, 1 / 4, 2 / 4])
