"""E5: how many ranks each student of a real class would have gained by deviating."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Self

import numpy as np

from peergauge.core.lazy import pl
from peergauge.core.randomness import derived_seed, stream
from peergauge.engine.deviation import Deviation, deviation_gains, total_pay
from peergauge.engine.experiment import Point, experiment
from peergauge.engine.results import Row
from peergauge.lab.figures import figure
from peergauge.lab.figures.by_class import points_by_class
from peergauge.lab.figures.looks import is_variant
from peergauge.lab.figures.summaries import Summary, means, variances
from peergauge.lab.paper.claims import (
    BASELINE_VARIANTS,
    PHI_DIV_P_VARIANTS,
    PTS,
    Evidence,
    Outcome,
    Section,
    claim,
    clearly_positive,
    label_of,
)
from peergauge.lab.paper.classes import OverClasses
from peergauge.lab.paper.roster import BODY_FIGURES, for_any_class
from peergauge.lab.paper.selections import CLASS_GAINS, GAINS, Selection
from peergauge.metrics.rank_gain import RankGain
from peergauge.simulate import deviate, strategies
from peergauge.simulate.strategies import tempting

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@experiment(
    "e5",
    label="Gain of every deviator in classes",
    source="Burrell & Schoenebeck 2022, Quantifying Robustness, real data",
    question="How many ranks would each student have gained by deviating from what they reported?",
)
@dataclass(frozen=True)
class DeviationInClasses(OverClasses):
    """Every student deviates in turn, one at a time, while everything else stays the same.

    Reports are treated as signals. Strategies that depend on a grader's bias are left out, because
    biases are not known. The draws of a mechanism are the same before and after. Gains are counted
    in ranks, as in the paper, and in ranks out of 100, because classes differ in size.

    Parameters
    ----------
    repetitions
        Largest number of students of a class that deviate, drawn at random; all if 0.
    bias
        How parametric mechanisms treat bias; as in E3 if left out.
    share
        Share of the students of a class that deviate.
    """

    sampled: ClassVar[tuple[str, ...]] = (*OverClasses.sampled, "share")

    repetitions: int = 0
    bias: Literal["ignore", "estimate", "correct"] = "correct"
    share: float = 1.0

    def points(self) -> Sequence[Point]:
        known = [one for one in tempting() if not strategies.make(one).facts.latent]
        return [Point(kind=name, strategy=one) for name in self.names() for one in known]

    def repetitions_at(self, point: Point, seed: int) -> int:
        students = round(self.share * self.students(point.kind, seed))
        return min(students, self.repetitions or students)

    def scaled(self, share: float) -> Self:
        return replace(self, share=share * self.share)

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        taught = self.load(point.kind, seed)
        reports = taught.reports
        own = derived_seed(seed, self.facts.name, taught.name)
        student = int(stream(own, "order").permutation(taught.students)[repetition])
        after = deviate(reports, student, point.strategy, prior_mean=taught.prior[0], seed=own)
        deviation = Deviation(reports, after, (student,))
        found = self.measurement(repetition, own, **{"class": taught.name})
        for chosen, mechanism in self.paying_in(taught, for_any_class(self.bias)):
            pay = partial(total_pay, mechanism, seed=own)
            # All students deviate from the same reports, which are paid once.
            before = reports.derived((mechanism, own), partial(pay, reports))
            for gain in deviation_gains([deviation], pay, paid=(reports, before)):
                for measure in (RankGain(), RankGain(out_of=100)):
                    yield found.row(
                        chosen,
                        measure.facts.name,
                        gain.ranks(measure),
                        strategy=point.strategy,
                        out_of=measure.out_of,
                    )


MAX_SIZE_RATIO = 2.0001
"""The largest ratio of class sizes at which gains in ranks share an axis."""


class Unit(NamedTuple):
    """The unit of gains: ranks out of so many students, 0 for ranks as they are, and its name."""

    out_of: int
    label: str


RANK_UNIT, RANK_OUT_OF_100_UNIT = Unit(0, "rank"), Unit(100, "ranks per 100 students")


def unit_of(results: pl.DataFrame) -> Unit:
    """The unit in which the gains of all classes can share one axis.

    It is ranks, as in the paper, if no class ranks more than twice as many students as another,
    and ranks out of 100 otherwise.
    """
    size, out_of = pl.col("value").fill_nan(0.0).abs(), pl.col("out_of")
    totals = (
        CLASS_GAINS.rows(results)
        .group_by("class", "mechanism")
        .agg(
            ranks=size.filter(out_of == RANK_UNIT.out_of).sum(),
            out_of_100=size.filter(out_of == RANK_OUT_OF_100_UNIT.out_of).sum(),
        )
    )
    # The ratio of the two is the number of students who are ranked, divided by 100.
    known = totals.filter(pl.col("out_of_100") > 0)
    students = (known["ranks"] / known["out_of_100"]).to_numpy()
    differ = len(students) and students.max() > MAX_SIZE_RATIO * students.min()
    return RANK_OUT_OF_100_UNIT if differ else RANK_UNIT


def _by_class(rows: pl.DataFrame, summary: Summary, xlabel: str, level: float | None) -> Figure:
    """Draw a summary of the gains by strategy and class, a panel for each mechanism."""
    unit = unit_of(rows)
    rows = rows.filter(pl.col("out_of") == unit.out_of)
    names = ["class", "mechanism", "strategy"]
    tried = rows.group_by(names).agg(tried=pl.len())
    cells = summary(rows).join(tried, on=names, how="left", maintain_order="left")
    title = "" if unit == RANK_UNIT else f"gains in {unit.label}"
    roots = summary is variances
    return points_by_class(cells, xlabel, level=level, legend_title=title, roots=roots)


@figure(
    "gains_real",
    number="Figure 5",
    title="Gain of a deviator in classes with true grades",
    caption="Mean number of ranks that a student of a real class gains by following a strategy "
    "while all others report as they did; below zero the deviation does not pay. Points are means "
    "over the students of a class, and bars are their 95 % confidence intervals (1.96 standard "
    "errors). Points are hollow where fewer than half of the students are paid at all. Gains in "
    "classes of very different sizes are shown in ranks per 100 students.",
    section="Robustness in classes with true grades",
    order=60,
    needs=(CLASS_GAINS,),
)
def gains_real(results: pl.DataFrame) -> Figure:
    """Mean gain by strategy and class, for the mechanisms of the body's figure."""
    rows = CLASS_GAINS.rows(results)
    return _by_class(rows.filter(is_variant(rows, BODY_FIGURES)), means, "mean gain in rank", 0.0)


