"""Can one grader gain by not reporting what they saw?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from peergauge.core.randomness import stream
from peergauge.engine.experiment import Class, Point, experiment
from peergauge.engine.results import Row
from peergauge.lab.paper._strategic import Profile, StrategicClasses
from peergauge.lab.paper.mechanisms import body, novel, novel_as_published, parametric
from peergauge.lab.paper.published import AS_PUBLISHED
from peergauge.mechanisms import score
from peergauge.metrics.rank_gain import RankGain
from peergauge.simulate.strategies import tempting
from peergauge.tables import Reports

FILES = {
    "incentives_for_deviating-ce-bias": body("correct"),
    "incentives_for_deviating-ce-bias-parametric-bias_correct_false": parametric("estimate"),
    "incentives_for_deviating-ce-bias-extensions": novel("correct"),
    f"incentives_for_deviating-ce-bias-extensions{AS_PUBLISHED}": novel_as_published("correct"),
}


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
        own = self.own_seed(seed, point, repetition)
        taught = Class(self.setting(point), own)
        joins = Profile.parse(point.strategy).drawn(stream(own, "joins"))
        strategy, deviant = self.strategy_of(point), dict[str, Reports]()
        for paid in self.paid(FILES):
            mechanism = paid.mechanism
            if mechanism.facts.truth and repetition >= self.loo:
                continue
            gain = RankGain(unpaid="first" if paid.file.endswith(AS_PUBLISHED) else "undefined")
            semester = taught.suited_to(mechanism)
            deviator = semester.deviator
            # The deviation is the same under every mechanism of the same design.
            design = mechanism.facts.design
            if design not in deviant:
                deviant[design] = semester.redo(deviator, joins)
            before = score(mechanism, semester.reports, seed=own, truth=semester.truth)
            after = score(mechanism, deviant[design], seed=own, truth=semester.truth)
            value = gain.measure(before, after, deviator)
            yield paid.row(gain.published, value, repetition, own, x=point.x, strategy=strategy)
