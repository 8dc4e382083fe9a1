"""Mechanisms that break a promise are caught by the check that states it, and by no accident."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from peergauge.mechanisms import Mechanism, mechanisms
from peergauge.testing import BrokenPromise, check_mechanism
from peergauge.testing import mechanisms as contract
from peergauge.testing.classes import clustered
from peergauge.testing.promises import Check
from tests.testing import broken


@pytest.fixture
def _registered() -> Iterator[None]:
    """The good mechanism is registered while a test runs."""
    mechanisms.register("median-distance", **_declared())(broken.Good)
    yield
    mechanisms.forget(broken.Good.__module__)


def _declared() -> dict[str, object]:
    facts = vars(broken.FACTS).copy()
    del facts["name"]
    return facts


@pytest.mark.usefixtures("_registered")
def test_a_mechanism_that_keeps_every_promise_passes() -> None:
    check_mechanism(broken.Good())
    check_mechanism("median-distance:weight=2", quick=True)


CAUGHT: list[tuple[type[Mechanism], Check, str]] = [
    (
        broken.PeeksAtStaffScores,
        contract.check_staff_scores_are_seen_only_if_declared,
        "reads the column staff_score of the reports, but does not declare needs_truth=True",
    ),
    (
        broken.PaysTheFirstRowMore,
        contract.check_grader_numbers_do_not_matter,
        "pays differently when graders are numbered in another order",
    ),
    (
        broken.PaysTheFirstSubmissionMore,
        contract.check_submission_numbers_do_not_matter,
        "pays differently when submissions are numbered in another order",
    ),
    (
        broken.ChangesTheReports,
        contract.check_inputs_stay_untouched,
        "changes the tables that it is given",
    ),
    (
        broken.UsesGlobalRandomness,
        contract.check_global_generators_stay_untouched,
        "uses a global random generator",
    ),
    (
        broken.UsesItsOwnRandomness,
        contract.check_same_seed_same_rewards,
        "take random numbers from rng alone",
    ),
    (
        broken.HidesItsRandomness,
        contract.check_declares_randomness,
        "draws from rng, but does not declare random=True",
    ),
    (
        broken.BoastsOfRandomness,
        contract.check_declared_randomness_matters,
        "declares random=True, but four seeds pay the same",
    ),
    (
        broken.DrawsByTheGrades,
        contract.check_draws_do_not_depend_on_grades,
        "draws more or fewer random numbers when the grades change",
    ),
    (
        broken.PaysAbsentGradersZero,
        contract.check_any_class_is_paid_or_refused,
        "pays graders who graded nothing",
    ),
    (
        broken.PaysLoneReportsZero,
        contract.check_unjudged_reports_are_not_paid_zero,
        "pays 0 for a report that has no second grader",
    ),
    (
        broken.CrashesOnOneGrader,
        contract.check_any_class_is_paid_or_refused,
        "fails in a class of 1 graders, 1 submissions and 1 reports in 1 assignments: ValueError",
    ),
    (
        broken.LooksAhead,
        contract.check_earlier_assignments_stay_paid,
        "pays earlier assignments differently once there are later ones",
    ),
    (broken.PartsDoNotAddUp, contract.check_parts_add_up, "pays parts that do not add up"),
    (broken.PaysInfinity, contract.check_any_class_is_paid_or_refused, "pays +∞"),
    (
        broken.PaysMinusInfinity,
        contract.check_any_class_is_paid_or_refused,
        "pays −∞ to grader 0 in assignment number 1",
    ),
    (
        broken.AlwaysReadsStaffScores,
        contract.check_pays_an_ordinary_class,
        "reads the column staff_score, but does not declare needs_truth=True",
    ),
    (
        broken.CountsLevels,
        contract.check_needs_steps_only_if_declared,
        "refuses a scale without steps, but does not declare steps=True",
    ),
    (
        broken.WantsClusters,
        contract.check_declares_its_design,
        "refuses a class without clusters, but does not declare design='clusters'",
    ),
    (
        broken.BoastsOfClusters,
        contract.check_declares_its_design,
        "declares design='clusters', but pays everybody in a class without clusters",
    ),
    (
        broken.CountsUndoneTwice,
        contract.check_undone_reviews_count_as_declared,
        "counts reviews that were not done, but declares undone='worst'",
    ),
    (
        broken.IgnoresUndone,
        contract.check_undone_reviews_count_as_declared,
        "declares undone='own', but pays the same",
    ),
    (
        broken.IgnoresItsPrior,
        contract.check_declared_prior_matters,
        "declares prior='given', but pays the same whatever the prior is",
    ),
    (
        broken.PaysAnArray,
        contract.check_pays_an_ordinary_class,
        "should return Rewards, but returns a ndarray",
    ),
    (
        broken.RefusesWithoutASentence,
        contract.check_any_class_is_paid_or_refused,
        "without one clear sentence: 'graders'",
    ),
    (
        broken.PaysEffortLess,
        contract.check_careful_graders_earn_more,
        "does not pay careful graders more than careless ones",
    ),
    (
        broken.NeedsTruthButPaysNobody,
        contract.check_pays_an_ordinary_class,
        "pays nobody in an ordinary class",
    ),
    (
        broken.IgnoresChecks,
        contract.check_spot_checks_count,
        "declares uses_checks=True, but pays the same whatever the checks found",
    ),
    (
        broken.HidesItsPrior,
        contract.check_declares_its_prior,
        "takes a prior, but does not declare prior='given'",
    ),
    (
        broken.HasNoPrior,
        contract.check_declares_its_prior,
        "does not have the parameters prior_mean and prior_variance",
    ),
    (broken.RemembersReports, contract.check_pickle_gives_it_back, "not the same after pickling"),
    (broken.Unexplained, contract.check_explains_itself, "has no docstring"),
    (broken.Good, contract.check_spec_gives_it_back, "cannot be made from its spec"),
]


@pytest.mark.parametrize(
    ("cls", "check", "why"), CAUGHT, ids=[f"{cls.__name__}" for cls, _, _ in CAUGHT]
)
def test_a_broken_promise_is_caught_with_one_sentence(
    cls: type[Mechanism], check: Check, why: str
) -> None:
    with pytest.raises(BrokenPromise) as caught:
        check(cls())
    sentence = str(caught.value)
    assert sentence.startswith("The mechanism 'median-distance")
    assert why in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence


@pytest.mark.usefixtures("_registered")
@pytest.mark.parametrize("cls", [cls for cls, _, _ in CAUGHT if cls is not broken.Good])
def test_the_whole_contract_catches_each_of_them(cls: type[Mechanism]) -> None:
    with pytest.raises(AssertionError):
        check_mechanism(cls(), quick=cls is not broken.PaysEffortLess)


def test_every_promise_of_the_contract_can_be_broken() -> None:
    """Every check that applies to all mechanisms has caught one, or is listed here with why."""
    caught = {check for _, check, _ in CAUGHT}
    hard_to_break = {
        # A class that is no mechanism: the tests of the bench have one.
        contract.check_is_a_mechanism,
        # Only a mechanism with compiled functions can break this.
        contract.check_plain_equals_compiled,
        # Reports sort their rows, so that no mechanism sees the order in which they were given.
        contract.check_row_order_does_not_matter,
    }
    assert set(contract.mechanism_checks(broken.Good())) <= caught | hard_to_break


def test_a_promise_of_random_mechanisms_on_average_can_be_broken() -> None:
    class Unfair(broken.Good):
        """Random, and better for low numbers."""

        facts = broken.RANDOM

        def score(self, reports, rng):  # type: ignore[no-untyped-def]
            part = self.parts(reports) + rng.standard_normal(len(reports)) / (1 + reports.grader)
            return type(super().score(reports, rng)).from_parts(reports, part - reports.grader)

    with pytest.raises(BrokenPromise, match="differently on average"):
        contract.check_grader_numbers_do_not_matter_on_average(Unfair())


def test_a_failure_names_its_cause() -> None:
    with pytest.raises(BrokenPromise) as caught:
        contract.check_any_class_is_paid_or_refused(broken.CrashesOnOneGrader())
    assert isinstance(caught.value.__cause__, ValueError)


def test_classes_of_ones_own_can_be_checked() -> None:
    reports = clustered(1)
    contract.check_any_class_is_paid_or_refused(broken.CrashesOnOneGrader(), reports)
    assert np.isfinite(contract.paid(broken.Good(), reports).total).all()
