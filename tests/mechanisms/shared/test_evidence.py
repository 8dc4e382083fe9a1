"""Evidence about graders: hand-worked parts, censoring, copies, and the plain version."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.stats import norm

from peergauge.core.acceleration import plain_numpy
from peergauge.mechanisms.semester.guarded_merit import GuardedMerit
from peergauge.mechanisms.semester.merit_less_suspicion import MeritLessSuspicion
from peergauge.mechanisms.shared.evidence import (
    Evidence,
    _borrowed,
    censored,
    noise_of_step,
    step_in_points,
)
from peergauge.mechanisms.shared.semester import spreads_of
from peergauge.simulate import simulate
from peergauge.tables import Reports, Scale
from tests.generators import reports as any_reports


def evidence(reports: Reports) -> Evidence:
    """The evidence under the paper's prior."""
    return GuardedMerit().evidence(reports)


def copying(reports: Reports, grader: int, share: float = 1.0) -> Reports:
    """The reports, of which a grader copies the next co-grader's on a share of the submissions."""
    grade, bounds = reports.grade.copy(), reports.submission_bounds
    rows = np.flatnonzero(reports.grader == grader)
    for row in rows[: round(share * len(rows))]:
        begin, end = bounds[reports.submission[row]], bounds[reports.submission[row] + 1]
        grade[row] = reports.grade[begin + (row - begin + 1) % (end - begin)]
    return reports.with_grades(grade)


@pytest.mark.parametrize(("mean", "variance"), [(7.0, 0.5), (9.8, 0.7), (-1.0, 2.0), (12.0, 1.0)])
def test_moments_of_a_censored_normal_number_are_its_integrals(
    mean: float, variance: float
) -> None:
    deviation = np.sqrt(variance)
    law = norm(mean, deviation)

    def moment(power: int) -> float:
        inside = quad(lambda x: x**power * law.pdf(x), 0, 10)[0]
        return float(inside + 10.0**power * law.sf(10) + (0.0**power) * law.cdf(0))

    first, second = moment(1), moment(2)
    cut, within, inside = censored(np.array([mean]), np.array([variance]))
    assert_allclose(cut, first, atol=1e-8)
    assert_allclose(within, second - first**2, atol=1e-7)
    assert_allclose(inside, law.cdf(10) - law.cdf(0), atol=1e-12)


def test_a_known_score_is_cut_off_without_uncertainty() -> None:
    cut, within, _ = censored(np.array([11.0, 4.0]), np.zeros(2))
    assert_allclose(cut, [10.0, 4.0], atol=1e-9)
    assert_allclose(within, 0.0, atol=1e-5)


def test_steps_are_those_of_the_scale_and_add_the_noise_of_rounding() -> None:
    assert step_in_points(25.0, 10.0) == 2.5
    assert step_in_points(None, 10.0) == 0.01
    assert_allclose(noise_of_step(2.5) - noise_of_step(0.0), 6.25 / 12)


def test_evidence_of_one_grader_by_hand() -> None:
    # Two graders agree on two submissions, so the third is compared with them; all is symmetric.
    some = Reports(
        assignment=np.zeros(6, int),
        submission=np.repeat([0, 1], 3),
        grader=np.tile([0, 1, 2], 2),
        grade=np.array([6.0, 6.0, 6.0, 8.0, 8.0, 8.0]),
    )
    found = evidence(some)
    assert_allclose(found.n, [[2, 2, 2]])
    # Everybody reported the same, so everybody has the same evidence.
    for column in found[2:]:
        assert_allclose(column[0], column[0, 0])
    # All six reports equal a co-grader's, and each had the same probability q to do so.
    q = 2 / (2 + found.matches[0, 0] ** 2)
    assert 0.02 < q < 0.98
    assert found.matches[0, 0] > 0


@given(any_reports(), st.booleans())
def test_the_compiled_version_agrees_with_the_plain_one(some: Reports, absent: bool) -> None:
    if absent:
        some = some.with_assigned(some.done + 1)
    fast = evidence(some)
    with plain_numpy():
        slow = evidence(some.with_assigned(some.assigned))
    for name, one, other in zip(Evidence._fields, fast, slow, strict=True):
        assert_allclose(one, other, rtol=1e-7, atol=1e-7, err_msg=name)


def test_evidence_does_not_depend_on_the_unit_of_the_scale() -> None:
    semester = simulate(students=20, assignments=3, seed=2)
    hundred = semester.reports.coarsen(Scale(0, 100, 10))
    for one, other in zip(evidence(semester.reports), evidence(hundred), strict=True):
        assert_allclose(one, other, atol=1e-9)


