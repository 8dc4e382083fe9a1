"""Reviews: columns by review, apparent scores, and generators that collide with no others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from peergauge.core.arrays import Floats
from peergauge.core.randomness import stream
from peergauge.simulate import (
    Difficulty,
    NormalStyles,
    Reviews,
    Semester,
    Setting,
    SharedError,
    UniformStyles,
    simulate,
)

SMALL = Setting(students=12, assignments=3)
SEEN: list[Reviews] = []


@dataclass(frozen=True)
class Watched:
    """A model of signals that keeps the reviews that it is given."""

    def draw(self, reviews: Reviews) -> Floats:
        SEEN.append(reviews)
        return reviews.score


def reviews_of(setting: Setting, seed: int = 1, repeat: int = 0) -> tuple[Reviews, Semester]:
    SEEN.clear()
    semester = simulate(setting, seed, repeat=repeat, signals=Watched())
    return SEEN[0], semester


def test_columns_have_one_value_for_each_review() -> None:
    reviews, semester = reviews_of(SMALL)
    assert len(reviews) == len(semester.reports) == 144
    assert (reviews.graders, reviews.submissions) == (12, 36)
    truth, grader = semester.truth, semester.reports.grader
    assert truth.effort is not None
    assert truth.bias is not None
    np.testing.assert_array_equal(reviews.effort, truth.effort[grader])
    np.testing.assert_array_equal(reviews.bias, truth.bias[grader])
    np.testing.assert_array_equal(reviews.score, truth.score[semester.reports.submission])
    np.testing.assert_array_equal(reviews.level, reviews.score)
    np.testing.assert_array_equal(reviews.assignment, semester.reports.assignment)
    assert (reviews.slope == 1).all()
    assert reviews.prior == SMALL.prior


def test_without_features_submissions_look_as_they_are() -> None:
    reviews, _ = reviews_of(SMALL)
    np.testing.assert_array_equal(reviews.apparent, reviews.score)


def test_an_error_that_all_graders_share_is_the_same_in_every_repeat() -> None:
    setting = Setting(students=12, assignments=3, shared_error=SharedError(1.0))
    first, second = (reviews_of(setting, repeat=repeat)[0] for repeat in (0, 1))
    for reviews in (first, second):
        error = reviews.apparent - reviews.score
        by_submission = {
            (int(s), round(float(e), 9)) for s, e in zip(reviews.submission, error, strict=True)
        }
        assert len(by_submission) == reviews.submissions
    np.testing.assert_array_equal(first.apparent_scores[0], second.apparent_scores[0])


def test_the_error_of_difficult_submissions_belongs_to_the_review() -> None:
    setting = Setting(students=12, assignments=3, difficulty=Difficulty(2.0, 1.0))
    reviews, _ = reviews_of(setting)
    assert len(np.unique(reviews.apparent - reviews.score)) > 100


def test_slopes_of_whole_signals_are_left_to_the_end() -> None:
    inside, _ = reviews_of(Setting(students=12, styles=NormalStyles(0.5)))
    assert len(np.unique(inside.slope)) > 1
    whole = Setting(students=12, styles=UniformStyles(0.0, 0.0, whole_signal=True))
    reviews, semester = reviews_of(whole)
    assert (reviews.slope == 1).all()
    # A slope of 0 leaves the mean of the true scores of every signal.
    assert (semester.signal == 7).all()


@pytest.mark.parametrize("name", ["signals", "effort", "design", "draws"])
def test_generators_collide_with_no_stream_of_the_simulation(name: str) -> None:
    reviews, _ = reviews_of(SMALL, seed=4)
    mine = [reviews.rng(name).random(), reviews.lasting_rng(name).random()]
    others = [stream(4, name).random(), stream(4, name, 0).random()]
    assert len({*mine, *others}) == 4
    again, _ = reviews_of(SMALL, seed=4, repeat=1)
    assert again.rng(name).random() != mine[0]
    assert again.lasting_rng(name).random() == mine[1]
