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
from peergauge.core.registry import redefinitions
from peergauge.engine.deviation import Deviation, deviation_gains, pay_per_report
from peergauge.engine.experiment import Point, experiment
from peergauge.engine.results import Row
from peergauge.lab.figures import figure
from peergauge.lab.figures.by_class import points_by_class
from peergauge.lab.figures.looks import is_variant
from peergauge.lab.figures.summaries import Summary, means, variances
from peergauge.lab.paper.claims import (
    BASELINE_VARIANTS,
    CHI2,
    H2,
    KL,
    MIN_CLEAR_ERRORS,
    MSE,
    MSE_P,
    OA,
    PHI_DIV_P_VARIANTS,
    PTS,
    TVD,
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
from peergauge.lab.paper.classes import (
    PAPER,
    GradedClass,
    OverClasses,
    class_columns,
    with_stand_ins_named,
)
from peergauge.lab.paper.published import GAIN_KIND, published_of_classes
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
from peergauge.mechanisms import Mechanism, total_pay
from peergauge.metrics.rank_gain import RankGain
from peergauge.simulate import deviate, strategies
from peergauge.simulate.strategies import Strategy, tempting
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
        Share of the students of a class that deviate. In the authors' way the others still follow
        the strategy when their turn comes, but their gains are not measured.
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
        order = _order(taught, own)
        # Of a share of the students, those in the authors' way deviate at all stages of the class.
        stage = repetition * len(order) // self.repetitions_at(point, seed)
        found = self.measurement(repetition, own, **class_columns(taught))
        for way in self.ways():
            place = stage if way == "authors" else repetition
            before, after = _before_and_after(taught, point.strategy, way, place, own)
            deviation = Deviation(before, after, (int(order[place]),))
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
    taught: GradedClass, strategy: str, way: Way, place: int, seed: int
) -> tuple[Reports, Reports]:
    """The reports of a class before and after the student at a place in the order deviates."""
    if way == "alone":
        return taught.reports, _deviated(taught, strategy, place, place + 1, seed)
    # The reports after one student deviates are those before the next one does.
    made, version = strategies.make(strategy), redefinitions()
    return (
        _kept(taught, made, version, place, seed),
        _kept(taught, made, version, place + 1, seed),
    )


@lru_cache(maxsize=8)
def _kept(
    taught: GradedClass,
    strategy: Strategy,
    version: int,  # noqa: ARG001
    deviators: int,
    seed: int,
) -> Reports:
    """The reports if the first deviators follow a strategy; kept for the next student.

    The *version* changes if a plug-in is redefined, which may be a step of the strategy.
    """
    return _deviated(taught, strategy, 0, deviators, seed)


def _deviated(
    taught: GradedClass, strategy: str | Strategy, first: int, end: int, seed: int
) -> Reports:
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
    rows = with_stand_ins_named(gains.filter(shown, pl.col("out_of") == unit.out_of))
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


PUBLISHED_NAME = "published for two classes"
ALONE_NAME = "stand-ins, one at a time"
AUTHORS_NAME = "stand-ins, the authors' way"


class ClearGains(NamedTuple):
    """How many pairs of class and strategy have a gain, out of how many."""

    positive: int
    pairs: int

    @property
    def share(self) -> float:
        """Share of the pairs that have a gain."""
        return self.positive / self.pairs if self.pairs else 0.0

    def __str__(self) -> str:
        return f"{self.positive} of {self.pairs}"


def _clear_gains(evidence: Evidence, part: Selection) -> dict[str, ClearGains]:
    """By mechanism: pairs of stand-in and strategy whose mean gain is clearly above 0."""
    found: dict[str, ClearGains] = {}
    for one in evidence.variants(part):
        values = [
            value
            for name in evidence.classes(part)
            for value in evidence.over(
                part.narrowed({"class": name, "out_of": 0}), one, "rank-gain"
            )
        ]
        found[one] = ClearGains(clearly_positive(values), len(values))
    return found


