"""The median of a submission's grades."""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.models import Estimates, Model, model
from peergauge.models.middle import medians
from peergauge.tables import Reports


@model("median", label="Median", source="Open edX; CrowdGrader")
@dataclass(frozen=True)
class Median(Model):
    """The median of a submission's grades, which Open edX and CrowdGrader show.

    For an even number of grades it is the mean of the middle two, so with two graders it equals the
    mean. Fewer than half of the graders cannot move it beyond the grades of the others.
    """

    def fit(self, reports: Reports) -> Estimates:
        return Estimates.of_scores(reports, medians(reports.grade, reports.submission_bounds))
