"""Can one grader gain by not reporting what they saw?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from peergauge.experiments import (
    Class,
    Experiment,
    Point,
    by_file,
    experiment,
    published_strategy,
)
from peergauge.experiments.paper._mechanisms import NOVEL, body, parametric
from peergauge.mechanisms import score
from peergauge.metrics.rank_gain import RankGain
from peergauge.results import Row
from peergauge.simulate import Setting, strategies
from peergauge.tables import Reports

FILES = {
    "incentives_for_deviating-ce-bias": body("correct"),
    "incentives_for_deviating-ce-bias-parametric-bias_correct_false": parametric("estimate"),
    "incentives_for_deviating-ce-bias-extensions": NOVEL,
}


@experiment(
    "e3",
    label="Gain of a deviator",
    source="Burrell & Schoenebeck 2022, Quantifying Robustness Against Strategic Reporting",
    question="How many ranks does one grader gain by joining the strategic ones?",
)
@dataclass(frozen=True)
class DeviationGain(Experiment):
    """10 to 90 of 100 graders are strategic; one truthful grader joins them.

    Rewards before and after share every random draw: the class is the same, and so are the draws
    of the mechanism, which depend on who graded what and not on the grades.

    Parameters
    ----------
    students
        How many there are.
    assignments
        How many each semester has.
    """

    students: int = 100
    assignments: int = 10

    def points(self) -> Sequence[Point]:
        steps = range(self.students // 10, self.students, self.students // 10)
        names = [name for name in strategies.classes() if name != "truthful"]
        return [Point(x, name) for name in names for x in steps]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, point, repetition)
        setting = Setting(
            students=self.students,
            assignments=self.assignments,
            strategies={point.strategy: point.x or 0},
        )
        taught, gain = Class(setting, own), RankGain()
        deviant: dict[str, Reports] = {}
        for file, mechanism in by_file(FILES):
            semester = taught.suited_to(mechanism)
            deviator = semester.deviator
            # The deviation is the same under every mechanism of the same design.
            design = mechanism.facts.design
            if design not in deviant:
                deviant[design] = semester.redo(deviator, point.strategy)
            before = score(mechanism, semester.reports, seed=own)
            after = score(mechanism, deviant[design], seed=own)
            yield Row(
                experiment=file,
                mechanism=mechanism.published,
                spec=mechanism.spec,
                strategy=published_strategy(point),
                x=point.x,
                metric=gain.published,
                repetition=repetition,
                seed=own,
                value=gain.measure(before, after, deviator),
            )
