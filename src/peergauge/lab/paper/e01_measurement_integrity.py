"""E1: how well rewards measure the quality of grading."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from peergauge.core.lazy import pl
from peergauge.engine.experiment import MeasuredRewards, Point, experiment
from peergauge.lab.figures import figure
from peergauge.lab.figures.grid import Margins, keys, lay_out, typeset, whole_ticks
from peergauge.lab.figures.lines import by_measure, line, measure_title
from peergauge.lab.figures.looks import Look, is_variant, looks_of
from peergauge.lab.figures.style import paper_style
from peergauge.lab.figures.summaries import means
from peergauge.lab.paper.claims import (
    BASELINE_VARIANTS,
    BEST_MEASURING_VARIANTS,
    FEWEST_ASSIGNMENTS,
    H2_P,
    KL_P,
    MIN_CLEAR_ERRORS,
    MOST_ASSIGNMENTS,
    MSE,
    MSE_P,
    OA,
    PHI_DIV_P_VARIANTS,
    PTS,
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
    metric_label,
    with_error,
)
from peergauge.lab.paper.roster import BODY_FIGURES, body, parametric
from peergauge.lab.paper.selections import INTEGRITY, INTEGRITY_CORRECTED, INTEGRITY_ESTIMATED
from peergauge.lab.paper.sizes import UpToSomeAssignments
from peergauge.mechanisms import variant_of
from peergauge.metrics import RewardMetric
from peergauge.metrics.binary_auc import BinaryAUC
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.pearson import Pearson
from peergauge.metrics.quinary_auc import QuinaryAUC
from peergauge.metrics.statistics import kendall_tau_b
from peergauge.simulate import Setting

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@experiment(
    "e1",
    label="Measurement integrity",
    source="Burrell & Schoenebeck 2022, Quantifying Measurement Integrity",
    question="How well does pay measure squared error, as the number of assignments grows?",
)
@dataclass(frozen=True)
class MeasurementIntegrity(UpToSomeAssignments, MeasuredRewards):
    """500 students grade 1 to 15 assignments; four measures of pay against squared error."""

    repetitions: int = 50
    students: int = 500

    def points(self) -> Sequence[Point]:
        return [Point(x) for x in self.numbers()]

    def setting(self, point: Point) -> Setting:
        return Setting(students=self.students, assignments=point.x or 1)

    def roster(self) -> Sequence[str]:
        return (*body("ignore"), "mse-p:bias=estimate", *parametric("correct"))

    def measures(self) -> Sequence[RewardMetric]:
        return (
            BinaryAUC(int64=True),
            QuinaryAUC(int64=True),
            KendallTau(int64=True),
            Pearson(int64=True),
        )


MEASURE_NAMES = tuple(one.facts.name for one in (BinaryAUC, QuinaryAUC, KendallTau, Pearson))


@figure(
    "integrity",
    number="Figure 2",
    title="Measurement integrity",
    caption="Four measures of how well pay identifies accurate graders, against the number of "
    "assignments. Shown are the baselines MSE, MSE_P and OA, and the two mechanisms that by and "
    "large do not fall below OA. Lines are means over simulated semesters, and bands are their "
    "95 % confidence intervals (1.96 standard errors). Graders are biased, and MSE_P and Φ-Div_P "
    "ignore that here, as in the published file.",
    section="Measurement integrity, simulated",
    order=30,
    needs=(INTEGRITY,),
)
def integrity(results: pl.DataFrame) -> Figure:
    """Four measures against the number of assignments, for the mechanisms of the body's figure."""
    rows = INTEGRITY.rows(results)
    cells = means(rows.filter(is_variant(rows, BODY_FIGURES)))
    return by_measure(cells, MEASURE_NAMES, xlabel="assignments")


