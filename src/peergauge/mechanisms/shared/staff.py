"""Staff scores as mechanisms use them: one number for each report."""

from __future__ import annotations

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import NeedsTruthError
from peergauge.tables import Reports


def staff_score_of_reports(reports: Reports) -> Floats:
    """The staff's score of the submission behind each report, NaN where staff graded nothing."""
    if reports.staff_score is None:
        return np.full(len(reports), np.nan)
    return np.asarray(reports.staff_score[reports.submission])


def true_score_of_reports(reports: Reports, label: str) -> Floats:
    """The same, for a mechanism that cannot pay without staff scores."""
    if reports.staff_score is None:
        raise NeedsTruthError(
            f"{label} is paid by the true scores; give reports with the column 'staff_score', or "
            "call peergauge.score with truth."
        )
    return staff_score_of_reports(reports)
