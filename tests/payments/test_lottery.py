"""Chances to win by hand, and draws that agree with them."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import ParameterError
from peergauge.payments import payments
from peergauge.payments.lottery import Lottery


def test_chances_are_proportional_to_what_is_above_the_floor() -> None:
    paid = Lottery(prizes=2, prize=10.0).expected(np.array([1.0, 2.0, 4.0, np.nan]))
    np.testing.assert_allclose(paid, [0, 5, 15, np.nan])


def test_who_wins_once_leaves_the_rest_to_others() -> None:
    # Shares 0, 1/8, 1/8 and 6/8 of two prizes: 1.5 becomes 1, and one prize is left for two.
    wins = Lottery(prizes=2, once=True).expected_wins(np.array([0.0, 1.0, 1.0, 6.0]))
    np.testing.assert_allclose(wins, [0, 0.5, 0.5, 1])
    # More prizes than graders above the floor.
    wins = Lottery(prizes=3, once=True).expected_wins(np.array([0.0, 1.0, 6.0]))
    np.testing.assert_allclose(wins, [0, 1, 1])


@pytest.mark.parametrize("once", [False, True])
def test_every_draw_hands_out_every_prize(once: bool) -> None:
    rule, score = Lottery(prizes=3, prize=2.0, once=once), np.arange(9.0)
    for seed in range(200):
        drawn = rule.draw(score, np.random.default_rng(seed))
        assert drawn.sum() == pytest.approx(6)
        assert drawn[0] == 0
        assert set(drawn.tolist()) <= ({0.0, 2.0} if once else {0.0, 2.0, 4.0, 6.0})


def test_nobody_wins_below_a_given_floor() -> None:
    for once in (False, True):
        rule = Lottery(prizes=2, floor=10.0, once=once)
        assert rule.draw(np.array([1.0, 2.0]), np.random.default_rng(0)).tolist() == [0, 0]


def test_what_cannot_be_raffled_is_refused() -> None:
    for wrong in ("prizes=0", "prize=0", "floor=-inf"):
        with pytest.raises(ParameterError):
            payments.make(f"lottery:{wrong}")
