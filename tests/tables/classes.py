"""Small classes that the tests of tables share."""

from __future__ import annotations

from typing import Any

import numpy as np

from peergauge.tables import Reports, Scale

# Two homeworks of ada and bob, graded by kim and lee.
CLASS: dict[str, list[Any]] = {
    "assignment": ["hw1", "hw1", "hw1", "hw2", "hw2"],
    "submission": ["ada", "ada", "bob", "ada", "bob"],
    "grader": ["kim", "lee", "kim", "lee", "kim"],
    "grade": [7, 8, 5, 6, 9],
}


def small_class() -> Reports:
    return Reports.from_frame(CLASS)


def unnamed(grade: list[float], scale: Scale | None = None) -> Reports:
    """One grader's grades of as many submissions, without names."""
    rows = np.arange(len(grade), dtype=np.int32)
    return Reports(
        assignment=np.zeros_like(rows),
        submission=rows,
        grader=np.zeros_like(rows),
        grade=np.array(grade, dtype=np.float64),
        scale=scale or Scale(),
    )


def built(**columns: Any) -> Reports:
    """Reports of two graders and two submissions, with some columns exchanged."""
    table: dict[str, Any] = {
        "assignment": [0, 0, 0],
        "submission": [0, 0, 1],
        "grader": [0, 1, 0],
        "grade": [7.0, 8.0, 5.0],
    }
    return Reports(**(table | columns))
