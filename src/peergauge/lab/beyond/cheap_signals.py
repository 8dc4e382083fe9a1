"""Do graders gain by agreeing on what is seen at a glance?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from peergauge.core.randomness import stream
from peergauge.engine.experiment import Class, Point, experiment
from peergauge.engine.results import Row
from peergauge.lab.beyond._mechanisms import OURS
from peergauge.lab.paper.mechanisms import body
from peergauge.lab.paper.sizes import OfOneSize
from peergauge.mechanisms import score
from peergauge.metrics.binary_auc import BinaryAUC
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.rank_gain import RankGain
from peergauge.simulate import CheapSignals, Semester, Setting
from peergauge.tables import Reports

FILE = "cheap-signals"
JOINING, RETURNING = "rank gain of joining", "rank gain of returning"
CORRELATIONS = ("0", "0.5", "0.8")
"""Of the cheap quality with the true score."""

MECHANISMS = (*body("estimate"), *OURS)


@experiment(
    "cheap-signals",
    label="Cheap signals",
    source="called for by Burrell & Schoenebeck 2022; Gao et al. 2016",
    question="Do graders gain by agreeing on what is seen at a glance, and from which share on?",
    beyond=True,
)
@dataclass(frozen=True)
class CheapSignalsPay(OfOneSize):
    """0 to 90 of 100 graders report a cheap quality; one more joins them, or one of them returns.

    The cheap quality correlates with the true score by 0, 0.5 or 0.8. Ranks are gained by the one
    who joins, or returns to what they see in full. It is also measured how pay goes with squared
    error. What it saves to look only at the cheap quality comes on top.
    """

    repetitions: int = 60

    def points(self) -> Sequence[Point]:
        tenth = self.students // 10
        return [Point(tenth * x, kind=kind) for kind in CORRELATIONS for x in range(10)]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, point, repetition)
        many = point.x or 0
        taught = Class(
            Setting(
                self.students,
                self.assignments,
                strategies={"cheap": many},
                cheap=CheapSignals(float(point.kind)),
            ),
            own,
        )
        gain, changed = RankGain(), dict[str, dict[str, tuple[int, Reports]]]()
        for paid in self.paid({FILE: MECHANISMS}):
            mechanism = paid.mechanism
            semester = taught.suited_to(mechanism)
            design = mechanism.facts.design
            if design not in changed:
                changed[design] = _changes(semester, own)
            before = score(mechanism, semester.reports, seed=own, truth=semester.truth)
            values = {
                measure.published: measure.measure(before, semester.truth)
                for measure in (BinaryAUC(), KendallTau())
            }
            for metric, (who, reports) in changed[design].items():
                after = score(mechanism, reports, seed=own, truth=semester.truth)
                values[metric] = gain.measure(before, after, who)
            for metric, value in values.items():
                yield paid.row(metric, value, repetition, own, x=point.x, strategy=point.kind)


def _changes(semester: Semester, seed: int) -> dict[str, tuple[int, Reports]]:
    """Who joins, and who returns if there is somebody, with the reports of all after that."""
    who = semester.deviator
    changes = {JOINING: (who, semester.redo(who, "cheap"))}
    on_it = np.flatnonzero(semester.population.strategy)
    if len(on_it):
        back = int(stream(seed, "returns").choice(on_it))
        changes[RETURNING] = back, semester.redo(back, "truthful")
    return changes
