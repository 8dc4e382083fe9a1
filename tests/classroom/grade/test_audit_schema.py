"""Damaged audits: every value that the next run reads is either possible or refused."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from peergauge.classroom.grade.audit import AUDIT_FILE, earlier_run, read_earlier
from peergauge.core.errors import TableError
from tests.pages.graded_semester import graded_semester

NEVER_READ = ("written", "tables", "formulas", "marks", "gradebooks", "files", "final", "flags")


def nested(levels: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(levels):
        found = [found]
    return found


IMPOSSIBLE: tuple[Any, ...] = (math.nan, math.inf, -math.inf, [], {}, nested(200), "\ud800")
"""Values that nothing in an audit may have in place of a text, a number or nothing."""

OTHER_VALUES = ("abc", "", 3, 0.5, -1, None, True, 1e300, 10**30)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return graded_semester(tmp_path_factory.mktemp("semester"))


@pytest.fixture(scope="module")
def content(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / AUDIT_FILE).read_text())
    return {key: value for key, value in found.items() if key not in NEVER_READ}


def paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all sections, lists and first entries of lists."""
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from paths(inner, (*path, key))
    elif isinstance(value, list) and value:
        yield from paths(value[0], (*path, 0))


def at(content: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        content = content[key]
    return content


def changed(content: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy with another value at a path."""
    if not path:
        return value
    found = copy.copy(content)
    found[path[0]] = changed(content[path[0]], path[1:], value)
    return found


def outcome(content: Any) -> str:
    """The run that an audit gives, as text, or the sentence by which it is refused."""
    try:
        found = earlier_run(content, "x/audit.json")
    except TableError as error:
        text = str(error)
        assert text.startswith("x/audit.json ")
        assert "\n" not in text
        assert len(text) < 600
        return "refused"
    # Of the settings, only those that this version knows are read.
    return repr(found._replace(settings={**found.settings, "model": None}))


@pytest.mark.slow
def test_no_impossible_value_is_read(content: dict[str, Any]) -> None:
    usual = outcome(content)
    assert usual != "refused"
    accepted, refused = [], 0
    for path in paths(content):
        old = at(content, path)
        if isinstance(old, dict | list):
            values = [value for value in (*IMPOSSIBLE, *OTHER_VALUES) if value not in ([], {})]
        else:
            values = list(IMPOSSIBLE)
        for value in values:
            found = outcome(changed(content, path, value))
            refused += found == "refused"
            if found not in (usual, "refused"):
                accepted.append((path, value))
    assert accepted == []
    assert refused > 500


@pytest.mark.slow
def test_columns_of_other_lengths_are_refused(content: dict[str, Any]) -> None:
    usual = outcome(content)
    # A decision is a row of its own, which no other column counts.
    free = {("decisions", "log")}
    accepted = []
    for path in paths(content):
        old = at(content, path)
        if isinstance(old, list) and old and path not in free:
            accepted += [
                (path, len(value))
                for value in ([*old, old[-1]], old[:-1])
                if outcome(changed(content, path, value)) not in (usual, "refused")
            ]
    assert accepted == []


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("graders.traits.bias_variance.0", -1, "'graders.traits.bias_variance[0]' is -1, but a"),
        ("graders.traits.bias_mean.0", 1e6, "from -100 to 100 was expected"),
        ("graders.traits.constant.0", 1.5, "a number from 0 to 1 was expected"),
        ("graders.traits.shape.0", None, "row 0 of 'graders.traits' has only some of"),
        ("graders.grader.0", "p02", "'graders.grader' has 'p02' twice"),
        ("graders.leniency.ratio.0", -0.5, "a number from 0 to"),
        ("class.leniency_evidence.0", 0.1, "do not add up to 1"),
        ("class.leniency_evidence", [1.0], "has 1 entries, but 17 were expected"),
        ("other_period.graders.own_average.0", 1e30, "own_average over the semester of grader p01"),
        ("other_period.graders.own_average.0", None, "has 6 rewarded reviews and the mean reward"),
        ("other_period.graders.reviews.0", 2.5, "a whole number from 0 to"),
        ("other_period.over", "week", "are the same period"),
        ("other_period", None, "'other_period' is empty, although 'earlier' is not"),
        ("reviews.grader.0", 12, "a whole number from 0 to 11 was expected"),
        ("reviews.grade.0", 10.5, "a number from 0 to 10 was expected"),
        ("reviews.grade.0", 2.0, "do not fit their digest"),
        ("decisions", None, "do not fit their digest"),
        ("decisions.log.0.action", "praise", "'exclude review' or"),
        ("earlier.gone", [12], "a whole number from 0 to 11 was expected"),
        ("earlier.digests", {"Week 9": ""}, "which is not in 'earlier.assignments'"),
        ("semester.runs", [], "does not have every assignment once"),
        ("semester.runs.0.points.points.0", 11.0, "a number from -1e+09 to 10 was expected"),
        ("semester.runs.0.highest", 20.0, "a number from 10 to 10 was expected"),
        ("settings.level", "high", "'settings.level' is not a number"),
        ("settings.level", 7.0, "key 'level'"),
        ("settings.final", 3, "'settings.final' is not a section"),
        ("mechanism", "no-such", "no-such"),
        ("scale", "10..0", "'scale' is missing or is not a scale"),
    ],
)
def test_a_damaged_value_is_named(
    content: dict[str, Any], path: str, value: Any, words: str
) -> None:
    keys = tuple(int(one) if one.isdigit() else one for one in path.split("."))
    with pytest.raises(TableError) as error:
        earlier_run(changed(content, keys, value), "x/audit.json")
    assert words in str(error.value)


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: text.replace('"peergauge"', '"scale": "0..10", "peergauge"', 1),
        lambda text: text.replace('"peergauge"', '"x": NaN, "peergauge"', 1),
        lambda text: text.replace('"peergauge"', '"x": ' + "9" * 5000 + ', "peergauge"', 1),
        lambda _: "[" * 100_000,
        lambda _: "[]",
        lambda _: "",
    ],
    ids=["cut", "key twice", "NaN", "5000 digits", "deep", "list", "empty"],
)
def test_a_damaged_file_is_refused(folder: Path, tmp_path: Path, damage: Any) -> None:
    (tmp_path / AUDIT_FILE).write_text(damage((folder / AUDIT_FILE).read_text()))
    with pytest.raises(
        TableError, match=r"is damaged; give the folder|is not an audit by peergauge, which is"
    ):
        read_earlier(tmp_path)
