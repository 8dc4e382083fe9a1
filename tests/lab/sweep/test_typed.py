"""Parameters of sweeps as people type them: lists, ranges and words, and what is refused."""

from __future__ import annotations

import pytest

from peergauge.core.errors import ParameterError
from peergauge.lab.sweep.typed import over_of


def test_values_are_lists_ranges_and_words() -> None:
    assert over_of(["graders=2..4,8"]) == {"graders": [2, 3, 4, 8]}
    assert over_of(["students=20..100:40"]) == {"students": [20, 60, 100]}
    assert over_of(["strategic=0..0.3:0.1"]) == {"strategic": [0.0, 0.1, 0.2, 0.3]}
    assert over_of(["bias.deviation=-1..0:0.5"]) == {"bias.deviation": [-1.0, -0.5, 0.0]}
    assert over_of(["scale=0..10, 1..5"]) == {"scale": ["0..10", "1..5"]}
    assert over_of(["strategy=hedge+noise:deviation=2"]) == {
        "strategy": ["hedge", "noise:deviation=2"]
    }
    assert over_of(["effort.active=none,3"]) == {"effort.active": ["none", 3]}


@pytest.mark.parametrize(
    "text", ["graders", "=3", "graders=", "graders=4..2", "graders=2..8:0", "graders=0..1:0.0001"]
)
def test_values_that_cannot_be_read_are_refused(text: str) -> None:
    with pytest.raises(ParameterError, match=r"NAME=VALUES|A range is"):
        over_of([text])


def test_a_parameter_that_is_given_twice_is_refused() -> None:
    with pytest.raises(ParameterError, match="given twice"):
        over_of(["graders=2", "graders=3"])
