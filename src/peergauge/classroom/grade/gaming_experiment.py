"""Experiment: what a student gains by not being honest, in classes like a given one."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar

import numpy as np

from peergauge.classroom.grade.reward_per_review import mean_by_grader, reward_of_reviews
from peergauge.core.arrays import Floats
from peergauge.core.errors import ConvergenceWarning, PeergaugeError
from peergauge.core.randomness import stream
from peergauge.core.registry import parameters
from peergauge.engine.deviation import Deviation, deviation_gains
from peergauge.engine.experiment import Experiment, ExperimentFacts, Measurement, Point
from peergauge.engine.results import Row
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.mechanisms.priors import rounded_prior, with_prior
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.rank_gain import RankGain
from peergauge.metrics.score_error import ScoreError
from peergauge.models import models
from peergauge.models.posterior import Posterior
from peergauge.simulate import deviate
from peergauge.simulate.resample import PosteriorClasses
from peergauge.simulate.strategies import tempting
from peergauge.tables import Reports, Rewards, Truth

GRADE_MODEL = "halfway"
"""The model that the grades of a class come from."""

COMPARED_MODELS = ("mean", "median", "trimmed-mean", "vancouver", "pg1", GRADE_MODEL)
"""Models of true scores whose errors are compared."""

DEVIATOR_COUNT = "deviators"
"""Name of the row that counts the students who deviated in a class."""

SHORT_SAMPLING = {"draws": 60, "warmup": 40}
"""Settings of the posterior model: means need fewer draws than intervals."""

RANKS_OUT_OF = 100
"""Rank gains are scaled to a class with this number of graders."""

MIN_PAID_SHARE = 0.9
"""A mechanism that pays fewer graders than this share of the best one is not compared."""


@dataclass(frozen=True, eq=False)
class GamingExperiment(Experiment):
    """Measures mechanisms, models and strategies in classes like a given one.

    Each class is honest at first. Every mechanism pays it, and every model estimates its true
    scores. Then some students follow each tempting strategy, and are paid again. The pay of a
    student is the mean reward per review; for mechanisms that do not split rewards into reviews it
    is the total reward.

    Students deviate one at a time. In a large class several students who have no submission in
    common deviate together, and each is ranked as if the others had not deviated. The result is
    nearly the same and takes less time.

    Parameters
    ----------
    classes
        The classes in which students deviate.
    specs
        Mechanisms that pay the classes.
    groups, group_size
        Number of groups of students that deviate in each class, one after the other, and number of
        students in each group.
    """

    facts: ClassVar[ExperimentFacts] = ExperimentFacts(
        name="replay",
        label="Gains in classes like this one",
        source="Burrell & Schoenebeck 2022, Quantifying Robustness, for any class",
        question="What would a student of a class like this one gain by deviating?",
    )

    classes: PosteriorClasses = field(kw_only=True)
    specs: tuple[str, ...] = ()
    groups: int = 1
    group_size: int = 1

    def points(self) -> Sequence[Point]:
        return [Point()]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, point, repetition)
        reports, truth = self.classes.draw(repetition, own)
        measurement = Measurement(self.facts.name, repetition, own, {})
        groups = self.deviator_groups(own)
        with warnings.catch_warnings():
            # Suppress per-class convergence warnings in bulk runs.
            warnings.simplefilter("ignore", ConvergenceWarning)
            honest = {spec: score(spec, reports, seed=own) for spec in self.specs}
            rows = [
                *_model_errors(measurement, reports, truth),
                *_integrity(measurement, honest, truth),
                measurement.row("", DEVIATOR_COUNT, float(sum(map(len, groups)))),
                *self._gains(measurement, honest, reports, truth, groups),
            ]
        yield from rows

    def _gains(
        self,
        to: Measurement,
        honest: Mapping[str, Rewards],
        reports: Reports,
        truth: Truth,
        groups: Sequence[Sequence[int]],
    ) -> Iterator[Row]:
        """Mean rank gain of the deviators, for each strategy and mechanism."""
        measure = RankGain(out_of=RANKS_OUT_OF)
        for strategy in tempting():
            deviations = [
                Deviation(
                    reports,
                    deviate(
                        reports, group, strategy, seed=to.seed, bias=truth.bias,
                        prior_mean=self.classes.expected[reports.assignment],
                    ),
                    tuple(group),
                )
                for group in groups
            ]  # fmt: skip
            for spec, rewards in honest.items():

                def pay(some: Reports, spec: str = spec, paid: Rewards = rewards) -> Floats:
                    return pay_per_review(
                        paid if some is reports else score(spec, some, seed=to.seed)
                    )

                gains = [gain.ranks(measure) for gain in deviation_gains(deviations, pay)]
                defined = [gain for gain in gains if not np.isnan(gain)]
                mean = float(np.mean(defined)) if defined else float("nan")
                yield to.row(
                    spec, measure.facts.name, mean, strategy=strategy, out_of=measure.out_of
                )

    def deviator_groups(self, seed: int) -> list[list[int]]:
        """Random groups of students; no two students of a group graded the same submission.

        No student is in two groups.
        """
        graded = self._submissions_of_grader
        active = np.flatnonzero([len(one) > 0 for one in graded])
        groups: list[list[int]] = []
        taken: list[set[int]] = []
        for student in stream(seed, "students").permutation(active).tolist():
            for group, submissions in zip(groups, taken, strict=True):
                if len(group) < self.group_size and submissions.isdisjoint(graded[student]):
                    group.append(student)
                    submissions.update(graded[student])
                    break
            else:
                if len(groups) == self.groups:
                    if all(len(group) == self.group_size for group in groups):
                        break
                    continue
                groups.append([student])
                taken.append(set(graded[student]))
        return groups

    @cached_property
    def _submissions_of_grader(self) -> list[set[int]]:
        reports = self.classes.reports
        order = np.argsort(reports.grader, kind="stable")
        ends = np.bincount(reports.grader, minlength=reports.graders).cumsum()[:-1]
        return [set(one.tolist()) for one in np.split(reports.submission[order], ends)]


def _model_errors(to: Measurement, reports: Reports, truth: Truth) -> Iterator[Row]:
    """Mean squared error of the estimated true scores, for each model."""
    measure = ScoreError()
    for name in COMPARED_MODELS:
        options = {**SHORT_SAMPLING, "seed": to.seed} if name == GRADE_MODEL else {}
        estimates = models.make(name, **options).fit(reports)
        value = measure.measure(estimates.score, reports, truth)
        yield to.row("", measure.facts.name, value, model=name)


def _integrity(to: Measurement, honest: Mapping[str, Rewards], truth: Truth) -> Iterator[Row]:
    """Kendall's τ_B between pay and accuracy, for each mechanism."""
    measure = KendallTau(per="report")
    for spec, rewards in honest.items():
        pay, error = pay_per_review(rewards), measure.errors(rewards, truth)
        known = ~np.isnan(pay) & ~np.isnan(error)
        value = measure.compare(pay[known], error[known])
        # The same pay for everybody contains no information.
        yield to.row(spec, measure.facts.name, 0.0 if np.isnan(value) else value)


