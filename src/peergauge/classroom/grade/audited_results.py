"""Tables of an audit about final marks, decisions, influence and the reasons of numbers.

They join the tables of :mod:`peergauge.classroom.grade.recomputed`, by their names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from peergauge.classroom.gradebooks import PERSON_COLUMNS

if TYPE_CHECKING:
    from peergauge.classroom.grade.recomputed import AuditedNumbers, Table, Value

MARK_FIELDS = (
    "mark", "letter", "work_percent", "work_share", "work_part", "points", "reviewing_percent",
    "reviewing_share", "reviewing_part", "reviews", "excluded", "deduction",
)  # fmt: skip
"""Numbers of a final mark whose columns have the names of the audit."""

OWED_FIELDS = ("assigned", "done", "declined")
LOG_FIELDS = ("row", "date", "action", "submission", "grader", "grade", "decision", "asked",
              "reason", "status", "replaced")  # fmt: skip
"""Parts of a decision whose columns have the names of the audit."""

COLLUSION_FIELDS = ("colluders", "raised", "lowered", "mean_raised", "mean_lowered", "submissions")


def final_table(audited: AuditedNumbers) -> Table:
    """One row for each final mark, with the columns of marks.csv."""
    rows = (audited.content.get("final") or {}).get("marks") or []
    columns: dict[str, Sequence[Value]] = {
        "person": [str(row["person"]) for row in rows],
        **{name: [row[name] for row in rows] for name in MARK_FIELDS},
        "points_letter": [row["points"] for row in rows],
        "missing": ["; ".join(row["missing"]) for row in rows],
        "total": [None if row["mark"] is None else _total(row) for row in rows],
    }
    for name in OWED_FIELDS:
        columns[name] = [None if row["reviewing"] is None else row["reviewing"][name]
                         for row in rows]  # fmt: skip
    columns["owed"] = [_owed(row["reviewing"]) for row in rows]
    works = [row["work"] for row in rows]
    for place, first in enumerate(works[0] if works else ()):
        title = f"grade: {first['assignment']}" if len(works[0]) > 1 else "grade"
        columns[title] = [work[place]["grade"] for work in works]
        columns[f"grade-{place}"] = columns[title]
    return {**columns, **_people(audited, columns["person"])}


def _total(row: Mapping[str, Any]) -> float:
    total = (row["work_part"] or 0.0) + (row["reviewing_part"] or 0.0) - row["deduction"]
    return round(float(total), 4)


def _owed(reviewing: Mapping[str, Any] | None) -> int | None:
    if reviewing is None:
        return None
    return int(max(reviewing["assigned"] - reviewing["done"] - reviewing["declined"], 0))


def _people(audited: AuditedNumbers, ids: Sequence[Value]) -> dict[str, Sequence[Value]]:
    """Names and addresses of people, as the table of graders has them."""
    graders = audited.table("graders")
    place = {str(one): row for row, one in enumerate(graders["grader"])}
    found: dict[str, Sequence[Value]] = {
        name: [graders[name][place[str(one)]] if str(one) in place else None for one in ids]
        for name in PERSON_COLUMNS[1:]
        if name in graders
    }
    labels = graders["label"]
    label = [labels[place[str(one)]] if str(one) in place else one for one in ids]
    return {**found, "label": label}


def decisions_table(audited: AuditedNumbers) -> Table:
    """One row for each decision, with the columns of the log."""
    log = (audited.content.get("decisions") or {}).get("log") or []
    return {
        **{name: [one.get(name) for one in log] for name in LOG_FIELDS},
        "assignment": [one["of"] for one in log],
        "excluded_reviews": [one["reviews"] for one in log],
    }


def collusion_table(audited: AuditedNumbers) -> Table:
    """One row for each number of colluders."""
    rows = (audited.content.get("influence") or {}).get("collusion") or []
    return {name: [row[name] for row in rows] for name in COLLUSION_FIELDS}


def influence_table(audited: AuditedNumbers) -> Table:
    """One row about the reviews of students and their own grades."""
    found = audited.content.get("influence") or {}
    names = ("point", "own_change", "own_largest", "own_students")
    return {name: [found[name]] for name in names if name in found}


def grade_parts_table(audited: AuditedNumbers) -> Table:
    """One row for each review and for the mean of the class, in every grade."""
    if "tables" not in audited.content:
        return {}  # audits of older versions do not have the names of graders
    reviews, submissions = audited.content["reviews"], audited.content["submissions"]
    labels, means = audited.table("graders")["label"], audited.content["assignments"]["mean"]
    rows: list[tuple[Value, ...]] = []
    for place, name in enumerate(submissions["submission"]):
        where = submissions["assignment"][place], name
        for row in audited.rows_by("submission")[place]:
            value, weight = reviews["value"][row], reviews["weight"][row]
            grader = labels[reviews["grader"][row]]
            given = reviews["grade"][row]
            rows.append((*where, grader, given, value, weight, value * weight))
        weight = submissions["mean_weight"][place]
        if weight:
            mean = means[audited.assignment[place]]
            rows.append((*where, "Mean of the class", None, mean, weight, mean * weight))
    names = ("assignment", "submission", "part", "given", "corrected", "weight", "contribution")
    return {name: [row[number] for row in rows] for number, name in enumerate(names)}


def paid_reviews_table(audited: AuditedNumbers) -> Table:
    """One row for each review and its reward; none if all reviews are rewarded together."""
    reviews, names = audited.content["reviews"], audited.content["submissions"]["submission"]
    graders = audited.content["graders"]["grader"]
    earned = reviews["earned"]
    compared = audited.content.get("comparison") or {}
    rows = [] if earned is None else [
        row for place in range(len(graders)) for row in audited.rows_by("grader")[place]
    ]  # fmt: skip
    return {
        "grader": [graders[reviews["grader"][row]] for row in rows],
        "submission": [names[reviews["submission"][row]] for row in rows],
        "given": [reviews["grade"][row] for row in rows],
        "reward": [earned[row] for row in rows],
        **{name: [compared[name][row] for row in rows]
           for name in ("judged", "reference") if compared},
    }  # fmt: skip


def other_models_table(audited: AuditedNumbers) -> Table:
    """One row for each other model: mean and largest difference from the grades."""
    found = audited.content["submissions"]
    scores = found.get("other_models") or found.get("beside") or {}
    rows = []
    for column in scores.values():
        pairs = zip(column, found["grade"], strict=True)
        off = [abs(one - grade) for one, grade in pairs if one is not None and grade is not None]
        if off:
            rows.append((math.fsum(off) / len(off), max(off)))
    return {"mean": [row[0] for row in rows], "largest": [row[1] for row in rows]}
