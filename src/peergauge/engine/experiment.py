"""Experiments: grids of points with repetitions, in which all mechanisms pay the same classes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, NamedTuple, Self

from peergauge.core.fingerprints import described
from peergauge.core.randomness import derived_seed
from peergauge.core.registry import Facts, Plugin, Registry, parameters
from peergauge.engine.results import Row, Scalar
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.metrics import RewardMetric
from peergauge.simulate import BinaryEffort, Setting
from peergauge.simulate.source import SemesterSource
from peergauge.tables.base import Result, cache_in, made_once


@dataclass(frozen=True, kw_only=True)
class ExperimentFacts(Facts):
    """Facts that an experiment declares.

    Parameters
    ----------
    question
        The question that the experiment answers.
    beyond
        Whether the experiment goes beyond the paper; if so, it is not part of the reproduction.
    """

    question: str = ""
    beyond: bool = False


class Point(NamedTuple):
    """One point of the grid of an experiment: a number, a strategy, and a kind of class.

    The seeds of its repetitions are derived from these three.

    Examples
    --------
    >>> Point(4, "hedge")
    Point(x=4, strategy='hedge', kind='')
    """

    x: int | None = None
    strategy: str = ""
    kind: str = ""


@dataclass(frozen=True)
class Experiment(Plugin):
    """Simulates and measures classes at every point of a grid, several times.

    Parameters
    ----------
    repetitions
        Number of classes at each point.

    Examples
    --------
    >>> experiments["e12"].facts.question != ""
    True
    """

    facts: ClassVar[ExperimentFacts]
    sampled: ClassVar[tuple[str, ...]] = ("repetitions",)
    """Parameters that change the sample size only, not the quantity that is measured."""

    repetitions: int = 100

    @abstractmethod
    def points(self) -> Sequence[Point]:
        """The grid."""

    @abstractmethod
    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        """Measure one repetition at one point; *seed* belongs to the whole run."""

    def repetitions_at(self, point: Point, seed: int) -> int:
        """Number of repetitions at a point."""
        return self.repetitions

    def scaled(self, share: float) -> Self:
        """Return the experiment with a share of its repetitions, but at least three."""
        count = max(min(3, self.repetitions), round(share * self.repetitions))
        return replace(self, repetitions=count)

    def recorded(self) -> dict[str, Any]:
        """The parameters as the manifest of a run records them; other ones make another run."""
        return {one.name: described(getattr(self, one.name)) for one in fields(self)}

    def inputs(self) -> dict[str, Any]:
        """Inputs that results depend on besides settings and seed, such as checksums of files."""
        return {}

    def further_plugins(self) -> Iterable[type[Plugin]]:
        """Plug-ins from outside that results depend on although no parameter names them."""
        return ()

    @property
    def as_in_the_paper(self) -> bool:
        """Whether all parameters but the sample sizes have their default values."""
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


def made_for(experiment: Experiment, key: Hashable, make: Callable[[], Result]) -> Result:
    """Return the result of *make*, which all repetitions of an experiment share.

    It must depend only on the experiment and the *key*. It is made again if a plug-in is redefined,
    and is not pickled.
    """
    return made_once(cache_in(experiment.__dict__, "_made"), key, make, None)


experiments: Registry[Experiment] = Registry(
    "experiment", "peergauge.lab.paper peergauge.lab.beyond", ExperimentFacts
)
experiment = experiments.register


def reproduced() -> list[Experiment]:
    """The experiments of the paper."""
    return [one for one in experiments.all() if not one.facts.beyond]


class Measurement(NamedTuple):
    """One repetition of an experiment, which turns what it measures into rows.

    Parameters
    ----------
    experiment
        Name of the experiment.
    repetition, seed
        Number and seed of the repetition.
    parameters
        Parameters that all rows of the repetition share.
    """

    experiment: str
    repetition: int
    seed: int
    parameters: dict[str, Scalar]

    def row(
        self,
        mechanism: Mechanism | str,
        metric: str,
        value: float,
        *,
        strategy: str = "",
        **more: Scalar,
    ) -> Row:
        """Return one value as a row of results; further parameters become further columns."""
        spec = mechanism if isinstance(mechanism, str) else mechanism.spec
        return Row(
            self.experiment,
            spec,
            strategy,
            metric,
            self.repetition,
            self.seed,
            value,
            {**self.parameters, **more},
        )


@dataclass(frozen=True)
class PaysGraders(Experiment):
    """An experiment that pays the same classes by several mechanisms.

    Parameters
    ----------
    mechanisms
        Pay by these mechanisms instead of the paper's; each by its spec, with ``+`` between two of
        them and ``;`` for the commas inside one, or as objects.
    """

    mechanisms: tuple[str | Mechanism, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        one = isinstance(self.mechanisms, str | Mechanism)
        given = [self.mechanisms] if one else self.mechanisms
        # Refuse an unknown name before anything is computed.
        made = mechanisms.distinct(given)  # type: ignore[arg-type]
        object.__setattr__(self, "mechanisms", tuple(map(mechanisms.spec_or_object, made)))

    def paying(self, default: Sequence[str]) -> list[Mechanism]:
        """The mechanisms that the user chose, or the *default* ones."""
        chosen = self.mechanisms or tuple(default)
        return [*made_for(self, chosen, lambda: mechanisms.distinct(chosen))]

    def measurement(self, repetition: int, seed: int, **shared: Scalar) -> Measurement:
        """Start one repetition, whose rows share these parameters."""
        return Measurement(self.facts.name, repetition, seed, shared)


def parameters_of(setting: Setting) -> dict[str, Scalar]:
    """The parameters of a simulated class as columns of results."""
    return {
        "students": setting.students,
        "assignments": setting.assignments,
        "graders": setting.graders,
        "bias": setting.bias.deviation,
        "active": _active(setting),
        "strategic": sum(count for _, count in setting.mixture),
    }


def _active(setting: Setting) -> int | None:
    """Number of active graders, if effort is binary."""
    if not isinstance(setting.effort, BinaryEffort):
        return None
    active = setting.effort.active
    return setting.students // 2 if active is None else active


@dataclass(frozen=True)
class MeasuredRewards(PaysGraders):
    """An experiment that simulates a class, pays it by all mechanisms, and measures the rewards."""

    @abstractmethod
    def setting(self, point: Point) -> Setting:
        """The setting of the classes at a point."""

    @abstractmethod
    def roster(self) -> Sequence[str]:
        """Specs of the mechanisms of the paper that pay the classes."""

    @abstractmethod
    def measures(self) -> Sequence[RewardMetric]:
        """The measures of the rewards."""

    def pays_in(self, mechanism: Mechanism, repetition: int) -> bool:
        """Whether a mechanism pays in a repetition; a slow one may pay in the first ones only."""
        return True

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, point, repetition)
        setting = made_for(self, point, lambda: self.setting(point))
        simulated = SemesterSource(setting).draw(own)
        found = self.measurement(repetition, own, **parameters_of(setting))
        for mechanism in self.paying(self.roster()):
            if not self.pays_in(mechanism, repetition):
                continue
            semester = simulated.semester(mechanism.facts.design)
            rewards = score(mechanism, semester.reports, seed=own, truth=semester.truth)
            for measure in self.measures():
                value = measure.measure(rewards, semester.truth)
                yield found.row(mechanism, measure.facts.name, value, strategy=point.strategy)
