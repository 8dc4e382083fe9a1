"""E5: how many ranks each student of a real class would have gained by deviating."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import product
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Self, TypeAlias

import numpy as np

from peergauge.core.arrays import Floats, Ints
from peergauge.core.lazy import pl
from peergauge.core.randomness import derived_seed, stream
from peergauge.engine.deviation import Deviation, deviation_gains, pay_per_report, total_pay
from peergauge.engine.experiment import Point, experiment
from peergauge.engine.results import Row
from peergauge.lab.figures import figure
from peergauge.lab.figures.by_class import points_by_class
from peergauge.lab.figures.looks import is_variant
from peergauge.lab.figures.summaries import Summary, means, variances
from peergauge.lab.paper.claims import (
    BASELINE_VARIANTS,
    MIN_CLEAR_ERRORS,
    PHI_DIV_P_VARIANTS,
    PTS,
    Evidence,
    Outcome,
    Part,
    Section,
    claim,
    clearly_positive,
    judge,
    label_of,
    labels_of,
)
from peergauge.lab.paper.classes import GradedClass, OverClasses, class_columns
from peergauge.lab.paper.roster import (
    BODY_FIGURES,
    for_any_class,
    for_any_class_as_published,
    parametric,
    parametric_as_published,
)
from peergauge.lab.paper.selections import (
    CLASS_GAINS,
    CLASS_GAINS_AUTHORS,
    GAINS,
    REAL_GAINS,
    Selection,
)
from peergauge.mechanisms import Mechanism
from peergauge.metrics.rank_gain import RankGain
from peergauge.simulate import deviate, strategies
from peergauge.simulate.strategies import tempting
from peergauge.tables import Reports

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Way: TypeAlias = Literal["alone", "authors"]
"""One deviator at a time, or the authors' way, in which earlier deviators stay deviators."""


@experiment(
    "e5",
    label="Gain of every deviator in classes",
    source="Burrell & Schoenebeck 2022, Quantifying Robustness, real data",
    question="How many ranks would each student have gained by deviating from what they reported?",
)
@dataclass(frozen=True)
class DeviationInClasses(OverClasses):
    """Every student deviates in turn, in two ways.

    One at a time (``alone``), as in the text: everything else stays the same, and students are
    ranked by their total pay. In the authors' way (``authors``), as in their script: the reports of
    all students who deviated earlier stay changed, before and after, and students are ranked by
    their pay per grade. So the last students deviate in a class in which all others follow the
    strategy.

    Reports are treated as signals. Strategies that depend on a grader's bias are left out, because
    biases are not known. The draws of a mechanism are the same before and after. Gains are counted
    in ranks, as in the paper, and in ranks out of 100, because classes differ in size.

    Parameters
    ----------
    repetitions
        Largest number of students of a class that deviate, drawn at random; all if 0.
    bias
        How parametric mechanisms treat bias: ``published`` for the two settings of the authors'
        files (correct for bias, and estimate it only), or one setting for all.
    way
        ``alone``, ``authors`` or ``both``; if left out, both for stand-ins and ``alone`` for real
        classes.
    share
        Share of the students of a class that deviate.
    """

    sampled: ClassVar[tuple[str, ...]] = (*OverClasses.sampled, "share")

    repetitions: int = 0
    bias: Literal["published", "ignore", "estimate", "correct"] = "published"
    way: Literal["", "alone", "authors", "both"] = ""
    share: float = 1.0

    def points(self) -> Sequence[Point]:
        known = [one for one in tempting() if not strategies.make(one).facts.latent]
        return [Point(kind=one.kind, strategy=each) for one in self.taught() for each in known]

    def repetitions_at(self, point: Point, seed: int) -> int:
        students = round(self.share * self.students(self.taught_as(point.kind), seed))
        return min(students, self.repetitions or students)

    def scaled(self, share: float) -> Self:
        return replace(self, share=share * self.share)

    def ways(self) -> tuple[Way, ...]:
        """The ways in which students deviate."""
        if self.way == "both" or (not self.way and not self.classes):
            return ("alone", "authors")
        return ("authors",) if self.way == "authors" else ("alone",)

    def roster(self, way: Way) -> Sequence[str]:
        """Specs of the mechanisms of the paper that pay the classes."""
        whole = for_any_class_as_published if way == "authors" else for_any_class
        some = parametric_as_published if way == "authors" else parametric
        if self.bias != "published":
            return whole(self.bias)
        return (*whole("correct"), *some("estimate"))

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        taught = self.load(self.taught_as(point.kind), seed)
        own = derived_seed(seed, self.facts.name, taught.name)
        student = int(_order(taught, own)[repetition])
        found = self.measurement(repetition, own, **class_columns(taught))
        for way in self.ways():
            before, after = _before_and_after(taught, point.strategy, way, repetition, own)
            deviation = Deviation(before, after, (student,))
            for chosen, mechanism in self.paying_in(taught, self.roster(way)):
                pay = partial(_pay, mechanism, way, own)
                for gain, measure in product(deviation_gains([deviation], pay), MEASURES):
                    yield found.row(
                        chosen,
                        measure.facts.name,
                        gain.ranks(measure),
                        strategy=point.strategy,
                        way=way,
                        out_of=measure.out_of,
                    )