def _published_gains() -> dict[str, ClearGains]:
    """By mechanism: pairs of real class and strategy whose published mean gain is above 0."""
    cells = published_of_classes(GAIN_KIND)
    counted = cells.group_by("variant").agg((pl.col("mean") > 0).sum().alias("above"), pl.len())
    return {variant: ClearGains(above, pairs) for variant, above, pairs in counted.iter_rows()}


def _in_three_ways(evidence: Evidence, variants: Sequence[str]) -> str:
    """The shares of gains of some mechanisms in the three sources, as text."""
    sources = {
        ALONE_NAME: _clear_gains(evidence, CLASS_GAINS),
        AUTHORS_NAME: _clear_gains(evidence, CLASS_GAINS_AUTHORS),
        PUBLISHED_NAME: _published_gains(),
    }
    return " | ".join(
        f"{name}: " + "; ".join(f"{label_of(one)} {found[one]}" for one in variants)
        for name, found in sources.items()
    )


ROBUST_VARIANTS = (*PHI_DIV_P_VARIANTS, PTS, TVD)
SUSCEPTIBLE_VARIANTS = (MSE, OA, MSE_P, KL, CHI2, H2)
"""The mechanisms that the text calls susceptible, after those that it calls robust."""

MOST_PAIRS_SHARE = 0.5
"""Share of the pairs of class and strategy that counts as "many"."""

PAIR_RULE = (
    "A gain counts on stand-ins if its mean is above 0 by more than "
    f"{MIN_CLEAR_ERRORS} standard errors, and in published results, whose errors are unknown, if "
    "its mean is above 0."
)


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
    """Under each Φ-Div_P, PTS and Φ-Div: TVD, few pairs of class and strategy have a gain."""
    alone, theirs = _clear_gains(evidence, CLASS_GAINS), _published_gains()
    often, often_published = (
        [one for one in ROBUST_VARIANTS if found[one].share > 1 - MOST_PAIRS_SHARE]
        for found in (alone, theirs)
    )
    return judge(
        Part(not often, f"{labels_of(often)} rewards deviating too often in the stand-ins."),
        Part(
            not often_published,
            f"{labels_of(often_published)} rewards deviating too often in the published results.",
        ),
        measured=_in_three_ways(evidence, ROBUST_VARIANTS),
        criterion="Under each of these mechanisms, at most "
        f"{1 - MOST_PAIRS_SHARE:.0%} of the pairs of class and strategy have a gain, one deviator "
        f"at a time on stand-ins and in the published results. {PAIR_RULE}",
    )


@claim(
    Section.CLASSES,
    "e5",
    quote="the remaining mechanisms are consistently susceptible to various kinds of strategic "
    "behavior",
    place="Section 7.3.2 (Results), line 619",
    about="private classes",
)
def the_remaining_mechanisms_are_susceptible_in_classes(evidence: Evidence) -> Outcome:
    """Under MSE, OA, MSE_P and Φ-Div: KL, χ² and H², most pairs of class and strategy gain."""
    alone = _clear_gains(evidence, CLASS_GAINS)
    seldom = [one for one in SUSCEPTIBLE_VARIANTS if alone[one].share <= MOST_PAIRS_SHARE]
    return judge(
        *(
            Part(
                one not in seldom,
                f"Under {label_of(one)}, only {alone[one]} pairs have a gain if one student "
                "deviates at a time.",
            )
            for one in SUSCEPTIBLE_VARIANTS
        ),
        measured=_in_three_ways(evidence, SUSCEPTIBLE_VARIANTS),
        criterion=f"Under each of these mechanisms, more than {MOST_PAIRS_SHARE:.0%} of the pairs "
        "of class and strategy have a gain on stand-ins, one deviator at a time, as the text "
        f"describes the experiment. {PAIR_RULE}",
    ).because(
        "The published gains arise because the authors' script keeps the changed reports of "
        "earlier deviators: in that way the stand-ins show them too."
    )


MIN_CORROBORATION = 0.7
"""Correlation with the simulated experiment from which on classes corroborate it."""


