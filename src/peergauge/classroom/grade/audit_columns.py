"""Columns of an audit as arrays, and as the reports that were graded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.tables import Reports, Scale

MAX_ROUNDING_ERROR = 1e-9
"""Difference of recomputed numbers that is rounding."""


def array(values: Sequence[float | None]) -> Floats:
    """A column of numbers; NaN where there is none."""
    return np.array([np.nan if one is None else one for one in values], dtype=np.float64)


def audited_assignments(content: Mapping[str, Any]) -> Any:
    """Number of the assignment of each submission."""
    names = content["assignments"]["assignment"]
    number = {name: place for place, name in enumerate(names)}
    # A class without names of assignments has one, with an empty name.
    return np.array([number.get(name, 0) for name in content["submissions"]["assignment"]])


def audited_reports(content: Mapping[str, Any]) -> Reports:
    """The reviews that were graded."""
    reviews = content["reviews"]
    submission = np.array(reviews["submission"], dtype=np.int32)
    return Reports(
        assignment=audited_assignments(content)[submission],
        submission=submission,
        grader=np.array(reviews["grader"], dtype=np.int32),
        grade=array(reviews["grade"]),
        scale=Scale.parse(content["scale"]),
        assignments=len(content["assignments"]["assignment"]),
        submissions=len(content["submissions"]["submission"]),
        graders=len(content["graders"]["grader"]),
    )


def columns_over(content: Mapping[str, Any], period: str, part: str = "graders") -> dict[str, Any]:
    """Rewards and points of the graders, or numbers of the class, over the week or the semester.

    Without an earlier run both are the same. Audits of older versions have those of the semester
    only.
    """
    other = content.get("other_period")
    if other and other["over"] == period:
        return dict(other[part])
    return dict(content[part])


def differences(
    kind: str, names: Sequence[str], what: str, computed: Any, audited: Any
) -> Iterator[str]:
    """A sentence for each computed number that is not the one in the audit."""
    both_missing = np.isnan(computed) & np.isnan(audited)
    same = both_missing | (np.abs(computed - audited) < MAX_ROUNDING_ERROR)
    for place in np.flatnonzero(~same).tolist():
        yield (
            f"The {what} of {kind} {names[place]} should be {computed[place]:.6f}, but is "
            f"{audited[place]:.6f}."
        )
