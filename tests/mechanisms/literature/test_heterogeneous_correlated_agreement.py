"""CAH is CA on a single assignment, and takes penalty tasks from earlier ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

import peergauge
from peergauge.core.errors import DesignError
from peergauge.tables import Reports, Rewards
from tests.generators import class_of, clustered, parts_of
from tests.generators import reports as any_reports


def paid(mechanism: str, reports: Reports) -> Rewards | None:
    try:
        return peergauge.score(mechanism, reports)
    except DesignError:
        return None


@given(any_reports(most_assignments=1))
def test_on_a_single_assignment_it_is_correlated_agreement(reports: Reports) -> None:
    one, two = paid("cah", reports), paid("ca", reports)
    assert (one is None) == (two is None)
    if one is not None and two is not None:
        np.testing.assert_allclose(one.amount, two.amount, atol=1e-9)


# On each assignment all others agree: 0 with 0 and 1 with 1, three submissions of each.
OTHERS = [{f"{a}{i}": {"dee": i % 2, "eve": i % 2} for i in range(6)} for a in "pq"]


def test_a_single_report_on_each_assignment_is_paid_from_the_second_one_on() -> None:
    """Ann and Bob share one submission of each assignment, so there is no other penalty pair."""
    alone = class_of(
        {"s": {"ann": 1, "bob": 1}, **OTHERS[0]}, {"t": {"ann": 0, "bob": 0}, **OTHERS[1]},
        scale="0..1",
    )  # fmt: skip
    names = list(alone.grader_names or ())
    ann = peergauge.score("cah", alone).amount[:, names.index("ann")]
    assert np.isnan(ann).all()


def test_penalty_tasks_come_from_all_assignments_so_far() -> None:
    """Ann graded u, Bob v on the first assignment, and both t on the second.

    On t they agree: 1. Their penalty pair is (u, v), on which both said 1, which goes together: 1.
    If Bob had said 0 on v, the penalty would be 0.
    """
    for said, penalty in ((1, 1.0), (0, 0.0)):
        reports = class_of(
            {"u": {"ann": 1, "cy": 1}, "v": {"bob": said, "cy": said}, **OTHERS[0]},
            {"t": {"ann": 1, "bob": 1}, **OTHERS[1]},
            scale="0..1",
        )
        names = list(reports.grader_names or ())
        amount = peergauge.score("cah", reports).amount
        np.testing.assert_allclose(amount[1, names.index("ann")], 1 - penalty)


def test_a_level_that_the_assignment_does_not_have_goes_with_nothing() -> None:
    reports = class_of(
        {"u": {"ann": 5, "cy": 5}, "v": {"bob": 5, "cy": 5}},
        {"t": {"ann": 1, "bob": 1}, **OTHERS[1]},
    )
    names = list(reports.grader_names or ())
    # The penalty pair (u, v) has the level 5 twice, which nobody gave on the second assignment.
    np.testing.assert_allclose(peergauge.score("cah", reports).amount[1, names.index("ann")], 1)


def test_a_class_that_always_says_the_same_earns_nothing() -> None:
    reports = clustered(0)
    same = reports.with_grades(np.full(len(reports), 10.0))
    np.testing.assert_array_equal(parts_of(peergauge.score("cah", same)), 0.0)


def test_a_class_without_penalty_tasks_is_refused_with_the_reason() -> None:
    with pytest.raises(DesignError, match="earlier assignment"):
        peergauge.score("cah", class_of({"s": {"ann": 5, "bob": 7}, "t": {"cy": 1, "dee": 2}}))


@pytest.mark.parametrize("said", [(5, 1), (1, 5)])
def test_a_submission_on_which_one_level_is_unknown_is_no_penalty_task(
    said: tuple[int, int],
) -> None:
    """Ann and Bob graded u together before, one with a level that nobody gives on t.

    Two reports on one submission are no pair of penalty tasks, and a pair with an unknown level
    agrees on nothing, so that nothing may be taken away for it either. The only penalty pairs are
    (u, v) and (v, u), of which one has two 1s, which go together on the second assignment.
    """
    ann, bob = said
    reports = class_of(
        {"u": {"ann": ann, "bob": bob}, "v": {"ann": 1, "bob": 1}, **OTHERS[0]},
        {"t": {"ann": 1, "bob": 1}, **OTHERS[1]},
    )
    names = list(reports.grader_names or ())
    amount = peergauge.score("cah", reports).amount[1, names.index("ann")]
    assert amount == pytest.approx(1 - 1 / 2)
