"""E3: how many ranks one grader gains by joining the strategic graders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from peergauge.core.lazy import pl
from peergauge.core.randomness import stream
from peergauge.engine.deviation import Deviation, deviation_gains
from peergauge.engine.experiment import Point, experiment, made_for, parameters_of
from peergauge.engine.results import Row
from peergauge.lab.figures import figure
from peergauge.lab.figures.lines import by_mechanism
from peergauge.lab.figures.looks import is_variant
from peergauge.lab.figures.summaries import means, variances
from peergauge.lab.paper.claims import (
    BASELINE_VARIANTS,
    DMI,
    H2_P,
    KL_P,
    MIN_CLEAR_ERRORS,
    MIN_STRONG_GAIN_RANKS,
    Evidence,
    Outcome,
    Part,
    Section,
    claim,
    clearly_above,
    clearly_positive,
    each_value,
    in_part,
    judge,
    label_of,
    labels_of,
    with_error,
)
from peergauge.lab.paper.roster import (
    BODY_FIGURES,
    body,
    normalised,
    novel,
    novel_as_published,
    parametric,
)
from peergauge.lab.paper.selections import GAINS, GAINS_NOVEL, GAINS_UNCORRECTED
from peergauge.lab.paper.strategic import Profile, StrategicClasses
from peergauge.lab.paper.values import Value, mean_of
from peergauge.mechanisms import total_pay
from peergauge.metrics.rank_gain import RankGain
from peergauge.simulate import strategies
from peergauge.simulate.source import SemesterSource
from peergauge.simulate.strategies import tempting

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROSTER = (
    *body("correct"),
    *parametric("estimate"),
    *novel("correct"),
    *novel_as_published("e3"),
)

RANKED_FIRST = normalised(novel_as_published("e3"))
"""Mechanisms whose unpaid graders rank first, as in the authors' published numbers."""

UNPAID_FIRST, UNPAID_UNDEFINED = RankGain(unpaid="first"), RankGain(unpaid="undefined")


@experiment(
    "e3",
    label="Gain of a deviator",
    source="Burrell & Schoenebeck 2022, Quantifying Robustness Against Strategic Reporting",
    question="How many ranks does one grader gain by joining the strategic ones?",
)
@dataclass(frozen=True)
class DeviationGain(StrategicClasses):
    """10 to 90 of 100 graders are strategic; one truthful grader joins them.

    Rewards before and after the deviation share all random draws: the class is the same, and so are
    the draws of the mechanism, which depend on the assignment of graders and not on the grades. A
    grader who joins a profile of several strategies follows one of them, drawn by their shares.

    Parameters
    ----------
    loo
        Number of semesters, from the first, in which LOO pays. LOO fits the model again without
        each grader, and takes more time than all other mechanisms together.
    """

    sampled: ClassVar[tuple[str, ...]] = ("repetitions", "loo")

    loo: int = 20

    def scaled(self, share: float) -> Self:
        return replace(super().scaled(share), loo=max(1, round(share * self.loo)))

    def points(self) -> Sequence[Point]:
        return self.by_tenths(tempting(), 1, 9)

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, point, repetition)
        setting = made_for(self, point, lambda: self.setting(point))
        simulated = SemesterSource(setting).draw(own)
        joined = Profile.parse(point.strategy).drawn(stream(own, "joins"))
        found = self.measurement(repetition, own, **parameters_of(setting))
        deviations: dict[str, Deviation] = {}
        for mechanism in self.paying(ROSTER):
            if mechanism.facts.needs_truth and repetition >= self.loo:
                continue
            # The deviation is the same under every mechanism of the same design.
            design = mechanism.facts.design
            semester = simulated.semester(design)
            if design not in deviations:
                after = semester.redo(semester.deviator, joined)
                deviations[design] = Deviation(semester.reports, after, (semester.deviator,))
            pay = partial(total_pay, mechanism, seed=own, truth=semester.truth)
            as_published = not self.mechanisms and mechanism.spec in RANKED_FIRST
            measure = UNPAID_FIRST if as_published else UNPAID_UNDEFINED
            for gain in deviation_gains([deviations[design]], pay):
                yield found.row(
                    mechanism,
                    measure.facts.name,
                    gain.ranks(measure),
                    strategy=point.strategy,
                    unpaid=measure.unpaid,
                )


