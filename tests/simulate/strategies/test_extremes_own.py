"""Extremes about one's own mean."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.simulate import strategies
from tests.simulate.strategies.situations import situation


@pytest.mark.parametrize(
    ("spec", "reports"),
    [
        # Grader 0 sees 2, then 4 and 6: means 2 and 4. Grader 1 sees 9, then 8: means 9 and 8.5.
        ("extremes-own", [10, 10, 10, 10, 0]),
        ("extremes-own:signals=all", [0, 10, 10, 10, 0]),
    ],
)
def test_signals_are_compared_with_the_graders_own_mean(spec: str, reports: list[float]) -> None:
    where = situation(
        [2, 9, 4, 6, 8],
        grader=np.array([0, 1, 0, 0, 1], dtype=np.int32),
        assignment=np.array([0, 0, 1, 1, 1], dtype=np.int32),
    )
    assert strategies.make(spec).report(where).tolist() == reports


def test_it_says_what_to_do() -> None:
    assert strategies.make("extremes-own").in_words() == (
        "Report the highest grade from the mean of your grades so far up, and the lowest one below"
    )
