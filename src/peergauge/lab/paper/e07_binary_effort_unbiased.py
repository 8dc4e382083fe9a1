"""E7: how well rewards separate active from passive graders without biases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.engine.experiment import MeasuredRewards, Point, experiment
from peergauge.lab.figures import figure
from peergauge.lab.figures.boxes import Pair, boxes_beside_medians
from peergauge.lab.paper.claims import (
    DMI,
    H2_P,
    MSE,
    MSE_P,
    OA,
    PHI_DIV_P_VARIANTS,
    PHI_DIV_VARIANTS,
    TVD,
    Evidence,
    Outcome,
    Section,
    claim,
    each_value,
)
from peergauge.lab.paper.roster import body, novel, novel_as_published
from peergauge.lab.paper.selections import (
    EFFORT_BEST,
    EFFORT_BEST_BOX,
    EFFORT_NON_PARAMETRIC,
    EFFORT_NON_PARAMETRIC_BOX,
    EFFORT_PHI_DIV,
    EFFORT_PHI_DIV_BOX,
    EFFORT_PHI_DIV_P,
    EFFORT_PHI_DIV_P_BOX,
)
from peergauge.lab.paper.sizes import OfOneSize
from peergauge.metrics import RewardMetric
from peergauge.metrics.effort_auc import EffortAUC
from peergauge.simulate import BinaryEffort, NormalBias, Setting

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class BinaryEffortUnbiased(OfOneSize, MeasuredRewards):
    """Active graders average three draws, passive ones have one; nobody is biased."""

    def setting(self, point: Point) -> Setting:
        active = self.students // 2 if point.x is None else point.x
        return Setting(
            students=self.students,
            assignments=self.assignments,
            effort=BinaryEffort(active),
            bias=NormalBias(0),
        )

    def roster(self) -> Sequence[str]:
        return body("ignore")

    def measures(self) -> Sequence[RewardMetric]:
        return (EffortAUC(int64=True),)


@experiment(
    "e7",
    label="Binary effort, unbiased",
    source="Burrell & Schoenebeck 2022, appendix, Alternative Conceptions of Report Quality",
    question="Does pay tell active graders from passive ones, however many there are?",
)
@dataclass(frozen=True)
class ByActiveGraders(BinaryEffortUnbiased):
    """10 to 90 of 100 unbiased graders are active; the AUC of active against passive pay."""

    def points(self) -> Sequence[Point]:
        return [Point(x) for x in range(self.students // 10, self.students, self.students // 10)]

    def roster(self) -> Sequence[str]:
        return (*super().roster(), *novel("ignore"), *novel_as_published("ignore"))


@experiment(
    "e7-box",
    label="Binary effort, unbiased, 500 semesters",
    source="Burrell & Schoenebeck 2022, appendix, Alternative Conceptions of Report Quality",
    question="How does the AUC of active against passive pay scatter over semesters?",
)
@dataclass(frozen=True)
class OverSemesters(BinaryEffortUnbiased):
    """Half of 100 unbiased graders are active, in each of 500 semesters."""

    repetitions: int = 500

    def points(self) -> Sequence[Point]:
        return [Point()]


MECHANISM_GROUPS = {
    "Φ-Div": (EFFORT_PHI_DIV_BOX, EFFORT_PHI_DIV),
    "parametric Φ-Div": (EFFORT_PHI_DIV_P_BOX, EFFORT_PHI_DIV_P),
    "non-parametric": (EFFORT_NON_PARAMETRIC_BOX, EFFORT_NON_PARAMETRIC),
    "the best": (EFFORT_BEST_BOX, EFFORT_BEST),
}
"""Groups of mechanisms, over semesters and by the number of active graders."""


@figure(
    "effort_unbiased",
    number="Figure E.1a",
    title="Binary effort, unbiased graders",
    caption="AUC of telling active from passive graders by their pay. Left: boxes over simulated "
    "semesters in which half of the graders are active. Boxes show the median and the quartiles, "
    "whiskers reach to the last value within 1.5 interquartile ranges, and dots lie beyond. Right: "
    "medians by the number of active graders, with distribution-free 95 % confidence intervals "
    "from order statistics.",
    section="Appendix: effort as quality",
    order=90,
    needs=tuple(part for parts in MECHANISM_GROUPS.values() for part in parts),
)
def effort_unbiased(results: pl.DataFrame) -> Figure:
    """Four groups of mechanisms: boxes, and medians by the number of active graders."""
    pairs = [
        Pair(title, box.rows(results), by_active.rows(results))
        for title, (box, by_active) in MECHANISM_GROUPS.items()
    ]
    return boxes_beside_medians(
        pairs,
        value=EffortAUC.facts.label,
        short_value="AUC",
        xlabel="active graders",
        height=1.3,
    )


@claim(Section.EFFORT_UNBIASED, "e7")
def total_variation_is_the_best_choice(evidence: Evidence) -> Outcome:
    """TVD is the best choice of Φ for Φ-Div, and leads by more if more graders are active."""
    value = evidence.reader(EFFORT_PHI_DIV, "effort-auc")
    others = [one for one in PHI_DIV_VARIANTS if one != TVD]
    leads = []
    for active in (10, 90):
        at = evidence.reader(EFFORT_PHI_DIV, "effort-auc", x=active)
        leads.append(at(TVD).mean - max(at(one).mean for one in others))
    holds = all(value(TVD).mean > value(one).mean for one in others) and leads[1] > leads[0]
    text = each_value(PHI_DIV_VARIANTS, value)
    return holds, f"{text}; lead of TVD {leads[0]:+.3f} with 10 active, {leads[1]:+.3f} with 90"


@claim(Section.EFFORT_UNBIASED, "e7")
def hellinger_is_the_best_parametric_choice(evidence: Evidence) -> Outcome:
    """H² is the best choice of Φ for Φ-Div_P."""
    value = evidence.reader(EFFORT_PHI_DIV_P, "effort-auc")
    best = max(PHI_DIV_P_VARIANTS, key=lambda one: value(one).mean)
    return best == H2_P, each_value(PHI_DIV_P_VARIANTS, value)


@claim(Section.EFFORT_UNBIASED, "e7")
def theory_and_practice_differ(evidence: Evidence) -> Outcome:
    """OA, with the least theory behind it, measures far better than DMI, which has the most."""
    value = evidence.reader(EFFORT_NON_PARAMETRIC, "effort-auc")
    gap = value(OA).mean - value(DMI).mean
    return gap > 0.1, each_value((OA, DMI), value)


@claim(Section.EFFORT_UNBIASED, "e7")
def baselines_measure_best(evidence: Evidence) -> Outcome:
    """The baselines MSE and MSE_P measure effort most reliably."""
    value = evidence.reader(EFFORT_BEST, "effort-auc")
    variants = sorted(evidence.variants(EFFORT_BEST), key=lambda one: -value(one).mean)
    return set(variants[:2]) == {MSE, MSE_P}, each_value(variants, value)
