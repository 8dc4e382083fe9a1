"""The experiments behind the leaderboard: integrity, robustness, stability, attacks and cost.

Every repetition simulates one class, or a few, and pays them by all mechanisms in turn.
"""

from __future__ import annotations

import time
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.errors import ConvergenceWarning, DesignError, PeergaugeError
from peergauge.core.inputs import file_digest
from peergauge.core.randomness import derived_seed, stream
from peergauge.core.registry import Plugin
from peergauge.engine.deviation import Deviation, deviation_gains
from peergauge.engine.experiment import Experiment, ExperimentFacts, Measurement, Point
from peergauge.engine.results import Row
from peergauge.exports.folders import files_of
from peergauge.lab.bench.suite import suite_setting
from peergauge.lab.exploit import ATTACK_KINDS, FULL_EFFORT, QUICK_EFFORT, Effort, exploit
from peergauge.lab.exploit.deviations import GAIN_BEYOND_SHIFT, RANK_GAIN
from peergauge.lab.exploit.types import EVERYBODY, GRADER_TYPES, GraderType
from peergauge.lab.paper.classes import GradedClass, read_class
from peergauge.lab.paper.e02_integrity_in_classes import ends_of_blocks, present_in_every_block
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.metrics import AccuracyMetric
from peergauge.metrics.binary_auc import BinaryAUC
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.pearson import Pearson
from peergauge.metrics.quinary_auc import QuinaryAUC
from peergauge.metrics.statistics import auc, mean_pairwise_auc, quantile_classes
from peergauge.metrics.tau_variance import TauVariance
from peergauge.simulate.source import SimulatedClass
from peergauge.simulate.strategies import strategies, tempting
from peergauge.tables import Reports, Rewards, Truth, frozen

ACCURACY: dict[str, tuple[AccuracyMetric, float]] = {
    "binary-auc": (BinaryAUC(), 0.5),
    "quinary-auc": (QuinaryAUC(), 0.5),
    "tau": (KendallTau(), 0.0),
    "pearson": (Pearson(), 0.0),
}
"""The measures of integrity, and their values where pay carries no information."""

PAID_SHARE, SECONDS = "paid-share", "seconds"
"""Measures: share of the graders who are paid, and processor time."""

STANDARD_ERROR, SEMESTERS = "standard-error", "semesters"
UNDESERVED_GAIN, UNDESERVED_ERROR = "undeserved-gain", "undeserved-error"
BEYOND_SHIFT_ERROR = "gain-beyond-shift-error"
"""Measures of an attack besides its rank gain. The undeserved gain of copied reports is the rank
gain minus the change of rank that their true squared error deserves."""

UNASSIGNED_KIND = "skipping-unassigned"
"""Kind of attacks by which a grader does less, if the mechanism is not told what was assigned."""

COST_UNIT = "mse-p"
"""The mechanism, which estimates biases, in multiples of whose time costs are given."""


def facts(name: str, label: str, question: str) -> ExperimentFacts:
    """Facts of an experiment of the leaderboard."""
    return ExperimentFacts(
        name=name, label=label, source="peergauge", question=question, beyond=True
    )


