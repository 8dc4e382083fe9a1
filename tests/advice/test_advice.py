"""Which mechanism for a class, from measured rows."""

from __future__ import annotations

from dataclasses import replace

import polars as pl
import pytest

import peergauge
from peergauge.advice import recommend
from peergauge.advice.measures import Value
from peergauge.advice.profile import ClassProfile
from peergauge.advice.rows import MeasuredRows, MeasuredSetting, shipped_rows
from peergauge.core.errors import ParameterError, UnknownNameError
from peergauge.simulate import Setting, simulate
from tests.advice.test_standing import board

PAPER = ClassProfile(100, 10, 4, ceiling=0.1, slope_sd=0.0)
SETTINGS = (
    MeasuredSetting("paper", "The paper's", "As it is.", PAPER, honest=False),
    MeasuredSetting("styles", "Styles", "Slopes.", replace(PAPER, slope_sd=0.25)),
    MeasuredSetting("misled", "Misled", "A shared error.", PAPER),
    MeasuredSetting("small", "Small", "Few.", ClassProfile(30, 3, 3, ceiling=0.1, slope_sd=0.0)),
    MeasuredSetting("wrong", "Wrong prior", "Bad.", PAPER, "wrong"),
    MeasuredSetting(
        "checks", "Checks", "Ten percent.", replace(PAPER, spot_checks=0.1), honest=False
    ),
)
AUC = {
    # In this order: mse, pmi (which needs a prior) and oa.
    "paper": (0.90, 0.94, 0.75),
    "styles": (0.90, 0.72, 0.75),
    "misled": (0.83, 0.83, 0.70),
    "small": (0.82, 0.86, 0.65),
    "wrong": (0.90, 0.30, 0.75),
    "checks": (0.95, 0.95, 0.75),
}
ATTACKS = {"mse": 26.0, "pmi": 1.0, "oa": 20.0}
"""Gain of the best attack in the first setting; with spot checks MSE withstands."""


def made_rows() -> MeasuredRows:
    """Measured rows of three mechanisms in six settings."""
    rows = []
    for setting, values in AUC.items():
        for spec, auc in zip(("mse", "pmi", "oa"), values, strict=True):
            rows += [
                (setting, spec, "binary-auc", Value(auc, 0.002, 60)),
                (setting, spec, "mse-difference", Value(auc - values[0], 0.001, 60)),
                (setting, spec, "paid", Value(1.0, 0.0, 60)),
            ]
            gain = {"paper": ATTACKS[spec], "checks": 1.0 if spec == "mse" else None}.get(setting)
            if gain is not None:
                about = ("hedge", "plain", 0)
                rows += [
                    (setting, spec, column, Value(gain, 0.2, 99, *about, type_))
                    for column, type_ in (
                        ("alone", "everybody"), ("together", "everybody"), ("by-type", "ability-4"),
                    )
                ]  # fmt: skip
    return MeasuredRows(board(*rows), SETTINGS, "9.9.9", 5)


ROWS = made_rows()
LIKE_PAPER = replace(PAPER, prior_known=True, assigned_known=True)


def test_a_class_like_the_papers_gets_the_sturdy_mechanism() -> None:
    found = recommend(LIKE_PAPER, rows=ROWS)
    assert (found.mechanism, found.setting.name, found.near) == ("pmi", "paper", True)
    assert found.why[-1] == (
        "The numbers are from the leaderboard of peergauge 9.9.9 (seed 5), setting ‘paper’, row "
        "‘pmi’."
    )
    assert found.why[-2] == (
        "The nearest measured setting is ‘The paper's’, which is much like this class in all that "
        "is known."
    )
    assert found.why[0].startswith("Use PMI (pmi). Its binary AUC is 0.940 ± 0.002 (+0.040")


def test_unknown_slopes_count_as_the_least_favourable_ones() -> None:
    known = recommend(LIKE_PAPER, rows=ROWS)
    unknown = recommend(replace(LIKE_PAPER, slope_sd=None), rows=ROWS)
    # 0.83 − 0.83 among the misled, and 0.72 − 0.90 where slopes differ.
    assert known.recommendation is not None
    assert known.recommendation.points_lost == pytest.approx(0.0)
    assert unknown.recommendation is not None
    assert unknown.recommendation.points_lost == pytest.approx(18.0)
    assert "‘Styles’" in unknown.why[0]