MEAN_GAIN = "mean gain in rank of a deviator"


@figure(
    "gains",
    number="Figure 4",
    title="Gain of a deviator",
    caption="Mean number of ranks that one truthful grader gains by joining the graders who "
    "already follow a strategy, against the number of these graders; below zero the deviation does "
    "not pay. Bands are 95 % confidence intervals of the means over simulated semesters (1.96 "
    "standard errors). The parametric mechanisms correct reports for the estimated biases.",
    section="Robustness, simulated",
    order=50,
    needs=(GAINS,),
)
def gains(results: pl.DataFrame) -> Figure:
    """Mean gain against the number of strategic graders, for the mechanisms of the body."""
    rows = GAINS.rows(results)
    return by_mechanism(means(rows.filter(is_variant(rows, BODY_FIGURES))), MEAN_GAIN)


@figure(
    "gains_others",
    number="Figure F.2a",
    title="Gain of a deviator, the other mechanisms",
    caption="Mean gain in rank of one grader who joins the strategic graders, for the mechanisms "
    "that are not shown in the body of the paper. Bands are 95 % confidence intervals of the means "
    "over simulated semesters (1.96 standard errors). Several strategies change nothing under "
    "DMI, which only looks at whether a grade is above or below the prior mean.",
    section="Appendix: robustness, simulated",
    order=160,
    needs=(GAINS,),
)
def gains_others(results: pl.DataFrame) -> Figure:
    """Mean gain against the number of strategic graders, for the remaining mechanisms."""
    rows = GAINS.rows(results)
    return by_mechanism(means(rows.filter(~is_variant(rows, BODY_FIGURES))), MEAN_GAIN)


@figure(
    "gains_uncorrected",
    title="Gain of a deviator without correction for bias",
    caption="Mean gain in rank of one grader who joins the strategic graders, under the parametric "
    "mechanisms when they estimate biases but do not subtract them from the reports. Bands are "
    "95 % confidence intervals of the means over simulated semesters (1.96 standard errors).",
    section="Appendix: robustness, simulated",
    order=161,
    needs=(GAINS_UNCORRECTED,),
)
def gains_uncorrected(results: pl.DataFrame) -> Figure:
    """Mean gain against the number of strategic graders, without correction for bias."""
    return by_mechanism(means(GAINS_UNCORRECTED.rows(results)), MEAN_GAIN)


@figure(
    "gains_novel",
    title="Gain of a deviator, novel mechanisms",
    caption="Mean gain in rank of one grader who joins the strategic graders, under the mechanisms "
    "that the paper proposes. Bands are 95 % confidence intervals of the means over simulated "
    "semesters (1.96 standard errors). CORR cannot pay a grader whose reports are all alike, so "
    "there is no gain to show for the two strategies that always report the same grade.",
    section="Appendix: novel mechanisms",
    order=81,
    needs=(GAINS_NOVEL,),
)
def gains_novel(results: pl.DataFrame) -> Figure:
    """Mean gain against the number of strategic graders, under the novel mechanisms."""
    return by_mechanism(means(GAINS_NOVEL.rows(results)), MEAN_GAIN)


@figure(
    "gains_variance",
    number="Figure F.2b",
    title="Variance of a deviator's gain",
    caption="Variance over simulated semesters of the gain in rank of one grader who joins the "
    "strategic graders. The vertical axis has a square-root scale, on which variances are as far "
    "from 0 as their standard deviations. Bands are approximate 95 % confidence intervals: 1.96 "
    "standard errors of the sample variance, which are computed from its fourth moment.",
    section="Appendix: robustness, simulated",
    order=170,
    needs=(GAINS,),
)
def gains_variance(results: pl.DataFrame) -> Figure:
    """Variance of the gain against the number of strategic graders, for each mechanism."""
    cells = variances(GAINS.rows(results))
    ylabel = "variance of the gain in rank (square-root scale)"
    return by_mechanism(cells, ylabel, height=1.3, level=None, roots=True)


CROWDED_GRADERS = (80, 90)
"""Numbers of strategic graders, out of 100, that count as high."""

MAX_NEUTRAL_GAIN_RANKS = 5
"""Mean gain, in ranks out of 100, up to which a strategy counts as approximately neutral."""