MEASURES = (RankGain(), RankGain(out_of=100))


def _pay(mechanism: Mechanism, way: Way, seed: int, reports: Reports) -> Floats:
    """Pay a class, once for all students who deviate from the same reports."""
    pay = total_pay if way == "alone" else pay_per_report
    return reports.derived((mechanism, way, seed), partial(pay, mechanism, reports, seed=seed))


def _order(taught: GradedClass, seed: int) -> Ints:
    """The random order in which the students of a class deviate."""
    return stream(seed, "order").permutation(taught.students)


def _before_and_after(
    taught: GradedClass, strategy: str, way: Way, repetition: int, seed: int
) -> tuple[Reports, Reports]:
    """The reports of a class before and after one more student deviates."""
    if way == "alone":
        return taught.reports, _deviated(taught, strategy, repetition, repetition + 1, seed)
    # The reports after one student deviates are those before the next one does.
    return (
        _kept(taught, strategy, repetition, seed),
        _kept(taught, strategy, repetition + 1, seed),
    )


@lru_cache(maxsize=8)
def _kept(taught: GradedClass, strategy: str, deviators: int, seed: int) -> Reports:
    """The reports if the first deviators follow a strategy; kept for the next student."""
    return _deviated(taught, strategy, 0, deviators, seed)


def _deviated(taught: GradedClass, strategy: str, first: int, end: int, seed: int) -> Reports:
    """The reports if the students from *first* up to *end* in the order follow a strategy."""
    if first == end:
        return taught.reports
    graders = _order(taught, seed)[first:end]
    return deviate(taught.reports, graders, strategy, prior_mean=taught.prior[0], seed=seed)


MAX_SIZE_RATIO = 2.0001
"""The largest ratio of class sizes at which gains in ranks share an axis."""


class Unit(NamedTuple):
    """The unit of gains: ranks out of so many students, 0 for ranks as they are, and its name."""

    out_of: int
    label: str


RANK_UNIT, RANK_OUT_OF_100_UNIT = Unit(0, "rank"), Unit(100, "ranks per 100 students")


def unit_of(gains: pl.DataFrame) -> Unit:
    """The unit in which the gains of all classes can share one axis.

    It is ranks, as in the paper, if no class ranks more than twice as many students as another,
    and ranks out of 100 otherwise.
    """
    size, out_of = pl.col("value").fill_nan(0.0).abs(), pl.col("out_of")
    totals = gains.group_by("class", "mechanism").agg(
        ranks=size.filter(out_of == RANK_UNIT.out_of).sum(),
        out_of_100=size.filter(out_of == RANK_OUT_OF_100_UNIT.out_of).sum(),
    )
    # The ratio of the two is the number of students who are ranked, divided by 100.
    known = totals.filter(pl.col("out_of_100") > 0)
    students = (known["ranks"] / known["out_of_100"]).to_numpy()
    differ = len(students) and students.max() > MAX_SIZE_RATIO * students.min()
    return RANK_OUT_OF_100_UNIT if differ else RANK_UNIT


def _by_class(
    gains: pl.DataFrame, shown: pl.Expr | bool, summary: Summary, xlabel: str, level: float | None
) -> Figure:
    """Draw a summary of the gains by strategy and class, a panel for each shown mechanism."""
    unit = unit_of(gains)
    rows = gains.filter(shown, pl.col("out_of") == unit.out_of)
    names = ["class", "mechanism", "strategy"]
    tried = rows.group_by(names).agg(tried=pl.len())
    cells = summary(rows).join(tried, on=names, how="left", maintain_order="left")
    title = "" if unit == RANK_UNIT else f"gains in {unit.label}"
    roots = summary is variances
    return points_by_class(cells, xlabel, level=level, legend_title=title, roots=roots)


def _mean_gains(part: Selection, results: pl.DataFrame, *, body: bool) -> Figure:
    """Draw mean gains, for the mechanisms of the body's figure or for the other ones."""
    rows = part.rows(results)
    in_body = is_variant(rows, BODY_FIGURES)
    shown = in_body if body else ~in_body
    return _by_class(rows, shown, means, "mean gain in rank", 0.0)


