"""E2: how well rewards measure the quality of grading in real classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from peergauge.core.arrays import Ints
from peergauge.core.lazy import pl
from peergauge.core.randomness import derived_seed, stream
from peergauge.engine.experiment import Point, experiment
from peergauge.engine.results import Row, cells
from peergauge.lab.figures import figure
from peergauge.lab.figures.by_class import lines_by_class
from peergauge.lab.figures.summaries import means
from peergauge.lab.paper.claims import (
    H2,
    H2_P,
    KL_P,
    MSE,
    MSE_P,
    OA,
    Evidence,
    Outcome,
    Part,
    Section,
    claim,
    judge,
    label_of,
    labels_of,
    metric_label,
)
from peergauge.lab.paper.classes import OverClasses, class_columns, with_stand_ins_named
from peergauge.lab.paper.published import INTEGRITY_KIND, published_of_classes
from peergauge.lab.paper.roster import authors_mse_p, for_any_class
from peergauge.lab.paper.selections import (
    CLASS_INTEGRITY,
    CLASS_INTEGRITY_PAPER_MODEL,
    REAL_INTEGRITY,
    REAL_INTEGRITY_RESAMPLED,
    Selection,
)
from peergauge.mechanisms import Mechanism, score
from peergauge.metrics import AccuracyMetric
from peergauge.metrics.binary_auc import BinaryAUC
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.pearson import Pearson
from peergauge.metrics.quinary_auc import QuinaryAUC
from peergauge.tables import Reports, Rewards, Truth

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLOCKS = 4

MEASURES: tuple[AccuracyMetric, ...] = tuple(
    measure(per="report", int64=True) for measure in (BinaryAUC, QuinaryAUC, KendallTau, Pearson)
)


@experiment(
    "e2",
    label="Measurement integrity in classes",
    source="Burrell & Schoenebeck 2022, Quantifying Measurement Integrity, real data",
    question="How well does pay measure squared error where some grade more than others?",
)
@dataclass(frozen=True)
class IntegrityInClasses(OverClasses):
    """Average pay against average squared error, after each of four blocks of assignments.

    Pay and squared error are averaged over the grades of a student. Only students with a grade in
    every block count. Students who have not been paid yet are left out instead of counted with a
    pay of 0: a grade is not paid if all its pairings lack penalty tasks. A class of fewer than four
    assignments has as many blocks as assignments.

    A stand-in is simulated again in each repetition, so that means and standard deviations are
    those of many classes. In a real class, random mechanisms are repeated and other mechanisms are
    run once. After the last block, every repetition also measures a bootstrap sample of the
    students who count (``resampled``). The standard deviation of these values is the standard error
    that is due to the size of the class, which repeating the draws of a mechanism does not show.

    Parameters
    ----------
    bias
        How parametric mechanisms treat bias: ``published`` for the settings of the authors' files
        (Φ-Div_P and MSE_P ignore bias, and MSE_P once more estimates it; MSE_P averaged once and,
        as in these files, twice), or one setting for all.
    """

    repetitions: int = 50
    bias: Literal["published", "ignore", "estimate", "correct"] = "published"

    def points(self) -> Sequence[Point]:
        return [Point(kind=taught.kind) for taught in self.taught()]

    def roster(self) -> Sequence[str]:
        """Specs of the mechanisms of the paper that pay the classes."""
        if self.bias != "published":
            return for_any_class(self.bias)
        return (
            *for_any_class("ignore"),
            "mse-p:bias=estimate",
            authors_mse_p("ignore"),
            authors_mse_p("estimate"),
        )

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        which = self.taught_as(point.kind)
        taught = self.load(which, seed, repetition if which.stand_in else 0)
        own = self.own_seed(seed, point, repetition)
        draws = derived_seed(own, "draws")
        ends = ends_of_blocks(taught.reports)
        counted = present_in_every_block(taught.reports, ends)
        found = self.measurement(repetition, own, **class_columns(taught))
        for chosen, mechanism in self.paying_in(taught, self.roster()):
            again = bool(which.stand_in) or mechanism.facts.random
            pay = partial(_pay, mechanism, taught.reports, counted, draws)
            # A mechanism that is not random pays a real class once for all repetitions.
            rewards = pay() if again else taught.reports.derived((mechanism, "counted"), pay)
            measured = range(len(ends)) if again or not repetition else []
            for block in measured:
                so_far = paid_so_far(rewards, ends[block])
                for measure in MEASURES:
                    value = measure.measure(so_far, taught.truth)
                    name = measure.facts.name
                    yield found.row(chosen, name, value, block=block + 1, resampled=False)
            if which.stand_in:
                continue
            so_far = paid_so_far(rewards, ends[-1])
            for measure in MEASURES:
                value = resampled(measure, so_far, taught.truth, stream(own, "students"))
                name = measure.facts.name
                yield found.row(chosen, name, value, block=len(ends), resampled=True)


def _pay(mechanism: Mechanism, reports: Reports, counted: Ints, seed: int) -> Rewards:
    return score(mechanism, reports, seed=seed).among(counted)


def paid_so_far(rewards: Rewards, end: int) -> Rewards:
    """Rewards of the first assignments, without graders whom these assignments did not pay."""
    so_far = rewards.first(end)
    paid = ~np.isnan(so_far.total)
    return so_far if paid.all() else so_far.among(np.flatnonzero(paid))


def resampled(
    measure: AccuracyMetric, rewards: Rewards, truth: Truth, rng: np.random.Generator
) -> float:
    """Measure a bootstrap sample: as many students, drawn with replacement (Efron 1979)."""
    pay, error = measure.known(rewards, truth)
    if not len(pay):
        return float("nan")
    drawn = rng.integers(len(pay), size=len(pay))
    return measure.compare(pay[drawn], error[drawn])


def ends_of_blocks(reports: Reports) -> list[int]:
    """Number of assignments after which each of four blocks of about the same size ends.

    If the sizes differ, larger blocks come last: 13 assignments form blocks of 3, 3, 3 and 4, as in
    the authors' computation.
    """
    there = np.unique(reports.paid_only.assignment)
    blocks = np.array_split(there[::-1], min(BLOCKS, len(there)))
    return [int(block[0]) + 1 for block in reversed(blocks)]


def present_in_every_block(reports: Reports, ends: Sequence[int]) -> Ints:
    """Numbers of the graders who gave a grade in every block of assignments."""
    reports = reports.paid_only
    block = np.searchsorted(ends, reports.assignment, side="right")
    present = np.zeros((len(ends), reports.graders), dtype=np.bool_)
    present[block, reports.grader] = True
    return np.flatnonzero(present.all(axis=0)).astype(np.int32)


NO_BLOCKS = (
    "one assignment in each class, so there are no blocks to compare; "
    "bars: 95 % over students drawn again"
)

TAU_ALONE = (KendallTau.facts.name,)
OTHER_MEASURES = tuple(one.facts.name for one in MEASURES if not isinstance(one, KendallTau))


STAND_IN_NOTE = (
    "The classes are simulated stand-ins, not the paper's private classes: they have the sizes and "
    "the prior of these classes, and graders whose shared errors and response styles were fitted "
    "to published results. Lines are means over simulated classes, and bands are their 95 % "
    "confidence intervals (1.96 standard errors). A single class varies much more."
)
REAL_NOTE = (
    "Lines are means over repetitions of the mechanisms' random draws, and bands are their 95 % "
    "confidence intervals (1.96 standard errors); they do not include the chance in who took the "
    "class. A class with one assignment has no blocks: it shows points instead of lines, with "
    "bars of 1.96 standard errors over students drawn again."
)


@figure(
    "integrity_stand_ins",
    number="Figure 3",
    title="Measurement integrity in simulated stand-ins for the real classes",
    caption="Kendall τ_B between average pay and the average accuracy of a student's grades, after "
    "each of four blocks of assignments, for students with a grade in every block. "
    f"{STAND_IN_NOTE}",
    section="Measurement integrity, simulated stand-ins for the real classes",
    order=40,
    needs=(CLASS_INTEGRITY,),
)
def integrity_stand_ins(results: pl.DataFrame) -> Figure:
    """τ_B after each block of assignments, a panel for each fitted stand-in."""
    return _over_blocks(CLASS_INTEGRITY, results, TAU_ALONE)


@figure(
    "integrity_paper_model",
    title="Measurement integrity in simulated stand-ins of the paper's own model",
    caption="The same as the figure before, in stand-ins whose graders follow the paper's model of "
    "a class. These stand-ins are too clean: nearly all mechanisms measure better than in the "
    "published results of the real classes. Lines are means over simulated classes, and bands are "
    "their 95 % confidence intervals (1.96 standard errors).",
    section="Measurement integrity, simulated stand-ins for the real classes",
    order=41,
    needs=(CLASS_INTEGRITY_PAPER_MODEL,),
)
def integrity_paper_model(results: pl.DataFrame) -> Figure:
    """τ_B after each block of assignments, a panel for each stand-in of the paper's model."""
    return _over_blocks(CLASS_INTEGRITY_PAPER_MODEL, results, TAU_ALONE)