def test_copies_match_more_often_than_independent_reports() -> None:
    # Claim: after forty reports honest graders have an excess of about 0 with a standard deviation
    # of about 0.85 (0.7 to 1.05 over 100 graders of one class), and copiers one of about 6; half
    # copied, about 3. The bounds are more than four standard errors away.
    semester = simulate(seed=4)
    honest = evidence(semester.reports).matches[-1]
    assert abs(honest.mean()) < 0.45
    assert 0.65 < honest.std() < 1.1
    graders = range(0, 100, 10)
    full = [evidence(copying(semester.reports, one)).matches[-1, one] for one in graders]
    half = [evidence(copying(semester.reports, one, 0.5)).matches[-1, one] for one in graders]
    assert np.mean(full) > 4.5
    assert 1.8 < np.mean(half) < 4.5


def test_borrowed_biases_by_hand() -> None:
    # Four graders give the grades of two kind and two harsh ones; the last grader, 4, grades one
    # submission with each of them. The distances 1, -1, 1, -1 follow the biases 1, -1, 1, -1: the
    # sum of products and of both squares is 4, so that it is 4 / sqrt(4.1 * 5 / 3).
    bias = np.array([1.0, -1.0, 1.0, -1.0, 0.0])
    s = np.repeat(np.arange(4, dtype=np.int32), 2)
    k = np.array([0, 4, 1, 4, 2, 4, 3, 4], dtype=np.int32)
    e = np.array([0.0, 1.0, 0.0, -1.0, 0.0, 1.0, 0.0, -1.0])
    count = np.bincount(k).astype(float)
    found = _borrowed(e, np.arange(0, 9, 2), s, k, count, bias)
    assert_allclose(found[4], 4 / np.sqrt(4.1 * 5 / 3))
    # A single report has no covariance with anything.
    assert_allclose(found[:4], 0.0)


def test_who_grades_with_the_same_people_every_time_cannot_be_seen_to_borrow() -> None:
    rng = np.random.default_rng(5)
    grade = np.clip(np.rint(rng.normal(7, 1.5, (10, 1)) + rng.normal(0, 1, (10, 4))), 0, 10)
    grade[:, 3] = grade[:, :3].mean(axis=1)
    together = Reports(
        assignment=np.repeat(np.arange(10), 4),
        submission=np.repeat(np.arange(10), 4),
        grader=np.tile(np.arange(4), 10),
        grade=np.rint(grade).ravel(),
    )
    assert_allclose(evidence(together).borrowed, 0.0, atol=1e-9)


def test_disguised_copies_borrow_the_biases_of_co_graders() -> None:
    # Claim: after forty reports honest graders have a mean of about -0.1 with a standard deviation
    # of about 1 (0.85 to 1.1 over 100 graders of one class), and graders who report the mean of two
    # co-graders plus a point of noise have a mean of about 2.4 with the deviation 0.8, thus a
    # standard error of 0.25 over ten graders. Exact matches do not show them.
    semester = simulate(seed=4)
    honest = evidence(semester.reports).borrowed[-1]
    assert abs(honest.mean()) < 0.5
    assert 0.75 < honest.std() < 1.25
    disguised = "in-turn:steps=copy:sources=2+noise"
    copiers = [
        Evidence(*(one[-1, grader] for one in evidence(semester.redo(grader, disguised))))
        for grader in range(0, 100, 10)
    ]
    assert np.mean([one.borrowed for one in copiers]) > 1.5
    assert np.mean([one.matches for one in copiers]) < 1.5


def test_graders_who_give_many_full_marks_do_not_look_like_hedgers() -> None:
    # Grades of kind graders are cut off at the top and spread less. Claim: the correlation of
    # spread and bias is about -0.5 without the cut and about -0.1 with it; the standard error over
    # 300 graders is 0.06.
    bias, cut, uncut = [], [], []
    for seed in (6, 7, 8):
        semester = simulate(seed=seed)
        sums, variance = MeritLessSuspicion().sums(semester.reports)
        bias.append(semester.population.bias)
        cut.append(evidence(semester.reports).spread[-1])
        uncut.append(spreads_of(sums, variance[:, None], 2.0).spread[-1])
    with_cut, without = (
        np.corrcoef(np.concatenate(bias), np.concatenate(one))[0, 1] for one in (cut, uncut)
    )
    assert without < -0.3
    assert abs(with_cut) < 0.25


def test_undone_reviews_count_as_the_prior_mean_or_as_bad_as_the_others() -> None:
    semester = simulate(students=20, assignments=3, seed=9)
    owing = semester.reports.with_assigned(semester.reports.done + 2)
    before, after = evidence(semester.reports), evidence(owing)
    n, owed = before.n[-1], after.undone[-1]
    assert_allclose(owed, 6)
    worst = np.maximum(before.error[-1], 2.1)
    assert_allclose(after.error[-1], (n * before.error[-1] + owed * worst) / (n + owed))
    assert (after.spread[-1] < before.spread[-1]).all()
    assert (after.slope[-1] < before.slope[-1]).all()