def test_a_class_with_known_styles_is_near_the_setting_with_styles() -> None:
    found = recommend(replace(LIKE_PAPER, slope_sd=0.3), rows=ROWS)
    assert found.setting.name == "styles"
    assert "(searched in ‘The paper's’)" in found.text


def test_without_a_known_prior_no_mechanism_that_needs_one_is_named() -> None:
    found = recommend(replace(LIKE_PAPER, prior_known=False), rows=ROWS)
    assert found.mechanism == "mse"
    assert found.leaves_open[0].startswith("Alone: a grader gains 26.0 ± 0.2 ranks by this:")


def test_mse_with_a_few_spot_checks() -> None:
    without = recommend(replace(LIKE_PAPER, prior_known=False), rows=ROWS)
    assert without.leaves_open[-1] == (
        "With spot checks of 10 % of the submissions, MSE (mse) loses 0.0 points instead of 23.4 "
        "(measured in ‘Checks’)."
    )
    found = recommend(replace(LIKE_PAPER, prior_known=False, spot_checks=0.12), rows=ROWS)
    assert (found.mechanism, found.setting.name) == ("mse", "checks")
    assert found.why[0].startswith(
        "Use MSE (mse), with spot checks of 10 % or more of the submissions. Its binary AUC"
    )
    # Fewer checks than were measured do not help.
    few = recommend(replace(LIKE_PAPER, prior_known=False, spot_checks=0.05), rows=ROWS)
    assert few.setting.name == "paper"


def test_how_far_a_class_is_from_what_was_measured() -> None:
    found = recommend(students=20, assignments=4, reviews=3, prior_known=True, rows=ROWS)
    assert found.setting.name == "small"
    assert found.near
    far = recommend(students=20, assignments=40, reviews=1, prior_known=True, rows=ROWS)
    assert (far.mechanism, far.near, far.leaves_open) == ("", False, ())
    assert far.text.startswith("Nothing that was measured is near this class, so there is no")
    assert "1 reviews per grader and assignment, there 4" in far.text


def test_reports_describe_a_class_and_fields_complete_it() -> None:
    reports = simulate(Setting(students=100, assignments=10), 3).reports
    found = recommend(reports, rows=ROWS, prior_known=True, slope_sd=0.0)
    assert found.setting.name == "paper"
    assert (found.profile.students, found.profile.reviews) == (100, 4.0)
    assert found.profile.prior_known


def test_a_need_can_be_named_and_mistakes_get_one_sentence() -> None:
    assert recommend(LIKE_PAPER, rows=ROWS, need="no-semester").mechanism == "mse"
    with pytest.raises(UnknownNameError, match="no-prior"):
        recommend(LIKE_PAPER, rows=ROWS, need="no-priors")
    with pytest.raises(UnknownNameError, match="did you mean 'students'"):
        recommend(rows=ROWS, studnets=3)
    with pytest.raises(ParameterError, match="assignments and reviews are missing"):
        recommend(rows=ROWS, students=30)
    with pytest.raises(ParameterError, match="no measured settings"):
        recommend(LIKE_PAPER, rows=replace(ROWS, settings=()))


def test_a_setting_with_a_wrong_prior_is_never_near() -> None:
    only = replace(ROWS, settings=tuple(one for one in SETTINGS if one.name in ("small", "wrong")))
    assert recommend(LIKE_PAPER, rows=only).setting.name == "small"


def test_shipped_rows_answer_for_ordinary_classes() -> None:
    for students, assignments, reviews in ((100, 10, 4), (40, 3, 3), (500, 12, 5)):
        found = peergauge.recommend(students=students, assignments=assignments, reviews=reviews)
        assert found.near
        assert found.mechanism in set(shipped_rows().board["mechanism"])
        assert found.setting.label in found.text
        assert str(shipped_rows().version) in found.text
    # Nothing is said about mechanisms that need a prior if none is known.
    assert isinstance(shipped_rows().board, pl.DataFrame)
