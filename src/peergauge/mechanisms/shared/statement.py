"""The table that shows graders their progress after each assignment."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.lazy import pl
from peergauge.tables import Reports, named


def statement(reports: Reports, grader: int | None, columns: Mapping[str, Floats]) -> pl.DataFrame:
    """A row for each assignment of each grader, or of one grader: reports graded, and the columns.

    The columns are assignments × graders; NaN becomes a missing value.
    """
    if grader is not None and not 0 <= grader < reports.graders:
        raise ParameterError(
            f"There is no grader {grader} among {reports.graders}, counted from 0."
        )
    shape = reports.assignments, reports.graders
    place = np.ravel_multi_index((reports.assignment, reports.grader), shape)
    graded = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)
    who = np.arange(reports.graders) if grader is None else np.array([grader])
    return pl.DataFrame(
        {
            "grader": named(np.repeat(who, shape[0]), reports.grader_names),
            "assignment": named(np.tile(np.arange(shape[0]), len(who)), reports.assignment_names),
            "graded": graded[:, who].T.ravel(),
            **{
                name: pl.Series(column[:, who].T.ravel()).fill_nan(None)
                for name, column in columns.items()
            },
        }
    )
