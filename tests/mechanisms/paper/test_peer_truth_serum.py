"""Hand-worked payments for agreeing on what is rarely said."""

from __future__ import annotations

import numpy as np
import pytest

import peergauge
from peergauge.core.errors import ScaleError
from peergauge.tables import Reports
from tests.generators import class_of


@pytest.fixture
def semester() -> Reports:
    first = {"s": {"ann": 6, "bob": 8}, "t": {"ann": 5, "bob": 5, "cy": 8}, "u": {"cy": 9}}
    return class_of(first, {"v": {"ann": 8, "bob": 8}})


def test_frequencies_begin_uniform_and_count_what_was_reported_before(semester: Reports) -> None:
    rewards = peergauge.score("pts", semester)
    # First R = 1/11 for every grade: half a match is worth 11/2. Then 6 reports are counted,
    # two of them 8s: R[8] = (2 + 1) / (6 + 11).
    np.testing.assert_allclose(rewards.amount, [[11 / 2, 11 / 2, 0.0], [17 / 3, 17 / 3, np.nan]])


def test_the_authors_count_a_report_once_for_each_co_grader(semester: Reports) -> None:
    rewards = peergauge.score("pts:counting=per-peer", semester)
    # Counts 6: 1, 8: 1 + 2, 5: 2 + 2, 9: 0, together 8: R[8] = (3 + 1) / (8 + 11).
    np.testing.assert_allclose(rewards.amount[1], [19 / 4, 19 / 4, np.nan])


def test_rare_grades_pay_more_than_frequent_ones() -> None:
    often = {f"s{i}": {"ann": 7.0, "bob": 7.0} for i in range(5)}
    reports = class_of(often, {"t": {"ann": 7, "bob": 7}, "u": {"cy": 2, "dee": 2}})
    ann, _, cy, _ = peergauge.score("pts", reports).amount[1]
    assert ann == pytest.approx(21 / 11)
    assert cy == pytest.approx(21)


def test_a_scale_without_steps_is_refused_with_what_to_do() -> None:
    reports = class_of({"s": {"ann": 0.25, "bob": 0.25}}, scale="0..1:any")
    with pytest.raises(ScaleError, match="coarsen the reports first"):
        peergauge.score("pts", reports)
