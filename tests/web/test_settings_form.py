"""The form of settings: what it shows is what is in force, and what it sends is what changes."""

from __future__ import annotations

from typing import Any

import pytest

from peergauge.core.errors import ParameterError
from peergauge.web.settings_form import (
    REVIEWING_SHARE,
    WORK_SHARE,
    changed_settings,
    fields,
    filled_fields,
)
from peergauge.web.state import WeekState

CHANGED = {
    "estimator": ("median", "median"),
    "grades.round_to": ("0,5", 0.5),
    "grades.letters": ("A>=90%,B", "A>=90%,B"),
    "grades.curve_mean": ("6.5", 6.5),
    "level": ("0.8", 0.8),
    "mechanism": ("mse", "mse"),
    "points": ("0..20", "0..20"),
    "leniency": ("forgiven", "forgiven"),
    "budget": ("12", 12),
    "final.out_of": ("20", 20.0),
    "final.missing": ("zero", "zero"),
    "course": ("Logic", "Logic"),
    "assignment_title": ("Essay", "Essay"),
    "appeal.text": ("Write to staff.", "Write to staff."),
    "appeal.until": ("2026-12-01", "2026-12-01"),
}
"""A text for every field that is not a box, and the setting that it means."""


def sent(state: WeekState) -> dict[str, str]:
    """The form as a browser sends it back untouched."""
    return {
        one.field.path: "on" if one.field.kind == "flag" else one.value
        for one in filled_fields(state)
        if one.field.kind != "flag" or one.value == "true"
    }


def test_every_field_is_tried() -> None:
    assert {*CHANGED, WORK_SHARE} == {one.path for one in fields() if one.kind != "flag"}


@pytest.mark.parametrize(("text", "work", "rest"), [("70", 70.0, 30.0), ("", None, None)])
def test_the_share_of_reviewing_is_the_rest_of_the_share_of_work(
    text: str, work: float | None, rest: float | None
) -> None:
    start = WeekState(settings={"final": {"work": 60.0, "reviewing": 40.0}})
    changed = changed_settings(start, {**sent(start), WORK_SHARE: text})
    assert changed == {WORK_SHARE: work, REVIEWING_SHARE: rest}
    for path, value in changed.items():
        start = start.with_setting(path, value)
    start.checked_settings()


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"final": {"use": True, "work": 70.0, "reviewing": 30.0}, "level": 0.95},
    ],
)
def test_an_untouched_form_changes_nothing(settings: dict[str, Any]) -> None:
    state = WeekState(settings=settings)
    assert changed_settings(state, sent(state)) == {}


@pytest.mark.parametrize("path", CHANGED)
def test_a_field_changes_its_own_setting_alone(path: str) -> None:
    text, value = CHANGED[path]
    start = WeekState()
    changed = changed_settings(start, {**sent(start), path: text})
    assert changed == {path: value}
    then = start.with_setting(path, value)
    shown = {one.field.path: one.value for one in filled_fields(then)}
    assert shown[path] == text.replace(",5", ".5")


def test_an_emptied_number_is_the_default() -> None:
    state = WeekState().with_setting("grades.round_to", 0.5)
    assert changed_settings(state, {**sent(state), "grades.round_to": " "}) == {
        "grades.round_to": None
    }


@pytest.mark.parametrize("path", [one.path for one in fields() if one.kind == "flag"])
def test_a_box_is_checked_and_unchecked(path: str) -> None:
    off = WeekState()
    assert changed_settings(off, {**sent(off), path: "on"}) == {path: True}
    on = off.with_setting(path, True)
    assert changed_settings(on, {k: v for k, v in sent(on).items() if k != path}) == {path: False}


@pytest.mark.parametrize(
    ("path", "text"), [("level", "much"), ("budget", "2.5"), ("final.work", "1e")]
)
def test_a_text_instead_of_a_number_is_refused_by_the_name_of_the_field(
    path: str, text: str
) -> None:
    label = next(one.label for one in fields() if one.path == path)
    with pytest.raises(ParameterError, match=f"'{label}' should be a number, but '{text}'"):
        changed_settings(WeekState(), {path: text})


def test_no_mechanism_on_offer_needs_staff_grades() -> None:
    offered = next(one.choices for one in fields() if one.path == "mechanism")
    names = {value for value, _ in offered}
    assert names >= {"", "mse-p", "guarded-merit", "oa"}
    assert not names & {"loo", "staff-distance"}
    assert not any("{" in label for _, label in offered)
