"""Hedge: halfway between the signal and the expected score."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.simulate import BinomialScores, Setting, simulate
from peergauge.tables import Scale
from tests.simulate.strategies.situations import reports_of_all_signals

# (7 + s) / 2 is 3.5, 4, 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8, 8.5; exact halves go to the even grade.
TOWARDS_7 = [4, 4, 4, 5, 6, 6, 6, 7, 8, 8, 8]
# (9 + s) / 2 is 4.5, 5, 5.5, 6, 6.5, 7, 7.5, 8, 8.5, 9, 9.5.
TOWARDS_9 = [4, 5, 6, 6, 6, 7, 8, 8, 8, 9, 10]


def test_reports_lie_halfway_to_the_expected_score_and_halves_go_to_the_even_grade() -> None:
    assert reports_of_all_signals("hedge", Scale(), 7) == TOWARDS_7


def test_reports_scale_with_the_scale() -> None:
    tens = [10 * report for report in TOWARDS_7]
    assert reports_of_all_signals("hedge", Scale(0, 100, 10), 70) == tens


def test_reports_on_1_to_6_with_4_5_expected() -> None:
    # 2.75, 3.25, 3.75, 4.25, 4.75, 5.25
    assert reports_of_all_signals("hedge", Scale(1, 6), 4.5) == [3, 3, 4, 4, 5, 5]


def test_reports_in_halves_with_1_4_expected() -> None:
    # 0.7, 0.95, 1.2, 1.45, 1.7
    assert reports_of_all_signals("hedge", Scale(0, 2, 0.5), 1.4) == [0.5, 1, 1, 1.5, 1.5]


@pytest.mark.parametrize(
    ("share", "table"),
    [
        (0.7, TOWARDS_7),
        pytest.param(0.9, TOWARDS_9),
    ],
)
def test_the_halves_of_a_simulated_class_go_to_the_even_grade(
    share: float, table: list[int]
) -> None:
    setting = Setting(true_scores=BinomialScores(share), strategies={"hedge": 100})
    semester = simulate(setting, seed=1)
    assert np.array_equal(semester.reports.grade, np.array(table)[semester.signal.astype(int)])
