"""The contract of payment rules: what every rule promises, one check for each promise."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Sequence
from dataclasses import FrozenInstanceError

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import PeergaugeError
from peergauge.payments import PaymentRule, payments
from peergauge.testing.promises import broken, checks_of, promise, require, same

KIND = "payment"

RAISED_BY = (1e-3, 0.4, 3.0, 50.0)
"""Amounts by which the score of one grader is raised to see what happens to the pay."""

DRAWS_OF_PAY = 2000
"""Draws of a random rule whose mean is compared with the expected pay."""

MAX_DRAW_ERRORS = 6.0
"""Standard errors by which this mean may differ; six are exceeded once in 500 million times."""

ROUNDING_ERROR = 1e-9
"""Relative and absolute tolerance of sums."""


def check_payment(payment: str | PaymentRule) -> None:
    """Check that a payment rule, given as an object or by its spec, keeps every promise.

    >>> check_payment("tournament:prizes=100+50+25")
    """
    made = payments.make(payment) if isinstance(payment, str) else payment
    for check in checks_of(KIND, made):
        check(made)


def odd_scores() -> Iterator[Floats]:
    """Scores of classes: one grader, ties, unscored graders, outliers, and tiny or huge numbers."""
    yield np.array([3.0])
    yield np.array([2.0, 2.0, 2.0])
    yield np.array([np.nan, -1.5, np.nan])
    yield np.array([0.0, 0.0, 1.0, np.nan, 1.0, 2.0])
    yield np.array([-1e6, 1.0, 1.1, 1.2])
    yield np.array([1e-9, 2e-9, 5e-9, 5e-9])
    yield np.array([1e9, 3e9, 2e9, np.nan])
    for number in range(6):
        rng = np.random.default_rng([number, 11])
        size = int(rng.integers(2, 30))
        score = rng.choice([1.0, 10.0]) * rng.standard_normal(size) + rng.choice([-5.0, 0.0, 5.0])
        if number % 2:
            score = np.round(score)
        score[rng.random(size) < 0.15] = np.nan
        yield score


def _known(score: Floats) -> list[int]:
    return [int(place) for place in np.flatnonzero(~np.isnan(score))]


@promise(KIND)
def check_explains_itself(payment: PaymentRule) -> None:
    """The docstring of a payment rule begins with a sentence."""
    summary = payment.summary()
    require(
        summary[:1].isupper() and summary.endswith("."),
        payment,
        "has no docstring that begins with a sentence",
    )


@promise(KIND)
def check_spec_and_pickle_give_it_back(payment: PaymentRule) -> None:
    """The spec string and a pickle make an equal payment rule."""
    try:
        again = payments.make(payment.spec) == payment
    except PeergaugeError:
        again = False
    require(again, payment, f"cannot be made from its spec {payment.spec}")
    pickled = pickle.loads(pickle.dumps(payment))
    require(pickled == payment, payment, "is not the same after pickling")


@promise(KIND)
def check_cannot_be_changed(payment: PaymentRule) -> None:
    """A payment rule is a frozen dataclass."""
    try:
        payment.changed = True  # type: ignore[attr-defined]
    except FrozenInstanceError:
        return
    raise broken(payment, "can be changed; make its class a frozen dataclass")


@promise(KIND)
def check_exactly_the_unscored_stay_unpaid(payment: PaymentRule, *scores: Floats) -> None:
    """Pay is NaN for a grader without a score, and a finite number for all others."""
    for score in scores or odd_scores():
        unscored = np.isnan(score)
        for paid in (payment.expected(score), payment.draw(score, np.random.default_rng(1))):
            require(paid.shape == score.shape, payment, "does not pay one amount to each grader")
            require(
                (np.isnan(paid) == unscored).all(),
                payment,
                "should pay all graders with a score, and leave exactly the others unpaid",
            )
            require(np.isfinite(paid[~unscored]).all(), payment, "pays an infinite amount")


@promise(KIND)
def check_infinite_scores_are_paid_or_refused(payment: PaymentRule) -> None:
    """Infinite scores are paid finite amounts, in their order, or refused with a reason."""
    score = np.array([1.0, np.inf, -np.inf, 2.0, np.inf])
    try:
        paid = payment.expected(score)
    except PeergaugeError:
        return
    require(np.isfinite(paid).all(), payment, "pays an infinite amount")
    require(
        paid[2] <= paid[0] <= paid[3] <= paid[1] == paid[4],
        payment,
        "does not pay infinite scores in their order",
    )


@promise(KIND)
def check_inputs_stay_untouched(payment: PaymentRule) -> None:
    """A payment rule does not change the scores, and pays the same again."""
    for score in odd_scores():
        before = score.copy()
        first, second = payment.expected(score), payment.expected(score)
        drawn, again = (payment.draw(score, np.random.default_rng(3)) for _ in range(2))
        require(same(score, before), payment, "changes the scores that it is given")
        require(same(first, second), payment, "has another expected pay the second time")
        require(same(drawn, again), payment, "draws another pay from the same seed")


@promise(KIND)
def check_grader_numbers_do_not_matter(
    payment: PaymentRule, *scores: Floats, new: Sequence[int] | None = None
) -> None:
    """Expected pay moves with the graders if they are numbered in another order."""
    for score in scores or odd_scores():
        order = np.random.default_rng(len(score)).permutation(len(score)) if new is None else new
        require(
            same(payment.expected(score[order]), payment.expected(score)[order], ROUNDING_ERROR),
            payment,
            "has another expected pay when graders are numbered in another order",
        )


@promise(KIND)
def check_equal_scores_are_paid_alike(payment: PaymentRule, *scores: Floats) -> None:
    """Graders with equal scores have the same expected pay."""
    for score in scores or odd_scores():
        paid = payment.expected(score)
        for one in _known(score):
            alike = score == score[one]
            require(
                same(paid[alike], np.full(alike.sum(), paid[one]), ROUNDING_ERROR),
                payment,
                "pays graders with equal scores different amounts",
            )


@promise(KIND)
def check_higher_scores_are_not_paid_less(payment: PaymentRule, *scores: Floats) -> None:
    """Expected pay keeps the order of scores, strictly if ``keeps_order`` is declared."""
    for score in scores or odd_scores():
        known = score[_known(score)]
        paid = payment.expected(known)[np.argsort(known)]
        slack = ROUNDING_ERROR * (1 + np.abs(paid).max())
        steps, rises = np.diff(paid), np.diff(np.sort(known))
        require((steps >= -slack).all(), payment, "pays a higher score less than a lower one")
        # A rise that is lost among the digits of the largest score cannot be seen in the pay.
        clear = rises > 1e-3 * (known.max() - known.min())
        require(
            not payment.facts_here.keeps_order or (steps[clear] > 0).all(),
            payment,
            "declares keeps_order, but pays two different scores alike",
        )


@promise(KIND)
def check_a_better_score_never_costs_pay(payment: PaymentRule, *scores: Floats) -> None:
    """The expected pay of a grader does not fall if only their own score rises."""
    for score in scores or odd_scores():
        before = payment.expected(score)
        for one in _known(score)[:5]:
            last = before[one]
            for by in RAISED_BY:
                raised = score.copy()
                raised[one] += by
                paid = payment.expected(raised)[one]
                require(
                    paid >= last - ROUNDING_ERROR * (1 + abs(last)),
                    payment,
                    "pays a grader less for a higher score",
                )
                last = paid


@promise(KIND)
def check_declares_whether_others_matter(payment: PaymentRule) -> None:
    """Unless ``relative`` is declared, pay does not depend on the scores of others."""
    if payment.facts_here.relative:
        return
    for score in odd_scores():
        for one in _known(score):
            alone = np.full(len(score), np.nan)
            alone[one] = score[one]
            require(
                same(payment.expected(alone)[one], payment.expected(score)[one]),
                payment,
                "declares relative=False, but pays a grader by the scores of others",
            )


@promise(KIND)
def check_declares_whether_it_is_affine(payment: PaymentRule) -> None:
    """If ``affine`` is declared, pay rises by the same amount for every unit of the own score."""
    if not payment.facts_here.affine:
        return
    score = np.array([-2.0, 0.5, 1.0, 7.0, 30.0])
    for one in range(len(score)):
        paid = []
        for by in (-10.0, 0.0, 10.0, 20.0):
            moved = score.copy()
            moved[one] += by
            paid.append(payment.expected(moved)[one])
        require(
            same(np.diff(paid), np.full(3, paid[1] - paid[0]), ROUNDING_ERROR),
            payment,
            "declares affine=True, but the pay of a grader is not affine in the score",
        )


@promise(KIND)
def check_limited_liability(payment: PaymentRule, *scores: Floats) -> None:
    """If ``limited_liability`` is declared, no pay is negative."""
    if not payment.facts_here.limited_liability:
        return
    for score in scores or odd_scores():
        for paid in (payment.expected(score), payment.draw(score, np.random.default_rng(5))):
            require(
                (paid[_known(score)] >= 0).all(),
                payment,
                "declares limited liability, but pays a negative amount",
            )


@promise(KIND)
def check_exact_budget(payment: PaymentRule, *scores: Floats) -> None:
    """If ``exact_budget`` is declared, the total is that of ``budget_for``, also when drawn."""
    declared = payment.facts_here.exact_budget
    require(
        declared == (payment.budget_for(10) is not None),
        payment,
        "should return a total from budget_for exactly if it declares exact_budget",
    )
    if not declared:
        return
    for score in scores or odd_scores():
        total = payment.budget_for(len(_known(score)))
        for paid in (payment.expected(score), payment.draw(score, np.random.default_rng(7))):
            require(
                same(np.nansum(paid), total, ROUNDING_ERROR),
                payment,
                f"should pay {total:g} in total, but pays {np.nansum(paid):g}",
            )


@promise(KIND)
def check_draws_have_the_expected_mean(payment: PaymentRule) -> None:
    """Drawn pay has the expected pay as its mean, and equals it unless the rule is random."""
    score = np.array([0.0, 1.0, np.nan, 2.0, 2.0, 5.0])
    expected = payment.expected(score)
    rng = np.random.default_rng(9)
    drawn = np.array([payment.draw(score, rng) for _ in range(DRAWS_OF_PAY)])
    if not payment.facts_here.random:
        require(same(drawn[0], expected), payment, "draws pay without declaring random=True")
        return
    error = drawn.std(axis=0) / np.sqrt(DRAWS_OF_PAY)
    off = np.abs(drawn.mean(axis=0) - expected)
    require(
        (off <= MAX_DRAW_ERRORS * error + ROUNDING_ERROR)[_known(score)].all(),
        payment,
        "draws pay whose mean differs from the expected pay",
    )
