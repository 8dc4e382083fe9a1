"""Scales of grades: how they are written, which steps they have, what they refuse."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from peergauge.core.errors import ScaleError
from peergauge.tables import Scale

NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("0..10", Scale(0, 10, 1)),
        ("-5..5", Scale(-5, 5, 1)),
        ("0..14:0.25", Scale(0, 14, 0.25)),
        ("0.5..1.5:any", Scale(0.5, 1.5, None)),
        ("1..6:0.1", Scale(1, 6, 0.1)),
    ],
)
def test_a_scale_is_read_from_its_text_and_written_back(text: str, scale: Scale) -> None:
    assert Scale.parse(text) == scale
    assert str(scale) == text
    assert repr(scale) == f"Scale('{text}')"


@pytest.mark.parametrize(
    "scale",
    [
        Scale(0, 1234567),
        Scale(0.1234567, 1, None),
        Scale(0, 1, 1 / 3),
        Scale(0, 0.0001, 0.00001),
    ],
    ids=["many", "precise", "thirds", "tiny"],
)
def test_writing_a_scale_loses_no_digits(scale: Scale) -> None:
    assert Scale.parse(str(scale)) == scale


def test_a_scale_parses_to_itself_and_blanks_do_not_matter() -> None:
    assert Scale.parse(Scale(1, 6)) == Scale(1, 6)
    assert Scale.parse(" 0 .. 14 : 0.25 ") == Scale(0, 14, 0.25)


@pytest.mark.parametrize("text", ["", "10", "0-10", "0..10:", "0..10:some", "nan..1", "a..b"])
def test_text_that_is_no_scale_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ScaleError, match=r"is not a scale.*0\.\.10"):
        Scale.parse(text)


@pytest.mark.parametrize(
    ("lowest", "highest", "step", "why"),
    [
        (10, 0, 1, "end higher"),
        (1, 1, 1, "end higher"),
        (0, INF, 1, "finite ends"),
        (NAN, 1, 1, "finite ends"),
        (0, 10, 3, "steps of 3"),
        (0, 10, 20, "steps of 20"),
        (0, 10, 0, "steps of 0"),
        (0, 10, -1, "steps of -1"),
        (0, 10, NAN, "steps of nan"),
        (0, 10, INF, "steps of inf"),
    ],
)
def test_scales_that_cannot_be_walked_are_refused(
    lowest: float, highest: float, step: float, why: str
) -> None:
    with pytest.raises(ScaleError, match=why):
        Scale(lowest, highest, step)


def test_levels_values_and_unit_of_a_scale() -> None:
    scale = Scale(1, 3, 0.5)
    assert scale.finite
    assert scale.levels == 5
    assert_array_equal(scale.values(), [1, 1.5, 2, 2.5, 3])
    assert_array_equal(scale.level(np.array([1, 2.5, 3])), [0, 3, 4])
    assert scale.unit == 0.2  # a tenth of 3 - 1


def test_the_nearest_grade_sends_halves_to_the_even_level() -> None:
    assert_array_equal(Scale(0, 10).nearest(np.array([0.5, 1.5, 2.5, 3.4, 9.6])), [0, 2, 2, 3, 10])
    # On 1..6 grade 1 is level 0, so 1.5 goes down to level 0 and 2.5 up to level 2.
    assert_array_equal(Scale(1, 6).nearest(np.array([1.5, 2.5])), [1, 3])


def test_the_nearest_grade_stays_between_the_ends() -> None:
    assert_array_equal(Scale(0, 10).nearest(np.array([-3, 10.5, -INF, INF])), [0, 10, 0, 10])
    assert_array_equal(Scale(0, 1, None).nearest(np.array([-1, 0.3, 2])), [0, 0.3, 1])


def test_a_scale_holds_its_steps_and_nothing_else() -> None:
    grade = np.array([0, 0.25, 0.3, 1, 1.25, -0.25, NAN])
    assert_array_equal(Scale(0, 1, 0.25).holds(grade), [1, 1, 0, 1, 0, 0, 0])
    assert_array_equal(Scale(0, 1, None).holds(grade), [1, 1, 1, 1, 0, 0, 0])


@pytest.mark.parametrize("text", ["0..10", "1..6:0.1", "0..14:0.25", "0..0.3:0.1", "1..4.3:0.1"])
def test_a_scale_holds_all_of_its_own_values(text: str) -> None:
    scale = Scale.parse(text)
    values = scale.values()
    assert scale.holds(values).all()
    assert_array_equal(scale.nearest(values), values)
    assert values[-1] == scale.highest


def test_counting_grades_on_a_scale_without_steps_is_refused_with_a_way_out() -> None:
    scale = Scale(0, 1, None)
    assert not scale.finite
    asks: list[Callable[[], object]] = [
        lambda: scale.levels,
        scale.values,
        lambda: scale.level(np.array([0.5])),
    ]
    for ask in asks:
        with pytest.raises(ScaleError, match=r"0\.\.1:any.*coarsen.*0\.\.1:0\.1"):
            ask()


@pytest.mark.parametrize(
    "text",
    [
        "0..1e308", "-1e308..1e308", "-1e308..1e308:any", "1e308..1.7e308:1e307", "0..1e16:any",
        "0..10:1e-300", "0..1e9", "0..1e-10:any", "5e-324..1e-323:any", f"0..{'9' * 5000}",
    ],
)  # fmt: skip
def test_a_scale_that_cannot_be_computed_with_is_refused(text: str) -> None:
    with pytest.raises(ScaleError, match=r"^(The|A) scale "):
        Scale.parse(text)


def test_large_and_fine_scales_are_allowed() -> None:
    assert Scale.parse("0..1000000").levels == 1_000_001
    assert not Scale.parse("0..1e15:any").finite
    assert Scale.parse("0..0.001:0.0001").levels == 11
