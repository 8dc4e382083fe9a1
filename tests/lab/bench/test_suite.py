"""The settings that mechanisms are compared in."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import DesignError, UnknownNameError
from peergauge.lab.bench.suite import SUITE, SuiteSetting, suite_setting
from peergauge.lab.paper.classes import fitted_model
from peergauge.mechanisms import Mechanism, mechanisms
from peergauge.simulate import NormalStyles, Setting
from peergauge.tables import Reports

each = pytest.mark.parametrize("setting", SUITE, ids=lambda setting: setting.name)


def test_settings_are_told_apart_and_found_by_name() -> None:
    assert len({one.name for one in SUITE}) == len({one.label for one in SUITE}) == len(SUITE)
    assert suite_setting("paper") is SUITE[0]
    with pytest.raises(UnknownNameError, match="did you mean 'paper'"):
        suite_setting("papers")


@each
def test_classes_have_the_sizes_that_a_setting_declares(setting: SuiteSetting) -> None:
    large = setting.integrity_class(1).semester().reports
    small = setting.deviation_class(1).semester().reports
    assert (large.graders, large.assignments) == (setting.students, setting.assignments)
    assert (small.graders, small.assignments) == (
        setting.fewer_students,
        setting.fewer_assignments,
    )
    assert setting.sentence.endswith(".")


@each
def test_tenths_of_the_graders_are_strategic(setting: SuiteSetting) -> None:
    strategic = setting.deviation_class(1, "hedge", 3).semester().population.strategy > 0
    assert strategic.sum() == 3 * (setting.fewer_students // 10)


def given_prior(name: str, spec: str) -> tuple[Mechanism, Reports]:
    """A mechanism with the prior of a setting of the suite, and the reports that it pays."""
    setting = suite_setting(name)
    reports = setting.integrity_class(1).semester().reports
    return setting.environment.with_prior(mechanisms.make(spec), reports), reports


def test_mechanisms_keep_the_papers_prior_where_it_is_wrong() -> None:
    assert suite_setting("wrong-prior").setting.prior[0] == 8.0
    given, _ = given_prior("wrong-prior", "mse-p")
    assert given.spec == "mse-p"


@pytest.mark.parametrize("name", [one.name for one in SUITE if one.honest])
def test_mechanisms_are_given_the_true_prior_in_honest_classes(name: str) -> None:
    given, _ = given_prior(name, "mse-p")
    prior = suite_setting(name).setting.prior
    assert (given.prior_mean, given.prior_variance) == prior  # type: ignore[attr-defined]


def test_an_estimated_prior_is_that_of_the_reports() -> None:
    given, reports = given_prior("estimated-prior", "mse-p:bias=estimate")
    assert given.prior_mean == pytest.approx(reports.grade.mean())  # type: ignore[attr-defined]
    # Two reports on a submission share its true score, of variance 1.6, and nothing else.
    assert given.prior_variance == pytest.approx(1.6, abs=0.25)  # type: ignore[attr-defined]


@pytest.mark.parametrize("spec", ["mse", "sne:prior=mean", "mse-p:prior_mean=6"])
def test_mechanisms_that_need_no_prior_or_have_one_are_given_none(spec: str) -> None:
    given, _ = given_prior("estimated-prior", spec)
    assert given == mechanisms.make(spec)


@pytest.mark.parametrize("name", ["irregular", "stand-in"])
def test_nobody_forms_clusters_in_an_uneven_class(name: str) -> None:
    with pytest.raises(DesignError):
        suite_setting(name).environment.semester(mechanisms.make("dmi"), 1)


def test_honest_settings_are_small_and_differ_from_the_papers_model() -> None:
    honest = [one for one in SUITE if one.honest]
    plain = Setting()
    for one in honest:
        assert one.students <= 100
        assert one.environment.source.setting != plain
        assert (one.students, one.assignments) == (one.fewer_students, one.fewer_assignments)
    # Settings about sizes and priors of the paper's model do not count.
    others = ["paper", "one", "three", "3-graders", "6-graders", "binary"]
    others += ["wrong-prior", "estimated-prior", "spot-checks"]
    assert [one.name for one in SUITE if not one.honest] == others


def test_reviews_are_missing_and_their_number_is_known_only_where_graders_deviate() -> None:
    setting = suite_setting("irregular")
    measured = setting.integrity_class(1).semester().reports
    deviating = setting.deviation_class(1).semester().reports
    assert measured.assigned is None
    assert deviating.assigned is not None
    assert (deviating.assigned == 4).all()
    # Each of 4000 reviews is done with probability 0.6 on average. The probabilities of 100 graders
    # have a standard deviation of 0.23, so the share has a standard error of 0.024; four of them.
    assert len(deviating) / 4000 == pytest.approx(0.6, abs=0.1)
    times = np.bincount(deviating.grader, minlength=100)
    assert times.min() < 15
    assert times.max() > 35


def test_a_stand_in_has_the_shape_of_a_real_class_and_the_fitted_features() -> None:
    setting = suite_setting("stand-in")
    reports = setting.integrity_class(1).semester().reports
    assert (len(reports), reports.submissions) == (4080, 758)
    assert setting.setting.shared_error.deviation == fitted_model().shared_error
    assert setting.setting.styles == NormalStyles(fitted_model().styles)


@each
def test_attacks_are_searched_for_in_the_classes_in_which_graders_deviate(
    setting: SuiteSetting,
) -> None:
    environment, semester = setting.environment, setting.deviation_class(3).semester()
    drawn = environment.draw(3).semester()
    assert drawn.reports.to_polars().equals(semester.reports.to_polars())
    assert environment.source.uneven == (len(set(np.bincount(semester.reports.grader))) > 1)
    assert environment.prior == setting.prior


def test_environments_that_differ_in_their_prior_alone_are_distinct() -> None:
    estimated = suite_setting("estimated-prior").environment
    wrong = suite_setting("wrong-prior").environment
    assert estimated.source == wrong.source
    assert repr(estimated) != repr(wrong)
