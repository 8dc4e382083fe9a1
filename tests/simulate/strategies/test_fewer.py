"""Fewer reviews: only some are done."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import ParameterError
from peergauge.simulate import Setting, simulate, strategies


@pytest.mark.parametrize(
    ("spec", "done", "in_each"),
    [
        ("fewer:count=1", 3, [1, 1, 1]),
        ("fewer:count=2,per=semester", 2, None),
        ("fewer:count=9", 12, [4, 4, 4]),
        ("fewer:count=0", 0, [0, 0, 0]),
        ("fewer:share=0", 0, [0, 0, 0]),
        ("fewer:share=1", 12, [4, 4, 4]),
    ],
)
def test_as_many_reviews_as_wanted_are_done(
    spec: str, done: int, in_each: list[int] | None
) -> None:
    semester = simulate(Setting(12, 3, 4), seed=2)
    for grader in range(12):
        reports = semester.redo(grader, spec)
        mine = reports.grader == grader
        assert mine.sum() == done
        if in_each is not None:
            assert np.bincount(reports.assignment[mine], minlength=3).tolist() == in_each


def test_reviews_that_are_done_are_truthful_and_picked_at_random() -> None:
    semester = simulate(Setting(100, 10, 4), seed=2)
    grade = semester.redone(np.arange(100), "fewer:count=1")
    done = ~np.isnan(grade)
    assert np.array_equal(grade[done], semester.signal[done])
    # The first of four reviews of each grader and assignment is picked in 250 of 1000 cases, with
    # a deviation of 14.
    order = np.lexsort((semester.design.submission, semester.design.grader))
    order = order[np.lexsort((semester.design.assignment[order], semester.design.grader[order]))]
    assert abs(done[order].reshape(-1, 4)[:, 0].sum() - 250) < 60


def test_a_share_is_a_probability() -> None:
    # 4000 reviews, each done with probability 0.3: 1200 with a deviation of 29.
    grade = simulate(Setting(100, 10, 4), seed=3).redone(np.arange(100), "fewer:share=0.3")
    assert abs((~np.isnan(grade)).sum() - 1200) < 120


def test_it_says_what_to_do() -> None:
    words = [strategies.make(f"fewer{one}").in_words() for one in ("", ":count=1", ":count=0")]
    assert words == [
        "Do only half of the reviews, picked at random",
        "Do only 1 review in each assignment",
        "Do no reviews at all",
    ]


@pytest.mark.parametrize("spec", ["fewer:share=1.5", "fewer:count=-1"])
def test_impossible_numbers_are_refused(spec: str) -> None:
    with pytest.raises(ParameterError, match="of fewer"):
        strategies.make(spec)
