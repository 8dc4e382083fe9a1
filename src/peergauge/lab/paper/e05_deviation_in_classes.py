"""Could one student of a class as it is have gained by reporting otherwise?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar, Literal, Self

from peergauge.core.randomness import derived_seed, stream
from peergauge.engine.experiment import Point, experiment, published_strategy
from peergauge.engine.results import Row
from peergauge.lab.paper.classes import OverClasses
from peergauge.lab.paper.mechanisms import for_any_class
from peergauge.mechanisms import score
from peergauge.metrics.rank_gain import PER_100, RankGain
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
        gains = {RankGain.facts.published: RankGain(), PER_100: RankGain(out_of=100)}
        reports = taught.reports
        own = derived_seed(seed, self.facts.name, taught.name)
        student = int(stream(own, "order").permutation(taught.students)[repetition])
        deviant = deviate(reports, student, point.strategy, prior_mean=taught.prior[0], seed=own)
        file, strategy = f"real-gain_{taught.name}", published_strategy(point)
        for paid in self.paid_in(taught, file, for_any_class(self.bias)):
            # All who deviate share what was paid before.
            pay = partial(score, paid.mechanism, reports, seed=own)
            before = reports.derived((paid.mechanism, own), pay)
            after = score(paid.mechanism, deviant, seed=own)
            for metric, gain in gains.items():
                value = gain.measure(before, after, student)
                yield paid.row(metric, value, repetition, own, strategy=strategy)