STAND_IN_NOTE = (
    "The classes are simulated stand-ins, not the paper's private classes. Points are means over "
    "the students of a class, and bars are their 95 % confidence intervals (1.96 standard errors). "
    "Points are hollow where fewer than half of the students are paid at all."
)
REAL_NOTE = (
    "Points are means over the students of a class, and bars are their 95 % confidence intervals "
    "(1.96 standard errors). Points are hollow where fewer than half of the students are paid at "
    "all. Gains in classes of very different sizes are shown in ranks per 100 students."
)
ALONE_NOTE = (
    "One student deviates at a time while all others report as they did, as the text of the paper "
    "describes it; below zero the deviation does not pay."
)
AUTHORS_NOTE = (
    "This is the authors' way: the reports of students who deviated earlier stay changed, so that "
    "a deviator joins a class in which on average half of the others follow the same strategy, and "
    "students are ranked by their pay per grade."
)
CLASS_SECTION = "Robustness, simulated stand-ins for the real classes"
APPENDIX_SECTION = "Appendix: robustness, simulated stand-ins for the real classes"


@figure(
    "gains_stand_ins",
    number="Figure 5",
    title="Gain of a deviator in simulated stand-ins, one at a time",
    caption="Mean number of ranks that a student gains by following a strategy. "
    f"{ALONE_NOTE} {STAND_IN_NOTE}",
    section=CLASS_SECTION,
    order=60,
    needs=(CLASS_GAINS,),
)
def gains_stand_ins(results: pl.DataFrame) -> Figure:
    """Mean gain one at a time by strategy and stand-in, for the mechanisms of the body."""
    return _mean_gains(CLASS_GAINS, results, body=True)


@figure(
    "gains_stand_ins_authors",
    number="Figure 5",
    title="Gain of a deviator in simulated stand-ins, in the authors' way",
    caption="Mean number of ranks that a student gains by following a strategy. "
    f"{AUTHORS_NOTE} {STAND_IN_NOTE}",
    section=CLASS_SECTION,
    order=61,
    needs=(CLASS_GAINS_AUTHORS,),
)
def gains_stand_ins_authors(results: pl.DataFrame) -> Figure:
    """Mean gain in the authors' way by strategy and stand-in, for the mechanisms of the body."""
    return _mean_gains(CLASS_GAINS_AUTHORS, results, body=True)


@figure(
    "gains_stand_ins_others",
    number="Figure F.2d",
    title="Gain of a deviator in simulated stand-ins, one at a time, the other mechanisms",
    caption="Mean gain in rank of a student who follows a strategy, for the mechanisms that are "
    f"not shown in the body of the paper. {ALONE_NOTE} {STAND_IN_NOTE}",
    section=APPENDIX_SECTION,
    order=190,
    needs=(CLASS_GAINS,),
)
def gains_stand_ins_others(results: pl.DataFrame) -> Figure:
    """Mean gain one at a time by strategy and stand-in, for the remaining mechanisms."""
    return _mean_gains(CLASS_GAINS, results, body=False)


@figure(
    "gains_stand_ins_authors_others",
    number="Figure F.2d",
    title="Gain of a deviator in simulated stand-ins, in the authors' way, the other mechanisms",
    caption="Mean gain in rank of a student who follows a strategy, for the mechanisms that are "
    f"not shown in the body of the paper. {AUTHORS_NOTE} {STAND_IN_NOTE}",
    section=APPENDIX_SECTION,
    order=191,
    needs=(CLASS_GAINS_AUTHORS,),
)
def gains_stand_ins_authors_others(results: pl.DataFrame) -> Figure:
    """Mean gain in the authors' way by strategy and stand-in, for the remaining mechanisms."""
    return _mean_gains(CLASS_GAINS_AUTHORS, results, body=False)


VARIANCE_NOTE = (
    "Variance over the students of a class of the gain in rank of a student who follows a "
    "strategy. Bars are approximate 95 % confidence intervals: 1.96 standard errors of the sample "
    "variance, which are computed from its fourth moment. Points are hollow where fewer than half "
    "of the students are paid at all."
)


@figure(
    "gains_stand_ins_variance",
    number="Figure F.2e",
    title="Variance of a deviator's gain in simulated stand-ins, one at a time",
    caption=f"{VARIANCE_NOTE} {ALONE_NOTE} The classes are simulated stand-ins, not the paper's "
    "private classes.",
    section=APPENDIX_SECTION,
    order=192,
    needs=(CLASS_GAINS,),
)
def gains_stand_ins_variance(results: pl.DataFrame) -> Figure:
    """Variance of the gain by strategy and stand-in, a panel for each mechanism."""
    return _by_class(CLASS_GAINS.rows(results), True, variances, "variance of the gain", None)


