"""Extremes: the highest grade or the lowest."""

from __future__ import annotations

import pytest

from peergauge.core.errors import ParameterError
from peergauge.simulate import strategies
from peergauge.tables import Scale
from tests.simulate.strategies.situations import reports_of_all_signals


def test_the_centre_itself_counts_as_high() -> None:
    assert reports_of_all_signals("extremes", Scale(), 7) == [0] * 7 + [10] * 4
    assert reports_of_all_signals("extremes:centre=5", Scale(), 7) == [0] * 5 + [10] * 6


def test_the_centre_is_in_proportion_on_other_scales() -> None:
    assert reports_of_all_signals("extremes:centre=6", Scale(1, 6), 3) == [1, 1, 1, 6, 6, 6]


def test_it_says_what_to_do() -> None:
    words = strategies.make("extremes:centre=6").in_words()
    assert words == "Report the highest grade from 6 up, and the lowest one below"


def test_a_centre_at_infinity_is_refused() -> None:
    with pytest.raises(ParameterError, match="finite"):
        strategies.make("extremes:centre=inf")