MIN_SHARE_OF_NEARLY_ALL = 0.9
"""Share of the cells that counts as nearly all of them."""


@claim(
    Section.ROBUSTNESS,
    "e3",
    quote="the individual incentives for deviating from truthful reporting are strong under the "
    "baseline mechanisms, whereas Φ-Div_P: H² and Φ-Div_P: KL are much more robust",
    place="Section 7.2.2 (Results), line 566",
    about="simulated",
)
def baselines_reward_deviating(evidence: Evidence) -> Outcome:
    """The baselines reward deviating; Φ-Div_P KL and H² are much more robust."""
    value = evidence.reader(GAINS, "rank-gain")
    weak = [one for one in BASELINE_VARIANTS if not value(one).mean > MIN_STRONG_GAIN_RANKS]
    rewarding = [one for one in (KL_P, H2_P) if not value(one).mean < 0]
    return judge(
        Part(not weak, f"The incentive to deviate under {labels_of(weak)} is not strong."),
        Part(not rewarding, f"{labels_of(rewarding)} rewards deviating on average."),
        measured="mean gain over all strategies and numbers of strategic graders, in ranks out of "
        "100: " + each_value((*BASELINE_VARIANTS, KL_P, H2_P), value, 1),
        criterion=f"The mean gain is above {MIN_STRONG_GAIN_RANKS} ranks out of 100 under each of "
        "MSE, OA and MSE_P, and below 0 under Φ-Div_P: KL and Φ-Div_P: H².",
    )


@claim(
    Section.ROBUSTNESS,
    "e3",
    quote="Φ-Div_P: KL, in particular, is robust against all the strategies and strategy profiles "
    "that we consider, in the sense that the mean rank gain achieved by deviating to strategic "
    "reporting is essentially never positive.",
    place="Section 7.2.2 (Results), line 566",
    about="simulated",
)
def nobody_gains_under_kl(evidence: Evidence) -> Outcome:
    """Under Φ-Div_P KL the mean gain of a deviator is essentially never positive."""
    gains = evidence.over(GAINS, KL_P, "rank-gain")
    largest = max(gains, key=lambda value: value.mean)
    above = clearly_positive(gains)
    return judge(
        Part(above == 0, f"Deviating clearly pays in {above} of {len(gains)} cells."),
        measured=f"{above} of {len(gains)} cells are clearly above 0; the largest is "
        f"{with_error(largest, 1, '+')}",
        criterion="No cell (a strategy and a number of strategic graders) is above 0 by more than "
        f"{MIN_CLEAR_ERRORS} standard errors.",
    )


@claim(
    Section.ROBUSTNESS,
    "e3",
    quote="Hedge, for example, exhibits both high average rank gain (that does not depend too much "
    "on the number of other strategic agents)",
    place="Section 7.2.2 (Results), line 568",
    about="simulated",
)
def hedging_pays(evidence: Evidence) -> Outcome:
    """Hedge gains many ranks under the baselines, whatever the number of strategic graders."""
    text, low, dependent = [], [], []
    for one in BASELINE_VARIANTS:
        by_strategy = {
            strategy: [value.mean for value in evidence.over(GAINS, one, "rank-gain", strategy)]
            for strategy in tempting()
        }
        reach = {name: max(means) - min(means) for name, means in by_strategy.items()}
        own = by_strategy["hedge"]
        others = float(np.mean([reach[name] for name in reach if name != "hedge"]))
        if not min(own) > MIN_STRONG_GAIN_RANKS:
            low.append(one)
        if not reach["hedge"] < others:
            dependent.append(one)
        text.append(
            f"{label_of(one)} {min(own):+.1f} to {max(own):+.1f}, a range of {reach['hedge']:.1f} "
            f"(other strategies {others:.1f} on average)"
        )
    return judge(
        Part(not low, f"Hedging gains few ranks under {labels_of(low)}."),
        Part(
            not dependent,
            f"Under {labels_of(dependent)} the gain depends on the number of strategic graders at "
            "least as much as for the other strategies.",
        ),
        measured="mean gain: " + "; ".join(text),
        criterion="Under each of MSE, OA and MSE_P, the mean gain is above "
        f"{MIN_STRONG_GAIN_RANKS} ranks out of 100 at every number of strategic graders, and its "
        "range over these numbers is smaller than the average range of the other strategies.",
    )


