"""Pay per report does not depend on how many reports of the same quality a grader gives."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.mechanisms import mechanisms, score
from peergauge.mechanisms.semester.guarded_mean_squared_error import GuardedMeanSquaredError
from peergauge.mechanisms.shared.parametric import Parametric
from peergauge.metrics import measure
from peergauge.models import Estimates
from peergauge.simulate import Setting, simulate
from peergauge.tables import Reports, Rewards, Truth
from tests.generators import class_of

OTHER_TASKS_COUNT = (
    "ca",
    "cah",
    "ea",
    "phi-div",
    "phi-div-p",
    "phi-div-p-averaged",
    "phi-div-p-star",
    "pts",
    "ptsc",
    "vmi",
)
"""Pay of a report depends on the grader's other tasks, or on how often the class gave a grade."""

GROUPS_GROW = ("dmi",)
"""A group with twice as many tasks is another group, whose determinants are larger."""

MODEL_IS_FITTED_AGAIN = ("loo",)
"""Pay of a report depends on fits of the model without its grader."""

SUBMISSIONS = 27


def uneven_class() -> Reports:
    """27 submissions of three assignments, each with two to four out of eight graders."""
    rng = np.random.default_rng(3)
    rows = [
        (assignment, submission, grader, rng.integers(3, 11))
        for submission, assignment in enumerate(np.repeat([0, 1, 2], [9, 7, 11]))
        for grader in sorted(rng.choice(8, rng.integers(2, 5), replace=False))
    ]
    assignment, submission, grader, grade = np.array(rows).T
    return Reports(assignment, submission, grader, grade.astype(np.float64), graders=8)


def twice(reports: Reports) -> Reports:
    """Every submission has a twin in its assignment, with the same graders and the same grades."""
    submission = np.concatenate([2 * reports.submission, 2 * reports.submission + 1])
    order = np.argsort(submission, kind="stable")

    rows = np.concatenate([np.arange(len(reports))] * 2)[order]
    return Reports(
        reports.assignment[rows],
        submission[order],
        reports.grader[rows],
        reports.grade[rows],
        graders=reports.graders,
    )


def submission_of_pair(reports: Reports) -> NDArray[np.int64]:
    """The number that a submission or its twin has in the class without twins."""
    return np.arange(reports.submissions, dtype=np.int64) // (reports.submissions // SUBMISSIONS)


def some_truth(reports: Reports) -> Truth:
    score_of_pair = 6 + submission_of_pair(reports) * 5 % 7 / 2
    return Truth(score_of_pair, reports.assignment[reports.submission_bounds[:-1]])


def same_estimates(self: Parametric, reports: Reports, _: Floats | None = None) -> Estimates:
    """Estimates that are the same for twins, so that only the number of reports differs."""
    grader = np.tile(np.arange(reports.graders), (reports.assignments, 1))
    return Estimates(
        score=5 + submission_of_pair(reports) * 7 % 11 / 3,
        bias=(grader - 3) / 4,
        reliability=0.5 + grader / 10,
        rounds=np.ones(reports.assignments, np.int64),
        converged=np.ones(reports.assignments, np.bool_),
    )


def pays_reports_alone(name: str) -> bool:
    """Whether the pay of a report does not depend on the grader's other reports."""
    excluded = (*OTHER_TASKS_COUNT, *GROUPS_GROW, *MODEL_IS_FITTED_AGAIN)
    return name not in excluded and not mechanisms.classes()[name].facts.semester


PAYING_REPORTS = [one for one in mechanisms.classes() if pays_reports_alone(one)]


def test_the_mechanisms_that_are_checked_include_all_that_average() -> None:
    averaging = {"corr", "crowdgrader", "moodle", "mse", "mse-p", "r2", "staff-distance"}
    assert averaging <= set(PAYING_REPORTS)


@pytest.mark.parametrize("name", PAYING_REPORTS)
def test_twice_as_many_reports_of_the_same_quality_have_the_same_pay_per_report(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Parametric, "estimate", same_estimates)
    few = uneven_class()
    many = twice(few)
    one, other = (score(name, some, truth=some_truth(some)) for some in (few, many))
    assert (other.paid_reports == 2 * one.paid_reports).all()
    np.testing.assert_allclose(other.running_per_report, one.running_per_report, rtol=1e-12)


