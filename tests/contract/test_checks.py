"""What every mechanism that uses spot checks promises, and every one that does not."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.acceleration import plain_numpy
from peergauge.core.errors import PeergaugeError
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.simulate import Setting, simulate
from peergauge.simulate.spot_checks import checks_of, draw_checks
from peergauge.tables import Reports, Rewards, Truth
from tests.generators import clustered
from tests.generators import reports as any_reports

ALL = mechanisms.all()
using = pytest.mark.parametrize("mechanism", [m for m in ALL if m.facts.uses_checks], ids=str)
others = pytest.mark.parametrize("mechanism", [m for m in ALL if not m.facts.uses_checks], ids=str)


def checks_for(reports: Reports, levels: dict[int, int]) -> Truth:
    """Checks that found levels of the scale, by submission."""
    score = np.full(reports.submissions, np.nan)
    for submission, level in levels.items():
        score[submission] = reports.scale.values()[level]
    assignment = np.zeros(reports.submissions, dtype=np.int32)
    assignment[reports.submission] = reports.assignment
    return Truth(score, assignment)


@st.composite
def checked_classes(draw: st.DrawFn) -> tuple[Reports, Truth]:
    reports = draw(any_reports())
    submissions, levels = (
        st.integers(0, most - 1) for most in (reports.submissions, reports.scale.levels)
    )
    return reports, checks_for(reports, draw(st.dictionaries(submissions, levels)))


def answer(mechanism: Mechanism, reports: Reports, checks: Truth) -> Rewards | None:
    """Rewards, or None for a refusal that explains itself."""
    try:
        return score(mechanism, reports, checks=checks)
    except PeergaugeError as refusal:
        reason = str(refusal)
    assert reason.endswith("."), reason
    return None


@others
def test_checks_are_handed_to_no_mechanism_that_does_not_ask_for_them(mechanism: Mechanism) -> None:
    reports = clustered(1, students=16, assignments=2)
    checks = checks_for(reports, dict.fromkeys(range(reports.submissions), 0))
    truth = simulate(Setting(16, 2, 4, design="clusters"), 1).truth
    with_checks = score(mechanism, reports, truth=truth, checks=checks)
    assert with_checks == score(mechanism, reports, truth=truth)


@pytest.mark.slow
@using
@given(drawn=checked_classes())
def test_any_class_with_any_checks_is_paid_alike_by_plain_and_compiled_functions(
    mechanism: Mechanism, drawn: tuple[Reports, Truth]
) -> None:
    reports, checks = drawn
    fast = answer(mechanism, reports, checks)
    with plain_numpy():
        plain = answer(mechanism, replace(reports), checks)
    assert (fast is None) == (plain is None)
    if fast is not None and plain is not None:
        np.testing.assert_allclose(fast.amount, plain.amount, rtol=1e-7, atol=1e-7)
        assert not np.isinf(fast.amount).any()
        absent = np.ones_like(fast.amount, dtype=bool)
        absent[reports.assignment, reports.grader] = False
        if mechanism.facts.semester:
            absent = np.logical_and.accumulate(absent, axis=0)
        assert np.isnan(fast.amount[absent]).all(), "somebody was paid for nothing"


@using
def test_plain_equals_compiled_where_most_turn_grades_upside_down(mechanism: Mechanism) -> None:
    semester = simulate(Setting(students=30, assignments=4), seed=2)
    turned = np.where(semester.reports.grader < 20, 14 - semester.signal, semester.signal)
    reports = semester.reports.with_grades(np.clip(turned, 0, 10))
    checks = checks_of(semester.truth, reports, draw_checks(reports, 0.2, seed=1))
    fast = score(mechanism, reports, checks=checks)
    with plain_numpy():
        plain = score(mechanism, replace(reports), checks=checks)
    np.testing.assert_allclose(fast.amount, plain.amount, rtol=1e-7, atol=1e-7)


@pytest.mark.slow
@using
@given(reports=any_reports())
def test_checks_that_found_nothing_change_nothing(mechanism: Mechanism, reports: Reports) -> None:
    rewards = answer(mechanism, reports, checks_for(reports, {}))
    if mechanism.facts.needs_truth:
        assert rewards is None
    else:
        assert rewards is not None
        np.testing.assert_allclose(rewards.amount, score(mechanism, reports).amount, atol=1e-9)


@using
def test_what_checks_found_counts(mechanism: Mechanism) -> None:
    reports = clustered(3, students=16, assignments=3)
    low, high = (
        score(mechanism, reports, checks=checks_for(reports, dict.fromkeys(range(9), level)))
        for level in (1, 9)
    )
    assert not np.allclose(low.total, high.total, equal_nan=True)


@using
def test_paying_with_checks_and_then_without_them_are_two_things(mechanism: Mechanism) -> None:
    reports = clustered(3, students=16, assignments=3)
    truth = simulate(Setting(16, 3, 4, design="clusters"), 3).truth
    before = score(mechanism, reports, truth=truth)
    score(mechanism, reports, truth=truth, checks=checks_for(reports, {0: 1, 5: 9}))
    assert score(mechanism, reports, truth=truth) == before


@pytest.mark.slow
@using
@given(data=st.data())
def test_rewards_follow_their_grader_to_another_number(
    mechanism: Mechanism, data: st.DataObject
) -> None:
    reports = clustered(data.draw(st.integers(0, 9)), students=8, assignments=2)
    checks = checks_for(reports, {0: 9, 3: 4, 10: 7})
    new = np.array(data.draw(st.permutations(range(8))))
    moved = score(mechanism, reports.relabel(new), checks=checks)
    usual = score(mechanism, reports, checks=checks)
    np.testing.assert_allclose(moved.amount[:, new], usual.amount, atol=1e-7)


@using
def test_later_checks_do_not_change_what_was_paid_before(mechanism: Mechanism) -> None:
    reports = clustered(6, assignments=4)
    checks = checks_for(reports, {0: 9, 20: 4, 40: 7, 60: 2})
    whole = score(mechanism, reports, checks=checks)
    np.testing.assert_allclose(
        whole.first(2).amount, score(mechanism, reports.first(2), checks=checks).amount, atol=1e-12
    )


@using
def test_inputs_stay_untouched(mechanism: Mechanism) -> None:
    reports = clustered(5)
    checks = checks_for(reports, {0: 3, 1: 5})
    before = pickle.dumps((reports, checks))
    score(mechanism, reports, checks=checks)
    assert pickle.dumps((reports, checks)) == before
