"""What is measured of every mechanism, as experiments that the runner can cut into pieces.

Every repetition makes one class, or a few, and pays them by all mechanisms in turn.
"""

from __future__ import annotations

import hashlib
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.errors import ConvergenceWarning, DesignError, PeergaugeError
from peergauge.core.randomness import derived_seed, stream
from peergauge.engine.experiment import Class, Experiment, ExperimentFacts, Point
from peergauge.engine.results import Row
from peergauge.exports.folders import files_of
from peergauge.lab.bench.entrants import OwnFile
from peergauge.lab.bench.suite import case_of
from peergauge.lab.exploit import FULL, QUICK, Classes, Effort, Kind, exploit
from peergauge.lab.paper.classes import GradedClass, read_class
from peergauge.lab.paper.e02_integrity_in_classes import (
    AGAIN,
    ends_of_blocks,
    present_in_every_block,
)
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.metrics import AccuracyMetric
from peergauge.metrics.binary_auc import BinaryAUC
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.pearson import Pearson
from peergauge.metrics.quinary_auc import QuinaryAUC
from peergauge.metrics.rank_gain import RankGain
from peergauge.metrics.statistics import auc, mean_pairwise_auc, quantile_classes
from peergauge.metrics.tau_variance import TauVariance
from peergauge.simulate.strategies import tempting
from peergauge.tables import Reports, Rewards, Truth, frozen

Found = tuple[str, str, str, float]
"""Mechanism, measure, strategy and value."""

ACCURACY: dict[str, tuple[AccuracyMetric, float]] = {
    "binary-auc": (BinaryAUC(), 0.5),
    "quinary-auc": (QuinaryAUC(), 0.5),
    "kendall-tau": (KendallTau(), 0.0),
    "pearson": (Pearson(), 0.0),
}
"""The measures of integrity, and what they are where pay tells nothing."""

PAID, GAIN, STABILITY, SECONDS = "paid", "gain", "tau-variance", "seconds"
AMONG, ERROR, SEMESTERS = " among ", ", error", ", semesters"
USUAL = "mse-p:bias=estimate"
"""What costs are told in multiples of."""


def facts(name: str, label: str, question: str) -> ExperimentFacts:
    """The facts of an experiment of ours."""
    return ExperimentFacts(
        name=name, label=label, source="peergauge", question=question, beyond=True
    )


