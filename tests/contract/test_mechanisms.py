"""The contract of mechanisms, checked for every mechanism that is found."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.errors import DesignError
from peergauge.mechanisms import ComparesWithReference, Mechanism, ShowsProgress, mechanisms
from peergauge.tables import Reports, Rewards
from peergauge.testing import in_every_setting, parametrize_with_checks
from peergauge.testing import mechanisms as contract
from peergauge.testing.classes import clustered, true_scores_for
from peergauge.testing.promises import BrokenPromise, Check
from tests.generators import reports as any_reports

ALL = mechanisms.all()
every = pytest.mark.parametrize("mechanism", ALL, ids=str)
showing = pytest.mark.parametrize(
    "mechanism", [m for m in ALL if isinstance(m, ShowsProgress)], ids=str
)
comparing = pytest.mark.parametrize(
    "mechanism", [m for m in ALL if isinstance(m, ComparesWithReference)], ids=str
)
certain_ones = pytest.mark.parametrize("mechanism", [m for m in ALL if not m.facts.random], ids=str)


@parametrize_with_checks(ALL)
def test_contract(plugin: Mechanism, check: Check) -> None:
    check(plugin)


def other_settings() -> list[Mechanism]:
    """All mechanisms with every other choice of each of their parameters."""
    found = {one.spec: one for mechanism in ALL for one in in_every_setting(mechanism)}
    return [one for spec, one in found.items() if spec not in map(str, ALL)]


IN_CLUSTERS = (
    contract.check_submission_numbers_do_not_matter,
    contract.check_earlier_assignments_stay_paid,
    contract.check_pays_labels,
    contract.check_inputs_stay_untouched,
    contract.check_staff_scores_are_seen_only_if_declared,
)
"""Checks that pay classes in which co-graders grade the same submissions and no others."""

NOT_PROMISED = {
    # An undefined correlation takes the pay of the whole semester, as its parameter says.
    "corr:undefined=semester": (contract.check_earlier_assignments_stay_paid,),
    # Hardly any grade of an ordinary class is below 4, so that all determinants are 0.
    "dmi:threshold=4": (contract.check_declared_randomness_matters,),
    # It compares with submissions that the co-grader graded and the grader did not.
    "ma:disjoint=co-grader": IN_CLUSTERS,
}
"""Promises that a setting does not keep, by its definition."""


@pytest.mark.slow
@parametrize_with_checks(other_settings(), leave_out=[contract.check_careful_graders_earn_more])
def test_contract_in_every_setting(plugin: Mechanism, check: Check) -> None:
    """All but the one promise that is about how well a mechanism measures."""
    if check in NOT_PROMISED.get(plugin.spec, ()):
        with pytest.raises((BrokenPromise, DesignError)):
            check(plugin)
        return
    check(plugin)


@every
def test_our_own_mechanisms_name_their_source_and_family(mechanism: Mechanism) -> None:
    assert mechanism.facts.source
    assert mechanism.facts.family != "own"


# --- the same promises in generated classes


@pytest.mark.slow
@every
@given(reports=any_reports())
def test_any_class_is_paid_or_refused_with_a_reason(mechanism: Mechanism, reports: Reports) -> None:
    contract.check_any_class_is_paid_or_refused(mechanism, reports)


@pytest.mark.slow
@every
@given(reports=any_reports())
def test_parts_add_up_to_the_whole(mechanism: Mechanism, reports: Reports) -> None:
    contract.check_parts_add_up(mechanism, reports)


@pytest.mark.slow
@every
@given(reports=any_reports())
def test_plain_equals_compiled(mechanism: Mechanism, reports: Reports) -> None:
    contract.check_plain_equals_compiled(mechanism, reports)


@pytest.mark.slow
@every
@given(data=st.data())
def test_the_order_of_rows_does_not_matter(mechanism: Mechanism, data: st.DataObject) -> None:
    reports = clustered(data.draw(st.integers(0, 9)), students=8, assignments=2)
    order = data.draw(st.permutations(range(len(reports))))
    contract.check_row_order_does_not_matter(mechanism, reports, order=order)


@pytest.mark.slow
@certain_ones
@given(data=st.data())
def test_rewards_follow_their_grader_to_another_number(
    mechanism: Mechanism, data: st.DataObject
) -> None:
    reports = clustered(data.draw(st.integers(0, 9)), students=8, assignments=2)
    new = data.draw(st.permutations(range(8)))
    contract.check_grader_numbers_do_not_matter(mechanism, reports, new=new)


@pytest.mark.slow
@certain_ones
@given(reports=any_reports())
def test_running_totals_do_not_depend_on_later_assignments(
    mechanism: Mechanism, reports: Reports
) -> None:
    contract.check_earlier_assignments_stay_paid(mechanism, reports)


@pytest.mark.slow
@showing
@given(reports=any_reports(), data=st.data())
def test_progress_adds_up_to_the_pay_with_checks_or_without(
    mechanism: Mechanism, reports: Reports, data: st.DataObject
) -> None:
    checks = data.draw(st.sampled_from([None, true_scores_for(reports)]))
    contract.check_progress_adds_up(mechanism, reports, checks=checks)


@pytest.mark.slow
@comparing
@given(reports=any_reports())
def test_rewards_follow_from_the_comparison_that_is_shown(
    mechanism: Mechanism, reports: Reports
) -> None:
    contract.check_rewards_follow_from_the_comparison(mechanism, reports)


# --- promises of all mechanisms together


@every
def test_mechanisms_that_evaluate_the_semester_show_progress(mechanism: Mechanism) -> None:
    assert mechanism.facts.semester == isinstance(mechanism, ShowsProgress)


def _pay_in_a_worker(job: tuple[Mechanism, Reports]) -> Rewards:
    return contract.paid(*job)


@pytest.mark.slow
def test_workers_pay_what_we_pay() -> None:
    reports = clustered(8)
    # A fresh interpreter for each worker, as on a cluster.
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        there = list(pool.map(_pay_in_a_worker, [(m, reports) for m in ALL]))
    for mechanism, rewards in zip(ALL, there, strict=True):
        assert rewards == contract.paid(mechanism, reports), mechanism.spec


def test_no_two_mechanisms_share_a_label() -> None:
    labels: list[Any] = [one.label for one in ALL]
    assert len(np.unique(labels)) == len(labels)
