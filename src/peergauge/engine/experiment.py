"""Experiments: a grid of points, repeated, each paying the same classes by every mechanism."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

from peergauge.core.randomness import derived_seed
from peergauge.core.registry import Facts, Plugin, Registry, parameters
from peergauge.engine.results import Row
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.metrics import RewardMetric
from peergauge.simulate import Semester, Setting, simulate


@dataclass(frozen=True, kw_only=True)
class ExperimentFacts(Facts):
    """What an experiment declares.

    Parameters
    ----------
    question
        What it asks.
    beyond
        Whether it asks what the paper leaves open, and so is not part of reproducing it.
    """

    question: str
    beyond: bool = False


class Point(NamedTuple):
    """One place of an experiment's grid: a number, a strategy, a kind of class."""

    x: int | None = None
    strategy: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Experiment(Plugin):
    """What is simulated and measured at every point, so many times.

    Parameters
    ----------
    repetitions
        How many classes each point has.
    """

    facts: ClassVar[ExperimentFacts]
    sampled: ClassVar[tuple[str, ...]] = ("repetitions",)
    """The parameters that say how much is tried, and not what."""

    repetitions: int = 100

    @abstractmethod
    def points(self) -> Sequence[Point]:
        """The grid."""

    @abstractmethod
    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        """Measure one repetition at one point; *seed* is the whole run's."""

    def repetitions_at(self, point: Point, seed: int) -> int:
        """How many repetitions a point has."""
        return self.repetitions

    def scaled(self, share: float) -> Self:
        """The same experiment with a share of its repetitions, three at the least."""
        count = max(min(3, self.repetitions), round(share * self.repetitions))
        return replace(self, repetitions=count)

    def inputs(self) -> dict[str, Any]:
        """What the results depend on besides settings and seed, such as the contents of files."""
        return {}

    @property
    def as_in_the_paper(self) -> bool:
        """Whether everything but what is sampled is as it is by default."""
        return all(
            getattr(self, field.name) == field.default
            for field in parameters(type(self))
            if field.name not in self.sampled
        )

    def own_seed(self, seed: int, point: Point, repetition: int) -> int:
        """The seed of one repetition at one point."""
        x = "" if point.x is None else point.x
        names = (self.facts.name, point.kind, point.strategy, x, repetition)
        return derived_seed(seed, *names)


experiments: Registry[Experiment] = Registry(
    "experiment", "peergauge.lab.paper peergauge.lab.beyond", ExperimentFacts
)
experiment = experiments.register


def reproduced() -> list[Experiment]:
    """The experiments of the paper."""
    return [one for one in experiments.all() if not one.facts.beyond]


class Class:
    """One simulated class; the clusters that DMI needs are formed if somebody asks for them."""

    def __init__(self, setting: Setting, seed: int, repeat: int = 0):
        self.setting, self.seed, self.repeat = setting, seed, repeat

    @cached_property
    def regular(self) -> Semester:
        """Graded by the setting's own design."""
        return simulate(self.setting, self.seed, repeat=self.repeat)

    @cached_property
    def clustered(self) -> Semester:
        """The same graders and submissions, graded in clusters."""
        clusters = replace(self.setting, design="clusters")
        return simulate(clusters, self.seed, repeat=self.repeat)

    def suited_to(self, mechanism: Mechanism) -> Semester:
        """The semester by the design that *mechanism* needs."""
        return self.clustered if mechanism.facts.design == "clusters" else self.regular


class Paid(NamedTuple):
    """One mechanism of an experiment, with what results call it and the file they belong to."""

    file: str
    name: str
    mechanism: Mechanism

    def row(
        self,
        metric: str,
        value: float,
        repetition: int,
        seed: int,
        *,
        x: int | None = None,
        strategy: str = "",
    ) -> Row:
        """What was measured of it, as a row of results."""
        spec = self.mechanism.spec
        return Row(self.file, self.name, spec, strategy, x, metric, repetition, seed, value)


@dataclass(frozen=True)
class PaysGraders(Experiment):
    """An experiment that pays the same classes by several mechanisms.

    Parameters
    ----------
    mechanisms
        Pay by these instead of the paper's; each by its spec, with ``+`` between two of them and
        ``;`` for the commas inside one.
    """

    mechanisms: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [self.mechanisms] if isinstance(self.mechanisms, str) else self.mechanisms
        # Made here, so that an unknown one is refused before anything is begun.
        specs = tuple(mechanisms.make(one).spec for one in given)
        object.__setattr__(self, "mechanisms", specs)

    def paid(self, files: Mapping[str, Sequence[str]]) -> list[Paid]:
        """Every mechanism of every published file, or those that were chosen instead.

        Chosen ones go under the name of the first file, so that its figures show them. Two with
        the same published name are told apart by their specs.
        """
        if not self.mechanisms:
            return [
                Paid(file, made.published or made.spec, made)
                for file, specs in files.items()
                for made in map(mechanisms.make, specs)
            ]
        chosen = [mechanisms.make(spec) for spec in self.mechanisms]
        names = [made.published for made in chosen]
        return [
            Paid(next(iter(files)), name if name and names.count(name) == 1 else made.spec, made)
            for name, made in zip(names, chosen, strict=True)
        ]


@dataclass(frozen=True)
class MeasuredRewards(PaysGraders):
    """An experiment that simulates a class, pays it by every mechanism, and measures the pay."""

    @abstractmethod
    def setting(self, point: Point) -> Setting:
        """The classes of a point."""

    @abstractmethod
    def files(self, point: Point) -> Mapping[str, Sequence[str]]:
        """The mechanisms that are paid, by the published file that has them."""

    @abstractmethod
    def measures(self) -> Sequence[RewardMetric]:
        """What is asked of the rewards."""

    def strategy_of(self, point: Point) -> str:
        """What results call that which strategic graders do at a point."""
        return published_strategy(point)

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, point, repetition)
        taught, strategy = Class(self.setting(point), own), self.strategy_of(point)
        measures = self.measures()
        for paid in self.paid(self.files(point)):
            semester = taught.suited_to(paid.mechanism)
            rewards = score(paid.mechanism, semester.reports, seed=own, truth=semester.truth)
            for measure in measures:
                metric, value = measure.published, measure.measure(rewards, semester.truth)
                yield paid.row(metric, value, repetition, own, x=point.x, strategy=strategy)


def published_strategy(point: Point) -> str:
    """What the authors' files call the strategy of a point; its spec, if they do not have it."""
    from peergauge.simulate import strategies

    if not point.strategy:
        return ""
    made = strategies.make(point.strategy)
    return made.published or made.spec
