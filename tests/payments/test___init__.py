"""The second stage as users call it: from rewards or scores to pay."""

from __future__ import annotations

import numpy as np
import pytest

import peergauge
from peergauge.core.errors import ParameterError, TableError, UnknownNameError
from peergauge.payments import pay
from peergauge.tables import Rewards
from peergauge.testing.classes import class_of


def test_rewards_are_paid_by_name_of_the_grader() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 8, "cy": 9}, "t": {"bob": 5, "cy": 5}})
    paid = peergauge.pay("tournament:prizes=10", peergauge.score("oa", reports))
    # Ann has no peer with her grade; Bob and Cy agree once, tie, and share the prize.
    assert paid.to_polars()["grader"].to_list() == ["ann", "bob", "cy"]
    assert paid.amount.tolist() == [0.0, 5.0, 5.0]
    assert paid.total == 10


def test_pay_per_report_is_fair_to_those_who_grade_more() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 8}, "t": {"ann": 5, "bob": 7}, "u": {"ann": 5}})
    rewards = Rewards.from_parts(reports, np.where(reports.grader == 0, 1.0, 1.25))
    assert pay("linear", rewards).amount.tolist() == [3.0, 2.5]
    assert pay("linear", rewards, per="report").amount.tolist() == [1.0, 1.25]


def test_the_draw_depends_on_the_seed_alone() -> None:
    score = np.arange(50.0)
    spec = "lottery:prizes=5,prize=2"
    first, again, other = (pay(spec, score, seed=seed).amount for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_what_cannot_be_paid_is_refused() -> None:
    with pytest.raises(TableError, match="No grader has a score"):
        pay("budget", [np.nan, np.nan])
    with pytest.raises(TableError, match="one score for each grader, but an array with 2"):
        pay("budget", [[1.0, 2.0]])
    with pytest.raises(ParameterError, match="not per 'week'"):
        pay("budget", [1.0], per="week")  # type: ignore[arg-type]
    with pytest.raises(UnknownNameError, match="did you mean 'tournament'"):
        pay("tournement", [1.0])


def test_a_lower_expected_score_may_have_a_higher_expected_pay() -> None:
    """The other grader scores 1.5; one's own score is surely 1, or 0 or 1.9 by the toss of a coin.

    The expected scores are 1 and 0.95. The safe score never wins, the risky one does half the time.
    """
    spec = "tournament:prizes=1"
    safe = pay(spec, [1.0, 1.5]).expected[0]
    risky = np.mean([pay(spec, [own, 1.5]).expected[0] for own in (0.0, 1.9)])
    assert (safe, risky) == (0.0, 0.5)
    # An affine rule pays the expectation.
    assert pay("linear:slope=2,base=1", [1.0]).expected[0] == 3.0
    both = [pay("linear:slope=2,base=1", [own]).expected[0] for own in (0.0, 1.9)]
    assert np.mean(both) == pytest.approx(2.9)
