"""What is known about a class, and how far classes are apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.advice.profile import ClassProfile, gaps
from peergauge.core.errors import ParameterError
from peergauge.simulate import Setting, simulate
from peergauge.tables import Reports, Scale
from tests.generators import class_of

PAPER = ClassProfile(100, 10, 4, 11, ceiling=0.13, slope_sd=0.0)


def test_a_profile_counts_what_the_reports_have() -> None:
    """Worked by hand: Ann reviews twice, Bob once and Cy once, and one grade of four is a 10."""
    reports = class_of({"s": {"ann": 10, "bob": 7}, "t": {"ann": 5, "cy": 5}})
    found = ClassProfile.of(reports, spot_checks=0.2)
    assert found == ClassProfile(3, 1, 4 / 3, 11, ceiling=0.25, spot_checks=0.2)


def test_assigned_reviews_count_where_they_are_known() -> None:
    semester = simulate(Setting(students=10, assignments=2, graders=3), 1)
    done = semester.reports.grade.copy()
    done[::2] = np.nan
    found = ClassProfile.of(semester.reports.handed_in(done))
    assert found.reviews == 3.0
    assert found.assigned_known


def test_a_scale_without_steps_has_no_levels() -> None:
    zeros, graders = np.zeros(2, dtype=np.int32), np.arange(2, dtype=np.int32)
    reports = Reports(zeros, zeros, graders, np.array([0.5, 7.2]), Scale(0, 10, None))
    assert ClassProfile.of(reports).levels is None


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"students": 0}, "at least 1 students"),
        ({"assignments": 0}, "at least 1 assignments"),
        ({"reviews": 0}, "at least 0.1 reviews"),
        ({"reviews": float("nan")}, "at least 0.1 reviews"),
        ({"levels": 1}, "at least two grades"),
        ({"ceiling": 30}, "write 0.1 for 10 %"),
        ({"spot_checks": -0.1}, "spot_checks is a share"),
        ({"slope_sd": -1}, "at least 0"),
    ],
)
def test_impossible_numbers_are_refused(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        ClassProfile(**({"students": 30, "assignments": 3, "reviews": 3} | fields))


def test_a_gap_of_one_is_the_tolerance() -> None:
    other = ClassProfile(1000, 5, 6, 11, ceiling=0.33, slope_sd=0.1)
    found = {gap.feature.name: gap.distance for gap in gaps(PAPER, other)}
    assert found == pytest.approx(
        {"students": 1, "assignments": 1, "reviews": 1, "levels": 0, "ceiling": 1, "slope_sd": 1}
    )


def test_what_is_unknown_makes_no_gap() -> None:
    found = {gap.feature.name for gap in gaps(ClassProfile(100, 10, 4), PAPER)}
    assert found == {"students", "assignments", "reviews", "levels"}
    assert not list(gaps(ClassProfile(100, 10, 4), PAPER, shape=False))


def test_gaps_are_put_in_words() -> None:
    other = ClassProfile(30, 3, 2.5, None, ceiling=0.46, slope_sd=0.2)
    assert [gap.in_words() for gap in gaps(other, PAPER)] == [
        "30 students, there 100",
        "3 assignments, there 10",
        "2.5 reviews per grader and assignment, there 4",
        "a scale without steps or with very many, there 11",
        "46 % of the grades at the top of the scale, there 13 %",
        "standard deviation of slopes 0.20, there 0.00",
    ]


profiles = st.builds(
    ClassProfile,
    st.integers(1, 5000),
    st.integers(1, 60),
    st.floats(0.5, 20),
    st.none() | st.integers(2, 200),
    ceiling=st.none() | st.floats(0, 1),
    slope_sd=st.none() | st.floats(0, 1),
)


@given(profiles, profiles)
def test_distances_are_symmetric_and_zero_only_to_the_like(
    one: ClassProfile, other: ClassProfile
) -> None:
    there, back = list(gaps(one, other)), list(gaps(other, one))
    assert [gap.distance for gap in there] == pytest.approx([gap.distance for gap in back])
    assert all(gap.distance == 0 for gap in gaps(one, one))


@pytest.mark.parametrize("count", ["students", "assignments", "reviews"])
def test_counts_of_a_class_are_finite(count: str) -> None:
    given = {"students": 60, "assignments": 8, "reviews": 4, count: math.inf}
    with pytest.raises(ParameterError, match=f"{count}, .* but inf were given"):
        ClassProfile(**given)  # type: ignore[arg-type]