@figure(
    "integrity_others",
    number="Figure F.1a",
    title="Measurement integrity, the other mechanisms",
    caption="The same four measures for the mechanisms that fall behind output agreement, which "
    "is shown for comparison. Lines are means over simulated semesters, and bands are their 95 % "
    "confidence intervals (1.96 standard errors).",
    section="Appendix: measurement integrity, simulated",
    order=140,
    needs=(INTEGRITY,),
)
def integrity_others(results: pl.DataFrame) -> Figure:
    """Four measures against the number of assignments, for output agreement and what is below."""
    rows = INTEGRITY.rows(results)
    shown = ~is_variant(rows, BODY_FIGURES) | is_variant(rows, ["oa"])
    return by_measure(means(rows.filter(shown)), MEASURE_NAMES, xlabel="assignments")


BIAS_LOOKS = {
    INTEGRITY: Look("bias ignored", "#0072B2", "-", "o"),
    INTEGRITY_ESTIMATED: Look("bias estimated, not corrected", "#E69F00", "-.", "s"),
    INTEGRITY_CORRECTED: Look("bias estimated and corrected", "#D55E00", "--", "^"),
}


@figure(
    "integrity_corrected",
    title="Measurement integrity and correction for bias",
    caption="The parametric mechanisms in three settings: biases are left out; biases are "
    "estimated for the true scores alone (published for MSE_P only); or biases are also "
    "subtracted from the reports that are paid. Lines are means over simulated semesters, and "
    "bands are their 95 % confidence intervals (1.96 standard errors). Each measure has its own "
    "scale.",
    section="Appendix: measurement integrity, simulated",
    order=141,
    needs=tuple(BIAS_LOOKS),
)
def integrity_corrected(results: pl.DataFrame) -> Figure:
    """A row of panels for each parametric mechanism and a column for each measure."""
    cells = {part: means(part.rows(results)) for part in BIAS_LOOKS}
    with_bias = pl.concat([cells[part]["mechanism"] for part in list(BIAS_LOOKS)[1:]])
    looks = looks_of(map(variant_of, with_bias))
    with paper_style():
        drawn, axes = lay_out(
            len(looks) * len(MEASURE_NAMES),
            len(MEASURE_NAMES),
            height=1.1,
            share="columns",
            legend=keys(BIAS_LOOKS.values()),
            xlabel="assignments",
            margins=Margins(across=0.38, down=0.14),
        )
        panels = product(looks, MEASURE_NAMES)
        for axis, (variant, metric) in zip(axes, panels, strict=True):
            for part, look in BIAS_LOOKS.items():
                mine = is_variant(cells[part], [variant])
                own = cells[part].filter(mine, pl.col("metric") == metric)
                if own.height:
                    line(axis, own, look, 1.8)
            whole_ticks(axis, 4)
        for axis, metric in zip(axes, MEASURE_NAMES, strict=False):
            axis.set_title(measure_title(metric))
        for axis, row in zip(axes[:: len(MEASURE_NAMES)], looks.values(), strict=True):
            axis.set_ylabel(typeset(row.label))
    return drawn


INTEGRITY_METRICS = ("binary-auc", "quinary-auc", "tau", "pearson")

MIN_HIGH_VALUES = {"binary-auc": 0.9, "quinary-auc": 0.9, "tau": 0.7, "pearson": 0.95}
"""The value of each measure from which on it counts as high."""

MIN_SHARE_OF_MOST_CELLS, MAX_SHARE_OF_FEW_CELLS = 0.5, 0.1
"""Shares of cells above OA of mechanisms that mostly outperform it, or largely perform worse."""

MIN_NOTABLE_GAP = 0.05
"""The difference of Pearson ρ below τ_B from which on ρ counts as notably lower."""