def pay_per_review(rewards: Rewards) -> Floats:
    """Mean reward per review of each grader, also if rewards are not split into reviews."""
    value = reward_of_reviews(rewards)
    return rewards.per_report if value is None else mean_by_grader(value, rewards.reports)[0]


def total_pay(mechanism: Mechanism, reports: Reports, seed: int) -> Floats:
    """Total reward of each grader; NaN for all if the mechanism cannot pay the class."""
    try:
        return score(mechanism, reports, seed=seed).total
    except PeergaugeError:
        return np.full(reports.graders, np.nan)


def comparable_mechanisms(reports: Reports, posterior: Posterior, seed: int) -> list[str]:
    """Specs of the mechanisms that can pay a class without true scores.

    All variants that the mechanisms declare are tried, and mechanisms with a parameter ``bias``
    also with ``bias=estimate`` if that changes the pay, and those of the paper with
    ``bias=correct``. Mechanisms that take a prior get the prior
    of the class, because the paper's can be far off. A mechanism is left out if it pays fewer than
    nine tenths of the graders that another mechanism pays.
    """
    paid: dict[str, int] = {}
    for ways in _variants(*rounded_prior(*posterior.moments())):
        before = np.full(reports.graders, np.nan)
        for made in ways:
            pay = total_pay(made, reports, seed)
            if not np.allclose(pay, before, equal_nan=True):
                paid[made.spec] = int(np.count_nonzero(~np.isnan(pay)))
            before = pay
    most = max(paid.values(), default=0)
    return [spec for spec, count in paid.items() if count >= MIN_PAID_SHARE * most]


def most_mechanisms() -> int:
    """Number of mechanisms that can be compared in a class that all of them can pay."""
    return sum(map(len, _variants(0.0, 1.0)))


def _variants(mean: float, variance: float) -> Iterator[list[Mechanism]]:
    """Variants of all mechanisms that need no true scores, each in its treatments of bias."""
    for name, cls in mechanisms.classes().items():
        if cls.facts.needs_truth:
            continue
        takes = {one.name for one in parameters(cls)}
        for variant in cls.facts.variants:
            as_declared = with_prior(mechanisms.make(name, **variant), mean, variance)
            if "bias" not in takes:
                yield [as_declared]
                continue
            first = {"bias": "correct"} if cls.facts.in_paper else {}
            yield [mechanisms.make(as_declared, **one) for one in (first, {"bias": "estimate"})]
