"""Are truthful graders paid more than strategic ones?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from peergauge.engine.experiment import MeasuredRewards, Point, experiment
from peergauge.lab.paper.claims import Evidence, Outcome, Section, claim
from peergauge.lab.paper.roster import body
from peergauge.lab.paper.selections import GAINS, STRATEGIC_PAY
from peergauge.lab.paper.strategic import StrategicClasses
from peergauge.metrics import RewardMetric
from peergauge.metrics.strategic_auc import StrategicAUC
from peergauge.simulate.strategies import tempting


@experiment(
    "e4",
    label="Truthful against strategic pay",
    source="Burrell & Schoenebeck 2022, appendix, Robustness Against Strategic Reporting",
    question="Does pay tell truthful graders from strategic ones?",
)
@dataclass(frozen=True)
class TruthfulAgainstStrategic(StrategicClasses, MeasuredRewards):
    """10 to 90 of 100 graders follow one strategy; the AUC of truthful against strategic pay."""

    def points(self) -> Sequence[Point]:
        return self.by_tenths(tempting(), 1, 9)

    def roster(self) -> Sequence[str]:
        return body("correct")

    def measures(self) -> Sequence[RewardMetric]:
        return (StrategicAUC(int64=True),)


@claim(Section.POPULATION, "e3", "e4")
def populations_and_deviators_agree(evidence: Evidence) -> Outcome:
    """The AUC of truthful against strategic pay agrees with the gain of a single deviator."""
    gains, aucs = [], []
    for one in evidence.variants(GAINS):
        pay = evidence.by_place(STRATEGIC_PAY, one, "strategic-auc")
        for place, gain in evidence.by_place(GAINS, one, "rank-gain").items():
            if place in pay:
                gains.append(gain.mean)
                aucs.append(pay[place].mean)
    r = float(np.corrcoef(gains, aucs)[0, 1])
    return r < -0.8, f"correlation of mean gain and AUC over {len(gains)} cells: {r:.2f}"