@figure(
    "integrity_stand_ins_others",
    number="Figure F.1b",
    title="Measurement integrity in simulated stand-ins, other measures",
    caption="Three more measures of how well average pay identifies accurate graders, after each "
    f"of four blocks of assignments, with a row for each class. {STAND_IN_NOTE}",
    section="Appendix: integrity, simulated stand-ins for the real classes",
    order=150,
    needs=(CLASS_INTEGRITY,),
)
def integrity_stand_ins_others(results: pl.DataFrame) -> Figure:
    """Three measures after each block of assignments, a row of panels for each stand-in."""
    return _over_blocks(CLASS_INTEGRITY, results, OTHER_MEASURES)


@figure(
    "integrity_real",
    number="Figure 3",
    title="Measurement integrity in your classes",
    caption="Kendall τ_B between average pay and the average accuracy of a student's grades, after "
    f"each of four blocks of assignments, for students with a grade in every block. {REAL_NOTE}",
    section="Measurement integrity in your classes",
    order=42,
    needs=(REAL_INTEGRITY,),
)
def integrity_real(results: pl.DataFrame) -> Figure:
    """τ_B after each block of assignments, a panel for each real class."""
    return _over_blocks(REAL_INTEGRITY, results, TAU_ALONE)


@figure(
    "integrity_real_others",
    number="Figure F.1b",
    title="Measurement integrity in your classes, other measures",
    caption="Three more measures of how well average pay identifies accurate graders, after each "
    f"of four blocks of assignments, with a row for each class. {REAL_NOTE}",
    section="Measurement integrity in your classes",
    order=43,
    needs=(REAL_INTEGRITY,),
)
def integrity_real_others(results: pl.DataFrame) -> Figure:
    """Three measures after each block of assignments, a row of panels for each real class."""
    return _over_blocks(REAL_INTEGRITY, results, OTHER_MEASURES)


