"""Can one grader gain by not reporting what they saw?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Self

from peergauge.core.randomness import stream
from peergauge.engine.deviation import Deviation, deviation_gains, total_pay
from peergauge.engine.experiment import Point, experiment, parameters_of
from peergauge.engine.results import Row
from peergauge.lab.paper.roster import body, normalised, novel, novel_as_published, parametric
from peergauge.lab.paper.strategic import Profile, StrategicClasses
from peergauge.metrics.rank_gain import RankGain, Unpaid
from peergauge.simulate.source import SemesterSource
from peergauge.simulate.strategies import tempting

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

    Rewards before and after share every random draw: the class is the same, and so are the draws
    of the mechanism, which depend on who graded what and not on the grades. Who joins a profile of
    several strategies follows one of them, drawn by their shares.

    Parameters
    ----------
    loo
        LOO estimates the model anew without each grader and takes more time than all others
        together, so it is paid in the first so many semesters only.
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
            unpaid: Unpaid = "first" if mechanism.spec in RANKED_FIRST else "undefined"
            for gain in deviation_gains([deviations[design]], pay):
                value = gain.ranks(RankGain(unpaid=unpaid))
                yield found.row(
                    mechanism, RankGain.facts.name, value, strategy=point.strategy, unpaid=unpaid
                )