@dataclass(frozen=True)
class Compared(Experiment):
    """An experiment over some settings of the suite, or real classes, and some mechanisms.

    Parameters
    ----------
    settings
        Names of the settings, or of the real classes.
    entrants
        The mechanisms, by their specs or as objects.
    """

    settings: tuple[str, ...] = ("paper",)
    entrants: tuple[str | Mechanism, ...] = ()

    def points(self) -> Sequence[Point]:
        return [Point(kind=name) for name in self.settings]

    def compared(self) -> list[Mechanism]:
        """The mechanisms."""
        return [mechanisms.make(one) for one in self.entrants]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, point, repetition)
        rows = Measurement(self.facts.name, repetition, own, {"setting": point.kind})
        with warnings.catch_warnings():
            # Suppress convergence warnings of single classes, of which there are many.
            warnings.simplefilter("ignore", ConvergenceWarning)
            yield from list(self.measured(point, own, rows))

    @abstractmethod
    def measured(self, point: Point, seed: int, rows: Measurement) -> Iterator[Row]:
        """Measure one repetition."""

    def fewer_elsewhere(self, point: Point, part: int, least: int) -> int:
        """Number of repetitions: all of them in the first setting, a part of them in the others.

        The first setting is measured precisely. In the others it is enough to know which mechanisms
        measure best and which withstand attacks.
        """
        if point.kind == self.settings[0]:
            return self.repetitions
        return max(min(least, self.repetitions), self.repetitions // part)

    def only_where_attacked(self, point: Point, part: int, least: int) -> int:
        """The same, but no repetition in honest settings, in which only integrity is measured."""
        if point.kind != self.settings[0] and suite_setting(point.kind).honest:
            return 0
        return self.fewer_elsewhere(point, part, least)


@dataclass(frozen=True)
class Integrity(Compared):
    """Agreement of pay with accuracy, averaged over the first 1, 2, … assignments.

    Parameters
    ----------
    prefixes
        Number of prefixes of the semester after which pay is measured; all of them if 0. They end
        in the middles of as many stretches of about the same length.
    """

    facts: ClassVar[ExperimentFacts] = facts(
        "bench-integrity", "Integrity", "How well does pay measure squared error?"
    )

    prefixes: int = 0

    def repetitions_at(self, point: Point, seed: int) -> int:
        return self.fewer_elsewhere(point, part=2, least=6) * suite_setting(point.kind).semesters

    def measured(self, point: Point, seed: int, rows: Measurement) -> Iterator[Row]:
        chosen = suite_setting(point.kind)
        simulated = chosen.integrity_class(seed)
        ends = middles(chosen.assignments, self.prefixes)
        for mechanism in self.compared():
            try:
                semester = simulated.semester(mechanism.facts.design)
                rewards = chosen.environment.rewards(
                    mechanism, semester.reports, seed, semester.truth
                )
            except DesignError:
                continue
            pay = running_pay(rewards, simulated.source.uneven)
            error = running_error(semester.reports, semester.truth)
            for name, value in integrity(pay, error, ends).items():
                yield rows.row(mechanism, name, value)
            yield rows.row(mechanism, PAID_SHARE, float(np.mean(~np.isnan(pay[-1]))))


def middles(assignments: int, stretches: int) -> list[int]:
    """The middles of so many stretches of assignments, counted from 1; all of them if 0.

    >>> middles(15, 5), middles(3, 5), middles(3, 0)
    ([2, 5, 8, 11, 14], [1, 2, 3], [1, 2, 3])
    """
    counted = np.arange(1, assignments + 1)
    if not 0 < stretches < assignments:
        return [int(one) for one in counted]
    return [int(part[len(part) // 2]) for part in np.array_split(counted, stretches)]


def running_pay(rewards: Rewards, uneven: bool) -> Floats:
    """Pay of each grader so far, after each assignment; NaN until something is payable.

    If some students grade more than others, pay is the mean per report, see
    :attr:`~peergauge.tables.Rewards.running_per_report`.
    """
    return rewards.running_per_report if uneven else rewards.running


def running_error(reports: Reports, truth: Truth) -> Floats:
    """Mean squared error of each grader's reports so far, after each assignment; NaN before any."""
    return reports.derived("running error", lambda: _running_error(reports, truth), of=truth)


def _running_error(reports: Reports, truth: Truth) -> Floats:
    error = (reports.grade - truth.scores_of(reports)[reports.submission]) ** 2
    known = ~np.isnan(error)
    if reports.spare is not None:
        known &= ~reports.spare
    times = _so_far(reports, known.astype(np.float64))
    total = _so_far(reports, np.where(known, error, 0.0))
    return np.divide(total, times, out=np.full_like(total, np.nan), where=times > 0)


def _so_far(reports: Reports, value: Floats) -> Floats:
    """Running sums over the reports of each grader, after each assignment."""
    place = reports.assignment.astype(np.int64) * reports.graders + reports.grader
    shape = reports.assignments, reports.graders
    each = np.bincount(place, value, minlength=shape[0] * shape[1]).reshape(shape)
    return np.asarray(np.cumsum(each, axis=0))


def integrity(pay: Floats, error: Floats, ends: Sequence[int]) -> dict[str, float]:
    """Every measure of integrity, averaged over several numbers of assignments.

    A measure that is not defined, because nobody or everybody alike is paid so far, counts as that
    of pay without information.
    """
    found: dict[str, list[float]] = {name: [] for name in ACCURACY}
    for end in ends:
        known = ~np.isnan(pay[end - 1]) & ~np.isnan(error[end - 1])
        earned, erred = pay[end - 1][known], error[end - 1][known]
        for name, (measure, nothing) in ACCURACY.items():
            value = float("nan")
            if len(earned):
                value = compared_to(measure, earned, erred)
            found[name].append(nothing if np.isnan(value) else value)
    return {name: float(np.mean(values)) for name, values in found.items()}


def compared_to(measure: AccuracyMetric, pay: Floats, error: Floats) -> float:
    """Compare pay with errors; the quantile classes of errors are shared by all mechanisms."""
    if isinstance(measure, BinaryAUC):
        return auc(pay, _cut(error.tobytes(), 2) == 1)
    if isinstance(measure, QuinaryAUC):
        return mean_pairwise_auc(pay, _cut(error.tobytes(), 5))
    return measure.compare(pay, error)


@lru_cache(maxsize=128)
def _cut(error: bytes, classes: int) -> NDArray[np.int64]:
    return frozen(quantile_classes(-np.frombuffer(error), classes))


@dataclass(frozen=True)
class Robustness(Compared):
    """Rank gain of a grader who joins the followers of a strategy of the paper.

    One repetition has a class for each strategy and each tenth of strategic graders.

    Parameters
    ----------
    deviators
        Number of truthful graders of each class who join, one at a time.
    """

    facts: ClassVar[ExperimentFacts] = facts(
        "bench-robustness", "Robustness", "How many ranks does a deviator gain?"
    )

    deviators: int = 2

    def repetitions_at(self, point: Point, seed: int) -> int:
        return self.only_where_attacked(point, part=6, least=2)

    def measured(self, point: Point, seed: int, rows: Measurement) -> Iterator[Row]:
        chosen, entrants = suite_setting(point.kind), self.compared()
        environment = chosen.environment
        for strategy in tempting():
            gains: dict[str, list[float]] = {one.spec: [] for one in entrants}
            for tenths in range(1, 10):
                own = derived_seed(seed, strategy, tenths)
                simulated = chosen.deviation_class(own, strategy, tenths)
                for mechanism, deviations in self._deviations(simulated, strategy, entrants):
                    truth = simulated.semester(mechanism.facts.design).truth
                    pay = partial(environment.pay, mechanism, seed=own, truth=truth)
                    try:
                        found = list(deviation_gains(deviations, pay))
                    except DesignError:
                        # Clusters of three graders are too small for DMI, for example.
                        continue
                    gains[mechanism.spec] += [gain.ranks(RANK_GAIN) for gain in found]
            for spec, values in gains.items():
                if values and not np.isnan(values).all():
                    value = float(np.nanmean(values))
                    yield rows.row(spec, RANK_GAIN.facts.name, value, strategy=strategy, out_of=100)

    def _deviations(
        self, simulated: SimulatedClass, strategy: str, entrants: Sequence[Mechanism]
    ) -> Iterator[tuple[Mechanism, list[Deviation]]]:
        """The deviations of one class for every mechanism whose design the class can have."""
        by_design: dict[str, list[Deviation]] = {}
        for mechanism in entrants:
            design = mechanism.facts.design
            try:
                semester = simulated.semester(design)
            except DesignError:
                continue
            if design not in by_design:
                order = stream(simulated.seed, "deviator").permutation(len(semester.population))
                truthful = order[semester.population.strategy[order] == 0]
                by_design[design] = [
                    Deviation(semester.reports, semester.redo(one, strategy), (one,))
                    for one in truthful[: self.deviators].tolist()
                ]
            yield mechanism, by_design[design]


@dataclass(frozen=True)
class Stability(Compared):
    """Variance of τ_B with effort when the same class is graded again, as in E10.

    Parameters
    ----------
    repeats
        Number of times that each class is graded.
    """

    facts: ClassVar[ExperimentFacts] = facts(
        "bench-stability", "Stability", "How much of a ranking is luck?"
    )

    repeats: int = 20

    def repetitions_at(self, point: Point, seed: int) -> int:
        return self.only_where_attacked(point, part=3, least=3)

    def measured(self, point: Point, seed: int, rows: Measurement) -> Iterator[Row]:
        chosen, measure = suite_setting(point.kind), TauVariance()
        graded = [chosen.deviation_class(seed, repeat=repeat) for repeat in range(self.repeats)]
        for mechanism in self.compared():
            repeats = []
            try:
                for simulated in graded:
                    semester = simulated.semester(mechanism.facts.design)
                    draws = derived_seed(seed, "repeat", simulated.repeat)
                    rewards = chosen.environment.rewards(
                        mechanism, semester.reports, draws, semester.truth
                    )
                    repeats.append((rewards, semester.truth))
            except DesignError:
                continue
            yield rows.row(mechanism, measure.facts.name, measure.measure(repeats))


class AttackSearch(NamedTuple):
    """What a search looks for.

    Parameters
    ----------
    others
        Numbers of others, out of 100, who follow the same strategy.
    includes
        Whether a kind of attacks is included.
    types
        Types of graders.
    assignment_known
        Whether mechanisms are told which reviews were assigned.
    """

    others: tuple[int, ...]
    includes: Callable[[str], bool]
    types: tuple[GraderType, ...] = GRADER_TYPES
    assignment_known: bool = True


SEARCHES = {
    "alone": AttackSearch((0,), lambda kind: kind != "reversing"),
    "together": AttackSearch((30, 60, 90), lambda kind: kind not in {"calibrating", "reversing"}),
    "reversing": AttackSearch((90,), lambda kind: kind == "reversing", (EVERYBODY,)),
    "unassigned": AttackSearch(
        (0,), lambda kind: kind == "skipping", (EVERYBODY,), assignment_known=False
    ),
}
"""Searches by name."""


class WantedSearch(NamedTuple):
    """A search that is wanted: setting, name of the search, number of the mechanism, effort."""

    setting: str
    search: str
    number: int
    harder: bool = False


@dataclass(frozen=True)
class Exploitability(Compared):
    """Rank gain of the best attack that a search finds, one mechanism and kind at a time.

    Parameters
    ----------
    searched
        The searches.
    effort, harder
        Usual effort of a search, and that of searches that are wanted ``harder``.
    """

    facts: ClassVar[ExperimentFacts] = facts(
        "bench-exploitability", "Exploitability", "How much can a deviator gain at most?"
    )

    repetitions: int = 1
    searched: tuple[WantedSearch, ...] = ()
    effort: Effort = QUICK_EFFORT
    harder: Effort = FULL_EFFORT

    def points(self) -> Sequence[Point]:
        return [Point(one.number, one.search, one.setting) for one in self.searched]

    def further_plugins(self) -> Iterable[type[Plugin]]:
        # A search tries all strategies.
        return strategies.outside().values()

    def measured(self, point: Point, seed: int, rows: Measurement) -> Iterator[Row]:
        mechanism, chosen = self.compared()[point.x or 0], suite_setting(point.kind)
        search = SEARCHES[point.strategy]
        kinds = tuple(kind for kind in ATTACK_KINDS if search.includes(kind))
        hard = WantedSearch(point.kind, point.strategy, point.x or 0, harder=True) in self.searched
        environment = replace(chosen.environment, assignment_known=search.assignment_known)
        try:
            found = exploit(
                mechanism, setting=environment, others=search.others, kinds=kinds,
                types=search.types, seed=seed, workers=1,
                effort=self.harder if hard else self.effort,
            )  # fmt: skip
        except DesignError:
            return
        for attack in found.attacks:
            measured = {
                RANK_GAIN.facts.name: attack.ranks,
                STANDARD_ERROR: attack.ranks_error,
                SEMESTERS: float(attack.semesters),
                UNDESERVED_GAIN: attack.undeserved,
                UNDESERVED_ERROR: attack.undeserved_error,
                GAIN_BEYOND_SHIFT: attack.beyond_shift,
                BEYOND_SHIFT_ERROR: attack.beyond_shift_error,
            }
            for metric, value in measured.items():
                if np.isnan(value):
                    continue
                yield rows.row(
                    mechanism,
                    metric,
                    value,
                    strategy=attack.strategy,
                    kind=attack.kind if search.assignment_known else UNASSIGNED_KIND,
                    others=attack.others,
                    type=attack.type,
                )


@dataclass(frozen=True)
class Cost(Compared):
    """Processor time of a semester of the first setting.

    These seconds are the only numbers that depend on the machine.

    Parameters
    ----------
    turns
        Number of times that each mechanism is timed; the shortest time counts.
    """

    facts: ClassVar[ExperimentFacts] = facts("bench-cost", "Cost", "How long does paying take?")

    repetitions: int = 1
    turns: int = 5

    def measured(self, point: Point, seed: int, rows: Measurement) -> Iterator[Row]:
        simulated = suite_setting(point.kind).integrity_class(seed)
        timed = [*self.compared(), mechanisms.make(COST_UNIT)]
        best = {one.spec: float("inf") for one in timed}
        # Mechanisms take turns, so that a busy moment of the machine does not hit only one.
        for _ in range(self.turns):
            for mechanism in timed:
                reports = simulated.semester(mechanism.facts.design).reports
                best[mechanism.spec] = min(best[mechanism.spec], seconds(mechanism, reports))
        for spec, value in best.items():
            yield rows.row(spec, SECONDS, value)


def seconds(mechanism: Mechanism, reports: Reports) -> float:
    """Processor time of scoring, without values that earlier calls derived from the reports."""
    for derived in ("_of_design", "level", "_derived"):
        reports.__dict__.pop(derived, None)
    begin = time.process_time()
    score(mechanism, reports)
    return time.process_time() - begin


@dataclass(frozen=True)
class InClasses(Compared):
    """Agreement of pay with accuracy in real classes, averaged over four blocks, as in E2.

    A bootstrap sample of the students who count is measured too (``resampled``): the standard
    deviation of these values is the standard error that is due to the size of the class.

    Parameters
    ----------
    folders
        The folder of each class.
    """

    facts: ClassVar[ExperimentFacts] = facts(
        "bench-classes", "Real classes", "How well does pay measure squared error in real classes?"
    )

    folders: tuple[str, ...] = ()

    def inputs(self) -> dict[str, Any]:
        return {
            f"{name}/{file.name}": file_digest(file)
            for name, folder in zip(self.settings, self.folders, strict=True)
            for file in files_of(Path(folder))
        }

    def measured(self, point: Point, seed: int, rows: Measurement) -> Iterator[Row]:
        taught = _read(dict(zip(self.settings, self.folders, strict=True))[point.kind])
        reports = taught.reports
        ends = ends_of_blocks(reports)
        counted = present_in_every_block(reports, ends)
        again = stream(seed, "students").integers(len(counted), size=len(counted))
        error = running_error(reports, taught.truth)[:, counted]
        for mechanism in self.compared():
            try:
                suited = taught.suited(mechanism)
                rewards = score(suited, reports, seed=seed)
            except PeergaugeError:
                continue
            pay = running_pay(rewards, uneven=True)[:, counted]
            for name, value in integrity(pay, error, ends).items():
                yield rows.row(mechanism, name, value, resampled=False)
            drawn = integrity(pay[:, again], error[:, again], ends)
            for name, value in drawn.items():
                yield rows.row(mechanism, name, value, resampled=True)
            paid = float(np.mean(~np.isnan(pay[-1])))
            yield rows.row(mechanism, PAID_SHARE, paid, resampled=False)


@lru_cache(maxsize=16)
def _read(folder: str) -> GradedClass:
    return read_class(folder)
