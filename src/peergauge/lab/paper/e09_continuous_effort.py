"""E9: how well rewards rank graders by their effort."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from peergauge.core.lazy import pl
from peergauge.engine.experiment import MeasuredRewards, Point, experiment
from peergauge.lab.figures import figure
from peergauge.lab.figures.lines import panels_of_lines
from peergauge.lab.figures.summaries import means
from peergauge.lab.paper.claims import H2_P, MSE, MSE_P, Evidence, Outcome, Section, claim, label_of
from peergauge.lab.paper.roster import body
from peergauge.lab.paper.selections import EFFORT_TAU_BIASED, EFFORT_TAU_BOX, EFFORT_TAU_UNBIASED
from peergauge.lab.paper.sizes import OfOneSize, UpToSomeAssignments
from peergauge.metrics import RewardMetric
from peergauge.metrics.effort_tau import EffortTau
from peergauge.simulate import NormalBias, Setting

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BIASED, UNBIASED = "ce-bias-all", "ce-no_bias-all"
"""Names of the two kinds of classes in random streams."""


@experiment(
    "e9",
    label="Continuous effort",
    source="Burrell & Schoenebeck 2022, appendix, Alternative Conceptions of Report Quality",
    question="Does pay rank graders as their effort does, as the number of assignments grows?",
)
@dataclass(frozen=True)
class ContinuousEffort(UpToSomeAssignments, MeasuredRewards):
    """100 students grade 1 to 15 assignments, biased and unbiased; τ_B of pay with effort.

    Biases are estimated and corrected also where there are none, as in the published files.
    """

    def points(self) -> Sequence[Point]:
        return [Point(x, kind=kind) for kind in (BIASED, UNBIASED) for x in self.numbers()]

    def setting(self, point: Point) -> Setting:
        deviation = 1.0 if point.kind == BIASED else 0.0
        return Setting(students=self.students, assignments=point.x or 1, bias=NormalBias(deviation))

    def roster(self) -> Sequence[str]:
        return body("correct")

    def measures(self) -> Sequence[RewardMetric]:
        return (EffortTau(int64=True),)


@experiment(
    "e9-box",
    label="Continuous effort, 500 semesters",
    source="Burrell & Schoenebeck 2022, appendix, Alternative Conceptions of Report Quality",
    question="How does τ_B of pay with effort scatter over semesters?",
)
@dataclass(frozen=True)
class OverSemesters(OfOneSize, MeasuredRewards):
    """100 biased students grade 10 assignments, in each of 500 semesters."""

    repetitions: int = 500

    def points(self) -> Sequence[Point]:
        return [Point()]

    def setting(self, point: Point) -> Setting:
        return Setting(students=self.students, assignments=self.assignments)

    def roster(self) -> Sequence[str]:
        return body("correct")

    def measures(self) -> Sequence[RewardMetric]:
        return (EffortTau(int64=True),)


@figure(
    "effort_by_assignments",
    title="Ranking by effort",
    caption="Kendall τ_B between pay and effort against the number of assignments, for biased and "
    "unbiased graders. The parametric mechanisms estimate and correct biases in both. Lines are "
    "means over simulated semesters, and bands are their 95 % confidence intervals (1.96 standard "
    "errors).",
    section="Appendix: effort as quality",
    order=120,
    needs=(EFFORT_TAU_BIASED, EFFORT_TAU_UNBIASED),
)
def effort_by_assignments(results: pl.DataFrame) -> Figure:
    """τ_B of pay with effort against the number of assignments, a line for each mechanism."""
    panels = [
        ("biased graders", means(EFFORT_TAU_BIASED.rows(results))),
        ("unbiased graders", means(EFFORT_TAU_UNBIASED.rows(results))),
    ]
    ylabel = EffortTau.facts.label
    return panels_of_lines(panels, "mechanism", xlabel="assignments", ylabel=ylabel, height=2.9)


@claim(Section.EFFORT_CONTINUOUS, "e9-box")
def mse_p_ranks_best(evidence: Evidence) -> Outcome:
    """MSE_P ranks effort best, with a median τ_B of about 0.3; Φ-Div_P H² barely beats MSE."""
    medians = {
        one: float(np.median(evidence.values(EFFORT_TAU_BOX, one, "effort-tau")))
        for one in (MSE_P, H2_P, MSE)
    }
    text = "; ".join(f"{label_of(one)} {median:.3f}" for one, median in medians.items())
    holds = medians[MSE_P] > medians[H2_P] > medians[MSE] and abs(medians[MSE_P] - 0.3) < 0.03
    return holds, f"median τ_B: {text}"