def test_the_authors_averaging_of_mse_p_makes_more_reports_look_better(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Parametric, "estimate", same_estimates)
    few = uneven_class()
    one, other = (score("mse-p:averaging=twice", some) for some in (few, twice(few)))
    np.testing.assert_allclose(other.per_report, one.per_report / 2, rtol=1e-12)


def test_the_penalty_of_guarded_mse_p_is_that_of_one_assignment() -> None:
    """Under the same grades in each of four assignments, a mean does not grow with their number."""
    grades = {"s": {"ann": 6, "bob": 8}, "t": {"ann": 6, "bob": 4}, "u": {"ann": 6, "cy": 9}}
    one = class_of(grades)
    times = np.repeat(np.arange(4, dtype=np.int32), len(one))
    four = Reports(
        times, np.tile(one.submission, 4) + 3 * times, np.tile(one.grader, 4), np.tile(one.grade, 4)
    )
    mechanism = GuardedMeanSquaredError()
    plain, guarded = score(mechanism.unguarded(), four), score(mechanism, four)
    penalty = plain.running - guarded.running
    ann = 0
    assert penalty[-1, ann] > 0
    np.testing.assert_allclose(
        plain.running_per_report - guarded.running_per_report,
        penalty / np.arange(1, 5)[:, None],
        atol=1e-12,
    )


def checked(grades: dict[str, dict[str, float]], checks: dict[str, float]) -> Rewards:
    truth = Truth.from_frame({"submission": list(checks), "score": list(checks.values())})
    return score("staff-distance", class_of(grades), checks=truth)


def test_pay_by_spot_checks_is_a_mean_over_reports_too() -> None:
    few = checked({"s": {"ann": 6, "bob": 9}, "t": {"bob": 9, "cy": 4}}, {"s": 7})
    # ann is one point off, bob two; cy was not checked and is paid their mean.
    np.testing.assert_allclose(few.amount, [[9, 8, 8.5]])
    np.testing.assert_allclose(few.per_report, [9, 8, 8.5])


def test_spare_reports_do_not_count() -> None:
    reports = class_of({f"s{i}": {"ann": i, "bob": i + i % 2, "cy": 9 - i} for i in range(6)})
    spare = np.zeros(len(reports), dtype=np.bool_)
    spare[-3:] = True
    with_spare = Reports(
        reports.assignment, reports.submission, reports.grader, reports.grade, spare=spare
    )
    for spec in ("corr", "mse", "oa"):
        rewards = score(spec, with_spare)
        assert rewards.paid_reports.tolist() == [5, 5, 5]
        np.testing.assert_allclose(rewards.per_report, score(spec, with_spare.paid_only).per_report)


def test_pay_per_report_measures_better_than_the_authors_averaging_in_an_uneven_class() -> None:
    """Half of the graders give two reviews of four per assignment.

    Under ``averaging=twice`` the error of graders with two reviews counts double. Over twelve seeds
    the mean AUC is 0.95 with ``once`` and 0.84 with ``twice``. The smallest gap is 0.055, so that a
    gap of 0.04 is expected of every seed.
    """
    semester = simulate(Setting(students=200, assignments=10), 5)
    reports = semester.reports
    number = np.zeros(len(reports), dtype=np.int64)
    seen: dict[tuple[int, int], int] = {}
    for row, key in enumerate(
        zip(reports.assignment.tolist(), reports.grader.tolist(), strict=True)
    ):
        number[row] = seen[key] = seen.get(key, -1) + 1
    kept = (reports.grader % 2 == 0) | (number < 2)
    some = Reports(
        reports.assignment[kept],
        reports.submission[kept],
        reports.grader[kept],
        reports.grade[kept],
        submissions=reports.submissions,
        graders=reports.graders,
    )
    once, twice_ = (
        measure("binary-auc:per=report", score(spec, some), semester.truth)
        for spec in ("mse-p:bias=estimate", "mse-p:averaging=twice,bias=estimate")
    )
    assert once > 0.88
    assert once - twice_ > 0.04
