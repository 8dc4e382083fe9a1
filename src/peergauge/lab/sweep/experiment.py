"""A sweep as an experiment of the engine, which resumes it and runs it on any executor."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import (
    ConvergenceWarning,
    DesignError,
    ParameterError,
    PeergaugeError,
    TimeLimitError,
    UnknownNameError,
)
from peergauge.core.fingerprints import described
from peergauge.core.randomness import derived_seed, stream
from peergauge.engine.deviation import Deviation, deviation_gains
from peergauge.engine.environment import Environment
from peergauge.engine.experiment import Experiment, ExperimentFacts, Measurement, Point
from peergauge.engine.results import Row
from peergauge.lab.compare import COMPARED_STREAM, per_report
from peergauge.lab.paper.strategic import Profile
from peergauge.lab.sweep.grid import Grid, GridPoint, in_words
from peergauge.mechanisms import Mechanism
from peergauge.metrics import DeviationMetric, Metric, RewardMetric
from peergauge.metrics.rank_gain import RankGain
from peergauge.metrics.statistics import rank_shares
from peergauge.simulate import Semester, strategies
from peergauge.simulate.source import SimulatedClass
from peergauge.tables import Reports

POINT_COLUMN = "point"
"""Column of results with the number of the point in the grid."""


@dataclass(frozen=True)
class Sweep(Experiment):
    """Measures all mechanisms at every point of a grid.

    Parameters
    ----------
    grid
        The points, with their classes and mechanisms.
    measures
        The measures: of rewards and true scores, or of a deviation.
    deviators
        Number of truthful graders of each class who deviate, one at a time.
    """

    facts: ClassVar[ExperimentFacts] = ExperimentFacts(
        name="sweep",
        label="Sweep",
        source="peergauge",
        question="How do mechanisms compare as a parameter changes?",
        beyond=True,
    )

    grid: Grid = field(default_factory=lambda: Grid((), Environment(), ()))
    measures: tuple[Metric, ...] = ()
    deviators: int = 1

    def points(self) -> Sequence[Point]:
        return [Point(number) for number in range(len(self.grid))]

    def recorded(self) -> dict[str, Any]:
        return {
            "repetitions": self.repetitions,
            "deviators": self.deviators,
            "mechanisms": [_named(one) for one in self.grid.mechanisms],
            "measures": [_named(one) for one in self.measures],
            "environment": described(self.grid.environment),
            "strategy": self.grid.profile,
            "over": {
                one.name: [
                    list(pair) for pair in zip(one.labels, map(described, one.values), strict=True)
                ]
                for one in self.grid.dimensions
            },
        }

    def own_seed(self, seed: int, point: Point, repetition: int) -> int:
        # The same at all points, and as in a comparison of mechanisms.
        return derived_seed(seed, COMPARED_STREAM, repetition)

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own, number = self.own_seed(seed, point, repetition), point.x or 0
        here = self.grid.point(number)
        shared = {name: value for name, value in here.coordinates.items() if name != "strategy"}
        rows = Measurement(self.facts.name, repetition, own, {POINT_COLUMN: number, **shared})
        simulated = here.environment.draw(own)
        with warnings.catch_warnings():
            # Suppress convergence warnings of single classes, of which there are many.
            warnings.simplefilter("ignore", ConvergenceWarning)
            for chosen, mechanism in zip(self.grid.mechanisms, here.mechanisms, strict=True):
                try:
                    values = self.measured(here, simulated, mechanism)
                except DesignError:
                    # The class cannot have the design that the mechanism needs.
                    continue
                except (UnknownNameError, TimeLimitError):
                    raise
                except PeergaugeError as error:
                    raise ParameterError(
                        f"{mechanism.spec} cannot be measured at {in_words(here.coordinates)}: "
                        f"{error}"
                    ) from error
                for name, value in values.items():
                    yield rows.row(chosen, name, value, strategy=here.profile)

    def measured(
        self, here: GridPoint, simulated: SimulatedClass, mechanism: Mechanism
    ) -> Mapping[str, float]:
        """The value of every measure in one class, by the spec of the measure."""
        semester = simulated.semester(mechanism.facts.design)
        paid = PaidClass(here, semester, mechanism, self.deviators)
        values = {}
        for measure in self.measures:
            if isinstance(measure, RewardMetric):
                own = per_report(measure) if here.environment.source.uneven else measure
                values[measure.spec] = own.measure(paid.rewards, semester.truth)
            elif isinstance(measure, DeviationMetric):
                values[measure.spec] = paid.gain(measure)
        return values


class PaidClass:
    """One class that one mechanism pays, as it is and if single graders deviate.

    Parameters
    ----------
    here
        The point.
    semester
        The class.
    mechanism
        The mechanism.
    deviators
        Number of truthful graders who deviate, one at a time.
    """

    def __init__(
        self, here: GridPoint, semester: Semester, mechanism: Mechanism, deviators: int
    ) -> None:
        self.here, self.semester, self.mechanism = here, semester, mechanism
        self.deviators = deviators

    @cached_property
    def rewards(self) -> Any:
        """The rewards of the class as it is."""
        return self._rewards(self.semester.reports)

    def _rewards(self, reports: Reports) -> Any:
        semester = self.semester
        return self.here.environment.rewards(self.mechanism, reports, semester.seed, semester.truth)

    @cached_property
    def deviations(self) -> list[Deviation]:
        """The deviations of some truthful graders, one at a time."""
        semester = self.semester
        joined = strategies.make(
            Profile.parse(self.here.profile).drawn(stream(semester.seed, "joins"))
        )
        standing = self._standing if joined.uses("shown") else None
        return [
            Deviation(semester.reports, semester.redo(one, joined, standing=standing), (one,))
            for one in deviators_of(semester, self.deviators)
        ]

    def _standing(self, done: int) -> Floats:
        """Standing of each grader after some assignments, before anybody deviates."""
        return rank_shares(self._running_pay[done - 1])

    @cached_property
    def _running_pay(self) -> Floats:
        semester = self.semester
        return self.here.environment.running_pay(
            self.mechanism, semester.reports, semester.seed, semester.truth
        )

    def gain(self, measure: DeviationMetric) -> float:
        """The mean of a measure over all deviators for whom it is defined; NaN if there is none."""
        semester = self.semester
        if isinstance(measure, RankGain):
            pay = partial(
                self.here.environment.pay, self.mechanism, seed=semester.seed, truth=semester.truth
            )
            found = [gain.ranks(measure) for gain in deviation_gains(self.deviations, pay)]
        else:
            found = [
                measure.measure(self.rewards, self._rewards(one.after), one.deviators[0])
                for one in self.deviations
            ]
        values = np.array(found)
        return float("nan") if np.isnan(values).all() else float(np.nanmean(values))


def deviators_of(semester: Semester, count: int) -> list[int]:
    """Random truthful graders of a class, as many as are asked for or there are."""
    order = stream(semester.seed, "deviator").permutation(len(semester.population))
    truthful = order[semester.population.strategy[order] == 0]
    if not len(truthful):
        raise ParameterError("No grader is truthful here, so no grader can deviate.")
    return [int(one) for one in truthful[:count]]


def _named(one: Mechanism | Metric) -> str:
    """The class and the parameters of a plug-in."""
    return f"{one.spec} ({type(one).__module__}.{one!r})"