def _over_blocks(part: Selection, results: pl.DataFrame, measures: Sequence[str]) -> Figure:
    """Draw measures after each block of assignments, for a part of the results."""
    chosen = pl.col("metric").is_in(measures)
    by_block = means(with_stand_ins_named(part.rows(results).filter(chosen)))
    samples = REAL_INTEGRITY_RESAMPLED.rows(results).filter(chosen)
    last = with_bootstrap_errors(by_block, samples)
    xlabel = "blocks of assignments"
    return lines_by_class(by_block, last, measures, xlabel=xlabel, note=NO_BLOCKS)


def with_bootstrap_errors(by_block: pl.DataFrame, samples: pl.DataFrame) -> pl.DataFrame:
    """The cells after the last block, with 1.96 standard errors over bootstrap samples."""
    names = ["class", "mechanism", "metric", "x"]
    reach = cells(samples).select(*names, reach=1.96 * pl.col("sd"))
    last = by_block.filter(pl.col("x") == pl.col("x").max().over("class"))
    found = last.join(reach, on=names, how="left", maintain_order="left")
    lowest = {one.facts.name: one.facts.lowest for one in MEASURES}
    highest = {one.facts.name: one.facts.highest for one in MEASURES}
    low, high = (pl.col("middle") + sign * pl.col("reach") for sign in (-1, 1))
    return found.with_columns(
        low=pl.coalesce(pl.max_horizontal(low, pl.col("metric").replace_strict(lowest)), "low"),
        high=pl.coalesce(pl.min_horizontal(high, pl.col("metric").replace_strict(highest)), "high"),
    )


class IntegrityPair(NamedTuple):
    """Mean integrity of mechanisms in the stand-ins and in the published results, by variant."""

    ours: dict[str, float]
    theirs: dict[str, float]


def _integrity_in_both(evidence: Evidence, metric: str, block: int | None = None) -> IntegrityPair:
    """Integrity averaged over classes, and over blocks unless one is given."""
    parts = [
        CLASS_INTEGRITY.narrowed({"class": name}) for name in evidence.classes(CLASS_INTEGRITY)
    ]

    def value(part: Selection, variant: str) -> float:
        found = evidence.by_place(part, variant, metric)
        return float(np.mean([one.mean for (_, x), one in found.items() if block in (None, x)]))

    ours = {
        one: float(np.mean([value(part, one) for part in parts]))
        for one in evidence.variants(parts[0])
    }
    theirs = published_of_classes(INTEGRITY_KIND).filter(pl.col("metric") == metric)
    if block is not None:
        theirs = theirs.filter(pl.col("x") == block)
    means_of_theirs = theirs.group_by("variant").agg(pl.col("mean").mean())
    return IntegrityPair(ours, dict(means_of_theirs.iter_rows()))


def _best(values: dict[str, float], count: int) -> list[str]:
    """The mechanisms with the highest values, best first."""
    return sorted(values, key=lambda one: -values[one])[:count]


def _listed(values: dict[str, float], variants: Sequence[str]) -> str:
    return "; ".join(f"{label_of(one)} {values[one]:.3f}" for one in variants)


PUBLISHED_NAME = "published results of two classes"
STAND_IN_NAME = "simulated stand-ins for four classes"

ORDER_OF_TEXT = (MSE_P, MSE, KL_P, OA, H2_P)
"""The five best mechanisms by τ_B in real classes according to the text, best first."""


