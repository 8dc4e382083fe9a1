"""Reviews that were assigned and not done: paid like the worst report, and never better."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import peergauge
from peergauge.mechanisms import mechanisms
from peergauge.simulate import Setting, simulate
from peergauge.simulate.source import SemesterSource
from peergauge.tables import Reports
from peergauge.testing.classes import class_of

NAN = float("nan")


def absent(reports: Reports, grader: int, keep: int) -> Reports:
    """The reports, of which a grader handed in only the first few."""
    grade = reports.grade.copy()
    grade[np.flatnonzero(reports.grader == grader)[keep:]] = NAN
    return reports.handed_in(grade)


def test_a_sum_gains_the_lowest_reward_for_each_undone_review() -> None:
    # OA pays 1 for agreeing with the only co-grader and 0 otherwise; cy owes two reviews.
    reports = class_of({"s": {"ann": 6, "bob": 6}, "t": {"ann": 5, "cy": 5}, "u": {"cy": 5}})
    owing = reports.with_assigned([[2, 1, 4]])
    rewards = peergauge.score("oa:prize=1", owing)
    assert_allclose(rewards.amount, [[2.0, 1.0, 1.0]])
    assert rewards.for_undone is not None
    assert_allclose(rewards.for_undone, [[0.0, 0.0, 0.0]])
    # Two of four reviews earn nothing, one cannot be paid, one earns 1.
    assert_allclose(rewards.per_report, [1.0, 1.0, 1 / 3])


def test_a_mean_is_taken_over_all_assigned_reviews() -> None:
    # Squared distances to the consensus: 1 and 1 for s, 4 and 4 for t.
    reports = class_of({"s": {"ann": 6, "bob": 8}, "t": {"cy": 2, "dan": 6}})
    owing = reports.with_assigned([[1, 3, 1, 1]])
    rewards = peergauge.score("mse", owing)
    # Bob: one review at -1, two undone ones at the lowest reward of the assignment, -4.
    assert_allclose(rewards.amount, [[-1.0, -3.0, -4.0, -4.0]])
    assert rewards.for_undone is not None
    assert_allclose(rewards.for_undone, [[0.0, -8 / 3, 0.0, 0.0]])
    assert rewards.part is not None
    assert_allclose(rewards.part, [-1.0, -1 / 3, -4.0, -4.0])
    assert_allclose(rewards.per_report, [-1.0, -3.0, -4.0, -4.0])


def test_a_grader_who_did_nothing_is_paid_for_what_was_left_out() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 8}}, {"t": {"ann": 5, "bob": 5}})
    nothing = reports.handed_in([6, 8, 5, NAN])
    assert nothing.assigned is not None
    rewards = peergauge.score("mse", nothing)
    # In the second assignment nobody can be paid: a single report has no consensus.
    assert_allclose(rewards.amount, [[-1.0, -1.0], [NAN, NAN]])
    both = class_of({"s": {"ann": 6, "bob": 8}}, {"t": {"ann": 5, "bob": 7, "cy": 6}})
    rewards = peergauge.score("mse", both.with_assigned([[1, 1, 2], [1, 1, 1]]))
    assert_allclose(rewards.amount, [[-1.0, -1.0, -1.0], [-1.0, -1.0, 0.0]])


def test_reports_that_do_not_say_what_was_assigned_are_paid_as_they_are() -> None:
    semester = simulate(students=12, assignments=2, seed=3)
    few = absent(semester.reports, 0, 1)
    unknown = few.with_assigned(None)
    assert unknown.undone is None
    assert peergauge.score("mse", unknown).for_undone is None
    # Unknown in one assignment only: nothing is owed there.
    assert few.assigned is not None
    half = few.assigned.copy()
    half[1, 0] = -1
    owed = few.with_assigned(half).undone
    assert owed is not None
    assert owed[0, 0] == 3
    assert owed[1, 0] == 0


@pytest.mark.parametrize(
    "name", sorted(name for name, one in mechanisms.classes().items() if not one.facts.needs_truth)
)
def test_to_know_what_was_assigned_never_raises_the_pay_of_whoever_did_less(name: str) -> None:
    made = mechanisms.make(name)
    source = SemesterSource(Setting(students=24, assignments=3))
    semester = source.draw(5).semester(made.facts.design)
    for keep in (4, 8, 10):
        few = absent(semester.reports, 2, keep)
        known = peergauge.score(made, few, seed=1)
        unknown = peergauge.score(made, few.with_assigned(None), seed=1)
        for how in ("total", "per_report"):
            with_it, without = getattr(known, how), getattr(unknown, how)
            assert not with_it[2] > without[2] + 1e-9, (keep, how)
            # All others are paid as before, apart from ties in what they are compared with.
            if not made.facts.semester:
                others = np.arange(24) != 2
                assert_allclose(with_it[others], without[others])


@pytest.mark.parametrize(
    "name",
    [
        "mse",
        "mse-p",
        "oa",
        "corr",
        "r2",
        "guarded-mse-p",
        "phi-div",
        "mls",
        "mls:form=strict",
        "pmi",
    ],
)
def test_a_single_review_out_of_twelve_ranks_last(name: str) -> None:
    # A sum of negative rewards would rank the grader first, and a mean by luck.
    semester = simulate(students=24, assignments=3, seed=7)
    rewards = peergauge.score(name, absent(semester.reports, 4, 1))
    others = np.arange(24) != 4
    for pay in (rewards.total, rewards.per_report):
        # A total that judges the semester is a mean with the lowest one, and so just above it.
        assert np.count_nonzero(pay[others] < pay[4]) <= 1


def test_a_total_is_averaged_with_the_lowest_one_by_the_share_of_reviews_done() -> None:
    semester = simulate(students=24, assignments=3, seed=7)
    few = absent(semester.reports, 4, 6)
    known, unknown = peergauge.score("mls", few), peergauge.score("mls", few.with_assigned(None))
    lowest = np.nanmin(unknown.running, axis=1)
    # Four of four, six of eight and six of twelve reviews are done.
    for assignment, share in enumerate((1.0, 0.75, 0.5)):
        own = unknown.running[assignment, 4]
        assert_allclose(
            known.running[assignment, 4], share * own + (1 - share) * lowest[assignment]
        )
    assert known.for_undone is not None
    assert_allclose(known.amount - known.for_undone, unknown.amount)


def test_a_grader_without_any_report_has_the_lowest_total() -> None:
    semester = simulate(students=24, assignments=2, seed=7)
    rewards = peergauge.score("pmi", absent(semester.reports, 4, 0))
    assert rewards.total[4] == np.nanmin(np.delete(rewards.total, 4))
