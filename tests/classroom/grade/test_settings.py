"""Choices of the instructor, and what is impossible."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from peergauge.classroom.grade.estimate import ESTIMATORS
from peergauge.classroom.grade.settings import (
    AppealNotice,
    Estimator,
    FinalRules,
    GradeRules,
    OwedRules,
    Settings,
    checked_date,
)
from peergauge.core.errors import ParameterError
from peergauge.tables import Scale


def test_percentages_are_of_the_highest_grade_or_of_the_range() -> None:
    scale = Scale(1, 5)
    highest, of_range = GradeRules(), GradeRules(percent_of="range")
    assert (highest.percent(4, scale), of_range.percent(4, scale)) == (80, 75)
    assert (highest.at_percent(80, scale), of_range.at_percent(75, scale)) == (4, 4)


def test_percentages_of_the_highest_grade_need_a_scale_above_zero() -> None:
    with pytest.raises(ParameterError, match='percent_of = "range"'):
        GradeRules(letters="A>=90%,B").refuse_scale(Scale(-2, 2), percent=False)
    with pytest.raises(ParameterError, match='percent_of = "range"'):
        GradeRules().refuse_scale(Scale(-2, 2), percent=True)
    GradeRules(letters="A>=1,B").refuse_scale(Scale(-2, 2), percent=False)
    GradeRules(percent_of="range").refuse_scale(Scale(-2, 2), percent=True)
    with pytest.raises(ParameterError, match="target mean of 11"):
        GradeRules(curve_mean=11).refuse_scale(Scale(0, 10), percent=False)


@pytest.mark.parametrize(
    ("rules", "wrong", "said"),
    [
        (GradeRules, {"percent_of": "half"}, "'highest', 'range'"),
        (GradeRules, {"letters": "A"}, "rule for letters"),
        (GradeRules, {"curve_sd": 1.0}, "needs a curve_mean"),
        (GradeRules, {"round_to": 0.0}, "a step above 0"),
        (FinalRules, {"work": 70.0}, "add up to 100 percent, but they are 70 and 20"),
        (FinalRules, {"work": 120.0, "reviewing": -20.0}, "add up to 100"),
        (FinalRules, {"work": float("nan")}, "add up to 100"),
        (FinalRules, {"out_of": 0.0}, "above 0"),
        (FinalRules, {"missing": "skip"}, "'empty', 'zero', 'ignore'"),
        (FinalRules, {"several": "worst"}, "'mean', 'best'"),
        (FinalRules, {"letter_percent": "A:100,A:50"}, "each letter once"),
        (FinalRules, {"letter_percent": "A"}, "LETTER:PERCENT"),
        (FinalRules, {"letter_percent": "A:101"}, "LETTER:PERCENT"),
        (OwedRules, {"rule": "some"}, "'per review'"),
        (OwedRules, {"each": -1.0}, "0 or more"),
        (OwedRules, {"most": float("inf")}, "0 or more"),
        (OwedRules, {"rule": "proportion", "taken_from": "mark"}, "lowers the reviewing part"),
        (AppealNotice, {"until": "30.11.2026"}, "YYYY-MM-DD"),
        (Settings, {"estimator": "best"}, "'trimmed-mean'"),
        (Settings, {"level": 1.0}, "between 0 and 1"),
        (Settings, {"budget": -1}, "number of submissions"),
        (Settings, {"points": "lots"}, "rule for points"),
        (Settings, {"seed": -1}, "from 0 up"),
    ],
)
def test_impossible_choices_are_refused(rules: Any, wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        rules(**wrong)


def test_letters_for_reviewing_need_percentages_in_a_final_mark() -> None:
    with pytest.raises(ParameterError, match='letter_percent = "A:100,B:85"'):
        Settings(points="A:50,B:50", final=FinalRules(use=True))
    with pytest.raises(ParameterError, match="letter_percent"):
        Settings(points="A:50,B:50", final=FinalRules(use=True, letter_percent="A:100"))
    Settings(points="A:50,B:50", final=FinalRules(use=True, letter_percent="A:100,B:80"))
    Settings(points="A:50,B:50", final=FinalRules(use=True, work=100, reviewing=0))
    with pytest.raises(ParameterError, match=r"points of 0 or more"):
        Settings(points="-5..5", final=FinalRules(use=True))


def test_every_estimator_can_be_chosen() -> None:
    assert set(get_args(Estimator)) == set(ESTIMATORS)


def test_a_day_may_have_a_time_and_must_exist() -> None:
    assert checked_date(" 2026-11-30 00:00:00") == "2026-11-30"
    assert checked_date("2026-11-30T08:15:00Z") == "2026-11-30"
    for wrong in ("2026-11-31", "30.11.2026", "11/30/2026", "soon", ""):
        with pytest.raises(ParameterError, match="is not a day"):
            checked_date(wrong)


def test_students_read_how_to_appeal() -> None:
    assert AppealNotice().sentences() == []
    told = AppealNotice("Write to us.", "2026-11-30").sentences()
    assert told == ["Write to us.", "Appeals are possible until 2026-11-30."]
