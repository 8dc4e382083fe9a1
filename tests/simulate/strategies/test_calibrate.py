"""Calibrate: subtract the mean difference between one's own signals and the expected score."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import ParameterError
from peergauge.simulate import Setting, simulate, strategies
from peergauge.simulate.strategies import Situation
from tests.simulate.strategies.situations import situation


def two_graders() -> Situation:
    """Grader 0 is 1 above the expected 7 at first and 3 above later; grader 1 is 2 below."""
    return situation(
        [8, 5, 9, 11, 5],
        grader=np.array([0, 1, 0, 0, 1], dtype=np.int32),
        assignment=np.array([0, 0, 1, 1, 1], dtype=np.int32),
    )


@pytest.mark.parametrize(
    ("spec", "reports"),
    [
        # Grader 0 is 1, 2 and 4 above: 1 on average at first, 7 / 3 in all.
        ("calibrate", [7, 7, 9 - 7 / 3, 11 - 7 / 3, 7]),
        ("calibrate:signals=all", [8 - 7 / 3, 7, 9 - 7 / 3, 11 - 7 / 3, 7]),
        # With a doubt of 1: 1 / 2 and 7 / 4; grader 1 is -2 / 2 and -4 / 3.
        ("calibrate:doubt=1", [7.5, 6, 7.25, 9.25, 5 + 4 / 3]),
    ],
)
def test_the_mean_of_ones_own_signals_is_taken_off(spec: str, reports: list[float]) -> None:
    assert strategies.make(spec).report(two_graders()) == pytest.approx(reports)


def test_each_signal_is_compared_with_its_expected_score() -> None:
    where = situation([8, 6], grader=np.zeros(2, dtype=np.int32), prior_mean=np.array([7.0, 5.0]))
    assert strategies.make("calibrate").report(where) == pytest.approx([7, 5])


def test_most_of_the_bias_is_gone() -> None:
    # Forty signals tell a mean to about 0.3; biases have a deviation of 1.
    semester = simulate(Setting(), seed=4)
    everybody = np.arange(100)

    def spread(spec: str) -> float:
        grade = (
            semester.redo(everybody, spec).grade - semester.truth.score[semester.design.submission]
        )
        means = np.bincount(semester.design.grader, grade) / 40
        return float(means.std())

    assert spread("calibrate:signals=all") < 0.4
    assert spread("truthful") > 0.8


def test_it_says_what_to_do() -> None:
    words = strategies.make("calibrate:doubt=4").in_words()
    assert words == (
        "Subtract the mean difference between your grades so far and the expected grade, counting "
        "4 more grades that are exactly as expected"
    )


@pytest.mark.parametrize("doubt", ["-1", "inf"])
def test_doubts_that_are_no_number_of_signals_are_refused(doubt: str) -> None:
    with pytest.raises(ParameterError, match="doubt"):
        strategies.make(f"calibrate:doubt={doubt}")
