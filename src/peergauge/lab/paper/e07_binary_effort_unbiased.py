"""E7: how well rewards separate active from passive graders without biases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Self

from peergauge.core.lazy import pl
from peergauge.engine.experiment import MeasuredRewards, Point, experiment
from peergauge.lab.figures import figure
from peergauge.lab.figures.boxes import Pair, boxes_beside_medians
from peergauge.lab.paper.claims import (
    DMI,
    H2_P,
    MIN_CLEAR_ERRORS,
    MSE,
    MSE_P,
    OA,
    PHI_DIV_P_VARIANTS,
    PHI_DIV_VARIANTS,
    TVD,
    Evidence,
    Outcome,
    Part,
    Section,
    claim,
    clearly_above,
    difference,
    each_value,
    judge,
    label_of,
    labels_of,
)
from peergauge.lab.paper.roster import body, novel, novel_as_published
from peergauge.lab.paper.selections import (
    EFFORT,
    EFFORT_BEST,
    EFFORT_BEST_BOX,
    EFFORT_NON_PARAMETRIC,
    EFFORT_NON_PARAMETRIC_BOX,
    EFFORT_PHI_DIV,
    EFFORT_PHI_DIV_BOX,
    EFFORT_PHI_DIV_P,
    EFFORT_PHI_DIV_P_BOX,
    INTEGRITY,
)
from peergauge.lab.paper.sizes import OfOneSize
from peergauge.lab.paper.values import Value
from peergauge.mechanisms import Mechanism
from peergauge.mechanisms.paper.leave_one_out import LeaveOneOut
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
    """10 to 90 of 100 unbiased graders are active; the AUC of active against passive pay.

    Parameters
    ----------
    biased_loo
        Number of semesters, from the first, in which LOO pays with biases in its model, as it
        agrees with the published numbers. This takes more than twice as long as without biases.
    """

    sampled: ClassVar[tuple[str, ...]] = ("repetitions", "biased_loo")

    biased_loo: int = 40

    def scaled(self, share: float) -> Self:
        return replace(super().scaled(share), biased_loo=max(1, round(share * self.biased_loo)))

    def pays_in(self, mechanism: Mechanism, repetition: int) -> bool:
        slow = isinstance(mechanism, LeaveOneOut) and mechanism.bias != "ignore"
        return not slow or repetition < self.biased_loo

    def points(self) -> Sequence[Point]:
        return [Point(x) for x in range(self.students // 10, self.students, self.students // 10)]

    def roster(self) -> Sequence[str]:
        return (*super().roster(), *novel("ignore"), *novel_as_published("e7"))


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


FEWEST_ACTIVE, MOST_ACTIVE = 10, 90
"""Smallest and largest number of active graders out of 100."""


@claim(
    Section.EFFORT_UNBIASED,
    "e7",
    quote="Among the choices for Φ-divergences, TVD performs best for the non-parametric "
    "mechanism, especially as the number of active graders increases.",
    place="Section E.1.3 (Results), line 1236",
    about="simulated",
)
def total_variation_is_the_best_choice(evidence: Evidence) -> Outcome:
    """TVD is the best choice of Φ for Φ-Div, and leads by more if more graders are active."""
    value = evidence.reader(EFFORT_PHI_DIV, "effort-auc")
    others = [one for one in PHI_DIV_VARIANTS if one != TVD]
    leads, behind = {}, []
    for _, active in evidence.by_place(EFFORT_PHI_DIV, TVD, "effort-auc"):
        at = evidence.reader(EFFORT_PHI_DIV, "effort-auc", x=active)
        rival = max(others, key=lambda one: at(one).mean)
        lead = difference(at(TVD), at(rival))
        leads[active] = lead.mean
        if clearly_above(Value(-lead.mean, lead.error)):
            behind.append(str(active))
    best = max(PHI_DIV_VARIANTS, key=lambda one: value(one).mean)
    first, last = leads[FEWEST_ACTIVE], leads[MOST_ACTIVE]
    return judge(
        Part(best == TVD, f"On average {label_of(best)} performs best."),
        Part(not behind, f"With {', '.join(behind)} active graders another Φ is clearly better."),
        Part(last > first, "The lead of TVD does not grow with the number of active graders."),
        measured=f"mean AUC: {each_value(PHI_DIV_VARIANTS, value)}; TVD is first at "
        f"{sum(lead > 0 for lead in leads.values())} of {len(leads)} numbers of active graders, "
        f"with a lead of {first:+.3f} with {FEWEST_ACTIVE} active, {last:+.3f} with {MOST_ACTIVE}",
        criterion="TVD has the highest mean AUC, no other Φ is ahead of it by more than "
        f"{MIN_CLEAR_ERRORS} standard errors at any number of active graders, and its lead over "
        f"the best other Φ is larger with {MOST_ACTIVE} than with {FEWEST_ACTIVE} active graders.",
    )


@claim(
    Section.EFFORT_UNBIASED,
    "e7",
    quote="For the parametric, the best choice of Φ-divergence (H²) is not the same.",
    place="Section E.1.3 (Results), line 1236",
    about="simulated",
)
def hellinger_is_the_best_parametric_choice(evidence: Evidence) -> Outcome:
    """H² is the best choice of Φ for Φ-Div_P."""
    value = evidence.reader(EFFORT_PHI_DIV_P, "effort-auc")
    best = max(PHI_DIV_P_VARIANTS, key=lambda one: value(one).mean)
    return judge(
        Part(best == H2_P, f"{label_of(best)} performs best."),
        measured="mean AUC: " + each_value(PHI_DIV_P_VARIANTS, value),
        criterion="Of the four Φ-Div_P, Φ-Div_P: H² has the highest mean AUC.",
    )


@claim(
    Section.EFFORT_UNBIASED,
    "e1",
    "e7",
    quote="the best choice for the parametric mechanism is different for this notion of "
    "measurement integrity than for the notion we consider in",
    place="Section E.1.3 (Results), line 1236",
    about="simulated",
)
def the_best_choice_depends_on_the_notion(evidence: Evidence) -> Outcome:
    """The best Φ for Φ-Div_P differs between effort and squared error as report quality."""
    best, text = [], []
    for selection, metric, words in (
        (EFFORT_PHI_DIV_P, "effort-auc", "effort"),
        (INTEGRITY, "binary-auc", "squared error"),
    ):
        value = evidence.reader(selection, metric)
        best.append(max(PHI_DIV_P_VARIANTS, key=lambda one: value(one).mean))
        text.append(f"{words}: {each_value(PHI_DIV_P_VARIANTS, value)}")
    return judge(
        Part(best[0] != best[1], f"{label_of(best[0])} is best by both notions."),
        measured="mean AUC by " + "; by ".join(text),
        criterion="The Φ-Div_P with the highest mean AUC of active against passive graders (E7) is "
        "not the one with the highest mean binary AUC (E1).",
    )


@claim(
    Section.EFFORT_UNBIASED,
    "e7",
    quote="an example of the disconnect between theoretical properties, for which the DMI "
    "mechanism is perhaps the most exemplary and the OA mechanism perhaps the least, and empirical "
    "performance, where the roles are starkly reversed",
    place="Section E.1.3 (Results), line 1238",
    about="simulated",
)
def theory_and_practice_differ(evidence: Evidence) -> Outcome:
    """OA, with the least theory behind it, measures best, and DMI, with the most, measures worst.

    The comparison is among the non-parametric mechanisms.
    """
    value = evidence.reader(EFFORT_NON_PARAMETRIC, "effort-auc")
    every = sorted(evidence.variants(EFFORT_NON_PARAMETRIC), key=lambda one: -value(one).mean)
    others = [one for one in every if one not in (OA, DMI)]
    return judge(
        Part(
            all(clearly_above(difference(value(OA), value(one))) for one in [*others, DMI]),
            "OA does not measure best among the non-parametric mechanisms.",
        ),
        Part(
            all(clearly_above(difference(value(one), value(DMI))) for one in [*others, OA]),
            "DMI does not measure worst among the non-parametric mechanisms.",
        ),
        measured="mean AUC: " + each_value(every, value),
        criterion="Among the non-parametric mechanisms, OA has the highest and DMI the lowest mean "
        f"AUC, each by more than {MIN_CLEAR_ERRORS} standard errors.",
    )


@claim(
    Section.EFFORT_UNBIASED,
    "e7",
    quote="it is largely the baseline mechanisms, not mechanisms from the peer prediction "
    "literature, that demonstrate high measurement integrity most reliably",
    place="Section E.1.3 (Results), line 1238",
    about="simulated",
)
def baselines_measure_best(evidence: Evidence) -> Outcome:
    """The baselines MSE and MSE_P measure effort most reliably."""
    value = evidence.reader(EFFORT, "effort-auc")
    variants = sorted(evidence.variants(EFFORT), key=lambda one: -value(one).mean)
    return judge(
        Part(
            set(variants[:2]) == {MSE, MSE_P},
            f"The two mechanisms that measure best are {labels_of(variants[:2])}.",
        ),
        measured="the five highest mean AUCs: " + each_value(variants[:5], value),
        criterion="Of all 13 mechanisms, MSE and MSE_P have the two highest mean AUCs.",
    )