@claim(
    Section.INTRODUCTION,
    "e1",
    quote="Generic peer prediction mechanisms from the literature largely fail to demonstrate "
    "significant measurement integrity compared with simple baselines.",
    place="Section 1.3 (Our Results), line 124",
    about="simulated",
)
def generic_mechanisms_fall_behind_the_baselines(evidence: Evidence) -> Outcome:
    """Peer prediction mechanisms without a parametric model measure worse than all baselines."""
    generic = [
        one
        for one in evidence.variants(INTEGRITY)
        if one not in (*BASELINE_VARIANTS, *PHI_DIV_P_VARIANTS)
    ]
    shares = {one: share_above_output_agreement(evidence, one) for one in generic}
    above = [one for one, share in shares.items() if share > MAX_SHARE_OF_FEW_CELLS]
    return judge(
        Part(
            not above,
            f"{labels_of(above)} reach OA too often to say that generic mechanisms largely fail.",
        ),
        measured="share of cells above OA: " + _shares(shares),
        criterion="Each generic mechanism is above OA, the weakest baseline, in at most "
        f"{MAX_SHARE_OF_FEW_CELLS:.0%} of the cells (four measures, 1 to 15 assignments).",
    )


@claim(
    Section.INTRODUCTION,
    "e1",
    quote="implementation choices for some mechanisms affect their empirical performance in our "
    "experiments",
    place="Section 1.3 (Our Results), line 126",
    about="simulated",
)
def implementation_choices_matter(evidence: Evidence) -> Outcome:
    """The choice of Φ changes how well Φ-Div_P measures."""
    value = evidence.reader(INTEGRITY, "binary-auc")
    best, worst = (pick(PHI_DIV_P_VARIANTS, key=lambda one: value(one).mean) for pick in (max, min))
    return judge(
        Part(
            clearly_above(difference(value(best), value(worst))),
            "All choices of Φ measure equally well, so theory that ignores the choice loses "
            "nothing.",
        ),
        measured="mean binary AUC: " + each_value(PHI_DIV_P_VARIANTS, value),
        criterion="The mean binary AUC of the best and of the worst choice of Φ differ by more "
        f"than {MIN_CLEAR_ERRORS} standard errors.",
    )


@claim(
    Section.INTEGRITY,
    "e1",
    quote="the baseline MSE and MSE_P mechanisms score highly according to each of the evaluation "
    "metrics, including near-perfect Pearson correlation",
    place="Section 6.1.3 (Results), line 426",
    about="simulated",
)
def baselines_score_highly(evidence: Evidence) -> Outcome:
    """MSE and MSE_P score high on all four measures after 15 assignments, including Pearson ρ."""
    low, text = [], []
    for metric, least in MIN_HIGH_VALUES.items():
        value = evidence.reader(INTEGRITY, metric, x=MOST_ASSIGNMENTS)
        low += [
            f"{label_of(one)} reaches {value(one).mean:.2f} of {metric_label(metric)}"
            for one in (MSE, MSE_P)
            if not value(one).mean > least
        ]
        text.append(f"{metric_label(metric)}: {each_value((MSE, MSE_P), value)}")
    bounds = ", ".join(f"{metric_label(one)} {least}" for one, least in MIN_HIGH_VALUES.items())
    return judge(
        Part(not low, f"{'; '.join(low)}, which is not high."),
        measured=f"after {MOST_ASSIGNMENTS} assignments: " + "; ".join(text),
        criterion=f"After {MOST_ASSIGNMENTS} assignments both mechanisms are above: {bounds}.",
    )


@claim(
    Section.INTEGRITY,
    "e1",
    quote="As the number of assignments in a semester increases, thereby increasing the amount of "
    "information available to the mechanisms, the baseline MSE and MSE_P mechanisms score highly",
    place="Section 6.1.3 (Results), line 426",
    about="simulated",
)
def more_assignments_measure_better(evidence: Evidence) -> Outcome:
    """MSE and MSE_P measure better with more assignments, by all four measures."""
    falling, text = [], []
    for metric in INTEGRITY_METRICS:
        for one in (MSE, MSE_P):
            first, last = (
                evidence.at(INTEGRITY, one, metric, x=x)
                for x in (FEWEST_ASSIGNMENTS, MOST_ASSIGNMENTS)
            )
            if not clearly_above(difference(last, first)):
                falling.append(f"{label_of(one)} by {metric_label(metric)}")
            measured = f"{first.mean:.2f} to {last.mean:.2f}"
            text.append(f"{label_of(one)} {metric_label(metric)}: {measured}")
    return judge(
        Part(not falling, f"More assignments do not help {', '.join(falling)}."),
        measured=f"from {FEWEST_ASSIGNMENTS} to {MOST_ASSIGNMENTS} assignments: " + "; ".join(text),
        criterion=f"Each measure rises from {FEWEST_ASSIGNMENTS} to {MOST_ASSIGNMENTS} assignments "
        f"by more than {MIN_CLEAR_ERRORS} standard errors.",
    )


