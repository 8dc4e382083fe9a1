"""The parts of the audit about awarded grades, final marks and decisions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from peergauge.classroom.grade.awarded import award
from peergauge.classroom.grade.decisions import Action, AppliedDecisions, Decision
from peergauge.classroom.grade.final_mark import (
    FinalMark,
    FinalMarks,
    OwedReviews,
    PersonParts,
    WorkGrade,
    final_mark,
    work_grade,
)
from peergauge.classroom.grade.points import PointsRule
from peergauge.classroom.grade.rounding import printed
from peergauge.classroom.grade.settings import Settings
from peergauge.classroom.grade.settings_file import earlier_settings, merged_settings
from peergauge.tables import Scale

COMPUTED_FIELDS = (
    "work_percent", "work_share", "work_part", "reviewing_percent", "reviewing_share",
    "reviewing_part", "deduction", "mark", "letter",
)  # fmt: skip
"""Numbers and letters of a final mark that are computed from its parts."""

MAX_AWARD_ERROR = 1e-9
"""Difference that floating-point errors may cause in a number of four decimals."""


def final_columns(marks: FinalMarks) -> dict[str, Any]:
    """Final marks, with everything that they are computed from."""
    return {"title": marks.title, "marks": [_final_row(row) for row in marks.rows]}


def _final_row(row: FinalMark) -> dict[str, Any]:
    parts = row.parts
    return {
        "person": parts.person,
        "work": [one._asdict() for one in parts.work],
        "points": parts.points,
        "reviews": parts.reviews,
        "excluded": parts.excluded,
        "reviewing": None if parts.reviewing is None else parts.reviewing._asdict(),
        **{name: getattr(row, name) for name in COMPUTED_FIELDS},
        "missing": list(row.missing),
    }


def decision_columns(decisions: AppliedDecisions | None) -> dict[str, Any] | None:
    """The log of decisions, and the reviews that they excluded."""
    if decisions is None:
        return None
    return {
        "log": [
            {
                **one.decision.as_json(),
                "of": one.assignment,
                "status": one.status,
                "reviews": one.reviews,
                "replaced": one.replaced,
            }
            for one in decisions.log
        ],
        "excluded": [one._asdict() for one in decisions.excluded],
    }


def decisions_in(content: Mapping[str, Any]) -> tuple[tuple[Decision, str], ...]:
    """All decisions of a run and of the runs before it, each with the name of its assignment."""
    listed = [
        *((content.get("earlier") or {}).get("decisions") or ()),
        *((content.get("decisions") or {}).get("log") or ()),
    ]
    found = {}
    for one in listed:
        values = {key: one[key] for key in Decision._fields if key in one}
        decision = Decision(**{**values, "action": Action(one["action"])})
        found[decision.identity] = (decision, str(one["of"]))
    return tuple(found.values())


# ---------------------------------------------------------------------------------------- checking


def check_awarded(content: Mapping[str, Any]) -> Iterator[str]:
    """Compute the grades that students get again; yield a sentence for each difference."""
    submissions = content["submissions"]
    if "awarded" not in submissions:
        return  # audits of older versions have none
    settings, scale = _settings(content), Scale.parse(content["scale"])
    number_of = {name: number for number, name in enumerate(content["assignments"]["assignment"])}
    assignment = np.array([number_of[name] for name in submissions["assignment"]], dtype=np.int32)
    awarded = award(_array(submissions["grade"]), assignment, scale, settings.grades)
    columns = zip(
        submissions["submission"],
        awarded.grade.tolist(),
        submissions["awarded"],
        awarded.letter,
        submissions["letter"],
        strict=True,
    )
    for name, ours, theirs, letter, their_letter in columns:
        if not _same(None if math.isnan(ours) else ours, theirs):
            yield f"The awarded grade of submission {name} should be {ours}, but is {theirs}."
        if letter != their_letter:
            yield f"The letter of submission {name} should be '{letter}', but is '{their_letter}'."


def audited_final(content: Mapping[str, Any]) -> FinalMarks | None:
    """The final marks, computed again from their parts; None if there are none."""
    if not content.get("final"):
        return None
    settings, scale = _settings(content), Scale.parse(content["scale"])
    highest = PointsRule.parse(settings.points).highest
    points_of = dict(zip(content["graders"]["grader"], _points_of_week(content), strict=True))
    awarded = _array(content["submissions"]["awarded"])
    rows = []
    for row in content["final"]["marks"]:
        points = points_of.get(row["person"])
        parts = PersonParts(
            row["person"],
            tuple(
                WorkGrade(
                    one["assignment"],
                    tuple(one["submissions"]),
                    work_grade([float(awarded[k]) for k in one["submissions"]], settings),
                    one["unreviewed"],
                )
                for one in row["work"]
            ),
            points if points is None or isinstance(points, str) else printed(float(points)),
            row["reviews"],
            row["excluded"],
            None if row["reviewing"] is None else OwedReviews(**row["reviewing"]),
        )
        rows.append(final_mark(parts, settings, scale, highest))
    return FinalMarks(tuple(rows), content["final"]["title"], settings, scale, highest)


def check_final(content: Mapping[str, Any]) -> Iterator[str]:
    """Compute the final marks again; yield a sentence for each difference."""
    marks = audited_final(content)
    if marks is None:
        return
    for ours, row in zip(marks.rows, content["final"]["marks"], strict=True):
        person, parts = ours.person, ours.parts
        for one, theirs in zip(parts.work, row["work"], strict=True):
            if not _same(one.grade, theirs["grade"]):
                yield (
                    f"The grade of {person} for '{one.assignment}' should be {one.grade}, but is "
                    f"{theirs['grade']}."
                )
        if not _same(parts.points, row["points"]):
            yield f"The points of {person} should be {parts.points}, but are {row['points']}."
        for name in COMPUTED_FIELDS:
            if not _same(getattr(ours, name), row[name]):
                what = name.replace("_", " ")
                yield (
                    f"The {what} of {person} should be {getattr(ours, name)}, but is {row[name]}."
                )
        if list(ours.missing) != row["missing"]:
            yield (
                f"What is missing of {person} should be '{', '.join(ours.missing)}', but is "
                f"'{', '.join(row['missing'])}'."
            )


def _points_of_week(content: Mapping[str, Any]) -> Sequence[Any]:
    """Points of the graders for the reviews of this run alone."""
    other = content.get("other_period")
    graders = other["graders"] if other and other["over"] == "week" else content["graders"]
    found: Sequence[Any] = graders["points"]
    return found


def _settings(content: Mapping[str, Any]) -> Settings:
    return merged_settings(earlier_settings(content["settings"]))


def _same(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, float) and isinstance(theirs, int | float):
        return abs(ours - theirs) < MAX_AWARD_ERROR
    return bool(ours == theirs)


def _array(values: Sequence[float | None]) -> Any:
    return np.array([np.nan if one is None else one for one in values], dtype=np.float64)
