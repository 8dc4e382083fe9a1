"""The paper's preprocessing, against a plain version that drops one thing at a time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.errors import TableError
from peergauge.exports.preprocess import coarsened, fit_prior, preprocess
from peergauge.mechanisms import mechanisms, score
from peergauge.metrics.binary_auc import BinaryAUC
from peergauge.simulate import NormalScores, Setting, simulate
from peergauge.simulate.scores import draw_scores
from peergauge.tables import Reports, Scale, Truth
from tests.generators import class_of, reports

Pair = tuple[int, int, int]


def plainly(given: Reports) -> set[Pair]:
    """What is left when thin things are dropped one after the other."""
    left = set(
        zip(
            given.assignment.tolist(), given.submission.tolist(), given.grader.tolist(), strict=True
        )
    )
    while True:
        for a, s, k in sorted(left):
            graded = sum(other[0] == a and other[2] == k for other in left)
            graders = sum(other[1] == s for other in left)
            if graded < 2 or graders < 2:
                left.discard((a, s, k))
                break
        else:
            return left


@given(reports())
def test_what_is_left_is_the_same_whatever_is_dropped_first(some: Reports) -> None:
    expected = plainly(some)
    if not expected:
        with pytest.raises(TableError, match="Nothing is left"):
            preprocess(some, scale=None)
        return
    done = preprocess(some, scale=None)
    paid = done.reports.paid_only
    rows = zip(
        paid.assignment.tolist(), paid.submission.tolist(), paid.grader.tolist(), strict=True
    )
    assert set(rows) == expected
    assert done.kept + done.spare + done.alone <= done.read == len(some)
    assert done.retained == pytest.approx(len(expected) / len(some))


def thin() -> Reports:
    """Ann and Bob grade three each, one of them alone; Cy grades one."""
    return class_of(
        {
            "s": {"ann": 8, "bob": 6},
            "t": {"ann": 5, "bob": 7, "cy": 9},
            "u": {"ann": 2},
            "v": {"bob": 3},
        }
    )


def test_a_worked_case() -> None:
    done = preprocess(thin(), scale=None)
    # Cy graded one submission and goes; u and v have one grader and stay as penalty tasks.
    assert (done.read, done.kept, done.spare, done.alone) == (7, 4, 2, 1)
    assert done.reports.graders == 3
    assert done.reports.to_polars()["grade"].to_list() == [8, 6, 5, 7, 2, 3]
    assert done.reports.spare is not None
    assert done.reports.spare.tolist() == [False] * 4 + [True] * 2


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", mechanisms.all(), ids=str)
def test_spare_grades_are_never_paid_and_change_nothing_but_penalties(mechanism: object) -> None:
    semester = simulate(Setting(students=20, assignments=3), seed=4)
    full = semester.reports
    rng = np.random.default_rng(1)
    # Some submissions keep one grader.
    first = np.unique(full.submission, return_index=True)[1]
    lonely = np.isin(full.submission, rng.choice(full.submissions, 12, replace=False))
    keep = ~lonely | np.isin(np.arange(len(full)), first)
    cut = Reports(
        full.assignment[keep],
        full.submission[keep],
        full.grader[keep],
        full.grade[keep],
        assignments=3,
        submissions=full.submissions,
        graders=20,
    )
    done = preprocess(cut, semester.truth, scale=None)
    assert done.reports.spare is not None
    if mechanism.facts.design == "clusters":  # type: ignore[attr-defined]
        return
    with_spare = score(mechanism, done.reports, truth=semester.truth)  # type: ignore[arg-type]
    without = score(mechanism, done.reports.paid_only, truth=semester.truth)  # type: ignore[arg-type]
    assert with_spare.reports is done.reports
    if with_spare.part is not None:
        assert np.isnan(with_spare.part[done.reports.spare]).all()
    if not mechanism.facts.penalties:  # type: ignore[attr-defined]
        np.testing.assert_array_equal(with_spare.amount, without.amount)
    # Measures compare pay with the error of what is paid.
    measured = BinaryAUC(per="report").errors(with_spare, semester.truth)
    alone = BinaryAUC(per="report").errors(without, semester.truth)
    np.testing.assert_array_equal(measured, alone)


def test_spare_grades_widen_the_choice_of_penalty_tasks() -> None:
    """Two graders who share two submissions have no two other tasks but the spare ones."""
    done = preprocess(thin(), scale=None)
    assert not np.isnan(score("phi-div-p", done.reports).amount[0, :2]).any()
    assert np.isnan(score("phi-div-p", done.reports.paid_only).amount).all()


def test_rows_sorted_cut_or_renamed_keep_what_is_spare() -> None:
    done = preprocess(thin(), scale=None).reports
    again = done.relabel([1, 0, 2]).relabel([1, 0, 2])
    assert again == done
    assert done.among([0]).to_polars()["grade"].to_list() == [8, 5, 2]
    few = done.among([0])
    assert few.spare is not None
    assert few.spare.tolist() == [False, False, True]
    assert done.first(1) == done
    other = done.with_grades(np.full(len(done), 4.0))
    assert other.paid_only.grade.tolist() == [4.0] * 4


def test_true_scores_are_coarsened_with_the_grades() -> None:
    some = class_of({"s": {"ann": 30, "bob": 12}, "t": {"ann": 0, "bob": 14}}, scale="0..30")
    truth = Truth(np.array([29.0, np.nan]), np.array([0, 0]))
    done = preprocess(some, truth)
    assert done.reports.grade.tolist() == [10, 4, 0, 5]
    assert done.truth is not None
    assert done.truth.score[0] == 10.0
    assert np.isnan(done.truth.score[1])


def test_scores_are_coarsened_from_the_beginning_of_their_scale() -> None:
    found = coarsened(np.array([1.0, 3.0, 5.0, np.nan]), Scale(1, 5), Scale(2, 4))
    np.testing.assert_array_equal(found, [2, 3, 4, np.nan])


def test_the_prior_of_a_likelihood_is_mean_and_variance() -> None:
    assert fit_prior(np.array([6.0, 8.0, 10.0, np.nan]), Scale()) == pytest.approx((8.0, 8 / 3))


@pytest.mark.slow
@given(st.floats(4, 9.5), st.floats(0.8, 5))
def test_the_discretised_prior_finds_what_made_the_scores(mean: float, variance: float) -> None:
    """Of 20 000 scores, rounded and held inside 0..10.

    The error of a mean of so many is 0.016 at most, that of a variance 0.05; where a third of the
    scores sit at 10 they are two to three times as large. The tolerance is four of those.
    """
    scores = draw_scores(NormalScores(mean, variance), Scale(), 20_000, np.random.default_rng(7))
    found = fit_prior(scores, Scale(), "discretised")
    assert found[0] == pytest.approx(mean, abs=0.2)
    assert found[1] == pytest.approx(variance, abs=0.6)


def test_a_heap_at_the_end_is_not_taken_for_small_variance() -> None:
    scores = draw_scores(NormalScores(9.5, 4.0), Scale(), 20_000, np.random.default_rng(3))
    assert fit_prior(scores, Scale())[1] < 2.5
    assert fit_prior(scores, Scale(), "discretised")[1] == pytest.approx(4.0, abs=0.4)


def test_scores_that_do_not_vary_have_no_prior() -> None:
    with pytest.raises(TableError, match="these do not"):
        fit_prior(np.array([7.0, 7.0]), Scale())


def test_grades_by_students_who_are_not_paid_there_are_dropped_and_not_spare() -> None:
    """Dee's only other submission has one grader, so Dee is not paid and neither grade stays."""
    done = preprocess(
        class_of(
            {
                "s": {"ann": 8, "bob": 6},
                "t": {"ann": 5, "bob": 7},
                "u": {"dee": 2},
                "v": {"dee": 3},
            }
        ),
        scale=None,
    )
    assert (done.read, done.kept, done.spare) == (6, 4, 0)