@figure(
    "gains_real_others",
    number="Figure F.2d",
    title="Gain of a deviator in classes with true grades, the other mechanisms",
    caption="Mean gain in rank of a student who follows a strategy while all others report as they "
    "did, for the mechanisms that are not shown in the body of the paper. Points are means over "
    "the students of a class, and bars are their 95 % confidence intervals (1.96 standard errors). "
    "Points are hollow where fewer than half of the students are paid at all. Gains in classes of "
    "very different sizes are shown in ranks per 100 students.",
    section="Appendix: robustness in classes with true grades",
    order=190,
    needs=(CLASS_GAINS,),
)
def gains_real_others(results: pl.DataFrame) -> Figure:
    """Mean gain by strategy and class, for the remaining mechanisms."""
    rows = CLASS_GAINS.rows(results)
    return _by_class(rows.filter(~is_variant(rows, BODY_FIGURES)), means, "mean gain in rank", 0.0)


@figure(
    "gains_real_variance",
    number="Figure F.2e",
    title="Variance of a deviator's gain in classes with true grades",
    caption="Variance over the students of a class of the gain in rank of a student who follows a "
    "strategy while all others report as they did. Bars are approximate 95 % confidence intervals: "
    "1.96 standard errors of the sample variance, which are computed from its fourth moment. "
    "Points are hollow where fewer than half of the students are paid at all. Gains in classes of "
    "very different sizes are shown in ranks per 100 students.",
    section="Appendix: robustness in classes with true grades",
    order=191,
    needs=(CLASS_GAINS,),
)
def gains_real_variance(results: pl.DataFrame) -> Figure:
    """Variance of the gain by strategy and class, a panel for each mechanism."""
    return _by_class(CLASS_GAINS.rows(results), variances, "variance of the gain", None)


def _gains_by_class(evidence: Evidence, out_of: int) -> list[Selection]:
    """The gains of each class, in ranks *out_of* so many students, or in ranks as they are if 0."""
    return [
        CLASS_GAINS.narrowed({"class": name, "out_of": out_of})
        for name in evidence.classes(CLASS_GAINS)
    ]


@claim(Section.CLASSES, "e5")
def parametric_pairing_is_robust_in_classes(evidence: Evidence) -> Outcome:
    """Every Φ-Div_P and PTS are robust in many or all classes; most others fail in some class."""
    gains = _gains_by_class(evidence, 0)
    tempted = {}
    for one in evidence.variants(gains[0]):
        found = [value for taught in gains for value in evidence.over(taught, one, "rank-gain")]
        tempted[one] = clearly_positive(found), len(found)
    text = "; ".join(f"{label_of(one)} {a} of {b}" for one, (a, b) in tempted.items())
    robust = (*PHI_DIV_P_VARIANTS, PTS)
    holds = all(tempted[one][0] <= tempted[one][1] / 4 for one in robust)
    return holds, f"pairs of class and strategy with a clear gain: {text}"


@claim(Section.CLASSES, "e5", "e3")
def all_tens_pay_less_in_classes(evidence: Evidence) -> Outcome:
    """Report All 10s gains less if nobody else does it (E5) than if many others do (E3)."""
    # Out of 100 ranks, because E3 has 100 students.
    gains = _gains_by_class(evidence, 100)

    def gain(variant: str) -> float:
        paid = [taught for taught in gains if evidence.over(taught, variant, "rank-gain")]
        means = [evidence.mean(taught, variant, "rank-gain", "all-tens").mean for taught in paid]
        return float(np.mean(means))

    pairs = {
        one: (gain(one), evidence.mean(GAINS, one, "rank-gain", "all-tens").mean)
        for one in BASELINE_VARIANTS
    }
    text = "; ".join(f"{label_of(one)} {a:+.1f} (E3 {b:+.1f})" for one, (a, b) in pairs.items())
    return all(a < b for a, b in pairs.values()), f"mean gain out of 100 ranks: {text}"
