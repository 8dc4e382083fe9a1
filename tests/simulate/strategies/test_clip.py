"""Clip: nothing below or above two bounds."""

from __future__ import annotations

import pytest

from peergauge.core.errors import ParameterError
from peergauge.simulate import strategies
from peergauge.tables import Scale
from tests.simulate.strategies.situations import reports_of_all_signals


def test_signals_outside_the_bounds_are_moved_to_them() -> None:
    clipped = reports_of_all_signals("clip:lowest=5,highest=8", Scale(), 7)
    assert clipped == [5, 5, 5, 5, 5, 5, 6, 7, 8, 8, 8]


def test_bounds_are_in_proportion_on_other_scales() -> None:
    assert reports_of_all_signals("clip:lowest=4", Scale(1, 6), 4) == [3, 3, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("clip", "Report 5 instead of anything below"),
        ("clip:lowest=0,highest=9", "Report 9 instead of anything above"),
        ("clip:highest=8",
         "Report 5 instead of anything below, and 8 instead of anything above"),
    ],
)  # fmt: skip
def test_it_says_what_to_do(spec: str, words: str) -> None:
    assert strategies.make(spec).in_words() == words


@pytest.mark.parametrize("wrong", ["lowest=8,highest=7", "lowest=-1", "highest=11"])
def test_bounds_that_are_none_are_refused(wrong: str) -> None:
    with pytest.raises(ParameterError, match="lower one first"):
        strategies.make(f"clip:{wrong}")


def test_its_label_has_the_bounds_on_the_scale() -> None:
    made = strategies.make("clip:lowest=4,highest=8")
    assert made.label_on(Scale()) == made.label == "Clip to 4..8"
    assert made.label_on(Scale(0, 25)) == "Clip to 10..20"
