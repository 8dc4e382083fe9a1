"""What co-graders report."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.simulate import simulate
from peergauge.simulate.strategies import CoGraders
from peergauge.simulate.strategies.peers import co_graders_mean, from_co_graders, normal_quantile
from tests.simulate.strategies.situations import situation

NAN = np.nan
FEW = CoGraders(
    np.array([[1, -1, 2, 3], [-1, 0, -1, -1], [-1, -1, -1, -1]], dtype=np.int32),
    np.array([[4.0, NAN, 6, 9], [NAN, 8, NAN, NAN], [NAN, NAN, NAN, NAN]]),
)


def test_who_has_no_co_grader_is_left_with_their_own_signal() -> None:
    where = situation([1, 2, 3], co_graders=lambda: FEW)
    assert from_co_graders(where, 0) == pytest.approx([19 / 3, 8, 3])
    assert from_co_graders(where, 0, median=True) == pytest.approx([6, 8, 3])
    assert co_graders_mean(where) == pytest.approx([19 / 3, 8, 7])


@pytest.mark.parametrize(
    ("sources", "possible"), [(1, {4, 6, 9}), (2, {5, 6.5, 7.5}), (3, {19 / 3})]
)
def test_every_co_grader_is_drawn(sources: int, possible: set[float]) -> None:
    count = 200
    seen = CoGraders(np.tile(FEW.grader[:1], (count, 1)), np.tile(FEW.signal[:1], (count, 1)))
    drawn = from_co_graders(situation([5] * count, co_graders=lambda: seen), sources)
    assert {round(one, 6) for one in drawn} == {round(one, 6) for one in possible}
    # Each of three is drawn 67 times of 200, with a deviation of 7.
    if len(possible) == 3:
        times = np.unique(drawn, return_counts=True)[1]
        assert times.min() > 40


def test_co_graders_of_a_class_are_the_other_graders_of_the_submission() -> None:
    semester = simulate(students=8, assignments=2, graders=3, seed=5)
    design, rows = semester.design, np.array([0, 7, 20])
    found = CoGraders.of(rows, design.submission, design.grader, semester.signal)
    for row, who, signal in zip(rows, found.grader, found.signal, strict=True):
        same = np.flatnonzero(design.submission == design.submission[row])
        others = same[same != row]
        assert sorted(who[who >= 0]) == sorted(design.grader[others])
        assert sorted(signal[~np.isnan(signal)]) == sorted(semester.signal[others])


def test_quantiles_of_certain_events_are_infinite() -> None:
    assert (normal_quantile(0), normal_quantile(0.5), normal_quantile(1)) == (-np.inf, 0, np.inf)
