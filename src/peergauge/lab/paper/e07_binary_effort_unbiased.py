"""Does pay tell active graders from passive ones?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.engine.experiment import MeasuredRewards, Point, experiment
from peergauge.lab.figures import figure
from peergauge.lab.figures.boxes import Pair, boxes_beside_medians
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
