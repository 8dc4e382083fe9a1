"""Standardise: a wanted mean and standard deviation of one's reports."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import ParameterError
from peergauge.simulate import strategies
from tests.simulate.strategies.situations import situation

ONE = np.zeros(3, dtype=np.int32)


@pytest.mark.parametrize(
    ("spec", "reports"),
    [
        # Signals 3, 5, 7 have mean 5 and standard deviation 2; the expected score is 7.
        ("standardise:deviation=1,doubt=0", [6, 7, 8]),
        ("standardise:deviation=1,doubt=0,mean=0", [4, 5, 6]),
        ("standardise:deviation=3,doubt=0,mean=0.5", [3, 6, 9]),
        # One more signal of 7 gives the mean 5.5; squares are 8 + 1 over 3, so deviation 3 ** 0.5.
        (
            "standardise:deviation=1,doubt=1",
            [7 + (one - 5.5) / np.sqrt(3) for one in (3.0, 5.0, 7.0)],
        ),
    ],
)
def test_reports_have_the_wanted_mean_and_deviation(spec: str, reports: list[float]) -> None:
    found = strategies.make(spec).report(situation([3, 5, 7], grader=ONE))
    assert found == pytest.approx(reports)


def test_signals_without_spread_are_only_moved() -> None:
    where = situation([4, 4, 4], grader=ONE)
    assert strategies.make("standardise:doubt=0").report(where) == pytest.approx([7, 7, 7])


def test_it_calibrates_only_if_it_moves_the_mean() -> None:
    assert strategies.make("standardise").uses("calibrates")
    assert not strategies.make("standardise:mean=0").uses("calibrates")
    assert strategies.make("standardise:mean=0").uses("memory")


def test_it_says_what_to_do() -> None:
    assert strategies.make("standardise:mean=0").in_words() == (
        "Move all grades towards or away from the mean of your grades this semester until their "
        "standard deviation is 1.8 points"
    )
    assert strategies.make("standardise:mean=0.5,signals=so-far").in_words() == (
        "Move the mean of your grades so far half of the way to the expected grade, and stretch or "
        "shrink your grades until their standard deviation is 1.8 points"
    )


@pytest.mark.parametrize("given", ["deviation=-1", "mean=2", "doubt=-1", "deviation=inf"])
def test_impossible_numbers_are_refused(given: str) -> None:
    with pytest.raises(ParameterError, match="of standardise"):
        strategies.make(f"standardise:{given}")
