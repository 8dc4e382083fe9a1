"""E4: how well rewards separate truthful from strategic graders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from peergauge.core.lazy import pl
from peergauge.engine.experiment import MeasuredRewards, Point, experiment
from peergauge.lab.figures import figure
from peergauge.lab.figures.boxes import boxes_by_mechanism
from peergauge.lab.paper.claims import Evidence, Outcome, Part, Section, claim, judge
from peergauge.lab.paper.roster import body
from peergauge.lab.paper.selections import GAINS, STRATEGIC_PAY
from peergauge.lab.paper.strategic import StrategicClasses
from peergauge.metrics import RewardMetric
from peergauge.metrics.strategic_auc import StrategicAUC
from peergauge.simulate.strategies import tempting

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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


MAX_GROUPS_OF_BOXES = 6
"""Numbers of strategic graders beyond which the boxes leave out every second one."""


@figure(
    "truthful_against_strategic",
    number="Figure F.2c",
    title="Truthful against strategic pay",
    caption="AUC of telling truthful from strategic graders by their pay, over simulated "
    "semesters, by the number of strategic graders. Above the line at 0.5 truthful graders are "
    "paid more, below it they are paid less. Boxes show the median and the quartiles, whiskers "
    "reach to the last value within 1.5 interquartile ranges, and dots lie beyond. As in the "
    "paper, the number of strategic graders is shown in steps of 20; results in steps of 10 are "
    "in the tables of cells.",
    section="Appendix: robustness, simulated",
    order=180,
    needs=(STRATEGIC_PAY,),
)
def truthful_against_strategic(results: pl.DataFrame) -> Figure:
    """Boxes of the AUC by strategy and number of strategic graders, a panel for each mechanism."""
    rows = STRATEGIC_PAY.rows(results)
    steps = sorted(rows["x"].unique().to_list())
    shown = steps if len(steps) <= MAX_GROUPS_OF_BOXES else steps[::2]
    return boxes_by_mechanism(
        rows,
        shown,
        xlabel="strategic graders",
        ylabel="AUC of truthful against strategic pay",
        level=0.5,
    )


MAX_AGREEING_CORRELATION = -0.8
"""Correlation of gain and AUC up to which both tell the same story; a high AUC means no gain."""


@claim(
    Section.POPULATION,
    "e3",
    "e4",
    quote="This population-level view tells the same story that is depicted by …, corroborating "
    "our individual-level analysis.",
    place="Section F.2.1 (Computational Experiments with ABM), line 1570",
    about="simulated",
)
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
    return judge(
        Part(
            r < MAX_AGREEING_CORRELATION,
            "Strategies that pay for a single deviator are not those under which strategic graders "
            "are paid more.",
        ),
        measured=f"correlation of mean gain and AUC over {len(gains)} cells: {r:.2f}",
        criterion="The correlation of the mean gain with the AUC of truthful against strategic "
        "pay, over all cells (mechanism, strategy, number of strategic graders), is below "
        f"{MAX_AGREEING_CORRELATION}.",
    )
