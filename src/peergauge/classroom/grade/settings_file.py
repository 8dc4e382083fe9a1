"""The settings file: reading, merging and writing the choices of the instructor.

The keys of the file are the fields of :class:`Settings`, and its sections are their dataclasses. A
new field joins the file by one entry in :data:`SETTING_COMMENTS`.
"""

from __future__ import annotations

import re
import sys
import tomllib
import types
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from datetime import date
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from textwrap import wrap
from typing import Any, Literal, NamedTuple, TypeAlias, Union, get_args, get_origin, get_type_hints

from peergauge.classroom.grade.settings import Settings
from peergauge.core.errors import ParameterError, PeergaugeError
from peergauge.exports.formats.opening import Opened

SETTINGS_FILE = "settings.toml"
"""Name of the file that every run writes."""

MAX_SETTINGS_BYTES = 2**20
"""Largest size of a settings file in bytes."""

MAX_COMMENT_LETTERS = 96
"""Letters of a line of comment."""

NO_NUMBER = "none"
"""How the file writes that an optional number is not given."""

SURROGATES = re.compile("[\ud800-\udfff]")

Values: TypeAlias = Mapping[str, Any]
"""Values of settings by their keys; a section has a mapping of its own."""

SETTING_COMMENTS = {
    "course": "The course, for the titles of pages.",
    "assignment_title": "The assignment, for the titles of pages; as in the export if empty.",
    "estimator": 'How grades are made of reviews: "model" is half the mean and half a model that '
    'corrects for leniency; "mean", "median", "trimmed-mean" and "vancouver" are other averages.',
    "mechanism": 'The mechanism that pays graders, such as "mse-p" or "oa"; the recommended one '
    "if empty. 'peergauge mechanisms' lists all of them.",
    "points": "Points for reviewing: from the lowest to the highest (5..10), letters by shares of "
    "the graders (A:20,B:50,C:30), or letters by rewards (A>=-0.5,B>=-1.5,C).",
    "points_over": 'With --after: points for the reviews of this run, "week", or for those of all '
    'weeks so far, "semester". Keep the same one for the whole course.',
    "leniency": 'Whether a grader\'s leniency is an error that costs points, "counts", or is '
    'subtracted before reviews are rewarded, "forgiven"; the mechanism decides if empty.',
    "level": "The probability that an interval contains the value that it is for.",
    "budget": "The number of submissions, and of graders, that staff can check.",
    "seed": "The seed of random numbers; the same seed gives the same numbers.",
    "ignore_staff": "Whether staff grades of the export are ignored. Staff grades in a file of "
    "decisions count in any case.",
    "name_reviewed": "Whether a handout names the submissions that the student reviewed. The name "
    "of a submission can be the name of its author, so reviews are numbered by default.",
    "follow_staff": "Whether grades by peers are moved to the level of staff grades: in "
    'assignments with ten staff grades or more, "auto"; "always"; or "never". Grades from appeals '
    "never move others.",
    "grades": "The grades that students get for their work. The order is: estimate, curve, "
    "rounding, letters.",
    "grades.round_to": 'Grades are rounded to this step, such as 0.5 or 1; "none" for no rounding. '
    "A grade is never rounded beyond the scale.",
    "grades.halves": 'A grade in the middle between two steps is rounded "up", or to the "even" '
    "step.",
    "grades.letters": "Letters, the best first: in percent (A>=90%,B>=80%,C) or in grades "
    "(A>=9,B>=8,C); no letters if empty.",
    "grades.percent_of": 'What 100 percent of a grade is: "highest" takes a grade out of the '
    'highest one, so that 4 on 1..5 is 80 percent; "range" counts from the lowest grade, so that '
    "it is 75 percent.",
    "grades.curve_mean": "The mean to which the grades of each assignment are shifted, on the "
    'scale of the reviews; "none" for no curve. A better grade never becomes a worse one.',
    "grades.curve_sd": "The standard deviation to which the grades are stretched as well; "
    '"none" to shift them only.',
    "grades.curve_lowers": "Whether the curve may make a grade lower.",
    "final": "The final mark, which combines work and reviewing.",
    "final.use": "Whether marks.csv is written, and gradebooks get the final mark.",
    "final.work": "The percentage of the mark for work: the mean over the assignments of this run.",
    "final.reviewing": "The percentage of the mark for reviewing: the points for the reviews of "
    "this run. Both add up to 100.",
    "final.out_of": "The highest final mark.",
    "final.round_to": 'Final marks are rounded to this step; "none" for four decimals.',
    "final.halves": 'A mark in the middle between two steps is rounded "up" or "even".',
    "final.letters": "Letters of final marks, such as A>=90%,B>=80%,C; no letters if empty.",
    "final.missing": "What becomes of the mark of somebody without a submission or without a "
    'rewarded review: "empty" leaves it open and says why; "zero" counts the part as zero; '
    '"ignore" lets the other part count for all. Nobody gets a zero for reviews that were never '
    "assigned, and nobody who did none of the assigned reviews has them ignored.",
    "final.several": "If somebody has several submissions to one assignment, their grades count by "
    'their "mean", or the "best" one counts.',
    "final.letter_percent": "If points are letters: what each is worth in percent, such as "
    "A:100,B:85,C:70.",
    "owed": "Reviews that were assigned, but not done. The numbers come from the platform, or from "
    "--assigned FILE.",
    "owed.rule": '"none" for no deduction; "per review" for a deduction for each missing review; '
    '"proportion" for a reviewing part in proportion to the reviews that were done.',
    "owed.each": "The deduction for each missing review.",
    "owed.unit": 'The unit of each and most: "points" of the final mark, or "percent" of the '
    "highest value of what is lowered.",
    "owed.taken_from": 'What is lowered, but not below 0: the "reviewing" part, or the "mark".',
    "owed.most": 'The most that is deducted in all; "none" for no limit.',
    "appeal": "How to appeal, for the handouts.",
    "appeal.text": "What students should do, in your words.",
    "appeal.until": "The last day, as YYYY-MM-DD; no last day if empty.",
}
"""What the file says about each key and section."""


