"""True scores and traits: read, matched to the reports, and never changed."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from peergauge.core.errors import NeedsTruthError, TableError
from peergauge.core.files import read_frame
from peergauge.tables import Truth
from tests.tables.classes import built, small_class, unnamed

NAN = float("nan")


SCORES: dict[str, list[Any]] = {
    "assignment": ["hw1", "hw1", "hw2", "hw2"],
    "submission": ["ada", "bob", "ada", "bob"],
    "score": [7.5, 5.0, 6.0, 9.0],
}
PEOPLE: dict[str, list[Any]] = {
    "grader": ["kim", "lee", "max"],
    "effort": [0.1, 0.2, 0.3],
    "bias": [1.0, -1.0, 0.0],
    "active": [True, False, True],
    "strategy": ["truthful", "hedge", "truthful"],
}


def test_scores_follow_the_names_whatever_their_order() -> None:
    backwards = {name: column[::-1] for name, column in SCORES.items()}
    assert_array_equal(Truth.from_frame(backwards).scores_of(small_class()), [7.5, 5, 6, 9])


def test_scores_that_the_truth_does_not_have_are_nan() -> None:
    known = {name: [column[3], column[0]] for name, column in SCORES.items()}
    assert_array_equal(Truth.from_frame(known).scores_of(small_class()), [7.5, NAN, NAN, 9])


def test_scores_of_unnamed_submissions_go_by_number() -> None:
    truth = Truth(score=np.array([1.0, 2.0]), assignment=np.zeros(2, dtype=np.int32))
    assert_array_equal(truth.scores_of(unnamed([5.0])), [1])
    assert_array_equal(truth.scores_of(unnamed([5.0, 6.0])), [1, 2])
    assert_array_equal(truth.scores_of(unnamed([5.0, 6.0, 7.0])), [1, 2, NAN])


def test_a_submission_without_reports_is_not_given_the_score_of_another() -> None:
    truth = Truth.from_frame(SCORES)
    later = truth.scores_of(small_class().first(1))[2:]
    # ada's and bob's second homework scored 6 and 9, their first 7.5 and 5.
    assert all(score in {6, 9} or np.isnan(score) for score in later)


def test_a_trait_follows_the_names_of_the_graders() -> None:
    truth = Truth.from_frame(SCORES, PEOPLE)
    assert_array_equal(truth.trait("effort", small_class()), [0.1, 0.2])
    assert_array_equal(truth.trait("effort", small_class().relabel([1, 0])), [0.2, 0.1])
    assert_array_equal(truth.trait("strategic", small_class()), [False, True])


def test_a_trait_of_unnamed_graders_goes_by_number() -> None:
    people = {"grader": [2, 0, 1], "effort": [0.3, 0.1, 0.2]}
    truth = Truth.from_frame({"submission": [0], "score": [5]}, people)
    assert_array_equal(truth.trait("effort", built()), [0.1, 0.2])


def test_a_trait_that_is_not_known_is_refused() -> None:
    with pytest.raises(NeedsTruthError, match="'effort' of every grader"):
        Truth.from_frame(SCORES).trait("effort", small_class())


def test_a_grader_whose_trait_is_not_known_is_named() -> None:
    people = {name: column[1:] for name, column in PEOPLE.items()}
    with pytest.raises(NeedsTruthError, match=r"'effort' of grader kim .*\(1 in all\)"):
        Truth.from_frame(SCORES, people).trait("effort", small_class())


def test_the_columns_of_truth_are_copies_that_cannot_be_changed() -> None:
    score = np.array([1.0, 2.0])
    truth = Truth(score=score, assignment=np.zeros(2, dtype=np.int32))
    score[0] = 9.0
    assert truth.score[0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        truth.score[0] = 9.0


TRUTH_TRIPS: dict[str, Callable[[Truth, Path, Any], Truth]] = {
    "polars": lambda truth, _, people: Truth.from_frame(truth.to_polars(), people),
    "pandas": lambda truth, _, people: Truth.from_frame(truth.to_polars().to_pandas(), people),
    "csv": lambda truth, folder, people: Truth.from_frame(
        read_frame(truth.write(folder / "t.csv")), people
    ),
    "parquet": lambda truth, folder, people: Truth.from_frame(
        read_frame(truth.write(folder / "t.parquet")), people
    ),
}
any_truth_trip = pytest.mark.parametrize("trip", TRUTH_TRIPS.values(), ids=TRUTH_TRIPS.keys())


@any_truth_trip
def test_truth_survives_a_trip_without_the_graders(
    trip: Callable[[Truth, Path, Any], Truth], tmp_path: Path
) -> None:
    truth = Truth.from_frame(SCORES)
    assert trip(truth, tmp_path, None) == truth


@any_truth_trip
def test_truth_survives_a_trip_with_the_graders(
    trip: Callable[[Truth, Path, Any], Truth], tmp_path: Path
) -> None:
    truth = Truth.from_frame(SCORES | {"author": ["max", "kim", "max", "kim"]}, PEOPLE)
    assert truth.author is not None
    assert_array_equal(truth.author, [2, 0, 2, 0])
    assert trip(truth, tmp_path, PEOPLE) == truth


@any_truth_trip
def test_an_unknown_score_survives_a_trip(
    trip: Callable[[Truth, Path, Any], Truth], tmp_path: Path
) -> None:
    truth = Truth.from_frame(SCORES | {"score": [7.5, NAN, 6.0, 9.0]})
    assert trip(truth, tmp_path, None) == truth


def test_truth_is_read_from_two_files(tmp_path: Path) -> None:
    truth = Truth.from_frame(SCORES)
    people = tmp_path / "graders.csv"
    people.write_text("grader,effort\nlee,0.2\nkim,0.1\n", encoding="utf-8")
    read = Truth.read(truth.write(tmp_path / "truth.csv"), people)
    assert read.grader_names == ("kim", "lee")
    assert_array_equal(read.trait("effort", small_class()), [0.1, 0.2])
    assert_array_equal(read.score, truth.score)


def test_an_author_who_grades_nothing_is_not_taken_for_another() -> None:
    truth = Truth.from_frame(SCORES | {"author": ["kim", "lee", "zoe", "kim"]}, PEOPLE)
    assert truth.to_polars()["author"].to_list()[2] not in PEOPLE["grader"]


def test_a_score_that_is_no_number_is_refused_by_the_row_where_it_stands() -> None:
    with pytest.raises(TableError, match="Row 0 of the truth has score 'lost'"):
        Truth.from_frame({"submission": ["zoe", "ada"], "score": ["lost", "7"]})


def test_two_scores_of_one_submission_are_refused() -> None:
    twice = {"submission": ["bob", "ada", "bob"], "score": [5, 7, 6]}
    with pytest.raises(
        TableError, match="Row 2 of the truth scores submission bob of assignment 0 again"
    ):
        Truth.from_frame(twice)


def test_two_rows_of_one_grader_are_refused() -> None:
    with pytest.raises(TableError, match="kim"):
        Truth.from_frame(SCORES, PEOPLE | {"grader": ["kim", "kim", "max"]})


def test_truth_needs_as_many_assignments_as_scores() -> None:
    with pytest.raises(TableError, match="one score and one assignment"):
        Truth(score=np.array([1.0, 2.0]), assignment=np.zeros(1, dtype=np.int32))


def test_truth_is_equal_if_all_that_it_says_is_equal() -> None:
    truth = Truth.from_frame(SCORES | {"score": [7.5, NAN, 6.0, 9.0]}, PEOPLE)
    assert pickle.loads(pickle.dumps(truth)) == truth
    assert truth != Truth.from_frame(SCORES, PEOPLE)
    assert Truth.from_frame(SCORES) != Truth.from_frame(SCORES, PEOPLE)
    assert repr(truth) == "<Truth: 3 of 4 submissions scored>"


def test_a_bad_file_of_graders_is_named(tmp_path: Path) -> None:
    (tmp_path / "truth.csv").write_text("submission,score\na,5\n")
    (tmp_path / "graders.csv").write_text("grader,bias\nkim,0\nkim,1\n")
    with pytest.raises(TableError, match=r"Row 3 of .*graders\.csv lists grader kim again"):
        Truth.read(tmp_path / "truth.csv", tmp_path / "graders.csv")


@pytest.mark.parametrize("trait", ["nan", "inf", "-1e999"])
def test_a_trait_is_a_finite_number(trait: str) -> None:
    scores = {"submission": ["s"], "author": ["ann"], "score": [5]}
    traits = {"grader": ["ann", "bob"], "effort": ["1.0", trait]}
    with pytest.raises(TableError, match="Row 1 of the graders has effort"):
        Truth.from_frame(scores, traits)