@claim(
    Section.INTEGRITY,
    "e1",
    quote="The exceptions are two parametric mechanisms, Φ-Div_P: KL and Φ-Div_P: H², which mostly "
    "outperform the OA baseline.",
    place="Section 6.1.3 (Results), line 426",
    about="simulated",
)
def few_beat_output_agreement(evidence: Evidence) -> Outcome:
    """Only two peer prediction mechanisms mostly outperform OA: Φ-Div_P with KL and with H²."""
    rivals = [one for one in evidence.variants(INTEGRITY) if one not in BASELINE_VARIANTS]
    shares = {one: share_above_output_agreement(evidence, one) for one in rivals}
    above = [one for one, share in shares.items() if share > MIN_SHARE_OF_MOST_CELLS]
    more = [one for one in above if one not in (KL_P, H2_P)]
    return judge(
        Part(
            {KL_P, H2_P} <= set(above),
            f"Of the two exceptions, only {labels_of({KL_P, H2_P} & set(above))} mostly beats OA.",
        ),
        Part(not more, f"{labels_of(more)} mostly beats OA too, so there are more exceptions."),
        measured="share of cells above OA: " + _shares(shares),
        criterion=f"Φ-Div_P: KL and Φ-Div_P: H², and no other peer prediction mechanism, are above "
        f"OA in more than {MIN_SHARE_OF_MOST_CELLS:.0%} of the cells (four measures, 1 to 15 "
        "assignments).",
    )


def share_above_output_agreement(evidence: Evidence, variant: str) -> float:
    """Share of the cells (four measures, all numbers of assignments) above those of OA."""
    return float(
        np.mean(
            [
                evidence.at(INTEGRITY, variant, metric, x=x).mean
                > evidence.at(INTEGRITY, OA, metric, x=x).mean
                for metric in INTEGRITY_METRICS
                for x in range(FEWEST_ASSIGNMENTS, MOST_ASSIGNMENTS + 1)
            ]
        )
    )


def _shares(shares: Mapping[str, float]) -> str:
    return "; ".join(f"{label_of(one)} {share:.0%}" for one, share in shares.items())


@claim(
    Section.INTEGRITY,
    "e1",
    quote="the OA mechanism, the baseline with the lowest performance",
    place="Section F.1.1 (Computational Experiments with ABM), line 1450",
    about="simulated",
)
def output_agreement_is_the_weakest_baseline(evidence: Evidence) -> Outcome:
    """OA measures less well than the baselines MSE and MSE_P, by all four measures."""
    better, text = [], []
    for metric in INTEGRITY_METRICS:
        value = evidence.reader(INTEGRITY, metric)
        if not all(clearly_above(difference(value(one), value(OA))) for one in (MSE, MSE_P)):
            better.append(metric_label(metric))
        text.append(f"{metric_label(metric)}: {each_value(BASELINE_VARIANTS, value)}")
    return judge(
        Part(not better, f"OA is not the weakest baseline by {', '.join(better)}."),
        measured="mean over 1 to 15 assignments: " + "; ".join(text),
        criterion="The mean of MSE and that of MSE_P exceed the mean of OA by more than "
        f"{MIN_CLEAR_ERRORS} standard errors, by each of the four measures.",
    )


