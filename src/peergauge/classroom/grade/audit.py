"""The audit: every number that a grade is made of, so that anybody can compute it again.

It is also where the next assignment of the same course goes on from.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from peergauge._version import __version__
from peergauge.classroom.grade import Earlier, Graded
from peergauge.core.errors import TableError
from peergauge.models.posterior import Traits

AUDIT = "audit.json"


def audit(graded: Graded, files: Sequence[Path] = ()) -> dict[str, Any]:
    """Everything that the grades and points were made of, in columns.

    Parameters
    ----------
    files
        What the class was read from, of which digests are kept.
    """
    reports, posterior, earned = graded.reports, graded.posterior, graded.earned
    who = graded.who
    low, high = graded.bounds
    each = graded.rewards.each
    before = graded.earlier
    return {
        "peergauge": __version__,
        "scale": str(reports.scale),
        "files": {path.name: _digest(path) for path in files if path.is_file()},
        "settings": asdict(graded.settings),
        "mechanism": graded.mechanism.spec,
        "reason": graded.reason,
        "import": graded.room.report.as_json(),
        "formulas": FORMULAS,
        "assignments": {
            "assignment": [str(name) for name in named_assignments(graded)],
            "mean": _listed(posterior.prior_mean),
        },
        "submissions": {
            "assignment": who.assignments,
            "submission": who.submissions,
            "grade": _listed(posterior.score),
            "low": _listed(low),
            "high": _listed(high),
            "mean_weight": _listed(posterior.prior_weight),
            "staff": _listed(posterior.staff),
            "beside": {name: _listed(score) for name, score in graded.beside.items()},
        },
        "reviews": {
            "submission": reports.submission.tolist(),
            "grader": reports.grader.tolist(),
            "grade": _listed(reports.grade),
            "value": _listed(posterior.value),
            "weight": _listed(posterior.weight),
            "earned": None if each is None else _listed(each),
        },
        "graders": {
            "grader": [one.id for one in who.graders],
            "reviews": earned.reviews.tolist(),
            "own_average": _listed(earned.own),
            "counts_for": _listed(earned.weight),
            "earned": _listed(earned.estimate),
            "deviation": _listed(earned.deviation),
            "points": list(graded.points),
            "traits": {
                name: _listed(column)
                for name, column in zip(Traits._fields, posterior.traits, strict=True)
            },
        },
        "class": {
            "average": earned.average,
            "between": earned.between,
            "within": earned.within,
        },
        "second_look": asdict(graded.second_look),
        "flags": asdict(graded.flags),
        "gaming": None if graded.gaming is None else asdict(graded.gaming),
        "earlier": None
        if before is None
        else {"assignments": list(before.assignments), **_people(before)},
    }


FORMULAS = {
    "grade": "mean of the assignment × mean_weight + Σ value × weight over the submission's "
    "reviews, cut at the ends of the scale; staff, where they graded",
    "own_average": "mean of what a grader's reviews earned, this time and earlier",
    "counts_for": "between / (between + within / reviews)",
    "earned": "counts_for × own_average + (1 − counts_for) × average",
    "points": "the map of settings.points applied to earned; where it does not say what earns "
    "floor and ceiling, average ∓ 1.645 √between does, but no more than any own_average",
}
"""How the numbers hang together."""


def named_assignments(graded: Graded) -> list[Any]:
    """The names of the assignments."""
    reports = graded.reports
    return list(reports.assignment_names or range(reports.assignments))


def write_audit(told: dict[str, Any]) -> bytes:
    """An audit as JSON; what is not a number is null."""
    return json.dumps(told, ensure_ascii=False, allow_nan=False, default=str).encode() + b"\n"


def check_audit(told: dict[str, Any]) -> Iterator[str]:
    """Compute every grade and all points again from an audit; what does not agree is told."""
    from peergauge.classroom.grade.points import Points
    from peergauge.tables import Scale

    scale = Scale.parse(told["scale"])
    place = {name: number for number, name in enumerate(told["assignments"]["assignment"])}
    of = told["submissions"]
    number = np.array([place[name] for name in of["assignment"]])
    mean = _array(told["assignments"]["mean"])[number]
    review = told["reviews"]
    added = np.bincount(
        review["submission"], _array(review["value"]) * _array(review["weight"]), len(number)
    )
    grade = np.clip(mean * _array(of["mean_weight"]) + added, scale.lowest, scale.highest)
    staff = _array(of["staff"])
    grade = np.where(np.isnan(staff), grade, staff)
    yield from _differ("submission", of["submission"], "grade", grade, _array(of["grade"]))
    who, whole = told["graders"], told["class"]
    reviews = np.array(who["reviews"])
    noise = whole["within"] / np.maximum(reviews, 1)
    counts = np.where(
        (reviews > 0) & (whole["between"] > 0),
        whole["between"] / np.maximum(whole["between"] + noise, 1e-300),
        0.0,
    )
    earned = counts * _array(who["own_average"]) + (1 - counts) * whole["average"]
    yield from _differ("grader", who["grader"], "earned", earned, _array(who["earned"]))
    own = _array(who["own_average"])
    rule = Points.parse(told["settings"]["points"])
    points = rule.fitted(whole["average"], whole["between"], own).of(earned)
    for name, ours, theirs in zip(who["grader"], points, who["points"], strict=True):
        same = ours == theirs or (
            isinstance(ours, float)
            and isinstance(theirs, int | float)
            and abs(ours - theirs) < 1e-9
        )
        if not same:
            yield f"The points of grader {name} should be {ours}, but are {theirs}."


def read_earlier(folder: Path | str) -> Earlier:
    """What a folder of an earlier run knows of the graders."""
    path = Path(folder) / AUDIT
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
        graders = told["graders"]
        traits = Traits(*(_array(graders["traits"][name]) for name in Traits._fields))
        names = tuple(graders["grader"])
        earlier = told["earlier"] or {"assignments": []}
        found = Earlier(
            names,
            traits,
            (*earlier["assignments"], *told["assignments"]["assignment"]),
            np.array(graders["reviews"], dtype=np.int64),
            _array(graders["own_average"]),
            told["mechanism"],
            told["scale"],
        )
    except OSError as error:
        raise TableError(
            f"{path} cannot be read: {error.strerror}; give the folder that an earlier run of "
            "'peergauge grade' wrote."
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise TableError(
            f"{path} is not the audit of an earlier run; give the folder that 'peergauge grade' "
            "wrote."
        ) from error
    if any(len(column) != len(names) for column in (*traits, found.reviews, found.earned)):
        raise TableError(f"{path} is damaged: its columns differ in length; grade again.")
    return found


def _people(before: Earlier) -> dict[str, Any]:
    return {
        "grader": list(before.graders),
        "reviews": before.reviews.tolist(),
        "own_average": _listed(before.earned),
    }


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(2**20):
            digest.update(chunk)
    return digest.hexdigest()


def _listed(values: Any) -> list[float | None]:
    return [one if math.isfinite(one) else None for one in values.tolist()]


def _array(values: Sequence[float | None]) -> Any:
    return np.array([np.nan if one is None else one for one in values], dtype=np.float64)


def _differ(kind: str, names: Sequence[str], what: str, ours: Any, theirs: Any) -> Iterator[str]:
    both = np.isnan(ours) & np.isnan(theirs)
    for place in np.flatnonzero(~both & ~(np.abs(ours - theirs) < 1e-9)).tolist():
        yield (
            f"The {what} of {kind} {names[place]} should be {ours[place]:.6f}, but is "
            f"{theirs[place]:.6f}."
        )
