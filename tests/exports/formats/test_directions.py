"""Words that say whether the highest or the lowest grade is the best."""

from __future__ import annotations

import pytest

from peergauge.exports.formats.directions import direction_in, direction_of_labels


@pytest.mark.parametrize(
    ("header", "low", "ends"),
    [
        ("Note (1 = sehr gut, 6 = ungenügend)", True, (1, 6)),
        ("Note (1,0 = beste, 5,0 = nicht bestanden)", True, (1, 5)),
        ("Score from 1 (best) to 5 (worst)", True, (1, 5)),
        ("Rating, 1 = excellent", True, (1, None)),
        ("Quality 1 (poor) - 5 (excellent)", False, (1, 5)),
        ("Note (1 = mauvais, 20 = excellent)", False, (1, 20)),
        ("Grade: 10 = best", False, (None, 10)),
    ],
)
def test_headers_state_a_direction(
    header: str, low: bool, ends: tuple[float | None, float | None]
) -> None:
    found = direction_in(header)
    assert found is not None
    assert (found.lowest_is_best, (found.lowest, found.highest)) == (low, ends)


@pytest.mark.parametrize("header", ["Score (1-5)", "Note", "Criterion 1: good arguments", "Q1"])
def test_other_headers_state_none(header: str) -> None:
    assert direction_in(header) is None


def test_labels_state_a_direction() -> None:
    german = direction_of_labels(["1 - sehr gut", "2 - gut", "5 - mangelhaft"])
    assert german is not None
    assert german.lowest_is_best
    english = direction_of_labels(["5 - excellent", "1 - poor", "3 - fair"])
    assert english is not None
    assert not english.lowest_is_best
    assert direction_of_labels(["1 - red", "2 - blue"]) is None