@claim(
    Section.INTEGRITY,
    "e1",
    quote="the pattern established in the plots of the first three evaluation metrics, which are "
    "qualitatively nearly identical, is disrupted by the plot of the Pearson correlation (ρ)",
    place="Section 6.1.3 (Results), line 428",
    about="simulated",
)
def ordinal_measures_agree(evidence: Evidence) -> Outcome:
    """The two AUCs and τ_B rank the mechanisms of the figure alike; Pearson ρ does not."""

    def order(metric: str) -> list[str]:
        value = evidence.reader(INTEGRITY, metric)
        return sorted(BODY_FIGURES, key=lambda one: -value(one).mean)

    orders = {metric: order(metric) for metric in INTEGRITY_METRICS}
    first, *ordinal = (orders[metric] for metric in INTEGRITY_METRICS[:3])
    return judge(
        Part(
            all(one == first for one in ordinal),
            "The three ordinal measures rank the mechanisms in different orders.",
        ),
        Part(
            orders["pearson"] != first,
            "Pearson ρ ranks the mechanisms in the same order as binary AUC, so it disrupts "
            "nothing.",
        ),
        measured="from the best: "
        + "; ".join(f"{metric_label(one)}: {labels_of(found)}" for one, found in orders.items()),
        criterion="Binary AUC, quinary AUC and τ_B rank the five mechanisms of the figure in the "
        "same order, and Pearson ρ in another order (means over 1 to 15 assignments).",
    )


@claim(
    Section.INTEGRITY,
    "e1",
    quote="the Φ-Div_P: H² mechanism performs much less well according to Pearson correlation than "
    "the other evaluation metrics, indicating that the payments it assigns contain useful ordinal "
    "information",
    place="Section 6.1.3 (Results), line 428",
    about="simulated",
)
def hellinger_is_ordinal(evidence: Evidence) -> Outcome:
    """Φ-Div_P H² ranks graders better than OA does, but has a much lower Pearson ρ."""
    tau, rho = (
        evidence.reader(INTEGRITY, metric, x=MOST_ASSIGNMENTS) for metric in ("tau", "pearson")
    )
    return judge(
        Part(
            tau(H2_P).mean > tau(OA).mean,
            "Φ-Div_P: H² does not rank graders better than OA, so its ordinal information is of "
            "little use.",
        ),
        Part(
            rho(H2_P).mean < min(tau(H2_P).mean - MIN_NOTABLE_GAP, rho(OA).mean),
            "Pearson ρ of Φ-Div_P: H² is not much lower than its other measures.",
        ),
        measured=_both(evidence, (H2_P, KL_P, OA)),
        criterion=f"After {MOST_ASSIGNMENTS} assignments Φ-Div_P: H² has a higher τ_B than OA, "
        f"and its ρ is below its own τ_B by at least {MIN_NOTABLE_GAP} and below the ρ of OA.",
    )


@claim(
    Section.INTEGRITY,
    "e1",
    quote="The payments from the PTS mechanism are also notably less useful with respect to linear "
    "than ordinal information. However, the ordinal information conveyed via the PTS mechanism was "
    "already poor relative to the other mechanisms.",
    place="Section 6.1.3 (Results), line 428",
    about="simulated",
)
def peer_truth_serum_is_ordinal(evidence: Evidence) -> Outcome:
    """PTS has a lower Pearson ρ than τ_B, and a low τ_B among the mechanisms."""
    tau, rho = (
        evidence.reader(INTEGRITY, metric, x=MOST_ASSIGNMENTS) for metric in ("tau", "pearson")
    )
    every = evidence.variants(INTEGRITY)
    better = sum(tau(one).mean > tau(PTS).mean for one in every)
    return judge(
        Part(
            rho(PTS).mean < tau(PTS).mean - MIN_NOTABLE_GAP,
            "Pearson ρ of PTS is not notably lower than its τ_B.",
        ),
        Part(better > len(every) / 2, "PTS ranks graders better than most mechanisms do."),
        measured=f"{_both(evidence, (PTS,))}; {better} of the other {len(every) - 1} mechanisms "
        "have a higher τ_B",
        criterion=f"After {MOST_ASSIGNMENTS} assignments the ρ of PTS is below its τ_B by at least "
        f"{MIN_NOTABLE_GAP}, and more than half of the mechanisms have a higher τ_B.",
    )


