"""E8: how well rewards separate active from passive graders with biases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.engine.experiment import MeasuredRewards, Point, experiment
from peergauge.lab.figures import figure
from peergauge.lab.figures.boxes import Pair, boxes_beside_medians
from peergauge.lab.figures.looks import is_variant
from peergauge.lab.paper.claims import (
    DMI,
    H2_P,
    MIN_CLEAR_ERRORS,
    MSE,
    MSE_P,
    OA,
    PHI_DIV_P_VARIANTS,
    PHI_DIV_VARIANTS,
    PTS,
    TVD,
    Evidence,
    Outcome,
    Part,
    Section,
    claim,
    clearly_above,
    difference,
    each_value,
    in_part,
    judge,
    label_of,
    labels_of,
    with_error,
)
from peergauge.lab.paper.roster import body
from peergauge.lab.paper.selections import EFFORT, EFFORT_BIASED, EFFORT_BIASED_BOX
from peergauge.lab.paper.sizes import OfOneSize
from peergauge.lab.paper.values import Value
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


MIN_LARGE_LOSS_AUC = 0.1
"""Loss of mean AUC from which on it counts as large."""

MIN_HIGH_AUC = 0.9
"""AUC from which on two groups count as separated with high accuracy."""


def _losses(evidence: Evidence, variants: Sequence[str]) -> dict[str, Value]:
    """The mean AUC of each mechanism with unbiased graders (E7) minus that with biased ones."""
    unbiased, biased = (
        evidence.reader(selection, "effort-auc") for selection in (EFFORT, EFFORT_BIASED)
    )
    return {one: difference(unbiased(one), biased(one)) for one in variants}


@claim(
    Section.EFFORT_BIASED,
    "e7",
    "e8",
    quote="in the presence of biased agents, the performance of the mechanisms that do not attempt "
    "to correct for agent bias, degrades significantly compared to settings with unbiased agents. "
    "This includes the MSE baseline and the best-performing non-parametric peer prediction "
    "mechanisms.",
    place="Section E.1.3 (Results), line 1305",
    about="simulated",
)
def bias_hurts_mechanisms_that_do_not_correct(evidence: Evidence) -> Outcome:
    """Mechanisms that do not correct for bias measure worse if graders are biased.

    MSE and the best non-parametric mechanisms, OA and Φ-Div TVD, measure much worse.
    """
    losses = _losses(evidence, (MSE, OA, PTS, DMI, *PHI_DIV_VARIANTS))
    unharmed = [one for one, loss in losses.items() if not clearly_above(loss)]
    little = [one for one in (MSE, OA, TVD) if not losses[one].mean > MIN_LARGE_LOSS_AUC]
    return judge(
        Part(not unharmed, f"{labels_of(unharmed)} does not clearly measure worse."),
        Part(not little, f"{labels_of(little)} loses little."),
        measured="loss of mean AUC: " + each_value(losses, losses.__getitem__),
        criterion="Each mechanism without correction loses mean AUC from unbiased (E7) to biased "
        f"graders (E8) by more than {MIN_CLEAR_ERRORS} standard errors, and MSE, OA and Φ-Div: TVD "
        f"lose more than {MIN_LARGE_LOSS_AUC}.",
    )


@claim(
    Section.EFFORT_BIASED,
    "e7",
    "e8",
    quote="The performance of the MSE_P mechanism degrades less significantly than the performance "
    "of the Φ-Div_P mechanisms.",
    place="Section E.1.3 (Results), line 1307",
    about="simulated",
)
def mse_p_suffers_least(evidence: Evidence) -> Outcome:
    """MSE_P loses less to bias than every Φ-Div_P does."""
    losses = _losses(evidence, (MSE_P, *PHI_DIV_P_VARIANTS))
    own = losses[MSE_P]
    less = [one for one in PHI_DIV_P_VARIANTS if not losses[one].mean > own.mean]
    shown = ", ".join(f"{label_of(one)} loses {with_error(losses[one])}" for one in less)
    reason = (
        f"{shown} of AUC, which is not more than the {with_error(own)} that MSE_P loses. How much "
        "a mechanism suffers from bias depends on Φ, not only on the family of mechanisms."
    )
    return Outcome(
        in_part(not less, len(less) < len(PHI_DIV_P_VARIANTS)),
        measured="loss of mean AUC: " + each_value(losses, losses.__getitem__),
        criterion="MSE_P loses less mean AUC from unbiased (E7) to biased graders (E8) than each "
        "of the four Φ-Div_P (holds), or than some of them (in part).",
        reason=reason if less else "",
    )


@claim(
    Section.EFFORT_BIASED,
    "e8",
    quote="while the best-performing Φ-Div_P mechanism, (Φ-Div_P: H²) outperforms the baseline in "
    "this setting, the same does not hold for some other choices of Φ-divergence",
    place="Section E.1.3 (Results), line 1307",
    about="simulated",
)
def hellinger_beats_the_baseline(evidence: Evidence) -> Outcome:
    """Φ-Div_P H² is the best Φ-Div_P and beats MSE if graders are biased; some others do not."""
    value = evidence.reader(EFFORT_BIASED, "effort-auc")
    best = max(PHI_DIV_P_VARIANTS, key=lambda one: value(one).mean)
    below = [one for one in PHI_DIV_P_VARIANTS if clearly_above(difference(value(MSE), value(one)))]
    return judge(
        Part(
            best == H2_P and clearly_above(difference(value(H2_P), value(MSE))),
            f"The best Φ-Div_P is {label_of(best)}, and Φ-Div_P: H² does not clearly beat MSE."
            if best != H2_P
            else "Φ-Div_P: H² does not clearly beat MSE.",
        ),
        Part(bool(below), "No other choice of Φ is clearly worse than MSE."),
        measured="mean AUC: " + each_value((MSE, *PHI_DIV_P_VARIANTS), value),
        criterion="Φ-Div_P: H² has the highest mean AUC of the four Φ-Div_P and exceeds MSE by "
        f"more than {MIN_CLEAR_ERRORS} standard errors, and at least one other Φ-Div_P is below "
        "MSE by as much.",
    )


@claim(
    Section.EFFORT_BIASED,
    "e8",
    quote="for agents whose effort level is sufficiently distinct, like the levels of active and "
    "passive graders, MSE_P separates the groups with high accuracy",
    place="Section E.1.3 (Results), line 1348",
    about="simulated",
)
def mse_p_separates_distinct_efforts(evidence: Evidence) -> Outcome:
    """MSE_P separates active from passive graders with high accuracy, even if they are biased."""
    value = evidence.reader(EFFORT_BIASED, "effort-auc")(MSE_P)
    return judge(
        Part(value.mean > MIN_HIGH_AUC, "The AUC of active against passive graders is not high."),
        measured=f"mean AUC {with_error(value)}",
        criterion=f"The mean AUC of active against passive graders is above {MIN_HIGH_AUC}.",
    )