@figure(
    "gains_stand_ins_authors_variance",
    number="Figure F.2e",
    title="Variance of a deviator's gain in simulated stand-ins, in the authors' way",
    caption=f"{VARIANCE_NOTE} {AUTHORS_NOTE} The classes are simulated stand-ins, not the paper's "
    "private classes.",
    section=APPENDIX_SECTION,
    order=193,
    needs=(CLASS_GAINS_AUTHORS,),
)
def gains_stand_ins_authors_variance(results: pl.DataFrame) -> Figure:
    """Variance of the gain in the authors' way, a panel for each mechanism."""
    rows = CLASS_GAINS_AUTHORS.rows(results)
    return _by_class(rows, True, variances, "variance of the gain", None)


@figure(
    "gains_real",
    number="Figure 5",
    title="Gain of a deviator in your classes",
    caption=f"Mean number of ranks that a student gains by following a strategy. {ALONE_NOTE} "
    f"{REAL_NOTE}",
    section="Robustness in your classes",
    order=62,
    needs=(REAL_GAINS,),
)
def gains_real(results: pl.DataFrame) -> Figure:
    """Mean gain by strategy and real class, for the mechanisms of the body's figure."""
    return _mean_gains(REAL_GAINS, results, body=True)


@figure(
    "gains_real_others",
    number="Figure F.2d",
    title="Gain of a deviator in your classes, the other mechanisms",
    caption="Mean gain in rank of a student who follows a strategy, for the mechanisms that are "
    f"not shown in the body of the paper. {ALONE_NOTE} {REAL_NOTE}",
    section="Robustness in your classes",
    order=63,
    needs=(REAL_GAINS,),
)
def gains_real_others(results: pl.DataFrame) -> Figure:
    """Mean gain by strategy and real class, for the remaining mechanisms."""
    return _mean_gains(REAL_GAINS, results, body=False)


@figure(
    "gains_real_variance",
    number="Figure F.2e",
    title="Variance of a deviator's gain in your classes",
    caption=f"{VARIANCE_NOTE} {ALONE_NOTE} Gains in classes of very different sizes are shown in "
    "ranks per 100 students.",
    section="Robustness in your classes",
    order=64,
    needs=(REAL_GAINS,),
)
def gains_real_variance(results: pl.DataFrame) -> Figure:
    """Variance of the gain by strategy and real class, a panel for each mechanism."""
    return _by_class(REAL_GAINS.rows(results), True, variances, "variance of the gain", None)


def _gains_by_class(evidence: Evidence, out_of: int) -> list[Selection]:
    """The gains of each class, in ranks *out_of* so many students, or in ranks as they are if 0."""
    return [
        CLASS_GAINS.narrowed({"class": name, "out_of": out_of})
        for name in evidence.classes(CLASS_GAINS)
    ]


MAX_SHARE_OF_FEW_CELLS = 0.25
"""Share of the pairs of class and strategy with a clear gain of a mechanism that is robust."""


@claim(
    Section.CLASSES,
    "e5",
    quote="Each Φ-Div_P mechanism, the PTS mechanism, and to some extent the non-parametric Φ-Div: "
    "TVD mechanism, are robust against strategic reporting for many or all semesters and "
    "strategies",
    place="Section 7.3.2 (Results), line 619",
    about="private classes",
)
def parametric_pairing_is_robust_in_classes(evidence: Evidence) -> Outcome:
    """Every Φ-Div_P and PTS are robust in many or all classes; most others fail in some class."""
    gains = _gains_by_class(evidence, 0)
    tempted = {}
    for one in evidence.variants(gains[0]):
        found = [value for taught in gains for value in evidence.over(taught, one, "rank-gain")]
        tempted[one] = clearly_positive(found), len(found)
    text = "; ".join(f"{label_of(one)} {a} of {b}" for one, (a, b) in tempted.items())
    robust = (*PHI_DIV_P_VARIANTS, PTS)
    tempting_often = [
        one for one in robust if tempted[one][0] > MAX_SHARE_OF_FEW_CELLS * tempted[one][1]
    ]
    return judge(
        Part(not tempting_often, f"{labels_of(tempting_often)} rewards deviating too often."),
        measured=f"pairs of class and strategy with a clear gain: {text}",
        criterion="Under each Φ-Div_P and PTS, at most "
        f"{MAX_SHARE_OF_FEW_CELLS:.0%} of the pairs of class and strategy have a mean gain above 0 "
        f"by more than {MIN_CLEAR_ERRORS} standard errors.",
    )


@claim(
    Section.CLASSES,
    "e5",
    "e3",
    quote="certain strategies like Report All 10s are somewhat less potent than in the experiments "
    "with ABM",
    place="Section 7.3.2 (Results), line 621",
    about="private classes",
)
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
    more = [one for one, (a, b) in pairs.items() if not a < b]
    return judge(
        Part(not more, f"Report All 10s gains no less under {labels_of(more)}."),
        measured=f"mean gain out of 100 ranks: {text}",
        criterion="Under each of MSE, OA and MSE_P, the mean gain of Report All 10s is lower in "
        "the classes (E5) than in simulations with many strategic graders (E3).",
    )