def _both(evidence: Evidence, variants: Iterable[str]) -> str:
    """τ_B and ρ of some mechanisms at the end as text."""
    tau, rho = (
        evidence.reader(INTEGRITY, metric, x=MOST_ASSIGNMENTS) for metric in ("tau", "pearson")
    )
    return f"after {MOST_ASSIGNMENTS} assignments: " + "; ".join(
        f"{label_of(one)} τ_B {with_error(tau(one), 2)} and ρ {with_error(rho(one), 2)}"
        for one in variants
    )


FIVE_BEST_IN_CLASSES = (MSE_P, MSE, KL_P, OA, H2_P)
"""The five best mechanisms in the private classes, in the order of the text."""


@claim(
    Section.INTEGRITY,
    "e1",
    quote="These are exactly the same 5 mechanisms that results from a similar analysis of the "
    "simulated data, albeit in a slightly different order.",
    place="Section 6.2.2 (Results), line 457",
    about="simulated",
)
def five_measure_best(evidence: Evidence) -> Outcome:
    """The five best by mean τ_B in simulations are those of the private classes, reordered."""
    value = evidence.reader(INTEGRITY, "tau")
    best = sorted(evidence.variants(INTEGRITY), key=lambda one: -value(one).mean)[:5]
    others = [one for one in best if one not in BEST_MEASURING_VARIANTS]
    return judge(
        Part(not others, f"{labels_of(others)} is among the five best in simulations."),
        Part(
            tuple(best) != FIVE_BEST_IN_CLASSES,
            "The order is the same as in the private classes.",
        ),
        measured="mean τ_B: " + each_value(best, value),
        criterion="The five mechanisms with the highest τ_B, averaged over 1 to 15 assignments, "
        f"are {labels_of(FIVE_BEST_IN_CLASSES)}, in another order than this one.",
    )


@claim(
    Section.INTEGRITY,
    "e1",
    quote="the relative advantage of these two mechanisms over certain other peer prediction "
    "mechanisms (e.g. OA) tends to decrease as the number of assignments per semester increases",
    place="Section 6.2.2 (Results), line 457",
    about="simulated",
)
def the_lead_over_output_agreement_shrinks(evidence: Evidence) -> Outcome:
    """The lead of Φ-Div_P KL and H² over OA tends to shrink as assignments are added."""
    numbers = np.arange(FEWEST_ASSIGNMENTS, MOST_ASSIGNMENTS + 1)
    growing: dict[str, list[str]] = {"share": [], "difference": []}
    text = []
    for one in (KL_P, H2_P):
        own, reached = (
            np.array([evidence.at(INTEGRITY, who, "tau", x=int(x)).mean for x in numbers])
            for who in (one, OA)
        )
        leads = {"share": own / reached - 1, "difference": own - reached}
        for reading, lead in leads.items():
            if not kendall_tau_b(numbers.astype(float), lead) < 0:
                growing[reading].append(one)
        share, lead = leads["share"], leads["difference"]
        text.append(
            f"{label_of(one)} leads by {lead[0]:.3f} of τ_B ({share[0]:.0%} of that of OA) after "
            f"{FEWEST_ASSIGNMENTS}, {lead[-1]:.3f} ({share[-1]:.0%}) after {MOST_ASSIGNMENTS}"
        )
    return judge(
        Part(
            not growing["share"],
            f"As a share of the τ_B of OA, the lead of {labels_of(growing['share'])} grows.",
        ),
        Part(
            not growing["difference"],
            f"As a difference of τ_B, the lead of {labels_of(growing['difference'])} grows with "
            "the number of assignments, so the claim depends on how an advantage is measured.",
        ),
        measured="; ".join(text),
        criterion="Over 1 to 15 assignments, the rank correlation of the lead in τ_B with the "
        "number of assignments is below 0 for both mechanisms, for the lead as a share of the τ_B "
        "of OA and for the lead as a difference.",
    )