def test_rounds_are_those_until_nothing_was_dropped() -> None:
    """Dropping Cy changes nothing else, which the second round finds; a whole class needs one."""
    assert preprocess(thin(), scale=None).rounds == 2
    whole = class_of({"s": {"ann": 8, "bob": 6}, "t": {"ann": 5, "bob": 7}})
    assert preprocess(whole, scale=None).rounds == 1


def test_a_number_of_partners_of_ones_own_is_enough_from_there_on() -> None:
    """With three, Ann and Bob do not have enough submissions; with one, everything stays."""
    with pytest.raises(TableError, match="no two students graded the same two submissions"):
        preprocess(thin(), scale=None, least=3)
    whole = preprocess(thin(), scale=None, least=1)
    assert (whole.kept, whole.spare, whole.alone, whole.rounds) == (7, 0, 0, 1)
    assert (whole.retained, preprocess(thin(), scale=None).retained) == (1.0, 4 / 7)


def test_grades_are_coarsened_to_the_scale_of_the_paper_unless_another_is_named() -> None:
    some = class_of({"s": {"ann": 1, "bob": 3}, "t": {"ann": 5, "bob": 2}}, scale="1..5")
    truth = Truth(np.array([1.0, 4.0]), np.array([0, 0]))
    usual, other = preprocess(some, truth), preprocess(some, truth, scale="2..4")
    kept = preprocess(some, truth, scale=None)
    for done, grades, scores in (
        (usual, [0, 5, 10, 2], [0.0, 8.0]),
        (other, [2, 3, 4, 2], [2.0, 4.0]),
        (kept, [1, 3, 5, 2], [1.0, 4.0]),
    ):
        assert done.truth is not None
        assert done.reports.grade.tolist() == grades
        assert done.truth.score.tolist() == scores


def test_scores_of_two_submissions_are_enough_for_a_prior_if_they_differ() -> None:
    assert fit_prior(np.array([6.0, 8.0]), Scale()) == (7.0, 1.0)
    assert fit_prior(np.array([6.0, np.nan, 6.5]), Scale()) == (6.25, 0.0625)
    for scores in ([6.0], [6.0, np.nan], [], [6.0, 6.0, 6.0]):
        with pytest.raises(TableError, match="true scores that vary"):
            fit_prior(np.array(scores), Scale())


@pytest.mark.parametrize("scale", [Scale(), Scale(1, 6), Scale(0, 100, 10)], ids=str)
def test_the_discretised_prior_of_exact_shares_is_found_to_four_digits(scale: Scale) -> None:
    """Of a million scores in proportion to the probabilities; rounding them costs the rest."""
    mean, variance = scale.lowest + 0.6 * (scale.highest - scale.lowest), 3.0 * scale.unit**2
    times = np.rint(NormalScores(mean, variance).probabilities(scale) * 1e6).astype(int)
    found = fit_prior(np.repeat(scale.values(), times), scale, "discretised")
    assert found == pytest.approx((mean, variance), rel=1e-4)