@claim(
    Section.CLASSES,
    "e5",
    "e3",
    quote="this experiment with the real data largely corroborates our analogous experiments with "
    "ABM",
    place="Section 7.3.2 (Results), line 619",
    about="private classes",
)
def classes_corroborate_the_simulated_gains(evidence: Evidence) -> Outcome:
    """Mean gains by mechanism and strategy are correlated with those of the simulated classes."""
    published = {
        (variant, strategy): mean
        for variant, strategy, mean in published_of_classes(GAIN_KIND)
        .group_by("variant", "strategy")
        .agg(pl.col("mean").mean())
        .iter_rows()
    }
    pairs = sorted(published)
    simulated = [evidence.mean(GAINS, *_gain_of(pair)).mean for pair in pairs]

    def correlation(part: Selection) -> float:
        own = part.narrowed({"out_of": 100})
        return _correlation([evidence.mean(own, *_gain_of(pair)).mean for pair in pairs], simulated)

    alone, authors = correlation(CLASS_GAINS), correlation(CLASS_GAINS_AUTHORS)
    theirs = _correlation([published[pair] for pair in pairs], simulated)
    return judge(
        Part(
            alone >= MIN_CORROBORATION,
            "One deviator at a time, the gains in classes differ from those of a population in "
            "which many follow the strategy.",
        ),
        measured=f"correlation with the simulated gains over {len(pairs)} pairs of mechanism and "
        f"strategy: {ALONE_NAME} {alone:.2f}; {AUTHORS_NAME} {authors:.2f}; "
        f"{PUBLISHED_NAME} {theirs:.2f}",
        criterion="The correlation between the mean gains in stand-ins, one deviator at a time, "
        f"and the mean gains in simulated classes is at least {MIN_CORROBORATION}.",
    ).because(
        "The agreement that the paper reports rests on the authors' script, in which half of the "
        "class has already deviated on average, as in the simulated experiment."
    )


def _gain_of(pair: tuple[str, str]) -> tuple[str, str, str]:
    """The arguments of a mean of gains: mechanism, measure and strategy."""
    return pair[0], "rank-gain", pair[1]


def _correlation(one: Sequence[float], other: Sequence[float]) -> float:
    return float(np.corrcoef(one, other)[0, 1])


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
    """Report All 10s gains less if nobody else does it than if many others do."""
    # Out of 100 ranks, because the simulated experiment has 100 students.
    published = published_of_classes(GAIN_KIND).filter(pl.col("strategy") == ALL_TENS)
    students = {name: shape.students for name, shape in PAPER.items()}
    scaled = published.with_columns(
        pl.col("mean") * 100 / pl.col("class").replace_strict(students, return_dtype=pl.Float64)
    )
    theirs = dict(scaled.group_by("variant").agg(pl.col("mean").mean()).iter_rows())
    own = CLASS_GAINS.narrowed({"out_of": 100})
    gains = {
        one: (
            evidence.mean(own, one, "rank-gain", ALL_TENS).mean,
            theirs[one],
            evidence.mean(GAINS, one, "rank-gain", ALL_TENS).mean,
        )
        for one in BASELINE_VARIANTS
    }
    text = "; ".join(
        f"{label_of(one)} {a:+.1f} one at a time, {b:+.1f} published, {c:+.1f} simulated classes"
        for one, (a, b, c) in gains.items()
    )
    more = [one for one, (a, _, c) in gains.items() if not a < c]
    more_published = [one for one, (_, b, c) in gains.items() if not b < c]
    return judge(
        Part(not more, f"Report All 10s gains no less in the stand-ins under {labels_of(more)}."),
        Part(
            not more_published,
            f"Report All 10s gains no less in the published results under "
            f"{labels_of(more_published)}.",
        ),
        measured=f"mean gain out of 100 ranks: {text}",
        criterion="Under each of MSE, OA and MSE_P, the mean gain of Report All 10s is lower in "
        "stand-ins (one deviator at a time) and in the published results of real classes than in "
        "simulated classes with many strategic graders.",
    )


ALL_TENS = "all-tens"