SETTINGS_OF_ONE_RUN = ("assignment_title", "appeal.until")
"""Settings that do not hold for the next run."""


class Source(NamedTuple):
    """Some values of settings, and where they are from: a file, or "" for the command line."""

    name: str
    values: Values


def read_settings(path: Path | str) -> Source:
    """Read a settings file: any of the keys of :class:`Settings`, of the right types."""
    try:
        text = Opened(Path(path)).read(MAX_SETTINGS_BYTES).decode("utf-8-sig")
        said = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise ParameterError(
            f"{path} is not a settings file in TOML: {reason}; begin with the {SETTINGS_FILE} that "
            "a run of 'peergauge grade' wrote."
        ) from error
    return Source(str(path), dict(_checked(said, Settings, str(path), "")))


def given_settings(said: Mapping[str, Any], name: str) -> Source:
    """Settings in the sections of a settings file, such as ``{"final": {"use": True}}``.

    An unknown key or a value of a wrong type is refused; *name* says where it comes from.
    """
    return Source(name, dict(_checked(dict(said), Settings, name, "")))


def parsed_settings(text: str, name: str) -> dict[str, Any]:
    """The sections of a settings file from its text, checked, as values that JSON can hold.

    *name* is for messages.
    """
    try:
        said = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        reason = str(error).partition("\n")[0].rstrip(".")
        raise ParameterError(
            f"{name} are not in TOML: {reason}; correct that line, or remove it."
        ) from error
    given_settings(said, name)
    return {key: _without_days(value) for key, value in said.items()}