@dataclass(frozen=True)
class Compared(Experiment):
    """An experiment over some settings of the suite, or classes, and some mechanisms.

    Parameters
    ----------
    cases
        The settings, by name.
    entrants
        The mechanisms, by spec.
    own
        The file that some of them are in.
    """

    cases: tuple[str, ...] = ("paper",)
    entrants: tuple[str, ...] = ()
    own: OwnFile | None = None

    def points(self) -> Sequence[Point]:
        return [Point(kind=case) for case in self.cases]

    def compared(self) -> list[Mechanism]:
        """The mechanisms; those of a file are loaded wherever this is computed."""
        if self.own is not None:
            self.own.load()
        return [mechanisms.make(spec) for spec in self.entrants]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, point, repetition)
        with warnings.catch_warnings():
            # Classes are many, and what is told of one is of no use.
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = list(self.measured(point, own))
        for spec, metric, strategy, value in found:
            yield Row(
                experiment=self.facts.name,
                mechanism=point.kind,
                spec=spec,
                strategy=strategy,
                x=None,
                metric=metric,
                repetition=repetition,
                seed=own,
                value=value,
            )

    def measured(self, point: Point, seed: int) -> Iterator[Found]:
        """Mechanism, measure, strategy and value of everything that one repetition tells."""
        raise NotImplementedError

    def fewer_elsewhere(self, point: Point, part: int, least: int) -> int:
        """The repetitions; a part of them in settings other than the first.

        That one is told precisely; in the others it is enough to know who measures best and who is
        safe.
        """
        if point.kind == self.cases[0]:
            return self.repetitions
        return max(min(least, self.repetitions), self.repetitions // part)


@dataclass(frozen=True)
class Integrity(Compared):
    """How well pay goes with accuracy, in the mean over the first 1, 2, … assignments.

    Parameters
    ----------
    prefixes
        After how many of these pay is looked at; after each of them if 0. They are the middles of
        as many stretches of about the same length.
    """

    facts: ClassVar[ExperimentFacts] = facts(
        "bench-integrity", "Integrity", "How well does pay measure squared error?"
    )

    prefixes: int = 0

    def repetitions_at(self, point: Point, seed: int) -> int:
        return self.fewer_elsewhere(point, part=2, least=6) * case_of(point.kind).semesters

    def measured(self, point: Point, seed: int) -> Iterator[Found]:
        chosen = case_of(point.kind)
        taught = chosen.large(seed)
        ends = middles(chosen.assignments, self.prefixes)
        for mechanism in self.compared():
            try:
                semester = taught.suited_to(mechanism)
                suited = chosen.suited(mechanism, semester.reports)
                rewards = score(suited, semester.reports, seed=seed)
            except DesignError:
                continue
            pay = running_pay(rewards, chosen.attacked.uneven)
            error = running_error(semester.reports, semester.truth)
            for name, value in integrity(pay, error, ends).items():
                yield mechanism.spec, name, "", value
            yield mechanism.spec, PAID, "", float(np.mean(~np.isnan(pay[-1])))


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
    """What each grader has after each assignment; NaN as long as nothing was payable.

    Where some grade more than others it is divided by the reports that were paid so far, unless
    it judges them all as one: what :attr:`~peergauge.tables.Rewards.per_report` is at the end.
    """
    running = rewards.running
    if not uneven or rewards.whole:
        return running
    reports, part = rewards.reports, rewards.part
    paid = ~np.isnan(rewards.amount[reports.assignment, reports.grader] if part is None else part)
    times = _so_far(reports, paid.astype(np.float64))
    return np.divide(running, times, out=np.full_like(running, np.nan), where=times > 0)


def running_error(reports: Reports, truth: Truth) -> Floats:
    """The mean squared error of each grader's reports after each assignment, NaN before any."""
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
    """Sums over the reports of each grader up to each assignment."""
    place = reports.assignment.astype(np.int64) * reports.graders + reports.grader
    shape = reports.assignments, reports.graders
    each = np.bincount(place, value, minlength=shape[0] * shape[1]).reshape(shape)
    return np.asarray(np.cumsum(each, axis=0))


def integrity(pay: Floats, error: Floats, ends: Sequence[int]) -> dict[str, float]:
    """Every measure of integrity in the mean over the first so many assignments.

    Pay tells nothing after assignments in which nobody could be paid, or all were paid the same.
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
    """What a measure says of pay and errors; these are cut once for all mechanisms."""
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
    """What one grader gains by joining those who follow a strategy of the paper.

    One repetition has a class for each strategy and each tenth of strategic graders.

    Parameters
    ----------
    deviators
        How many truthful graders of each class join, one at a time.
    """

    facts: ClassVar[ExperimentFacts] = facts(
        "bench-robustness", "Robustness", "How many ranks does a deviator gain?"
    )

    deviators: int = 2

    def repetitions_at(self, point: Point, seed: int) -> int:
        return self.fewer_elsewhere(point, part=6, least=2)

    def measured(self, point: Point, seed: int) -> Iterator[Found]:
        chosen, entrants = case_of(point.kind), self.compared()
        for strategy in tempting():
            gains: dict[str, list[float]] = {one.spec: [] for one in entrants}
            for tenths in range(1, 10):
                own = derived_seed(seed, strategy, tenths)
                taught = chosen.small(own, strategy, tenths)
                for spec, gain in self._gains(chosen.attacked, taught, strategy, entrants, own):
                    gains[spec].append(gain)
            for spec, values in gains.items():
                if values and not np.isnan(values).all():
                    yield spec, GAIN, strategy, float(np.nanmean(values))

    def _gains(
        self,
        classes: Classes,
        taught: Class,
        strategy: str,
        entrants: Sequence[Mechanism],
        seed: int,
    ) -> Iterator[tuple[str, float]]:
        """The gain of every deviator of one class under every mechanism."""
        ranks = RankGain(out_of=100)
        deviant: dict[tuple[str, int], Reports] = {}
        for mechanism in entrants:
            try:
                semester = taught.suited_to(mechanism)
                before = classes.pay(mechanism, semester.reports, seed)
            except DesignError:
                continue
            order = stream(taught.seed, "deviator").permutation(len(semester.population))
            truthful = order[semester.population.strategy[order] == 0]
            for one in truthful[: self.deviators].tolist():
                key = mechanism.facts.design, one
                if key not in deviant:
                    deviant[key] = semester.redo(one, strategy)
                after = classes.pay(mechanism, deviant[key], seed)
                yield mechanism.spec, ranks.between(before, after, one)


@dataclass(frozen=True)
class Stability(Compared):
    """How much τ_B with effort varies when the same class is graded anew, as in E10.

    Parameters
    ----------
    repeats
        How often each class is graded.
    """

    facts: ClassVar[ExperimentFacts] = facts(
        "bench-stability", "Stability", "How much of a ranking is luck?"
    )

    repeats: int = 20

    def measured(self, point: Point, seed: int) -> Iterator[Found]:
        chosen, measure = case_of(point.kind), TauVariance()
        graded = [chosen.small(seed, repeat=repeat) for repeat in range(self.repeats)]
        for mechanism in self.compared():
            repeats = []
            try:
                for taught in graded:
                    semester = taught.suited_to(mechanism)
                    draws = derived_seed(seed, "repeat", taught.repeat)
                    suited = chosen.suited(mechanism, semester.reports)
                    repeats.append((score(suited, semester.reports, seed=draws), semester.truth))
            except DesignError:
                continue
            yield mechanism.spec, STABILITY, "", measure.measure(repeats)


SEARCHES: dict[str, tuple[Kind, tuple[int, ...]]] = {
    "plain": ("plain", (0,)),
    "plain-with-others": ("plain", (30, 60, 90)),
    "calibrating": ("calibrating", (0,)),
    "reversing": ("reversing", (90,)),
}
"""What is searched for at a time: a kind of attack, and among how many others who do the same."""


class Wanted(NamedTuple):
    """A search that is wanted: setting, kind of search, number of the mechanism, how hard."""

    case: str
    search: str
    number: int
    harder: bool = False


@dataclass(frozen=True)
class Exploitability(Compared):
    """What the best attack gains that a search finds, one mechanism and kind at a time.

    Parameters
    ----------
    searched
        What is searched for.
    effort, harder
        How hard attacks are searched for.
    """

    facts: ClassVar[ExperimentFacts] = facts(
        "bench-exploitability", "Exploitability", "How much can a deviator gain at most?"
    )

    repetitions: int = 1
    searched: tuple[Wanted, ...] = ()
    effort: Effort = QUICK
    harder: Effort = FULL

    def points(self) -> Sequence[Point]:
        return [Point(one.number, one.search, one.case) for one in self.searched]

    def measured(self, point: Point, seed: int) -> Iterator[Found]:
        mechanism, case = self.compared()[point.x or 0], case_of(point.kind)
        kind, others = SEARCHES[point.strategy]
        hard = Wanted(point.kind, point.strategy, point.x or 0, harder=True) in self.searched
        try:
            found = exploit(
                mechanism, setting=case.attacked, others=others, kinds=(kind,), seed=seed,
                workers=1, effort=self.harder if hard else self.effort,
            )  # fmt: skip
        except DesignError:
            return
        for attack in found.attacks:
            name = f"{attack.kind}{AMONG}{attack.others}"
            yield mechanism.spec, name, attack.strategy, attack.ranks
            yield mechanism.spec, name + ERROR, attack.strategy, attack.ranks_error
            yield mechanism.spec, name + SEMESTERS, attack.strategy, float(attack.semesters)


@dataclass(frozen=True)
class Cost(Compared):
    """How long the processor is busy with a semester of the first setting.

    These seconds are the only numbers that depend on the machine.

    Parameters
    ----------
    turns
        How often each mechanism is timed; the shortest time counts.
    """

    facts: ClassVar[ExperimentFacts] = facts("bench-cost", "Cost", "How long does paying take?")

    repetitions: int = 1
    turns: int = 5

    def measured(self, point: Point, seed: int) -> Iterator[Found]:
        chosen = case_of(point.kind)
        taught = chosen.large(seed)
        timed = [*self.compared(), mechanisms.make(USUAL)]
        best = {one.spec: float("inf") for one in timed}
        # In turns, so that a busy moment of the machine does not fall on one of them.
        for _ in range(self.turns):
            for mechanism in timed:
                reports = taught.suited_to(mechanism).reports
                best[mechanism.spec] = min(best[mechanism.spec], seconds(mechanism, reports))
        for spec, value in best.items():
            yield spec, SECONDS, "", value


def seconds(mechanism: Mechanism, reports: Reports) -> float:
    """How long scoring keeps the processor busy, as if nobody had scored before."""
    for derived in ("_of_design", "level", "_derived"):
        reports.__dict__.pop(derived, None)
    begin = time.process_time()
    score(mechanism, reports)
    return time.process_time() - begin


@dataclass(frozen=True)
class InClasses(Compared):
    """How well pay goes with accuracy in real classes, in the mean over four blocks, as in E2.

    After the last block as many students are drawn again from those who count: the deviation of
    these values is the error that a class of so few leaves.

    Parameters
    ----------
    folders
        Where each of the classes is.
    """

    facts: ClassVar[ExperimentFacts] = facts(
        "bench-classes", "Real classes", "How well does pay measure squared error in real classes?"
    )

    folders: tuple[str, ...] = ()

    def inputs(self) -> dict[str, Any]:
        return {
            f"{name}/{file.name}": hashlib.sha256(file.read_bytes()).hexdigest()
            for name, folder in zip(self.cases, self.folders, strict=True)
            for file in files_of(Path(folder))
        }

    def measured(self, point: Point, seed: int) -> Iterator[Found]:
        taught = _read(dict(zip(self.cases, self.folders, strict=True))[point.kind])
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
                yield mechanism.spec, name, "", value
            drawn = integrity(pay[:, again], error[:, again], ends)
            for name, value in drawn.items():
                yield mechanism.spec, name + AGAIN, "", value
            yield mechanism.spec, PAID, "", float(np.mean(~np.isnan(pay[-1])))


@lru_cache(maxsize=16)
def _read(folder: str) -> GradedClass:
    return read_class(folder)
