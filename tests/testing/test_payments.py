"""Payment rules that break a promise are caught."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from peergauge.core.arrays import Floats
from peergauge.payments import PaymentFacts
from peergauge.payments.budget import Budget
from peergauge.payments.linear import Linear
from peergauge.payments.tournament import Tournament
from peergauge.testing import BrokenPromise, check_payment, contract_checks
from peergauge.testing import payments as of_payments


class PaysTheUnscored(Linear):
    """Pays zero to graders without a score."""

    def expected(self, score: Floats) -> Floats:
        return np.nan_to_num(score)


class LikesTheFirst(Tournament):
    """Breaks ties by the number of the grader."""

    def expected(self, score: Floats) -> Floats:
        return super().expected(score - 1e-3 * np.arange(len(score)))


class PaysTheWorst(Linear):
    """Pays more for a lower score."""

    def expected(self, score: Floats) -> Floats:
        return -score


class Squares(Linear):
    """Pays the square of the score above -100, but declares that it is affine."""

    def expected(self, score: Floats) -> Floats:
        return (score + 100) ** 2


class Overspends(Budget):
    """Pays twice the budget."""

    def expected(self, score: Floats) -> Floats:
        return 2 * super().expected(score)


class Secretly(Linear):
    """Subtracts the mean score, but declares that others do not matter."""

    def expected(self, score: Floats) -> Floats:
        return score - np.nanmean(score)


class TakesMoney(Budget):
    """Takes a fee from everybody, but declares limited liability."""

    def expected(self, score: Floats) -> Floats:
        return super().expected(score) - 1


class Rolls(Linear):
    """Adds noise without declaring it."""

    def draw(self, score: Floats, rng: np.random.Generator) -> Floats:
        return super().expected(score) + rng.random(len(score))


class Cheats(Linear):
    """Draws more than it promises on average."""

    @property
    def facts_here(self) -> PaymentFacts:
        return replace(self.facts, random=True)

    def draw(self, score: Floats, rng: np.random.Generator) -> Floats:
        return super().expected(score) + rng.random(len(score))


class Sorts(Linear):
    """Sorts the scores in place."""

    def expected(self, score: Floats) -> Floats:
        paid = score.copy()
        score.sort()
        return paid


@pytest.mark.parametrize(
    ("rule", "check", "why"),
    [
        (PaysTheUnscored(), of_payments.check_exactly_the_unscored_stay_unpaid, "unpaid"),
        (LikesTheFirst(), of_payments.check_grader_numbers_do_not_matter, "another order"),
        (LikesTheFirst(), of_payments.check_equal_scores_are_paid_alike, "equal scores"),
        (PaysTheWorst(), of_payments.check_higher_scores_are_not_paid_less, "less than a lower"),
        (PaysTheWorst(), of_payments.check_a_better_score_never_costs_pay, "for a higher score"),
        (Squares(), of_payments.check_declares_whether_it_is_affine, "is not affine"),
        (Overspends(), of_payments.check_exact_budget, "should pay 100 in total, but pays 200"),
        (Secretly(), of_payments.check_declares_whether_others_matter, "by the scores of others"),
        (TakesMoney(), of_payments.check_limited_liability, "a negative amount"),
        (Rolls(), of_payments.check_draws_have_the_expected_mean, "without declaring random"),
        (Cheats(), of_payments.check_draws_have_the_expected_mean, "mean differs"),
        (Sorts(), of_payments.check_inputs_stay_untouched, "changes the scores"),
    ],
)
def test_a_rule_that_breaks_a_promise(
    rule: Linear, check: Callable[[Linear], None], why: str
) -> None:
    with pytest.raises(BrokenPromise, match=why):
        check(rule)
    with pytest.raises(BrokenPromise):
        check_payment(rule)


def test_a_tournament_that_declares_to_keep_order_is_caught() -> None:
    class Boasts(Tournament):
        """Declares to keep the order of scores."""

        facts = replace(Tournament.facts, keeps_order=True)

    with pytest.raises(BrokenPromise, match="two different scores alike"):
        of_payments.check_higher_scores_are_not_paid_less(Boasts())


def test_every_check_applies_to_every_rule() -> None:
    assert len(contract_checks(Linear())) == len(contract_checks(Tournament())) > 10
