"""What staff should check, as the report shows it: errors are in units of the grades."""

from __future__ import annotations

from typing import Any

import numpy as np

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.second_look import Check
from peergauge.pages.grade_rows import GradeRow


def second_look_section(graded: GradedClass, rows: dict[int, GradeRow]) -> dict[str, Any]:
    """Submissions and graders to check, each with the error that the check removes."""
    look = graded.second_look
    before, after = root_mean_square(graded)
    people = graded.names.graders
    return {
        "submissions": [(rows[one.place], one, removed_error(one)) for one in look.submissions],
        "graders": [(people[one.place].label, one, removed_error(one)) for one in look.graders],
        "before": before,
        "after": after,
    }


def root_mean_square(graded: GradedClass) -> tuple[float, float]:
    """Expected root mean square error of all grades, without the checks and with them."""
    return graded.second_look.typical_errors(int((~np.isnan(graded.grades.score)).sum()))


def removed_error(check: Check) -> float:
    """Size of a single error that has the same square as what the check removes from all grades."""
    return float(np.sqrt(max(check.error_reduction, 0.0)))
