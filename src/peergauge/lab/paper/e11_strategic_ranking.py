"""E11: how well rewards rank graders by effort if some graders are strategic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

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
    Section,
    claim,
    each_value,
    label_of,
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


@claim(Section.EFFORT_STRATEGIC, "e11")
def fixing_bias_does_no_harm(evidence: Evidence) -> Outcome:
    """MSE, MSE_P and Φ-Div_P H² rank about as well, however many graders fix their bias."""
    text, holds = [], []
    for one in (MSE, MSE_P, H2_P):
        found = evidence.over(STRATEGIC_RANKING, one, "effort-tau", "fix-bias")
        means = [value.mean for value in found]
        holds.append(max(means) - min(means) < 0.05)
        text.append(f"{label_of(one)} {min(means):.3f} to {max(means):.3f}")
    return all(holds), "mean τ_B: " + "; ".join(text)


@claim(Section.EFFORT_STRATEGIC, "e11")
def hedging_does_harm(evidence: Evidence) -> Outcome:
    """Graders who hedge lower τ_B of MSE and MSE_P, and more hedging is not always worse."""
    text, holds = [], []
    for one in (MSE, MSE_P):
        none, everybody = (
            evidence.at(STRATEGIC_RANKING, one, "effort-tau", x=x, strategy="hedge")
            for x in (0, 100)
        )
        found = evidence.over(STRATEGIC_RANKING, one, "effort-tau", "hedge")
        worst = min(found, key=lambda value: value.mean)
        error = np.hypot(none.error, worst.error)
        harm = none.mean - worst.mean > MIN_CLEAR_ERRORS * error
        holds.append(bool(harm and everybody.mean > worst.mean))
        means = f"{none.mean:.3f}, at worst {worst.mean:.3f}, {everybody.mean:.3f}"
        text.append(f"{label_of(one)} {means}")
    return all(holds), "mean τ_B if nobody hedges, at worst, and if all do: " + "; ".join(text)


@claim(Section.EFFORT_STRATEGIC, "e11")
def hellinger_catches_up(evidence: Evidence) -> Outcome:
    """If 40 graders hedge, Φ-Div_P H² is at least as good as MSE_P."""
    value = evidence.reader(STRATEGIC_RANKING, "effort-tau", x=40, strategy="hedge")
    error = np.hypot(value(H2_P).error, value(MSE_P).error)
    gap = value(H2_P).mean - value(MSE_P).mean
    return bool(gap > -error), each_value((H2_P, MSE_P), value)
