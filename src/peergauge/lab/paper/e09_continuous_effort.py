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
from peergauge.lab.paper.claims import (
    H2_P,
    MSE,
    MSE_P,
    Evidence,
    Outcome,
    Part,
    Section,
    claim,
    judge,
    label_of,
)
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


PUBLISHED_MEDIAN_TAU, MAX_MEDIAN_DEVIATION = 0.3, 0.03
"""The median τ_B of MSE_P in the text, and the deviation from it that counts as about the same."""

MAX_SHARE_OF_LEAD = 0.5
"""The lead of Φ-Div_P: H² over MSE that is not much, as a share of the lead of MSE_P over it."""


@claim(
    Section.EFFORT_CONTINUOUS,
    "e9-box",
    quote="MSE_P clearly has the best performance. Φ-Div_P: H² still outperforms the baseline, but "
    "not by much.",
    place="Section E.1.3 (Results), line 1348",
    about="simulated",
)
def mse_p_ranks_best(evidence: Evidence) -> Outcome:
    """MSE_P ranks effort best; Φ-Div_P H² barely beats MSE."""
    medians = _medians(evidence)
    lead, margin = medians[MSE_P] - medians[H2_P], medians[H2_P] - medians[MSE]
    return judge(
        Part(lead > 0, "MSE_P does not rank effort best."),
        Part(
            0 < margin < MAX_SHARE_OF_LEAD * lead,
            f"The median of Φ-Div_P: H² exceeds that of MSE by {margin:+.3f}.",
        ),
        measured="median τ_B: " + _shown(medians),
        criterion="MSE_P has the highest median τ_B, and Φ-Div_P: H² is above MSE by less than "
        f"{MAX_SHARE_OF_LEAD:.0%} of the lead of MSE_P over it.",
    )


@claim(
    Section.EFFORT_CONTINUOUS,
    "e9-box",
    quote="about half the time, MSE_P ranks at least 65% of the pairs of agents appropriately with "
    "respect to their effort, because the median τ_B for MSE_P is about 0.3",
    place="Section E.1.3 (Results), line 1348",
    about="simulated",
)
def mse_p_ranks_two_thirds_of_the_pairs(evidence: Evidence) -> Outcome:
    """The median τ_B of MSE_P is about 0.3, so it ranks about 65 % of all pairs correctly."""
    median = _medians(evidence)[MSE_P]
    return judge(
        Part(
            abs(median - PUBLISHED_MEDIAN_TAU) < MAX_MEDIAN_DEVIATION,
            f"The median is {median:.3f}, so MSE_P ranks {(median + 1) / 2:.1%} of the pairs "
            "correctly about half the time.",
        ),
        measured=f"median τ_B {median:.3f}: {(median + 1) / 2:.1%} of the pairs",
        criterion=f"The median τ_B of MSE_P is within {MAX_MEDIAN_DEVIATION} of "
        f"{PUBLISHED_MEDIAN_TAU}.",
    )


def _medians(evidence: Evidence) -> dict[str, float]:
    """The median τ_B over semesters of the three mechanisms that rank best."""
    return {
        one: float(np.median(evidence.values(EFFORT_TAU_BOX, one, "effort-tau")))
        for one in (MSE_P, H2_P, MSE)
    }


def _shown(medians: dict[str, float]) -> str:
    return "; ".join(f"{label_of(one)} {median:.3f}" for one, median in medians.items())
