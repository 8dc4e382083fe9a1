"""E1: how well rewards measure the quality of grading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from peergauge.core.arrays import Floats
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
    MOST_ASSIGNMENTS,
    MSE,
    MSE_P,
    OA,
    PTS,
    Evidence,
    Outcome,
    Section,
    claim,
    each_value,
    in_part,
    label_of,
    metric_label,
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


@claim(Section.INTEGRITY, "e1")
def linear_measurement_is_possible(evidence: Evidence) -> Outcome:
    """After 15 assignments the Pearson correlation of MSE and MSE_P is close to 1."""
    value = evidence.reader(INTEGRITY, "pearson", x=MOST_ASSIGNMENTS)
    return all(value(one).mean > 0.95 for one in (MSE, MSE_P)), (
        f"ρ after {MOST_ASSIGNMENTS} assignments: {each_value((MSE, MSE_P), value)}"
    )


@claim(Section.INTEGRITY, "e1")
def more_assignments_measure_better(evidence: Evidence) -> Outcome:
    """MSE and MSE_P score high on all four measures, and higher with more assignments."""
    rises, text = [], []
    for metric in INTEGRITY_METRICS:
        for one in (MSE, MSE_P):
            first, last = (
                evidence.at(INTEGRITY, one, metric, x=x)
                for x in (FEWEST_ASSIGNMENTS, MOST_ASSIGNMENTS)
            )
            rises.append(last.mean - first.mean)
            measured = f"{first.mean:.2f} to {last.mean:.2f}"
            text.append(f"{label_of(one)} {metric_label(metric)}: {measured}")
    return min(rises) > 0, (
        f"from {FEWEST_ASSIGNMENTS} to {MOST_ASSIGNMENTS} assignments: " + "; ".join(text)
    )


@claim(Section.INTEGRITY, "e1")
def few_beat_output_agreement(evidence: Evidence) -> Outcome:
    """Only two peer prediction mechanisms mostly outperform OA: Φ-Div_P with KL and with H²."""

    def share_above(variant: str) -> float:
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

    rivals = [one for one in evidence.variants(INTEGRITY) if one not in BASELINE_VARIANTS]
    above = [one for one in rivals if share_above(one) > 0.5]
    shares = "; ".join(f"{label_of(one)} {share_above(one):.0%}" for one in rivals)
    return set(above) == {KL_P, H2_P}, f"share of cells above OA: {shares}"


@claim(Section.INTEGRITY, "e1")
def ordinal_measures_agree(evidence: Evidence) -> Outcome:
    """The two AUCs and τ_B rank the mechanisms alike; Pearson's ρ ranks them differently."""

    def means(metric: str) -> Floats:
        variants = evidence.variants(INTEGRITY)
        return np.array([evidence.mean(INTEGRITY, one, metric).mean for one in variants])

    binary = means("binary-auc")
    quinary, tau, pearson = (
        kendall_tau_b(binary, means(metric)) for metric in ("quinary-auc", "tau", "pearson")
    )
    return min(quinary, tau) > 0.85 and pearson < min(quinary, tau), (
        f"τ_B between the ranking of the {len(binary)} mechanisms by binary AUC and by other "
        f"measures: quinary AUC {quinary:.2f}, τ_B {tau:.2f}, ρ {pearson:.2f}"
    )


@claim(Section.INTEGRITY, "e1")
def hellinger_is_ordinal(evidence: Evidence) -> Outcome:
    """Φ-Div_P H² and PTS rank graders better than they measure them on a linear scale."""
    text, holds = [], []
    for one in (H2_P, PTS, KL_P, OA):
        tau, rho = (
            evidence.at(INTEGRITY, one, metric, x=MOST_ASSIGNMENTS).mean
            for metric in ("tau", "pearson")
        )
        holds.append((rho < tau) == (one in (H2_P, PTS)))
        text.append(f"{label_of(one)} τ_B {tau:.2f} and ρ {rho:.2f}")
    return all(holds), f"after {MOST_ASSIGNMENTS} assignments: " + "; ".join(text)


@claim(Section.INTEGRITY, "e1")
def five_measure_best(evidence: Evidence) -> Outcome:
    """The five best mechanisms by mean τ_B are MSE_P, MSE, Φ-Div_P KL, Φ-Div_P H² and OA."""
    value = evidence.reader(INTEGRITY, "tau")
    best = sorted(evidence.variants(INTEGRITY), key=lambda one: -value(one).mean)[:5]
    return set(best) == set(BEST_MEASURING_VARIANTS), each_value(best, value)


@claim(Section.INTEGRITY, "e1")
def the_lead_over_output_agreement_shrinks(evidence: Evidence) -> Outcome:
    """The lead of Φ-Div_P KL and H² over OA tends to shrink as assignments are added."""
    rows, shrinks = [], []
    for one in (KL_P, H2_P):
        leads, shares = [], []
        for x in (FEWEST_ASSIGNMENTS, MOST_ASSIGNMENTS):
            reached = evidence.at(INTEGRITY, OA, "tau", x=x).mean
            leads.append(evidence.at(INTEGRITY, one, "tau", x=x).mean - reached)
            # As a share of the τ_B that OA reaches by then.
            shares.append(leads[-1] / reached)
        shrinks.append(shares[1] < shares[0])
        rows.append(
            f"{label_of(one)} leads by {leads[0]:.3f} of τ_B ({shares[0]:.0%}) after "
            f"{FEWEST_ASSIGNMENTS}, {leads[1]:.3f} ({shares[1]:.0%}) after {MOST_ASSIGNMENTS}"
        )
    return in_part(all(shrinks), any(shrinks)), "; ".join(rows)
