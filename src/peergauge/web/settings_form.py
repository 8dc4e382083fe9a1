"""The settings that the screen of grades shows, as fields of a form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from peergauge.classroom.grade.estimate import ESTIMATORS
from peergauge.classroom.grade.forgiving import DEFAULT_MECHANISM
from peergauge.core.errors import ParameterError
from peergauge.mechanisms import mechanisms
from peergauge.web.state import WeekState


class Field(NamedTuple):
    """A field of the form.

    Parameters
    ----------
    path
        The setting, such as ``final.use``.
    label
        What it is called.
    kind
        ``choice``, ``flag``, ``number``, ``whole`` or ``text``.
    help
        What it does, in one sentence.
    choices
        Values and labels of a choice.
    group
        The heading that it is under.
    """

    path: str
    label: str
    kind: str
    help: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    group: str = "Grades"


class FilledField(NamedTuple):
    """A field with its current value as text."""

    field: Field
    value: str


WORK_SHARE, REVIEWING_SHARE = "final.work", "final.reviewing"
"""Percentages that add up to 100, so that the form asks for one of them."""

NUMBER_WORDS = "a number"


def fields() -> list[Field]:
    """All fields of the form."""
    return [
        Field("estimator", "How grades are made of reviews", "choice", "",
              tuple((name, one.label) for name, one in ESTIMATORS.items())),
        Field("grades.round_to", "Round grades to", "number",
              "For example 0.5; empty to leave them as they are."),
        Field("grades.letters", "Letters", "text", "For example A>=90%,B>=80%,C; empty for none."),
        Field("grades.curve_mean", "Curve: mean grade", "number", "Empty for no curve."),
        Field("ignore_staff", "Ignore the staff grades of the export", "flag"),
        Field("level", "Probability of intervals", "number", "Between 0 and 1."),
        Field("mechanism", "Mechanism that pays graders", "choice", "",
              _mechanism_choices(), "Points for reviewing"),
        Field("points", "Rule for points", "text",
              "For example 5..10, or letters as A:20,B:50,C:30.", (), "Points for reviewing"),
        Field("leniency", "Leniency of a grader", "choice", "",
              (("", "as the mechanism says"), ("counts", "counts as an error"),
               ("forgiven", "is forgiven")), "Points for reviewing"),
        Field("budget", "Number of submissions that staff can check", "whole", "", (),
              "Points for reviewing"),
        Field("final.use", "Compute final marks", "flag", "", (), "Final marks"),
        Field(WORK_SHARE, "Percentage of work", "number", "The rest is for reviewing.", (),
              "Final marks"),
        Field("final.out_of", "Highest final mark", "number", "", (), "Final marks"),
        Field("final.missing", "If a part is missing", "choice", "",
              (("empty", "leave the mark empty"), ("zero", "count the part as zero"),
               ("ignore", "let the other part count for all")), "Final marks"),
        Field("course", "Name of the course", "text", "", (), "Texts"),
        Field("assignment_title", "Title of the work", "text", "", (), "Texts"),
        Field("appeal.text", "How students appeal", "text", "", (), "Texts"),
        Field("appeal.until", "Last day of an appeal", "text", "As YYYY-MM-DD.", (), "Texts"),
    ]  # fmt: skip


def _mechanism_choices() -> tuple[tuple[str, str], ...]:
    """The mechanisms that pay a class without staff grades."""
    usual = f"recommended ({mechanisms.label_of(DEFAULT_MECHANISM.partition(':')[0])})"
    able = [name for name in mechanisms if not mechanisms.make(name).facts.needs_truth]
    return ("", usual), *((name, mechanisms.label_of(name) or name) for name in able)


def filled_fields(state: WeekState) -> list[FilledField]:
    """The fields with the current settings."""
    settings = state.checked_settings()
    return [FilledField(one, _text(_at(settings, one.path))) for one in fields()]


def changed_settings(state: WeekState, form: Mapping[str, str]) -> dict[str, Any]:
    """The settings that a form changes; None for the default.

    An unchecked box is not part of a form, so that a form with any field has all boxes.
    """
    changed: dict[str, Any] = {}
    for one in filled_fields(state):
        path = one.field.path
        if one.field.kind == "flag":
            value = "true" if form.get(path) else "false"
        elif path in form:
            value = form[path].strip()
        else:
            continue
        if value != one.value:
            changed[path] = _value(one.field, value)
    if WORK_SHARE in changed:
        work = changed[WORK_SHARE]
        changed[REVIEWING_SHARE] = None if work is None else 100 - work
    return changed


def _value(field: Field, text: str) -> Any:
    if field.kind == "flag":
        return text == "true"
    if field.kind in ("number", "whole"):
        if not text:
            return None
        try:
            return int(text) if field.kind == "whole" else float(text.replace(",", "."))
        except ValueError:
            raise ParameterError(
                f"'{field.label}' should be {NUMBER_WORDS}, but '{text}' was given."
            ) from None
    return text


def _at(settings: Any, path: str) -> Any:
    for name in path.split("."):
        settings = getattr(settings, name)
    return settings


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:g}" if isinstance(value, float) else str(value)