def _without_days(value: Any) -> Any:
    """A checked value in which days are texts, which JSON can hold."""
    if isinstance(value, Mapping):
        return {key: _without_days(one) for key, one in value.items()}
    return value.isoformat() if isinstance(value, date) else value


def merged_settings(*sources: Source, start: Settings | None = None) -> Settings:
    """Settings with the values of some sources, of which later ones win.

    Raises
    ------
    ParameterError
        If a value is impossible. The message names the source and the key.
    """
    settings = start or Settings()
    for source in sources:
        try:
            settings = _updated(settings, source.values)
        except PeergaugeError as error:
            if not source.name:
                raise
            raise ParameterError(f"{source.name}, {_culprit(settings, source)}: {error}") from error
    return settings


def earlier_settings(said: Any, *, strict: bool = False) -> Source:
    """The settings of an earlier run, from its audit; those of older versions are fewer.

    Keys that this version does not know, or of another type, are left out, because the run that
    wrote them was another version. So are titles and days, which are those of that run.

    Parameters
    ----------
    strict
        Whether values of another type are refused, because this version wrote the audit.
    """
    found = dict(_known(said, Settings, strict=strict))
    for path in SETTINGS_OF_ONE_RUN:
        section, _, key = path.rpartition(".")
        (found.get(section, {}) if section else found).pop(key, None)
    return Source("the audit of the earlier run", found)


def settings_text(settings: Settings) -> str:
    """A settings file with all choices in force, and comments on them."""
    import tomlkit

    document = tomlkit.document()
    for line in _comment(
        "Settings of 'peergauge grade'. Change a line, and run the same command again with "
        f"--settings {SETTINGS_FILE}. Options of the command line win over this file."
    ):
        document.add(tomlkit.comment(line))
    for name, kind in _kinds(Settings).items():
        value = getattr(settings, name)
        if not is_dataclass(kind):
            _add(document, name, name, value)
            continue
        section = tomlkit.table()
        for line in _comment(SETTING_COMMENTS[name]):
            section.add(tomlkit.comment(line))
        for key in _kinds(kind):
            _add(section, key, f"{name}.{key}", getattr(value, key))
        document.add(tomlkit.nl())
        document.add(name, section)
    return document.as_string()


def _add(table: Any, key: str, path: str, value: Any) -> None:
    import tomlkit

    table.add(tomlkit.nl())
    for line in _comment(SETTING_COMMENTS[path]):
        table.add(tomlkit.comment(line))
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    table.add(key, NO_NUMBER if value is None else value)


def _comment(text: str) -> list[str]:
    return wrap(text, MAX_COMMENT_LETTERS, break_long_words=False, break_on_hyphens=False)


# ------------------------------------------------------------------------------------------ checks


def _kinds(of: Any) -> dict[str, Any]:
    """The types of the settings of a dataclass by their names; the model is no setting."""
    hints = get_type_hints(of)
    return {one.name: hints[one.name] for one in fields(of) if one.name != "model"}


def _checked(
    said: Mapping[str, Any], of: Any, path: str, section: str
) -> Iterator[tuple[str, Any]]:
    """The values of a section; unknown keys and wrong types are refused."""
    kinds = _kinds(of)
    where = f"{path}, section [{section}]" if section else path
    for key, value in said.items():
        if key not in kinds:
            raise ParameterError(f"{where}: {_unknown(key, section)}")
        kind = kinds[key]
        full = f"{section}.{key}" if section else key
        if is_dataclass(kind):
            if not isinstance(value, dict):
                raise ParameterError(
                    f"{path}, key '{key}': a section [{key}] was expected, not {value!r}; write "
                    f"[{key}] on a line of its own, and its keys below."
                )
            yield key, dict(_checked(value, kind, path, key))
            continue
        if not _fits(value, kind):
            raise ParameterError(
                f"{path}, key '{full}': {_expected(kind)} was expected, not {_shown(value)}."
            )
        yield key, _converted(value, kind)


