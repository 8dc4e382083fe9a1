from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from peergauge.core.errors import UnknownNameError
from peergauge.metrics import MetricFacts, metrics
from peergauge.metrics.binary_auc import BinaryAUC
from peergauge.tables import Reports, Rewards, Truth
from tests.metrics.classes import classes, inf, nan, paid


def frame(rewards: Rewards, truth: Truth) -> pd.DataFrame:
    reports = rewards.reports
    return pd.DataFrame(
        {
            "grader": pd.Categorical(reports.grader, range(reports.graders)),
            "part": rewards.part,
            "error": (reports.grade - truth.score[reports.submission]) ** 2,
        }
    )


@pytest.mark.slow
@given(classes())
def test_totals_and_errors_are_the_sums_over_reports(drawn: tuple[Rewards, Truth]) -> None:
    by_grader = frame(*drawn).groupby("grader", observed=False)
    measure = BinaryAUC()
    np.testing.assert_allclose(measure.totals(drawn[0]), by_grader["part"].sum(min_count=1))
    np.testing.assert_allclose(measure.errors(*drawn), by_grader["error"].sum(min_count=1))


@pytest.mark.slow
@given(classes())
def test_per_report_totals_and_errors_are_the_means_over_reports(
    drawn: tuple[Rewards, Truth],
) -> None:
    by_grader = frame(*drawn).groupby("grader", observed=False)
    measure = BinaryAUC(per="report")
    np.testing.assert_allclose(measure.totals(drawn[0]), by_grader["part"].mean())
    np.testing.assert_allclose(measure.errors(*drawn), by_grader["error"].mean())


def test_an_assignment_that_is_not_paid_adds_no_reports_to_the_mean() -> None:
    reports = Reports(
        assignment=np.array([0, 1, 1], dtype=np.int32),
        submission=np.array([0, 1, 2], dtype=np.int32),
        grader=np.zeros(3, dtype=np.int32),
        grade=np.zeros(3),
    )
    assert BinaryAUC(per="report").totals(Rewards(np.array([[nan], [6.0]]), reports)) == 3.0


def test_totals_that_judge_all_reports_as_one_are_not_divided_by_their_number() -> None:
    reports = Reports(
        assignment=np.array([0, 1, 1], dtype=np.int32),
        submission=np.array([0, 1, 2], dtype=np.int32),
        grader=np.array([0, 0, 1], dtype=np.int32),
        grade=np.zeros(3),
    )
    rewards = Rewards(np.array([[2.0, nan], [4.0, 3.0]]), reports, whole=True)
    measure = BinaryAUC(per="report")
    assert measure.totals(rewards).tolist() == [6.0, 3.0]
    assert measure.totals(rewards.first(1))[0] == 2.0
    assert measure.totals(rewards.among([0])).tolist() == [6.0]


def test_int64_clips_totals_and_takes_a_missing_one_as_zero() -> None:
    rewards, _ = paid([inf, -inf, nan, 1e300, -7.5], np.zeros(5))
    assert BinaryAUC(int64=True).totals(rewards).tolist() == [2.0**63, -(2.0**63), 0, 2.0**63, -7.5]


def test_totals_are_left_as_they_are_by_default() -> None:
    rewards, _ = paid([inf, nan, 1e300], np.zeros(3))
    np.testing.assert_array_equal(BinaryAUC().totals(rewards), [inf, nan, 1e300])


def test_a_grader_of_whom_no_true_score_is_known_has_no_error() -> None:
    rewards, truth = paid([1, 1], [[3.0, 3.0], [nan, 3.0]], scores=[1, nan])
    np.testing.assert_array_equal(BinaryAUC().errors(rewards, truth), [4.0, nan])


def test_the_measures_of_the_paper_are_found_by_name() -> None:
    assert {"binary-auc", "quinary-auc", "tau", "pearson", "rank-gain"} <= set(metrics.classes())


def test_a_spec_string_sets_the_options_of_a_measure() -> None:
    assert metrics.make("binary-auc:per=report,int64=yes") == BinaryAUC(per="report", int64=True)


def test_an_option_that_does_not_exist_is_refused_with_a_suggestion() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'report'"):
        metrics.make("binary-auc:per=reports")


def test_a_measure_has_any_value_of_rewards_unless_it_declares_otherwise() -> None:
    facts = MetricFacts(name="mine", better="higher")
    assert (facts.lowest, facts.highest, facts.of) == (-inf, inf, "rewards")
