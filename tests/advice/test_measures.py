"""Measured values in words, and the verdict of a search."""

from __future__ import annotations

import math

import pytest

from peergauge.advice.measures import (
    BY_MEASURE,
    MEASURES,
    SEARCHED_COLUMNS,
    Value,
    in_numbers,
    in_words,
    verdict,
)


@pytest.mark.parametrize(
    ("gain", "error", "said"),
    [
        (3.0, 0.0, "withstood the search"),
        (1.0, 1.0, "withstood the search"),
        (1.0, 1.01, "gains"),
        (3.1, 0.0, "gains"),
        (-9.0, 0.5, "withstood the search"),
        # A gain that was measured in one semester has no error, and counts as it is.
        (2.9, math.nan, "withstood the search"),
    ],
)
def test_a_search_is_withstood_if_the_upper_bound_is_at_most_three_ranks(
    gain: float, error: float, said: str
) -> None:
    for column in SEARCHED_COLUMNS:
        assert verdict(column, Value(gain, error, 50)) == said


def test_what_was_not_searched_was_not_attacked() -> None:
    assert {in_words(column, None) for column in SEARCHED_COLUMNS} == {"not attacked"}
    assert in_words("alone", Value(math.nan, math.nan, 0)) == "not attacked"
    # Other columns have no verdict.
    assert in_words("reversing", None) == "–"
    assert in_words("reversing", Value(1.0, 0.1, 9)) == "1.0 ± 0.1"


def test_numbers_have_their_digits_signs_and_errors() -> None:
    assert in_numbers("worst-difference", Value(0.0123, 0.0004, 9)) == "+0.012 ± 0.000"
    assert in_numbers("worst-difference", Value(-0.0123, 0.0004, 9)) == "−0.012 ± 0.000"
    assert in_numbers("cost", Value(2.0, math.nan, 1)) == "2.0"
    assert in_numbers("alone", Value(-0.04, 0.1, 9)) == "0.0 ± 0.1"


def test_every_measure_has_a_name_a_label_and_a_meaning_of_its_own() -> None:
    assert len(BY_MEASURE) == len({one.label for one in MEASURES}) == len(MEASURES)
    assert not any("safe" in one.meaning for one in MEASURES)