@claim(
    Section.CLASSES,
    "e2",
    quote="the 5 best-performing mechanisms on average are MSE_P, MSE, Φ-Div_P: KL, OA, and "
    "Φ-Div_P: H², in that order",
    place="Section 6.2.2 (Results), line 457",
    about="private classes",
)
def the_same_five_measure_best_in_classes(evidence: Evidence) -> Outcome:
    """The five best mechanisms by τ_B, over blocks and classes, are those of the simulations."""
    both = _integrity_in_both(evidence, "tau")
    parts, texts = [], []
    for name, values in ((STAND_IN_NAME, both.ours), (PUBLISHED_NAME, both.theirs)):
        best = _best(values, 5)
        texts.append(f"{name}: {_listed(values, best)}")
        others = [one for one in best if one not in ORDER_OF_TEXT]
        parts.append(Part(best[:2] == list(ORDER_OF_TEXT[:2]), f"Others lead in the {name}."))
        parts.append(Part(not others, f"In the {name}, {labels_of(others)} is among the five."))
        parts.append(
            Part(
                best == list(ORDER_OF_TEXT),
                f"In the {name}, the order is another one; the paper itself calls the order of "
                "the last three unreliable.",
            )
        )
    return judge(
        *parts,
        measured=" | ".join(texts),
        criterion="The five mechanisms with the highest mean τ_B are those of the text, in its "
        f"order, in the {STAND_IN_NAME} and in the {PUBLISHED_NAME} that we have.",
    )


@claim(
    Section.CLASSES,
    "e2",
    quote="these two parametric mechanisms perform especially well relative to the other "
    "mechanisms in the first block of assignments",
    place="Section 6.2.2 (Results), line 457",
    about="private classes",
)
def two_parametric_mechanisms_lead_in_the_first_block(evidence: Evidence) -> Outcome:
    """Φ-Div_P: KL and H² lead over OA in the first block, by more than in the last block."""
    first, last = (_integrity_in_both(evidence, "tau", block) for block in (1, BLOCKS))
    parts, texts = [], []
    for name, early, late in (
        (STAND_IN_NAME, first.ours, last.ours),
        (PUBLISHED_NAME, first.theirs, last.theirs),
    ):
        for one in (KL_P, H2_P):
            leads = [values[one] - values[OA] for values in (early, late)]
            texts.append(f"{name}, {label_of(one)}: {leads[0]:+.3f} first, {leads[1]:+.3f} last")
            parts.append(
                Part(
                    leads[0] > 0 and leads[0] > leads[1],
                    f"In the {name}, {label_of(one)} does not lead over OA in the first block, or "
                    "its lead does not shrink.",
                )
            )
    return judge(
        *parts,
        measured=f"τ_B minus that of OA. {'; '.join(texts)}",
        criterion="For both mechanisms, the lead over OA is above 0 in the first block, and larger "
        "than in the last block.",
    )


BEST_BY_OTHER_MEASURES: dict[str, tuple[str, ...]] = {
    "binary-auc": (MSE_P, MSE, H2_P, KL_P, H2),
    "quinary-auc": (MSE_P, MSE, KL_P, H2_P, OA),
    "pearson": (MSE_P, MSE, KL_P, H2_P, OA, H2),
}
"""The best mechanisms in real classes by three measures according to the text.

The text calls its third list binary AUC again. It most likely means ρ, and it names six mechanisms.
"""


@claim(
    Section.CLASSES,
    "e2",
    quote="AUC (Binary): MSE_P, MSE, Φ-Div_P: H², Φ-Div_P: KL, Φ-Div: H² (followed closely by OA)",
    place="Section F.1.2 (Computational Experiments with Real Data), line 1471",
    about="private classes",
)
def the_best_by_other_measures_are_those_of_the_text(evidence: Evidence) -> Outcome:
    """The best mechanisms by binary AUC, quinary AUC and ρ are those that the text lists."""
    parts, texts = [], []
    for metric, listed in BEST_BY_OTHER_MEASURES.items():
        both = _integrity_in_both(evidence, metric)
        for name, values in ((STAND_IN_NAME, both.ours), (PUBLISHED_NAME, both.theirs)):
            best = _best(values, len(listed))
            texts.append(f"{metric_label(metric)}, {name}: {_listed(values, best)}")
            missing = [one for one in listed if one not in best]
            parts.append(
                Part(
                    not missing,
                    f"By {metric_label(metric)}, {labels_of(missing)} is not among the best "
                    f"{len(listed)} in the {name}.",
                )
            )
    return judge(
        *parts,
        measured=" | ".join(texts),
        criterion="By each measure the best mechanisms are those that the text lists, in any "
        f"order, in the {STAND_IN_NAME} and in the {PUBLISHED_NAME} that we have.",
    )
