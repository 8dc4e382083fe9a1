"""E11: how well rewards rank graders by effort if some graders are strategic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.engine.experiment import MeasuredRewards, Point, experiment
from peergauge.lab.figures import figure
from peergauge.lab.figures.lines import by_strategy
from peergauge.lab.figures.looks import is_variant
from peergauge.lab.figures.summaries import means
from peergauge.lab.paper.claims import (
    H2_P,
    MIN_CLEAR_ERRORS,
    MSE,
    MSE_P,
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
    with_error,
)
from peergauge.lab.paper.roster import body
from peergauge.lab.paper.selections import STRATEGIC_RANKING
from peergauge.lab.paper.strategic import StrategicClasses
from peergauge.metrics import RewardMetric
from peergauge.metrics.effort_tau import EffortTau
from peergauge.simulate import strategies
from peergauge.simulate.strategies import tempting

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@experiment(
    "e11",
    label="Ranking with strategic graders",
    source="Burrell & Schoenebeck 2022, appendix, Integrity in the Presence of Strategic Agents",
    question="Does pay still rank graders by effort when some of them are strategic?",
)
@dataclass(frozen=True)
class StrategicRanking(StrategicClasses, MeasuredRewards):
    """0 to 100 of 100 graders follow one informed strategy; τ_B of pay with effort."""

    def points(self) -> Sequence[Point]:
        informed = [name for name in tempting() if strategies.make(name).facts.informed]
        return self.by_tenths(informed, 0, 10)

    def roster(self) -> Sequence[str]:
        return body("correct")

    def measures(self) -> Sequence[RewardMetric]:
        return (EffortTau(int64=True),)


BEST_RANKING = ("mse", "mse-p", "phi-div-p:divergence=h2")
"""The mechanisms that rank effort best, which the paper shows."""


@figure(
    "strategic_ranking",
    number="Figure E.2d",
    title="Ranking among strategic graders",
    caption="Kendall τ_B between pay and effort, for the three mechanisms that rank best, as more "
    "graders follow a strategy that depends on their signal. Lines are means over simulated "
    "semesters, and bands are their 95 % confidence intervals (1.96 standard errors).",
    section="Appendix: integrity among strategic graders",
    order=130,
    needs=(STRATEGIC_RANKING,),
)
def strategic_ranking(results: pl.DataFrame) -> Figure:
    """τ_B against the number of strategic graders, for the mechanisms that rank best."""
    rows = STRATEGIC_RANKING.rows(results)
    return by_strategy(means(rows.filter(is_variant(rows, BEST_RANKING))), EffortTau.facts.label)


@figure(
    "strategic_ranking_others",
    title="Ranking among strategic graders, the other mechanisms",
    caption="Kendall τ_B between pay and effort, for all mechanisms that the paper does not show, "
    "as more graders follow a strategy that depends on their signal. Lines are means over "
    "simulated semesters, and bands are their 95 % confidence intervals (1.96 standard errors).",
    section="Appendix: integrity among strategic graders",
    order=131,
    needs=(STRATEGIC_RANKING,),
)
def strategic_ranking_others(results: pl.DataFrame) -> Figure:
    """τ_B against the number of strategic graders, for the remaining mechanisms."""
    rows = STRATEGIC_RANKING.rows(results)
    return by_strategy(means(rows.filter(~is_variant(rows, BEST_RANKING))), EffortTau.facts.label)


MAX_CONSTANT_RANGE_TAU = 0.05
"""Range of mean τ_B up to which it counts as relatively constant."""

HEDGERS_IN_TEXT = 40
"""The number of hedging graders at which the text compares the mechanisms."""


@claim(
    Section.EFFORT_STRATEGIC,
    "e11",
    quote="the performance of all 3 mechanisms is relatively constant as the number of agents "
    "adopting the Fix Bias strategy grows",
    place="Section E.2.2 (Results), line 1401",
    about="simulated",
)
def fixing_bias_does_no_harm(evidence: Evidence) -> Outcome:
    """MSE, MSE_P and Φ-Div_P H² rank about as well, however many graders fix their bias."""
    text, varying = [], []
    for one in (MSE, MSE_P, H2_P):
        found = evidence.over(STRATEGIC_RANKING, one, "effort-tau", "fix-bias")
        means = [value.mean for value in found]
        if not max(means) - min(means) < MAX_CONSTANT_RANGE_TAU:
            varying.append(one)
        text.append(f"{label_of(one)} {min(means):.3f} to {max(means):.3f}")
    return judge(
        Part(not varying, f"τ_B of {labels_of(varying)} changes with the number of graders."),
        measured="mean τ_B: " + "; ".join(text),
        criterion="Under each mechanism, the mean τ_B varies by less than "
        f"{MAX_CONSTANT_RANGE_TAU} over all numbers of graders who fix their bias.",
    )


@claim(
    Section.EFFORT_STRATEGIC,
    "e11",
    quote="the number of agents adopting the Hedge strategy has a clear effect on the measurement "
    "integrity of those mechanisms (although the effect is not monotonic)",
    place="Section E.2.2 (Results), line 1403",
    about="simulated",
)
def hedging_does_harm(evidence: Evidence) -> Outcome:
    """Graders who hedge lower τ_B of MSE and MSE_P, and more hedging is not always worse."""
    text, unharmed, monotone = [], [], []
    for one in (MSE, MSE_P):
        none, everybody = (
            evidence.at(STRATEGIC_RANKING, one, "effort-tau", x=x, strategy="hedge")
            for x in (0, 100)
        )
        found = evidence.over(STRATEGIC_RANKING, one, "effort-tau", "hedge")
        worst = min(found, key=lambda value: value.mean)
        if not clearly_above(difference(none, worst)):
            unharmed.append(one)
        if not clearly_above(difference(everybody, worst)):
            monotone.append(one)
        means = f"{with_error(none)}, at worst {with_error(worst)}, {with_error(everybody)}"
        text.append(f"{label_of(one)} {means}")
    return judge(
        Part(not unharmed, f"Hedging does not clearly lower τ_B of {labels_of(unharmed)}."),
        Part(not monotone, f"τ_B of {labels_of(monotone)} does not rise again if all hedge."),
        measured="mean τ_B if nobody hedges, at worst, and if all do: " + "; ".join(text),
        criterion="Under MSE and MSE_P, the lowest mean τ_B over all numbers of hedging graders is "
        f"below that without hedging, and below that if all hedge, by more than {MIN_CLEAR_ERRORS} "
        "standard errors.",
    )


@claim(
    Section.EFFORT_STRATEGIC,
    "e11",
    quote="When 40 agents adopt the Hedge strategy, for example, Φ-Div_P: H² arguably supplants "
    "MSE_P as the best mechanism.",
    place="Section E.2.2 (Results), line 1403",
    about="simulated",
)
def hellinger_catches_up(evidence: Evidence) -> Outcome:
    """If 40 graders hedge, Φ-Div_P H² ranks at least as well as MSE_P and MSE."""
    value = evidence.reader(STRATEGIC_RANKING, "effort-tau", x=HEDGERS_IN_TEXT, strategy="hedge")
    best = max((H2_P, MSE_P, MSE), key=lambda one: value(one).mean)
    return judge(
        Part(best == H2_P, f"{label_of(best)} has the highest mean τ_B."),
        measured=f"mean τ_B if {HEDGERS_IN_TEXT} of 100 graders hedge: "
        + each_value((H2_P, MSE_P, MSE), value),
        criterion=f"If {HEDGERS_IN_TEXT} of 100 graders hedge, Φ-Div_P: H² has the highest mean "
        "τ_B of the three mechanisms. A lead within the standard errors suffices, because the text "
        "says “arguably”.",
    )