def _unknown(key: str, section: str) -> str:
    """What is wrong with an unknown key, and where it may belong."""
    paths = [path for path in _paths() if path.rpartition(".")[2] == key]
    if paths:
        place = paths[0].rpartition(".")[0]
        hint = (
            f"it belongs into the section [{place}]" if place else "it belongs above all sections"
        )
    else:
        names = [path.rpartition(".")[2] for path in _paths() if path.startswith(f"{section}.")]
        names = names or [path for path in _paths() if "." not in path]
        nearest = get_close_matches(key, names, n=1, cutoff=0.5)
        hint = f"did you mean '{nearest[0]}'?" if nearest else f"its keys are {', '.join(names)}"
    return f"there is no setting '{key}'; {hint.rstrip('.')}{'' if hint.endswith('?') else '.'}"


@cache
def _paths() -> tuple[str, ...]:
    """The paths of all settings and sections."""
    found = []
    for name, kind in _kinds(Settings).items():
        found.append(name)
        if is_dataclass(kind):
            found += [f"{name}.{key}" for key in _kinds(kind)]
    return tuple(found)


def _known(said: Any, of: Any, *, strict: bool, path: str = "") -> Iterator[tuple[str, Any]]:
    """The values that fit the settings of this version."""
    if not isinstance(said, Mapping):
        if strict:
            raise ParameterError(f"'settings{path}' is not a section.")
        return
    for key, kind in _kinds(of).items():
        if key not in said:
            continue
        if is_dataclass(kind):
            yield key, dict(_known(said[key], kind, strict=strict, path=f"{path}.{key}"))
        elif said[key] is None and _is_optional(kind):
            yield key, None
        elif _fits(said[key], kind):
            yield key, _converted(said[key], kind)
        elif strict:
            raise ParameterError(f"'settings{path}.{key}' is not {_expected(kind)}.")


def _is_optional(kind: Any) -> bool:
    return get_origin(kind) in (types.UnionType, Union) and type(None) in get_args(kind)


def _fits(value: Any, kind: Any) -> bool:
    if _is_optional(kind):
        return value == NO_NUMBER or _fits(value, float)
    if get_origin(kind) is Literal:
        return value in get_args(kind)
    if kind is str:
        # Half of a surrogate pair, which JSON can have, cannot be written to a file.
        return type(value) is date or (isinstance(value, str) and not SURROGATES.search(value))
    if kind is float:
        return type(value) in (int, float) and abs(value) <= sys.float_info.max
    return type(value) is kind


def _converted(value: Any, kind: Any) -> Any:
    if _is_optional(kind):
        return None if value == NO_NUMBER else float(value)
    if kind is float:
        return float(value)
    return value.isoformat() if isinstance(value, date) else value


def _expected(kind: Any) -> str:
    if _is_optional(kind):
        return f'a number or "{NO_NUMBER}"'
    if get_origin(kind) is Literal:
        return "one of " + ", ".join(f'"{one}"' for one in get_args(kind))
    names = {str: "a text in quotes", float: "a number", int: "a whole number"}
    return names.get(kind, "true or false")


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def _updated(settings: Settings, values: Values) -> Settings:
    """Settings with other values; sections keep the values that are not given."""
    changed = {
        key: replace(getattr(settings, key), **value) if isinstance(value, Mapping) else value
        for key, value in values.items()
    }
    return replace(settings, **changed)


def _culprit(settings: Settings, source: Source) -> str:
    """The key of a source that is impossible, or else the section in which keys contradict."""
    for key, value in source.values.items():
        single = [{key: {one: value[one]}} for one in value] if isinstance(value, Mapping) else []
        for values in single or [{key: value}]:
            try:
                _updated(settings, values)
            except PeergaugeError:
                inner = values[key]
                path = f"{key}.{next(iter(inner))}" if isinstance(inner, Mapping) else key
                return f"key '{path}'"
    return "whose keys contradict each other"