@claim(
    Section.ROBUSTNESS,
    "e3",
    quote="relatively low variance … under the baseline mechanisms, which makes it a very "
    "attractive strategy for students deviating from truthful reporting",
    place="Section 7.2.2 (Results), line 568",
    about="simulated",
)
def hedging_is_safe(evidence: Evidence) -> Outcome:
    """The gain from Hedge has a relatively low variance under the baselines."""
    others = [strategy for strategy in tempting() if strategy != "hedge"]
    text, risky = [], []
    for one in BASELINE_VARIANTS:
        own = evidence.deviation(GAINS, one, "rank-gain", "hedge")
        rest = np.mean([evidence.deviation(GAINS, one, "rank-gain", other) for other in others])
        if not own < float(rest):
            risky.append(one)
        text.append(f"{label_of(one)} {own:.0f} (other strategies {rest:.0f} on average)")
    return judge(
        Part(
            not risky,
            f"Under {labels_of(risky)} the gain from Hedge varies at least as much as the gains "
            "from other strategies.",
        ),
        measured="standard deviation of the gain: " + "; ".join(text),
        criterion="Under each of MSE, OA and MSE_P, the standard deviation of the gain over "
        "semesters is smaller than the average of the other strategies.",
    )


@claim(
    Section.ROBUSTNESS,
    "e3",
    quote="Report All 10s is also a very potent strategy, under all the mechanisms shown except "
    "for Φ-Div_P: KL , when the number of strategic agents is high.",
    place="Section 7.2.2 (Results), line 568",
    about="simulated",
)
def all_tens_pay_in_a_crowd(evidence: Evidence) -> Outcome:
    """If most report all 10s, joining them pays under all mechanisms shown but Φ-Div_P KL."""
    paying = (*BASELINE_VARIANTS, H2_P)
    weak, text = [], []
    rewarding = False
    for x in CROWDED_GRADERS:
        value = evidence.reader(GAINS, "rank-gain", x=x, strategy="all-tens")
        weak += [one for one in paying if not value(one).mean > MIN_STRONG_GAIN_RANKS]
        rewarding |= not value(KL_P).mean <= 0
        text.append(f"{x} strategic graders: {each_value((*paying, KL_P), value, 1)}")
    return judge(
        Part(not weak, f"Report All 10s gains little under {labels_of(dict.fromkeys(weak))}."),
        Part(not rewarding, "Report All 10s pays under Φ-Div_P: KL too."),
        measured="; ".join(text),
        criterion=f"If {' and if '.join(map(str, CROWDED_GRADERS))} of 100 graders report all 10s, "
        f"the mean gain is above {MIN_STRONG_GAIN_RANKS} ranks out of 100 under MSE, OA, MSE_P and "
        "Φ-Div_P: H², and not above 0 under Φ-Div_P: KL.",
    )


@claim(
    Section.ROBUSTNESS,
    "e3",
    quote="Add Noise is universally ineffective",
    place="Section 7.2.2 (Results), line 568",
    about="simulated",
)
def noise_is_useless(evidence: Evidence) -> Outcome:
    """Add Noise gains nothing under any mechanism."""
    by_mechanism = {
        one: evidence.over(GAINS, one, "rank-gain", "noise") for one in evidence.variants(GAINS)
    }
    paying = [one for one, gains in by_mechanism.items() if clearly_positive(gains)]
    gains = [value for found in by_mechanism.values() for value in found]
    largest = max(gains, key=lambda value: value.mean)
    return judge(
        Part(not paying, f"Adding noise clearly pays in some cells of {labels_of(paying)}."),
        measured=f"{clearly_positive(gains)} of {len(gains)} cells are clearly above 0; mean "
        f"{mean_of(gains).mean:+.1f}, largest {with_error(largest, 1, '+')}",
        criterion="No cell (a mechanism and a number of strategic graders) is above 0 by more than "
        f"{MIN_CLEAR_ERRORS} standard errors.",
    )


