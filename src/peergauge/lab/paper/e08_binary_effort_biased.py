"""Does pay tell active graders from passive ones if they are biased?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.engine.experiment import MeasuredRewards, Point, experiment
from peergauge.lab.figures import figure
from peergauge.lab.figures.boxes import Pair, boxes_beside_medians
from peergauge.lab.figures.looks import is_variant
from peergauge.lab.paper.roster import body
from peergauge.lab.paper.selections import EFFORT_BIASED, EFFORT_BIASED_BOX
from peergauge.lab.paper.sizes import OfOneSize
from peergauge.mechanisms import mechanisms
from peergauge.metrics import RewardMetric
from peergauge.metrics.effort_auc import EffortAUC
from peergauge.simulate import BinaryEffort, Setting

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class BinaryEffortBiased(OfOneSize, MeasuredRewards):
    """Active graders average three draws, passive ones have one; all are biased."""

    def setting(self, point: Point) -> Setting:
        # Half of the class is active where the point does not say.
        effort = BinaryEffort(point.x)
        return Setting(students=self.students, assignments=self.assignments, effort=effort)

    def roster(self) -> Sequence[str]:
        return body("correct")

    def measures(self) -> Sequence[RewardMetric]:
        return (EffortAUC(int64=True),)


@experiment(
    "e8",
    label="Binary effort, biased",
    source="Burrell & Schoenebeck 2022, appendix, Alternative Conceptions of Report Quality",
    question="Does pay tell active graders from passive ones if they are biased?",
)
@dataclass(frozen=True)
class ByActiveGraders(BinaryEffortBiased):
    """10 to 90 of 100 biased graders are active; the AUC of active against passive pay."""

    def points(self) -> Sequence[Point]:
        return [Point(x) for x in range(self.students // 10, self.students, self.students // 10)]


@experiment(
    "e8-box",
    label="Binary effort, biased, 500 semesters",
    source="Burrell & Schoenebeck 2022, appendix, Alternative Conceptions of Report Quality",
    question="How does the AUC of active against passive pay scatter over semesters?",
)
@dataclass(frozen=True)
class OverSemesters(BinaryEffortBiased):
    """Half of 100 biased graders are active, in each of 500 semesters."""

    repetitions: int = 500

    def points(self) -> Sequence[Point]:
        return [Point()]


@figure(
    "effort_biased",
    title="Binary effort, biased graders",
    caption="AUC of telling active from passive graders by their pay when graders are biased and "
    "the parametric mechanisms correct for it; the baseline is in both rows. Left: boxes over "
    "simulated semesters in which half of the graders are active. Boxes show the median and the "
    "quartiles, whiskers reach to the last value within 1.5 interquartile ranges, and dots lie "
    "beyond. Right: medians by the number of active graders, with distribution-free 95 % "
    "confidence intervals from order statistics.",
    section="Appendix: effort as quality",
    order=100,
    needs=(EFFORT_BIASED, EFFORT_BIASED_BOX),
)
def effort_biased(results: pl.DataFrame) -> Figure:
    """Boxes and medians, of mechanisms without and with a model of grading."""
    box, by_active = EFFORT_BIASED_BOX.rows(results), EFFORT_BIASED.rows(results)
    parametric = [one.spec for one in mechanisms.all() if one.facts.family.startswith("parametric")]

    pairs = [
        Pair(
            "non-parametric and baseline",
            *(rows.filter(~is_variant(rows, parametric)) for rows in (box, by_active)),
        ),
        Pair(
            "parametric and baseline",
            *(rows.filter(is_variant(rows, ["mse", *parametric])) for rows in (box, by_active)),
        ),
    ]
    return boxes_beside_medians(
        pairs,
        value=EffortAUC.facts.label,
        short_value="AUC",
        xlabel="active graders",
        height=1.9,
    )
