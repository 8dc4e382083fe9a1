"""Phase lines worked out by hand."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from peergauge.core.errors import ParameterError
from peergauge.engine.results import Row, to_frame
from peergauge.lab.learning.phase import LEAD_METRIC, PhaseLine, lines_of


def line(*gains: list[float], share: tuple[float, ...] = (0.2, 0.6)) -> PhaseLine:
    return PhaseLine(np.array(share), np.array(gains))


def test_the_edge_of_a_basin_by_hand() -> None:
    one = line([-5, 3], [-3, 5])
    # Means -4 and 4, deviations √2 and so errors 1; the line rises by 20 and is zero in the middle.
    assert one.mean.tolist() == [-4, 4]
    assert one.error == pytest.approx([1, 1])
    (rest,) = one.rest_points
    assert rest.share == pytest.approx(0.4)
    assert rest.error == pytest.approx(0.5**0.5 / 20)
    assert not rest.stable
    assert one.basin == pytest.approx(0.4)


def test_a_strategy_that_pays_while_it_is_rare_has_a_stable_mix_and_no_basin() -> None:
    one = line([3, -5], [5, -3])
    (rest,) = one.rest_points
    assert rest.stable
    assert one.basin == 0
    assert one.basin_error == 0


def test_what_never_pays_leaves_everything_to_truthful_reporting() -> None:
    assert line([-5, -3], [-3, -5]).basin == 1
    assert line([5, 3], [3, 5]).basin == 0
    assert line([-5, -3], [-3, -5]).rest_points == []


def test_a_change_of_sign_within_the_noise_is_no_rest_point() -> None:
    one = line([-5, 5], [4, -4])
    assert one.rest_points == []
    # Which of the two it is, other semesters would decide otherwise.
    assert one.basin_error > 0.1


def test_strategies_that_are_worth_the_same_leave_a_class_where_it_is() -> None:
    one = line([0, 0], [0, 0])
    assert np.isnan(one.basin)
    assert one.rest_points == []
    assert one.in_words("hedge") == (
        "Against hedge: both strategies rank about the same in all mixtures; a class stays at its "
        "starting mixture."
    )


def test_several_changes_of_sign_in_between_make_one_rest_point() -> None:
    share = (0.1, 0.3, 0.5, 0.7, 0.9)
    one = line([-9, 2, -3, 2, 9], [-9, -1, 2, -1, 9], share=share)
    # Means -9, 0.5, -0.5, 0.5, 9: the middle one of three is halfway between 0.3 and 0.5.
    (rest,) = one.rest_points
    assert rest.share == pytest.approx(0.4)
    assert one.basin == pytest.approx(0.1 + 0.2 * 9 / 9.5)


def test_who_is_not_paid_is_left_out() -> None:
    assert line([np.nan, 3], [-4, 5]).mean.tolist() == [-4, 4]
    with pytest.raises(ParameterError, match="a column for each share"):
        PhaseLine(np.array([0.5]), np.array([[1.0, 2.0]]))


def test_the_error_of_a_basin_shrinks_with_the_semesters() -> None:
    rng = np.random.default_rng(1)
    few, many = (
        PhaseLine(np.array([0.2, 0.6]), rng.normal([-4, 4], 4, (count, 2))) for count in (25, 400)
    )
    # Errors of 4/√n at both ends: √(1/2) of them at the root, over a slope of 20.
    assert few.basin_error == pytest.approx(0.5**0.5 * 0.8 / 20, rel=0.3)
    assert many.basin_error == pytest.approx(0.5**0.5 * 0.2 / 20, rel=0.3)


def rows() -> pl.DataFrame:
    return to_frame(
        Row("e", "m", "hedge", LEAD_METRIC, repetition, 0, value + noise, {"followers": followers})
        for followers, value in ((1, -4.0), (5, 0.0), (9, 4.0))
        for repetition, noise in enumerate((-1.0, 1.0))
    )


def test_rows_of_a_run_become_lines() -> None:
    (found,) = lines_of(rows()).values()
    assert found.share.tolist() == [0.1, 0.5, 0.9]
    assert found.basin == pytest.approx(0.5)


def test_a_line_in_words() -> None:
    (found,) = lines_of(rows()).values()
    told = found.in_words("hedge")
    assert told.startswith("Against hedge: from 50 ± ")
    assert "hedge takes over if more than 50 ± " in told
    assert told.endswith(
        "The lead over truthful graders is -4.0 ± 1.0 ranks out of 100 for a single follower, and "
        "+4.0 ± 1.0 if all but one follow hedge."
    )