@claim(
    Section.ROBUSTNESS,
    "e3",
    quote="Fix Bias is approximately neutral in all cases",
    place="Section 7.2.2 (Results), line 568",
    about="simulated",
)
def fixing_bias_is_neutral(evidence: Evidence) -> Outcome:
    """Fix Bias is approximately neutral under every mechanism, for every number of graders."""
    by_mechanism = {
        one: evidence.over(GAINS, one, "rank-gain", "fix-bias") for one in evidence.variants(GAINS)
    }
    means = {one: mean_of(gains) for one, gains in by_mechanism.items()}
    low, high = (pick(means, key=lambda one: means[one].mean) for pick in (min, max))
    far = [
        one
        for one, gains in by_mechanism.items()
        if abs(means[one].mean) > MAX_NEUTRAL_GAIN_RANKS
        or any(
            clearly_above(Value(abs(gain.mean), gain.error), MAX_NEUTRAL_GAIN_RANKS)
            for gain in gains
        )
    ]
    return judge(
        Part(not far, f"Fix Bias is clearly not neutral under {labels_of(far)}."),
        measured="lowest and highest mean gain of a mechanism, out of 100 ranks: "
        + each_value((low, high), means.__getitem__, 1),
        criterion=f"The mean gain of each mechanism is within {MAX_NEUTRAL_GAIN_RANKS} ranks out "
        f"of 100 of zero, and no cell is beyond these {MAX_NEUTRAL_GAIN_RANKS} ranks by more than "
        f"{MIN_CLEAR_ERRORS} standard errors.",
    )


@claim(
    Section.ROBUSTNESS,
    "e3",
    quote="This explains why several of the strategies are completely neutral under DMI; they "
    "don't affect the value of the report after the mapping.",
    place="Section F.2.1 (Computational Experiments with ABM), line 1515",
    about="simulated",
)
def projection_hides_strategies(evidence: Evidence) -> Outcome:
    """Several strategies are exactly neutral under DMI, which distinguishes two grades only."""
    neutral = []
    for strategy in tempting():
        gains = evidence.over(GAINS, DMI, "rank-gain", strategy)
        if gains and all(value == (0.0, 0.0) for value in gains):
            neutral.append(strategies.make(strategy).label)
    return judge(
        Part(len(neutral) > 1, "Fewer than two strategies are exactly neutral under DMI."),
        measured=f"gain 0 in every semester: {', '.join(neutral) or 'none'}",
        criterion="At least two strategies have a gain of exactly 0 in every semester.",
    )


@claim(
    Section.ROBUSTNESS,
    "e3",
    quote="mechanisms tend to either be susceptible to strategic behavior—rewarding it to some "
    "degree in nearly all cases that we consider in our experiments … or are robust against "
    "it—punishing it to some degree in all cases or in nearly all cases",
    place="Section F.2.1 (Computational Experiments with ABM), line 1517",
    about="simulated",
)
def robustness_is_nearly_binary(evidence: Evidence) -> Outcome:
    """A mechanism either rewards strategies in nearly all cases or punishes them in nearly all."""
    shares = {}
    for one in evidence.variants(GAINS):
        gains = [value for value in evidence.over(GAINS, one, "rank-gain") if value.error > 0]
        clear = [value for value in gains if abs(value.mean) > MIN_CLEAR_ERRORS * value.error]
        positive = float(np.mean([value.mean > 0 for value in clear])) if clear else 0.5
        shares[one] = max(positive, 1 - positive)
    mixed = [one for one, share in shares.items() if share < MIN_SHARE_OF_NEARLY_ALL]
    decided = len(shares) - len(mixed)
    reason = (
        f"{labels_of(mixed)} clearly reward some strategies and clearly punish others, so results "
        "on one strategy at a time need not carry over to other strategies."
    )
    text = "; ".join(f"{label_of(one)} {share:.0%}" for one, share in shares.items())
    return Outcome(
        in_part(not mixed, decided > len(shares) / 2),
        measured=f"{decided} of {len(shares)} mechanisms; share of the clear cells that have the "
        f"more common sign: {text}",
        criterion="Of the cells (a strategy and a number of strategic graders) that differ from 0 "
        f"by more than {MIN_CLEAR_ERRORS} standard errors, at least {MIN_SHARE_OF_NEARLY_ALL:.0%} "
        "have the same sign: for every mechanism (holds), or for more than half (in part).",
        reason=reason if mixed else "",
    )
