"""The settings that mechanisms are compared in."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import DesignError, UnknownNameError
from peergauge.lab.bench.suite import SUITE, Case, case_of, prior_of_reports
from peergauge.mechanisms import mechanisms
from peergauge.simulate import Setting, simulate

each = pytest.mark.parametrize("case", SUITE, ids=lambda case: case.name)


def test_settings_are_told_apart_and_found_by_name() -> None:
    assert len({case.name for case in SUITE}) == len({case.label for case in SUITE}) == len(SUITE)
    assert case_of("paper") is SUITE[0]
    with pytest.raises(UnknownNameError, match="did you mean 'paper'"):
        case_of("papers")


@each
def test_classes_have_the_sizes_that_a_setting_declares(case: Case) -> None:
    large, small = case.large(1).regular.reports, case.small(1).regular.reports
    assert (large.graders, large.assignments) == (case.students, case.assignments)
    assert (small.graders, small.assignments) == (case.fewer_students, case.fewer_assignments)
    assert case.sentence.endswith(".")


@each
def test_tenths_of_the_graders_are_strategic(case: Case) -> None:
    strategic = case.small(1, "hedge", 3).regular.population.strategy > 0
    assert strategic.sum() == 3 * (case.fewer_students // 10)


def test_the_papers_prior_is_told_where_it_is_wrong() -> None:
    case = case_of("wrong-prior")
    assert case.setting.prior[0] == 8.0
    reports = case.small(1).regular.reports
    assert case.suited(mechanisms.make("mse-p"), reports).spec == "mse-p"


def test_the_right_prior_is_told_in_classes_of_another() -> None:
    case = case_of("irregular")
    suited = case.suited(mechanisms.make("mse-p"), case.small(1).regular.reports)
    assert (suited.prior_mean, suited.prior_variance) == case.setting.prior  # type: ignore[attr-defined]


def test_an_estimated_prior_is_that_of_the_reports() -> None:
    case = case_of("estimated-prior")
    reports = case.large(1).regular.reports
    suited = case.suited(mechanisms.make("mse-p:bias=estimate"), reports)
    assert suited.prior_mean == pytest.approx(reports.grade.mean())  # type: ignore[attr-defined]
    # Two reports on a submission share its true score, of variance 1.6, and nothing else.
    assert suited.prior_variance == pytest.approx(1.6, abs=0.25)  # type: ignore[attr-defined]


@pytest.mark.parametrize("spec", ["mse", "sne:prior=mean", "mse-p:prior_mean=6"])
def test_who_takes_no_prior_or_has_one_is_told_none(spec: str) -> None:
    made = mechanisms.make(spec)
    case = case_of("estimated-prior")
    assert case.suited(made, case.small(1).regular.reports) == made


def test_the_prior_of_two_reports_by_hand() -> None:
    reports = simulate(Setting(students=8, assignments=2, graders=2), 3).reports
    mean, variance = prior_of_reports(reports)
    grades = reports.grade.reshape(-1, 2)
    assert mean == pytest.approx(grades.mean())
    product = np.mean((grades[:, 0] - mean) * (grades[:, 1] - mean))
    assert variance == pytest.approx(max(product, 0.5))


def test_nobody_forms_clusters_in_a_class_of_a_real_shape() -> None:
    with pytest.raises(DesignError):
        case_of("irregular").small(1).suited_to(mechanisms.make("dmi"))


@each
def test_attacks_are_searched_for_in_the_classes_in_which_graders_deviate(case: Case) -> None:
    attacked, semester = case.attacked, case.small(3).regular
    assert attacked.taught(3).regular.reports.to_polars().equals(semester.reports.to_polars())
    assert attacked.uneven == (case.shape is not None)
    assert attacked.uneven == (len(set(np.bincount(semester.reports.grader))) > 1)
    for spec in ("mse-p", "mls:prior=mean-and-variance", "oa"):
        made = mechanisms.make(spec)
        assert attacked.suited(made, semester.reports) == case.suited(made, semester.reports)


def test_classes_that_differ_in_what_is_told_are_told_apart() -> None:
    estimated, wrong = case_of("estimated-prior").attacked, case_of("wrong-prior").attacked
    assert estimated.setting == wrong.setting
    assert repr(estimated) != repr(wrong)
