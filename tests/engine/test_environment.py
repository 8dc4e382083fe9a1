"""Environments: simulated classes, and the prior that mechanisms are given in them."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

from peergauge.engine.environment import Environment, PriorRule, prior_of_reports
from peergauge.mechanisms import mechanisms, score
from peergauge.simulate import BinomialScores, Setting, simulate
from peergauge.simulate.source import SemesterSource
from peergauge.simulate.spot_checks import checks_of, draw_checks
from tests.lab.exploit.toys import ABSENT, UnevenClasses, UnevenSource, toys

__all__ = ["toys"]

SMALL = Setting(students=20, assignments=3, graders=3)
# A binomial of ten trials with probability 0.8: mean 8, variance 10 * 0.8 * 0.2.
OTHER_SCORES = replace(SMALL, true_scores=BinomialScores(0.8))
OTHER_PRIOR = (8.0, 1.6)
PRIOR_RULES: tuple[PriorRule, ...] = ("paper", "true", "estimated")


def prior_of(
    environment: Environment, spec: str, seed: int = 4
) -> tuple[float | None, float | None]:
    """The prior that a mechanism has after the environment filled it in."""
    reports = environment.draw(seed).semester().reports
    made = environment.with_prior(mechanisms.make(spec), reports)
    return made.prior_mean, made.prior_variance  # type: ignore[attr-defined]


# --------------------------------------------------------------------------------------------- pay


def test_graders_of_regular_classes_are_ranked_by_their_total_pay() -> None:
    environment = Environment(SemesterSource(SMALL))
    reports = environment.draw(4).semester().reports
    pay = environment.pay(mechanisms.make("mse"), reports, 4)
    np.testing.assert_array_equal(pay, score("mse", reports, seed=4).total)


@pytest.mark.usefixtures("toys")
def test_graders_of_uneven_classes_are_ranked_by_their_pay_per_report() -> None:
    environment = UnevenClasses()
    reports = environment.draw(4).semester().reports
    np.testing.assert_array_equal(np.bincount(reports.grader, minlength=7), [1, 2, 3, 4, 5, 6, 0])
    means = [reports.grade[reports.grader == one].mean() for one in range(6)]
    away = np.abs(reports.grade - reports.grade.mean())
    errors = [away[reports.grader == one].mean() for one in range(6)]
    pay = environment.pay(mechanisms.make("test-target"), reports, 4)
    np.testing.assert_allclose(pay, [*(-np.array(errors)), np.nan])
    # A reward for all reports together is not divided by their number.
    whole = environment.pay(mechanisms.make("test-flat"), reports, 4)
    np.testing.assert_allclose(whole, [*means, 5.0])
    assert whole[ABSENT] == 5


def test_pay_depends_on_the_prior_of_the_environment() -> None:
    paper = Environment(SemesterSource(OTHER_SCORES))
    reports = paper.draw(4).semester().reports
    true = replace(paper, prior="true").pay(mechanisms.make("mse-p"), reports, 4)
    mean, variance = OTHER_PRIOR
    by_hand = score(f"mse-p:prior_mean={mean},prior_variance={variance}", reports, seed=4).total
    np.testing.assert_allclose(true, by_hand)
    assert not np.allclose(true, paper.pay(mechanisms.make("mse-p"), reports, 4))


# ------------------------------------------------------------------------------------------- prior


def test_the_paper_prior_leaves_mechanisms_as_they_are() -> None:
    assert prior_of(Environment(SemesterSource(OTHER_SCORES)), "mse-p") == (None, None)


def test_the_true_prior_is_that_of_the_setting() -> None:
    environment = Environment(SemesterSource(OTHER_SCORES), "true")
    assert prior_of(environment, "mse-p") == pytest.approx(OTHER_PRIOR)


def test_the_estimated_prior_is_that_of_the_reports() -> None:
    environment = Environment(SemesterSource(OTHER_SCORES), "estimated")
    reports = environment.draw(4).semester().reports
    assert prior_of(environment, "mse-p") == pytest.approx(prior_of_reports(reports))
    assert prior_of(environment, "mse-p", seed=5) != prior_of(environment, "mse-p", seed=4)


@pytest.mark.parametrize("rule", PRIOR_RULES)
@pytest.mark.parametrize(
    "spec",
    [
        "mse-p:prior_mean=6,prior_variance=1",
        "mse-p:prior_mean=6",
        "mse-p:prior_variance=1",
        "sne:prior=mean",
        "sne:prior=mean-and-variance",
        "mse",
    ],
)
def test_a_prior_that_a_user_chose_is_never_overridden(rule: PriorRule, spec: str) -> None:
    environment, made = Environment(SemesterSource(OTHER_SCORES), rule), mechanisms.make(spec)
    assert environment.with_prior(made, environment.draw(4).semester().reports) is made


def test_the_prior_of_two_reports_on_each_submission_by_hand() -> None:
    reports = simulate(Setting(students=8, assignments=2, graders=2), 3).reports
    mean, variance = prior_of_reports(reports)
    grades = reports.grade.reshape(-1, 2)
    assert mean == pytest.approx(grades.mean())
    product = np.mean((grades[:, 0] - mean) * (grades[:, 1] - mean))
    assert variance == pytest.approx(max(product, 0.5))


# ----------------------------------------------------------------------------------------- classes


def test_semesters_have_the_design_that_a_mechanism_needs() -> None:
    environment = Environment(SemesterSource(Setting(students=20, assignments=3, graders=4)))
    regular, clustered = (
        environment.semester(mechanisms.make(spec), 4).reports for spec in ("mse", "dmi")
    )
    drawn = environment.draw(4)
    assert regular.to_polars().equals(drawn.semester("any").reports.to_polars())
    assert clustered.to_polars().equals(drawn.semester("clusters").reports.to_polars())
    assert not regular.to_polars().equals(clustered.to_polars())


def test_a_truthful_environment_has_nobody_strategic_and_all_else_stays() -> None:
    given = replace(SMALL, strategies={"all-tens": 5})
    estimated = Environment(SemesterSource(given), "estimated")
    assert estimated.truthful() == Environment(SemesterSource(SMALL), "estimated")
    uneven = UnevenClasses(UnevenSource(given)).truthful()
    assert uneven == UnevenClasses(UnevenSource(SMALL))
    assert isinstance(uneven.source, UnevenSource)


@pytest.mark.parametrize(
    "environment", [Environment(SemesterSource(SMALL)), UnevenClasses(UnevenSource(SMALL))]
)
def test_environments_can_be_sent_to_another_process(environment: Environment) -> None:
    there = pickle.loads(pickle.dumps(environment))
    assert there == environment
    assert repr(there) == repr(environment)


def test_spot_checks_are_given_to_mechanisms_that_use_them() -> None:
    checked = Environment(SemesterSource(Setting(students=20, assignments=2)), checked=0.5)
    semester = checked.semester(mechanisms.make("mse"), 3)
    drawn = draw_checks(semester.reports, 0.5, seed=3)
    checks = checks_of(semester.truth, semester.reports, drawn)
    expected = score("mse", semester.reports, checks=checks, seed=3).total
    plain = score("mse", semester.reports, seed=3).total
    found = checked.pay(mechanisms.make("mse"), semester.reports, 3, semester.truth)
    np.testing.assert_allclose(found, expected)
    assert not np.allclose(found, plain)
    # A mechanism that uses none is paid as ever.
    oa = checked.pay(mechanisms.make("oa"), semester.reports, 3, semester.truth)
    np.testing.assert_allclose(oa, score("oa", semester.reports, seed=3).total)
