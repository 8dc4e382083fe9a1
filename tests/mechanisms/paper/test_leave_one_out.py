"""LOO against leaving graders out for real."""

from __future__ import annotations

import numpy as np
import pytest

import peergauge
from peergauge.compiled.mechanisms.paper.leave_one_out import FIT_LANES
from peergauge.core.errors import ConvergenceWarning, NeedsTruthError
from peergauge.mechanisms.paper.leave_one_out import LeaveOneOut, scores_without
from peergauge.models.pg1 import PG1
from peergauge.simulate import Setting, simulate
from peergauge.tables import Reports, Truth
from tests.generators import parts_of


@pytest.mark.parametrize("bias", ["estimate", "ignore"])
def test_graders_earn_how_much_worse_the_estimates_are_without_them(bias: str) -> None:
    semester = simulate(Setting(students=8, assignments=2, graders=3), seed=2)
    reports, true = semester.reports, semester.truth.score
    model = PG1(bias=bias != "ignore")
    complete = model.fit(reports).score
    rewards = peergauge.score(f"loo:bias={bias}", reports, truth=semester.truth)
    for k in range(8):
        kept = reports.grader != k
        without = model.fit(
            Reports(
                reports.assignment[kept],
                reports.submission[kept],
                reports.grader[kept],
                reports.grade[kept],
                submissions=16,
                graders=8,
            )
        ).score
        gain = (without - true) ** 2 - (complete - true) ** 2
        for a in range(2):
            own = reports.submission[(reports.grader == k) & (reports.assignment == a)]
            assert rewards.amount[a, k] == pytest.approx(gain[own].sum(), abs=1e-9)


def test_it_cannot_do_without_true_scores() -> None:
    reports = simulate(Setting(students=8, assignments=1, graders=3)).reports
    with pytest.raises(NeedsTruthError, match="paid by the true scores"):
        peergauge.score("loo", reports)
    with pytest.raises(NeedsTruthError):
        LeaveOneOut().score(reports, peergauge.stream(0))


def test_reports_on_a_submission_of_unknown_score_are_not_paid() -> None:
    semester = simulate(Setting(students=8, assignments=1, graders=3), seed=1)
    score = semester.truth.score.copy()
    score[3] = np.nan
    rewards = peergauge.score(
        "loo", semester.reports, truth=Truth(score=score, assignment=semester.truth.assignment)
    )
    assert np.isnan(parts_of(rewards)).tolist() == (semester.reports.submission == 3).tolist()


def test_it_declares_that_it_is_given_the_truth() -> None:
    assert LeaveOneOut.facts.needs_truth


def test_fits_that_do_not_converge_are_warned_about(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LeaveOneOut, "model", lambda _: PG1(most_rounds=2))
    semester = simulate(Setting(students=8, assignments=1, graders=3), seed=1)
    with pytest.warns(ConvergenceWarning) as caught:
        peergauge.score("loo", semester.reports, truth=semester.truth)
    # One fit with everybody, and one without each of the eight.
    expected = ["PG1 did not converge in 8 of 8 fits", "PG1 did not converge in 1 of 1 fits"]
    assert [str(w.message).partition(" within")[0] for w in caught] == expected


MANY = 2 * FIT_LANES + 19
"""Graders for whom every lane fits more than once, and who do not fill the lanes in the end."""

SIZES = [(MANY + 1, 4), (MANY + 1, 1), (MANY, 6), (12, 5)]
"""Numbers of students and of graders of a submission."""


@pytest.mark.parametrize("most_rounds", [1, 2, 7, 1000])
@pytest.mark.parametrize(("students", "graders"), SIZES)
def test_fits_side_by_side_are_those_that_are_made_alone(
    students: int, graders: int, most_rounds: int
) -> None:
    """A class with more graders than fits run side by side, and others of all sizes.

    The fits do not affect one another: each has the estimates of the model that is fitted without
    the grader, up to rounding, because the plain function adds in another order.
    """
    reports = simulate(Setting(students=students, assignments=2, graders=graders), seed=4).reports
    prior = PG1(most_rounds=most_rounds).hyperparameters(reports.scale)
    for with_bias in (True, False):
        given = reports.grade, reports.layout, prior, with_bias
        without, *counts = scores_without(*given)
        expected, *expected_counts = scores_without.plain(*given)
        np.testing.assert_allclose(without, expected, rtol=0, atol=1e-9)
        assert counts == expected_counts
