"""E8: how well rewards separate active from passive graders with biases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.engine.experiment import MeasuredRewards, Point, experiment
from peergauge.lab.figures import figure
from peergauge.lab.figures.boxes import Pair, boxes_beside_medians
from peergauge.lab.figures.looks import is_variant
from peergauge.lab.paper.claims import (
    CHI2_P,
    H2_P,
    KL_P,
    MSE,
    MSE_P,
    OA,
    TVD,
    TVD_P,
    Evidence,
    Outcome,
    Section,
    claim,
    each_value,
    in_part,
    label_of,
)
from peergauge.lab.paper.roster import body
from peergauge.lab.paper.selections import EFFORT, EFFORT_BIASED, EFFORT_BIASED_BOX
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
    number="Figure E.1b",
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


def _losses(evidence: Evidence, variants: Sequence[str]) -> dict[str, float]:
    """The mean AUC of each mechanism with unbiased graders (E7) minus that with biased ones."""
    unbiased, biased = (
        evidence.reader(selection, "effort-auc") for selection in (EFFORT, EFFORT_BIASED)
    )
    return {one: unbiased(one).mean - biased(one).mean for one in variants}


def _shown(losses: Mapping[str, float]) -> str:
    text = "; ".join(f"{label_of(one)} −{loss:.3f}" for one, loss in losses.items())
    return f"change of the mean AUC: {text}"


@claim(Section.EFFORT_BIASED, "e7", "e8")
def bias_hurts_mechanisms_that_do_not_correct(evidence: Evidence) -> Outcome:
    """MSE and the best non-parametric mechanisms measure much worse if graders are biased."""
    losses = _losses(evidence, (MSE, OA, TVD))
    return min(losses.values()) > 0.1, _shown(losses)


@claim(Section.EFFORT_BIASED, "e7", "e8")
def mse_p_suffers_least(evidence: Evidence) -> Outcome:
    """MSE_P loses less to bias than Φ-Div_P does."""
    losses = _losses(evidence, (MSE_P, TVD_P, KL_P, H2_P))
    others = [loss for one, loss in losses.items() if one != MSE_P]
    verdict = in_part(losses[MSE_P] < min(others), losses[MSE_P] < max(others))
    return verdict, _shown(losses)


@claim(Section.EFFORT_BIASED, "e8")
def hellinger_beats_the_baseline(evidence: Evidence) -> Outcome:
    """Φ-Div_P H² beats MSE if graders are biased; some other choices of Φ do not."""
    value = evidence.reader(EFFORT_BIASED, "effort-auc")
    others = [one for one in (TVD_P, KL_P, CHI2_P) if value(one).mean < value(MSE).mean]
    return value(H2_P).mean > value(MSE).mean and bool(others), each_value(
        (H2_P, MSE, TVD_P, KL_P, CHI2_P), value
    )
