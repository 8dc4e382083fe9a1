"""Letters from thresholds."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade.letters import LetterScale
from peergauge.core.errors import ParameterError


def of_25(percent: float) -> float:
    """The grade at a percentage on a scale up to 25."""
    return percent / 4


def test_a_letter_begins_at_its_threshold() -> None:
    scale = LetterScale.parse("A>=90%, B>=70 %,F")
    assert scale.in_percent
    grades = [25, 22.5, 22.4999, 17.5, 17.49, 0]
    assert [scale.of(one, of_25) for one in grades] == ["A", "A", "B", "B", "F", "F"]
    assert scale.of(math.nan, of_25) == ""


def test_thresholds_may_be_grades() -> None:
    scale = LetterScale.parse("1>=9.5,2>=-1,3")
    assert [scale.of(one, of_25) for one in (9.5, 9.49, -1, -1.1)] == ["1", "2", "2", "3"]


def test_a_grade_that_prints_as_the_threshold_reaches_it() -> None:
    assert LetterScale.parse("A>=9,B").of(9 - 1e-12, of_25) == "A"


@given(st.floats(0, 25), st.floats(0, 25))
def test_a_better_grade_never_has_a_worse_letter(one: float, other: float) -> None:
    scale = LetterScale.parse("A>=80%,B>=60%,C>=40%,D")
    low, high = sorted([one, other])
    assert scale.of(high, of_25) <= scale.of(low, of_25)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A", "the last letter has no threshold"),
        ("A>=9,B>=8", "the last letter has no threshold"),
        ("A>=9,B,C", "a letter has no threshold"),
        ("A>=90%,B>=8,C", "some thresholds are percentages"),
        ("A>=nine,B", "could not convert"),
        ("A>=8,B>=9,C", "must decrease"),
        ("A>=8,B>=8,C", "must decrease"),
        ("A>=nan,B", "must decrease"),
        ("A>=9,A", "every letter once"),
        (">=9,B", "every letter once"),
        ("A>=110%,B", "between 0 and 100"),
    ],
)
def test_wrong_letters_are_refused(text: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        LetterScale.parse(text)
