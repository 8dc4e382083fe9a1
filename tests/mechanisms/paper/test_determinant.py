"""Hand-worked payments by determinants."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import peergauge
from peergauge.core.errors import DesignError
from peergauge.mechanisms import mechanisms
from tests.generators import class_of, unshuffled

LOW, HIGH = 3.0, 8.0


def grades(**by_grader: str) -> dict[str, dict[str, float]]:
    """Submissions in order, from one string of highs and lows for each grader."""
    tasks = len(next(iter(by_grader.values())))
    return {
        f"s{t}": {name: HIGH if said[t] == "+" else LOW for name, said in by_grader.items()}
        for t in range(tasks)
    }


@pytest.mark.parametrize(
    ("bob", "product"),
    [
        ("+-+-", 1),  # the same in both halves: 1 · 1
        ("-+-+", 1),  # inverted in both: −1 · −1
        ("+--+", -1),  # inverted in one: 1 · −1
        ("++++", 0),  # constant: no information
    ],
)
def test_two_graders_of_four_submissions(bob: str, product: int) -> None:
    dmi = mechanisms.make("dmi")
    rewards = dmi.score(class_of(grades(ann="+-+-", bob=bob)), unshuffled())
    np.testing.assert_array_equal(rewards.amount, [[product, product]])


def test_six_submissions_make_halves_of_three() -> None:
    # First half: pairs (+,+), (+,−), (−,−): 1·1 − 0·1 = 1. Second: (+,+), (−,−), (−,−): 1·2 = 2.
    rewards = mechanisms.make("dmi").score(
        class_of(grades(ann="++-+--", bob="+--+--")), unshuffled()
    )
    np.testing.assert_array_equal(rewards.amount, [[2, 2]])


def test_graders_earn_the_sum_over_all_others_of_their_group() -> None:
    reports = class_of(grades(ann="+-+-", bob="+-+-", cy="+--+"))
    # ann–bob 1, ann–cy −1, bob–cy −1.
    rewards = mechanisms.make("dmi").score(reports, unshuffled())
    np.testing.assert_array_equal(rewards.amount, [[0, 0, -2]])


def test_halves_are_shuffled() -> None:
    reports = class_of(grades(ann="++--", bob="++--"))
    paid = [peergauge.score("dmi", reports, seed=seed).total[0] for seed in range(900)]
    # Two of three ways to halve put a high and a low into each half, and then the product is 1.
    # The standard error of the share is √(2/9/900) = 0.016; four of them are allowed.
    assert set(paid) == {0.0, 1.0}
    assert np.mean(paid) == pytest.approx(2 / 3, abs=0.063)


def test_only_graders_of_the_same_submissions_are_paid() -> None:
    alone = grades(cy="+-+-")
    reports = class_of(grades(ann="+-+-", bob="+-+-"), {f"x{name}": g for name, g in alone.items()})
    rewards = mechanisms.make("dmi").score(reports, unshuffled())
    np.testing.assert_array_equal(rewards.amount[0], [1, 1, np.nan])
    assert np.isnan(rewards.amount[1]).all()


def test_a_grader_of_other_submissions_too_is_paid_for_the_common_ones() -> None:
    reports = class_of({**grades(ann="+-+-", bob="+-+-"), "z": {"ann": 5, "cy": 5}})
    rewards = mechanisms.make("dmi").score(reports, unshuffled())
    np.testing.assert_array_equal(rewards.amount, [[1, 1, np.nan]])


def test_the_threshold_splits_reports() -> None:
    reports = class_of(grades(ann="+-+-", bob="+-+-"))
    assert peergauge.score("dmi:threshold=2", reports).total.tolist() == [0, 0]


def test_a_class_without_clusters_is_refused_with_the_reason() -> None:
    with pytest.raises(DesignError, match="same four or more submissions"):
        peergauge.score("dmi", class_of(grades(ann="+-+", bob="+-+")))


@pytest.mark.parametrize("empty", [0, 1])
def test_an_assignment_without_reports_pays_nobody(empty: int) -> None:
    """The reports of the other assignment are not paid twice."""
    alone = class_of(grades(ann="+-+-", bob="+-+-"))
    here = np.full(len(alone), 1 - empty, dtype=np.int32)
    moved = replace(alone, assignment=here, assignments=2, submission_assignment=None)
    amount = mechanisms.make("dmi").score(moved, unshuffled()).amount
    assert np.isnan(amount[empty]).all()
    np.testing.assert_array_equal(amount[1 - empty], [1, 1])
