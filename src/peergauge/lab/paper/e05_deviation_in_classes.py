"""Could one student of a class as it is have gained by reporting otherwise?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal, Self

from peergauge.core.randomness import derived_seed, stream
from peergauge.engine.deviation import Deviation, deviation_gains, total_pay
from peergauge.engine.experiment import Point, experiment
from peergauge.engine.results import Row
from peergauge.lab.paper.classes import OverClasses
from peergauge.lab.paper.roster import for_any_class
from peergauge.metrics.rank_gain import RankGain
from peergauge.simulate import deviate, strategies
from peergauge.simulate.strategies import tempting


@experiment(
    "e5",
    label="Gain of every deviator in classes",
    source="Burrell & Schoenebeck 2022, Quantifying Robustness, real data",
    question="How many ranks would each student have gained by deviating from what they reported?",
)
@dataclass(frozen=True)
class DeviationInClasses(OverClasses):
    """Every student deviates in turn, one at a time, everything else as it was.

    What students reported is taken for what they saw. Strategies that act on a bias are left out,
    since nobody knows theirs. The draws of a mechanism are the same before and after. Gains are
    counted in ranks, as in the paper, and in ranks of a hundred, since classes differ in size.

    Parameters
    ----------
    repetitions
        At most so many students of a class deviate, picked at random; all if 0.
    bias
        How parametric mechanisms treat bias; as in E3 if left out.
    share
        Or this share of them.
    """

    sampled: ClassVar[tuple[str, ...]] = (*OverClasses.sampled, "share")

    repetitions: int = 0
    bias: Literal["ignore", "estimate", "correct"] = "correct"
    share: float = 1.0

    def points(self) -> Sequence[Point]:
        known = [one for one in tempting() if not strategies.make(one).facts.latent]
        return [Point(kind=name, strategy=one) for name in self.names() for one in known]

    def repetitions_at(self, point: Point, seed: int) -> int:
        students = round(self.share * self.students(point.kind, seed))
        return min(students, self.repetitions or students)

    def scaled(self, share: float) -> Self:
        return replace(self, share=share * self.share)

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        taught = self.load(point.kind, seed)
        reports = taught.reports
        own = derived_seed(seed, self.facts.name, taught.name)
        student = int(stream(own, "order").permutation(taught.students)[repetition])
        after = deviate(reports, student, point.strategy, prior_mean=taught.prior[0], seed=own)
        deviation = Deviation(reports, after, (student,))
        found = self.measurement(repetition, own, **{"class": taught.name})
        for chosen, mechanism in self.paying_in(taught, for_any_class(self.bias)):
            pay = partial(total_pay, mechanism, seed=own)
            # All students deviate from the same reports, which are paid once.
            before = reports.derived((mechanism, own), partial(pay, reports))
            for gain in deviation_gains([deviation], pay, paid=(reports, before)):
                for measure in (RankGain(), RankGain(out_of=100)):
                    yield found.row(
                        chosen,
                        measure.facts.name,
                        gain.ranks(measure),
                        strategy=point.strategy,
                        out_of=measure.out_of,
                    )
