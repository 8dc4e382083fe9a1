"""What the next run reads from an audit, as a schema, and a check of an audit against it.

An audit may be damaged by a disk, by an editor or by a program that merges files. Every value that
the next run reads is described here by its type and its range, so that a damaged file is refused
and never changes a grade.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from peergauge.classroom.grade.decisions import Action, Outcome
from peergauge.models.leniency import RATIO_GRID
from peergauge.models.posterior import Traits
from peergauge.tables import Scale

MAX_BIAS_WIDTHS = 10.0
"""Largest bias or leniency of a grader, in widths of the scale."""

MAX_REWARD_SIZE = 1e100
"""Largest size of a reward, whose square is still a finite number."""

MAX_REVIEW_COUNT = 10**9
"""Largest number of reviews of one grader."""

MAX_TRAIT_SIZE = 1e12
"""Largest shape, rate or ratio of variances of a grader."""

MAX_POINTS = 1e9
"""Largest number of points of a grader."""

MAX_SHOWN_LETTERS = 40
"""Letters of a wrong value that a message shows."""

MAX_RANGE_ERROR = 1e-9
"""Rounding error by which a number may leave its range."""

MAX_SUM_ERROR = 1e-6
"""Rounding error of probabilities that add up to 1."""

DIGEST_PATTERN = r"(?:[0-9a-f]{64})?"


@dataclass
class Found:
    """What was found so far: lengths of columns by their groups, and checks that need them."""

    lengths: dict[str, tuple[int, str]] = field(default_factory=dict)
    later: list[Callable[[], Iterator[str]]] = field(default_factory=list)


class Shape(Protocol):
    """The description of a value; its problems are sentences without a full stop."""

    def problems(self, value: Any, path: str, found: Found) -> Iterator[str]:
        """What is wrong with a value at a path."""


def _wrong(path: str, value: Any, expected: str) -> str:
    kinds = {dict: "a section", list: "a list", type(None): "empty", bool: str(value).lower()}
    shown = kinds.get(type(value)) or ascii(value)
    if len(shown) > MAX_SHOWN_LETTERS:
        shown = f"{shown[:MAX_SHOWN_LETTERS]}…"
    return f"'{path}' is {shown}, but {expected} was expected"


@dataclass(frozen=True)
class Number:
    """A finite number in a range, which may be missing."""

    low: float = -math.inf
    high: float = math.inf
    whole: bool = False
    missing: bool = False
    positive: bool = False

    def problems(self, value: Any, path: str, found: Found) -> Iterator[str]:  # noqa: ARG002
        """A number of another type or out of the range."""
        if value is None and self.missing:
            return
        fits = type(value) is int or (type(value) is float and not self.whole)
        if fits:
            slack = 0 if self.whole else MAX_RANGE_ERROR
            fits = abs(value) < math.inf and self.low - slack <= value <= self.high + slack
        if not fits or (self.positive and value <= 0):
            yield _wrong(path, value, self._expected())

    def _expected(self) -> str:
        kind = "a whole number" if self.whole else "a number"
        if self.positive:
            return f"{kind} above 0"
        if self.low == -math.inf and self.high == math.inf:
            return kind
        if self.high == math.inf:
            return f"{kind} of at least {self.low:g}"
        return f"{kind} from {self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Index:
    """The number of an entry in the columns of a group."""

    group: str

    def problems(self, value: Any, path: str, found: Found) -> Iterator[str]:
        """A number that no entry has."""
        yield from Number(0, whole=True).problems(value, path, found)

        def check() -> Iterator[str]:
            count = found.lengths.get(_group(self.group, path), (0, ""))[0]
            yield from Number(0, max(count - 1, 0), whole=True).problems(value, path, found)

        found.later.append(check)


@dataclass(frozen=True)
class Text:
    """A text that can be written to a file."""

    pattern: str = ""
    expected: str = "a text"

    def problems(self, value: Any, path: str, found: Found) -> Iterator[str]:  # noqa: ARG002
        """No text, or one that does not fit the pattern."""
        fits = isinstance(value, str) and not re.search("[\ud800-\udfff]", value)
        if not fits or (self.pattern and not re.fullmatch(self.pattern, value)):
            yield _wrong(path, value, self.expected)


@dataclass(frozen=True)
class OneOf:
    """One of some values."""

    values: tuple[Any, ...]

    def problems(self, value: Any, path: str, found: Found) -> Iterator[str]:  # noqa: ARG002
        """Another value."""
        if not any(type(value) is type(one) and value == one for one in self.values):
            names = " or ".join(
                str(one).lower() if isinstance(one, bool) else f"'{one}'" for one in self.values
            )
            yield _wrong(path, value, names)


@dataclass(frozen=True)
class Either:
    """A value that one of two descriptions fits."""

    first: Shape
    second: Shape

    def problems(self, value: Any, path: str, found: Found) -> Iterator[str]:
        """What the first description says, unless the second one fits."""
        problem = next(self.first.problems(value, path, found), None)
        if problem is not None and any(self.second.problems(value, path, found)):
            yield problem


@dataclass(frozen=True)
class Empty:
    """Nothing."""

    def problems(self, value: Any, path: str, found: Found) -> Iterator[str]:  # noqa: ARG002
        """Anything."""
        if value is not None:
            yield _wrong(path, value, "nothing")


@dataclass(frozen=True)
class Column:
    """A list; all columns of one group have the same length.

    A group that begins with a dot belongs to the section that has the column.
    """

    of: Shape
    group: str = ""
    unique: bool = False
    length: int | None = None
    total: float | None = None

    def problems(self, value: Any, path: str, found: Found) -> Iterator[str]:
        """No list, one of another length, wrong entries, or repeated ones."""
        if not isinstance(value, list):
            yield _wrong(path, value, "a list")
            return
        if self.length is not None and len(value) != self.length:
            yield f"'{path}' has {len(value)} entries, but {self.length} were expected"
        if self.group:
            known, first = found.lengths.setdefault(_group(self.group, path), (len(value), path))
            if known != len(value):
                yield f"'{path}' has {len(value)} entries, but '{first}' has {known}"
        for place, one in enumerate(value):
            yield from self.of.problems(one, f"{path}[{place}]", found)
        if self.unique:
            yield from _repeated(value, path)
        if self.total is not None and abs(math.fsum(value) - self.total) > MAX_SUM_ERROR:
            yield f"the entries of '{path}' do not add up to {self.total:g}"


@dataclass(frozen=True)
class Mapped:
    """A mapping of any keys to values of one kind."""

    of: Shape

    def problems(self, value: Any, path: str, found: Found) -> Iterator[str]:
        """No mapping, or wrong values."""
        if not isinstance(value, dict):
            yield _wrong(path, value, "a section")
            return
        for key, one in value.items():
            yield from Text().problems(key, f"a key of {path}", found)
            yield from self.of.problems(one, f"{path}.{ascii(key)[1:-1]}", found)


@dataclass(frozen=True)
class Section:
    """A mapping with the keys that are needed, and some that older versions did not write.

    Parameters
    ----------
    keys
        Columns that together name a row, which is there once.
    known_together
        Whether all columns have missing entries in the same rows.
    """

    needed: Mapping[str, Shape]
    newer: Mapping[str, Shape] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    known_together: bool = False

    def problems(self, value: Any, path: str, found: Found) -> Iterator[str]:
        """Missing keys, wrong values and repeated rows."""
        if not isinstance(value, dict):
            yield _wrong(path, value, "a section") if path else "it has no sections"
            return
        for name, shape in {**self.needed, **self.newer}.items():
            inner = f"{path}.{name}" if path else name
            if name in value:
                yield from shape.problems(value[name], inner, found)
            elif name in self.needed:
                yield f"'{inner}' is missing"
        if self.keys:
            yield from _repeated(list(zip(*(value[key] for key in self.keys), strict=True)), path)
        if self.known_together:
            for place, row in enumerate(zip(*(value[key] for key in self.needed), strict=True)):
                if len({one is None for one in row}) > 1:
                    names = ", ".join(self.needed)
                    yield f"row {place} of '{path}' has only some of {names}"


def _group(group: str, path: str) -> str:
    """The full name of a group; *path* is that of a column, or of an entry in it."""
    if not group.startswith("."):
        return group
    levels = len(group) - len(group.lstrip("."))
    return path.rsplit(".", levels)[0] + group.lstrip(".")


def _repeated(values: list[Any], path: str) -> Iterator[str]:
    seen = set()
    for one in values:
        if one in seen:
            yield f"'{path}' has {ascii(one)[:MAX_SHOWN_LETTERS]} twice"
            return
        seen.add(one)


# ------------------------------------------------------------------------------- the audit's schema

NAME = Text()
COUNT = Number(0, MAX_REVIEW_COUNT, whole=True)
MEAN_REWARD = Number(-MAX_REWARD_SIZE, MAX_REWARD_SIZE, missing=True)
DIGEST = Text(DIGEST_PATTERN, "a SHA-256 digest")


def audit_schema(scale: Scale) -> Section:
    """What the next run reads from the audit of a class with grades on *scale*."""
    on_scale = Number(scale.lowest, scale.highest)
    return Section(
        {
            "mechanism": NAME,
            "import": Section({"notes": Column(Section({"text": NAME}))}),
            "assignments": Section(
                {"assignment": Column(NAME, "assignments", unique=True)},
                {"digest": Column(DIGEST, "assignments")},
            ),
            "submissions": Section(
                {
                    "assignment": Column(NAME, "submissions"),
                    "submission": Column(NAME, "submissions"),
                },
                keys=("assignment", "submission"),
            ),
            "graders": _people(
                scale, "graders", {"leniency": _leniency(scale, "graders")}, rewards=True
            ),
            "reviews": Section(
                {
                    "submission": Column(Index("submissions"), "reviews"),
                    "grader": Column(Index("graders"), "reviews"),
                    "grade": Column(on_scale, "reviews"),
                },
                keys=("submission", "grader"),
            ),
            "class": Section({}, {"leniency_evidence": _evidence()}),
            "earlier": Either(_earlier(scale), Empty()),
        },
        {
            "settings": Section({}, {"points_over": OneOf(("week", "semester"))}),
            "interpretation": Section({}, {"accepted": Mapped(NAME), "answers": Mapped(NAME)}),
            "other_period": Either(
                Section(
                    {
                        "over": OneOf(("week", "semester")),
                        "graders": Section(_rewards("graders")),
                    }
                ),
                Empty(),
            ),
            "decisions": Either(
                Section(
                    {
                        "log": Column(_decision(on_scale)),
                        "excluded": Column(
                            Section(
                                {
                                    "assignment": NAME,
                                    "submission": NAME,
                                    "grader": NAME,
                                    "grade": on_scale,
                                }
                            )
                        ),
                    }
                ),
                Empty(),
            ),
            "semester": _semester(scale),
        },
    )


def _rewards(group: str) -> dict[str, Shape]:
    return {"reviews": Column(COUNT, group), "own_average": Column(MEAN_REWARD, group)}


def _people(scale: Scale, group: str, newer: Mapping[str, Shape], *, rewards: bool) -> Section:
    """Graders with their identifiers, details, traits and rewards."""
    needed: dict[str, Shape] = {"grader": Column(NAME, group, unique=group == "graders")}
    return Section(
        {**needed, **(_rewards(group) if rewards else {}), "traits": _traits(scale, group)},
        {
            "details": Column(Mapped(NAME), group),
            "also_called": Column(Column(NAME), group),
            **newer,
        },
    )


def _traits(scale: Scale, group: str) -> Section:
    bias = MAX_BIAS_WIDTHS * (scale.highest - scale.lowest)
    positive = Number(high=MAX_TRAIT_SIZE, missing=True, positive=True)
    probability = Number(0, 1, missing=True)
    ranges = {
        "bias_mean": Number(-bias, bias, missing=True),
        "bias_variance": Number(high=bias**2, missing=True, positive=True),
        "shape": positive,
        "rate": positive,
        "constant": probability,
        "hedging": probability,
    }
    columns = {name: Column(ranges[name], group) for name in Traits._fields}
    return Section(columns, known_together=True)


def _leniency(scale: Scale, group: str) -> Section:
    most = MAX_BIAS_WIDTHS * (scale.highest - scale.lowest)
    return Section(
        {
            "mean": Column(Number(-most, most, missing=True), group),
            "ratio": Column(Number(0, MAX_TRAIT_SIZE, missing=True), group),
        },
        known_together=True,
    )


def _evidence() -> Column:
    return Column(Number(0, 1), length=len(RATIO_GRID), total=1.0)


def _decision(on_scale: Number) -> Section:
    return Section(
        {"action": OneOf(tuple(str(one) for one in Action)), "of": NAME},
        {
            **dict.fromkeys(
                ("assignment", "submission", "grader", "reason", "date", "asked"), NAME
            ),
            "grade": Either(on_scale, Empty()),
            "decision": OneOf(("", *(str(one) for one in Outcome))),
            "row": COUNT,
        },
    )


def _earlier(scale: Scale) -> Section:
    """The runs before the last one; audits of older versions say less about them."""
    group = "earlier graders"
    on_scale = Number(scale.lowest, scale.highest)
    people = _people(
        scale,
        group,
        {
            "assignments": Column(NAME, unique=True),
            "digests": Mapped(DIGEST),
            "gone": Column(Index(group), unique=True),
            "leniency": Either(_leniency(scale, group), Empty()),
            "decisions": Column(_decision(on_scale)),
        },
        rewards=False,
    )
    # Those who are in the last run again have all of this there.
    optional = {"traits": people.needed["traits"], **_rewards(group)}
    return Section({"grader": people.needed["grader"]}, {**people.newer, **optional})


def _semester(scale: Scale) -> Section:
    grade = Number(scale.lowest, scale.highest, missing=True)
    points = Either(Number(-MAX_POINTS, MAX_POINTS, missing=True), Text())

    def rows(name: str, value: Shape) -> Section:
        return Section(
            {
                "assignment": Column(Index("..runs"), ".rows"),
                "person": Column(NAME, ".rows"),
                name: Column(value, ".rows"),
            },
            keys=("assignment", "person"),
        )

    run = Section(
        {
            "assignments": Column(NAME, ".runs", unique=True),
            "lowest": Number(scale.lowest, scale.lowest),
            "highest": Number(scale.highest, scale.highest),
            "highest_points": Number(0, MAX_POINTS, missing=True),
            "cumulative": OneOf((False, True)),
            "grades": rows("grade", grade),
            "reviews": rows("reviews", COUNT),
            "points": Section(
                {"person": Column(NAME, ".rows", unique=True), "points": Column(points, ".rows")}
            ),
        }
    )
    return Section(
        {
            "runs": Column(run),
            "people": Section(
                {
                    "person": Column(NAME, ".rows", unique=True),
                    "name": Column(NAME, ".rows"),
                    "section": Column(NAME, ".rows"),
                }
            ),
            "missing": Column(NAME),
        }
    )


def audit_problems(content: Any, scale: Scale) -> Iterator[str]:
    """What is wrong with the values of an audit that the next run reads, one after the other.

    The first problem is true in any case; those after it may follow from it.
    """
    found = Found()
    yield from audit_schema(scale).problems(content, "", found)
    for check in found.later:
        yield from check()
    for rule in AUDIT_RULES:
        yield from rule(content)


# -------------------------------------------------------------------- rules about several values


def _periods_agree(content: Mapping[str, Any]) -> Iterator[str]:
    """Both periods are there if, and only if, there is an earlier run."""
    if "other_period" not in content:
        return
    other = content["other_period"]
    if (other is None) != (content["earlier"] is None):
        there, gone = ("earlier", "other_period") if other is None else ("other_period", "earlier")
        yield f"'{gone}' is empty, although '{there}' is not"
    elif other is not None and content.get("settings", {}).get("points_over") == other["over"]:
        yield "'settings.points_over' and 'other_period.over' are the same period"


def _probabilities_fit(content: Mapping[str, Any]) -> Iterator[str]:
    """The probabilities of two kinds of graders are at most 1 together."""
    for name in ("graders", "earlier"):
        traits = (content[name] or {}).get("traits")
        if traits is None:
            continue
        rows = zip(traits["constant"], traits["hedging"], strict=True)
        for place, (constant, hedging) in enumerate(rows):
            if constant is not None and constant + hedging > 1 + MAX_SUM_ERROR:
                yield f"row {place} of '{name}.traits' has probabilities above 1 in sum"


def _reviewed_assignments_exist(content: Mapping[str, Any]) -> Iterator[str]:
    """Submissions and digests belong to assignments of the run, or of an earlier one."""
    before = content["earlier"] or {}
    if unknown := set(before.get("digests", {})) - set(before.get("assignments", ())):
        yield f"'earlier.digests' has {min(unknown)!a}, which is not in 'earlier.assignments'"


def _semester_is_whole(content: Mapping[str, Any]) -> Iterator[str]:
    """The semester has every assignment once, and no points above the highest ones."""
    semester = content.get("semester")
    if semester is None:
        return
    before = (content["earlier"] or {}).get("assignments", ())
    named = [name for run in semester["runs"] for name in run["assignments"]]
    named += semester["missing"]
    if sorted(named) != sorted([*before, *content["assignments"]["assignment"]]):
        yield "'semester' does not have every assignment once"
    for place, run in enumerate(semester["runs"]):
        if run["highest_points"] is None:
            continue
        points = Number(-MAX_POINTS, run["highest_points"], missing=True)
        for row, one in enumerate(run["points"]["points"]):
            path = f"semester.runs[{place}].points.points[{row}]"
            yield from points.problems(one, path, Found())


AUDIT_RULES: tuple[Callable[[Mapping[str, Any]], Iterator[str]], ...] = (
    _periods_agree,
    _probabilities_fit,
    _reviewed_assignments_exist,
    _semester_is_whole,
)
"""Rules about several values, which hold for those that fit the schema."""
