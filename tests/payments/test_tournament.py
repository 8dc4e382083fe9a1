"""Prizes by place, with ties, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import ParameterError
from peergauge.payments import payments
from peergauge.payments.tournament import Tournament


def test_tied_graders_share_the_prizes_of_their_places() -> None:
    rule = Tournament(prizes=(100, 50, 25))
    assert rule.expected(np.array([1.0, 9.0, 4.0, 4.0])).tolist() == [0, 100, 37.5, 37.5]
    # Three share the second and the third prize, and no fourth one.
    assert rule.expected(np.array([9.0, 4.0, 4.0, 4.0])).tolist() == [100, 25, 25, 25]
    assert rule.expected(np.array([4.0, np.nan])).tolist()[0] == 100


def test_the_best_share_of_the_scored_graders_get_the_prize() -> None:
    rule = Tournament(top=0.25, prize=8.0)
    score = np.array([5.0, np.nan, 4.0, 3.0, 2.0, 1.0, 0.0])  # six scored: 1.5 prizes are 2
    np.testing.assert_array_equal(rule.expected(score), [8, np.nan, 8, 0, 0, 0, 0])
    assert rule.budget_for(6) == 16
    assert rule.budget_for(1) == 8


def test_infinite_scores_have_places() -> None:
    paid = Tournament(prizes=(6, 4)).expected(np.array([np.inf, -np.inf, np.inf, 3.0]))
    assert paid.tolist() == [5, 0, 5, 0]


def test_a_spec_gives_the_rule_back() -> None:
    assert payments.make("tournament:prizes=100+50+25").spec == "tournament:prizes=100+50+25"
    assert payments.make("tournament:prizes=100").budget_for(9) == 100


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("prizes=1+2", "must not increase"),
        ("prizes=1+-2", "not negative"),
        ("prizes=0", "above zero"),
        ("prizes=inf", "finite"),
        ("prizes=3+2,top=0.5", "either a list of prizes or one prize"),
        ("top=0", "above 0 and at most 1"),
        ("prize=-1", "not negative"),
    ],
)
def test_prizes_that_cannot_be_are_refused(wrong: str, why: str) -> None:
    with pytest.raises(ParameterError, match=why):
        payments.make(f"tournament:{wrong}")
