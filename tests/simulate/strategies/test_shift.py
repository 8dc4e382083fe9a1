"""Shift: add a constant."""

from __future__ import annotations

import pytest

from peergauge.core.errors import ParameterError
from peergauge.simulate import strategies
from peergauge.tables import Scale
from tests.simulate.strategies.situations import reports_of_all_signals


def test_every_grade_is_moved_and_held_on_the_scale() -> None:
    up = reports_of_all_signals("shift:by=2", Scale(), 7)
    down = reports_of_all_signals("shift:by=-1", Scale(), 7)
    assert up == [2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10]
    assert down == [0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]


def test_points_are_tenths_of_other_scales() -> None:
    assert reports_of_all_signals("shift:by=2", Scale(1, 6), 4) == [2, 3, 4, 5, 6, 6]


def test_it_says_what_to_do() -> None:
    assert strategies.make("shift:by=-1").in_words() == "Report 1 point less"
    assert strategies.make("shift:by=1.5").in_words() == "Report 1.5 points more"


def test_an_endless_shift_is_refused() -> None:
    with pytest.raises(ParameterError, match="finite"):
        strategies.make("shift:by=inf")


def test_its_label_has_the_amount_on_the_scale() -> None:
    made = strategies.make("shift:by=-2")
    assert made.label_on(Scale()) == made.label == "Shift by -2"
    assert made.label_on(Scale(0, 25)) == "Shift by -5"
