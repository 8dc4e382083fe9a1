"""The contract of mechanisms that use spot checks, in generated classes with any checks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.acceleration import plain_numpy
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.simulate import Setting, simulate
from peergauge.simulate.spot_checks import checks_of, draw_checks
from peergauge.tables import Reports, Truth
from peergauge.testing import mechanisms as contract
from peergauge.testing.classes import checks_for, clustered
from tests.generators import reports as any_reports

using = pytest.mark.parametrize(
    "mechanism", [m for m in mechanisms.all() if m.facts.uses_checks], ids=str
)


@st.composite
def checked_classes(draw: st.DrawFn) -> tuple[Reports, Truth]:
    reports = draw(any_reports())
    submissions, levels = (
        st.integers(0, most - 1) for most in (reports.submissions, reports.scale.levels)
    )
    return reports, checks_for(reports, draw(st.dictionaries(submissions, levels)))


@pytest.mark.slow
@using
@given(drawn=checked_classes())
def test_any_class_with_any_checks_is_paid_alike_by_plain_and_compiled_functions(
    mechanism: Mechanism, drawn: tuple[Reports, Truth]
) -> None:
    contract.check_spot_checks_are_safe(mechanism, drawn)


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
    contract.check_checks_that_found_nothing_change_nothing(mechanism, reports)


@pytest.mark.slow
@using
@given(data=st.data())
def test_rewards_follow_their_grader_to_another_number(
    mechanism: Mechanism, data: st.DataObject
) -> None:
    reports = clustered(data.draw(st.integers(0, 9)), students=8, assignments=2)
    new = data.draw(st.permutations(range(8)))
    contract.check_grader_numbers_do_not_matter_with_checks(mechanism, reports, new=new)
