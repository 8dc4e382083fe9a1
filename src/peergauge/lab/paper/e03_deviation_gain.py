"""E3: how many ranks one grader gains by joining the strategic graders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np

from peergauge.core.lazy import pl
from peergauge.core.randomness import stream
from peergauge.engine.deviation import Deviation, deviation_gains, total_pay
from peergauge.engine.experiment import Point, experiment, parameters_of
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
    Evidence,
    Outcome,
    Section,
    claim,
    clearly_positive,
    each_value,
    in_part,
    label_of,
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
from peergauge.lab.paper.values import mean_of
from peergauge.metrics.rank_gain import RankGain, Unpaid
from peergauge.simulate import strategies
from peergauge.simulate.source import SemesterSource
from peergauge.simulate.strategies import tempting

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROSTER = (
    *body("correct"),
    *parametric("estimate"),
    *novel("correct"),
    *novel_as_published("correct"),
)

RANKED_FIRST = normalised(novel_as_published("correct"))
"""Mechanisms whose unpaid graders rank first, as in the authors' published numbers."""


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
        own, setting = self.own_seed(seed, point, repetition), self.setting(point)
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
            unpaid: Unpaid = "first" if as_published else "undefined"
            for gain in deviation_gains([deviations[design]], pay):
                value = gain.ranks(RankGain(unpaid=unpaid))
                yield found.row(
                    mechanism, RankGain.facts.name, value, strategy=point.strategy, unpaid=unpaid
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


@claim(Section.ROBUSTNESS, "e3")
def baselines_reward_deviating(evidence: Evidence) -> Outcome:
    """The baselines reward deviating; Φ-Div_P KL and H² are much more robust."""
    value = evidence.reader(GAINS, "rank-gain")
    gains = each_value((*BASELINE_VARIANTS, KL_P, H2_P), value, 1)
    least = min(value(one).mean for one in BASELINE_VARIANTS)
    most = max(value(one).mean for one in (KL_P, H2_P))
    return least > 0 > most, f"mean gain over all strategies: {gains}"


@claim(Section.ROBUSTNESS, "e3")
def nobody_gains_under_kl(evidence: Evidence) -> Outcome:
    """Under Φ-Div_P KL the mean gain of a deviator is essentially never positive."""
    gains = evidence.over(GAINS, KL_P, "rank-gain")
    largest = max(gains, key=lambda value: value.mean)
    above = clearly_positive(gains)
    return above == 0, (
        f"{above} of {len(gains)} cells are clearly above 0; the largest is "
        f"{with_error(largest, 1, '+')}"
    )


@claim(Section.ROBUSTNESS, "e3")
def hedging_pays(evidence: Evidence) -> Outcome:
    """Hedge gains many ranks under the baselines, whatever the number of strategic graders."""
    text, holds = [], []
    for one in BASELINE_VARIANTS:
        gains = [value.mean for value in evidence.over(GAINS, one, "rank-gain", "hedge")]
        holds.append(min(gains) > 10)
        text.append(f"{label_of(one)} {min(gains):+.1f} to {max(gains):+.1f}")
    return all(holds), "mean gain: " + "; ".join(text)


@claim(Section.ROBUSTNESS, "e3")
def hedging_is_safe(evidence: Evidence) -> Outcome:
    """The gain from Hedge has a relatively low variance under the baselines."""
    others = [strategy for strategy in tempting() if strategy != "hedge"]
    text, holds = [], []
    for one in BASELINE_VARIANTS:
        own = evidence.deviation(GAINS, one, "rank-gain", "hedge")
        rest = np.mean([evidence.deviation(GAINS, one, "rank-gain", other) for other in others])
        holds.append(own < float(rest))
        text.append(f"{label_of(one)} {own:.0f} (other strategies {rest:.0f} on average)")
    return all(holds), "standard deviation of the gain: " + "; ".join(text)


@claim(Section.ROBUSTNESS, "e3")
def all_tens_pay_in_a_crowd(evidence: Evidence) -> Outcome:
    """If 90 of 100 report all 10s, joining them pays under all mechanisms shown but Φ-Div_P KL."""
    value = evidence.reader(GAINS, "rank-gain", x=90, strategy="all-tens")
    paying = (*BASELINE_VARIANTS, H2_P)
    holds = min(value(one).mean for one in paying) > 0 >= value(KL_P).mean
    return holds, each_value((*paying, KL_P), value, 1)


@claim(Section.ROBUSTNESS, "e3")
def noise_is_useless(evidence: Evidence) -> Outcome:
    """Add Noise gains nothing under any mechanism."""
    gains = [
        value
        for one in evidence.variants(GAINS)
        for value in evidence.over(GAINS, one, "rank-gain", "noise")
    ]
    largest = max(gains, key=lambda value: value.mean)
    above = clearly_positive(gains)
    return above == 0, (
        f"{above} of {len(gains)} cells are clearly above 0; mean {mean_of(gains).mean:+.1f}, "
        f"largest {with_error(largest, 1, '+')}"
    )


@claim(Section.ROBUSTNESS, "e3")
def fixing_bias_is_neutral(evidence: Evidence) -> Outcome:
    """Fix Bias is approximately neutral under every mechanism."""
    means = {
        one: evidence.mean(GAINS, one, "rank-gain", "fix-bias") for one in evidence.variants(GAINS)
    }
    low, high = (pick(means, key=lambda one: means[one].mean) for pick in (min, max))
    text = each_value((low, high), means.__getitem__, 1)
    return max(abs(value.mean) for value in means.values()) < 5, (
        f"lowest and highest mean gain, out of 100 ranks: {text}"
    )


@claim(Section.ROBUSTNESS, "e3")
def projection_hides_strategies(evidence: Evidence) -> Outcome:
    """Several strategies are exactly neutral under DMI, which distinguishes two grades only."""
    neutral = []
    for strategy in tempting():
        gains = evidence.over(GAINS, DMI, "rank-gain", strategy)
        if gains and all(value == (0.0, 0.0) for value in gains):
            neutral.append(strategies.make(strategy).label)
    return len(neutral) > 1, f"gain 0 in every semester: {', '.join(neutral) or 'none'}"


@claim(Section.ROBUSTNESS, "e3")
def robustness_is_nearly_binary(evidence: Evidence) -> Outcome:
    """Most mechanisms either reward strategies in nearly all cases or punish them in most."""
    shares = {}
    for one in evidence.variants(GAINS):
        gains = [value for value in evidence.over(GAINS, one, "rank-gain") if value.error > 0]
        clear = [value for value in gains if abs(value.mean) > MIN_CLEAR_ERRORS * value.error]
        positive = float(np.mean([value.mean > 0 for value in clear])) if clear else 0.5
        shares[one] = max(positive, 1 - positive)
    text = "; ".join(f"{label_of(one)} {share:.0%}" for one, share in shares.items())
    decided = sum(share >= 0.7 for share in shares.values())
    verdict = in_part(decided == len(shares), decided > len(shares) / 2)
    return verdict, f"share of the clear cells that have the more common sign: {text}"
