"""Stretch about one's own mean."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import ParameterError
from peergauge.simulate import strategies
from tests.simulate.strategies.situations import situation


@pytest.mark.parametrize(
    ("spec", "reports"),
    [
        # Grader 0 sees 2, then 4 and 6: means 2 and 4. Grader 1 sees 9, then 8: means 9 and 8.5.
        ("stretch-own:factor=2", [2, 9, 4, 8, 7.5]),
        ("stretch-own:factor=2,signals=all", [0, 9.5, 4, 8, 7.5]),
        ("stretch-own:factor=0", [2, 9, 4, 4, 8.5]),
    ],
)
def test_distances_from_the_own_mean_are_multiplied(spec: str, reports: list[float]) -> None:
    where = situation(
        [2, 9, 4, 6, 8],
        grader=np.array([0, 1, 0, 0, 1], dtype=np.int32),
        assignment=np.array([0, 0, 1, 1, 1], dtype=np.int32),
    )
    assert strategies.make(spec).report(where) == pytest.approx(reports)


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        ("0.8", "Move every grade a fifth of the way towards the mean of your grades so far"),
        (
            "1.5",
            "Move every grade away from the mean of your grades so far, to 1.5 times the distance",
        ),
        (
            "-2",
            "Reverse every grade: report 2 times as far on the other side of the mean of your "
            "grades so far",
        ),
    ],
)
def test_it_says_what_to_do(factor: str, words: str) -> None:
    assert strategies.make(f"stretch-own:factor={factor}").in_words() == words


def test_an_infinite_factor_is_refused() -> None:
    with pytest.raises(ParameterError, match="factor of stretch-own"):
        strategies.make("stretch-own:factor=inf")
