"""Classes like a given one, and what one student of them gains by not being honest."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from peergauge.classroom.grade.earned import averages, value_of_reviews
from peergauge.core.arrays import Floats
from peergauge.core.errors import ConvergenceWarning, PeergaugeError, ScaleError
from peergauge.core.randomness import stream
from peergauge.core.registry import parameters
from peergauge.engine.experiment import Experiment, ExperimentFacts, Point
from peergauge.engine.results import Row
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.mechanisms.priors import rounded_prior, with_prior
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.rank_gain import PER_100, RankGain
from peergauge.metrics.score_error import ScoreError
from peergauge.models import models
from peergauge.models.posterior import Posterior
from peergauge.simulate import Design, deviate
from peergauge.simulate.resample import step_of
from peergauge.simulate.strategies import tempting
from peergauge.tables import Reports, Rewards, Scale, Truth

POSTERIOR = "pg1-posterior"

MODELS = ("mean", "median", "trimmed-mean", "vancouver", "pg1", POSTERIOR)
"""The ways of estimating true scores that are compared."""

DEVIATORS = "students who deviate"

FEW_DRAWS = {"draws": 60, "warmup": 40}
"""The posterior's means need fewer draws than its intervals."""


@dataclass(frozen=True, eq=False)
class Mould:
    """What classes like a given one are made from.

    They have its design: who graded what, thin graders and all. A class takes one draw from the
    posterior. From that, true scores are drawn again among the submissions of an assignment, and
    biases and reliabilities, two by two, among the graders, without those who seem to report a
    constant. So all have the class's distributions, and nobody is who they were. Everybody is
    honest: a report is true score plus bias plus noise, rounded and cut to the scale.

    Parameters
    ----------
    reports
        The design, with any grades.
    scores, biases, reliabilities
        Of each class, one row.
    expected
        The mean true score of each assignment, which graders know.
    """

    reports: Reports
    scores: NDArray[np.float32]
    biases: NDArray[np.float32]
    reliabilities: NDArray[np.float32]
    expected: Floats

    @classmethod
    def of(cls, reports: Reports, posterior: Posterior, classes: int, seed: int) -> Self:
        """Make one for so many classes."""
        reports = reports.paid_only
        scale = with_steps(reports.scale, reports.grade)
        bare = Design.of(reports).reports(scale.nearest(reports.grade), scale)
        draw = np.linspace(0, len(posterior.score_draws) - 1, classes).round().astype(np.int64)
        known = posterior.score_draws[draw]
        scores = np.full_like(known, np.nan)
        expected = np.full(reports.assignments, np.nan)
        rng = stream(seed, "game", "scores")
        for a in range(reports.assignments):
            here = np.unique(reports.submission[reports.assignment == a])
            if len(here):
                again = rng.integers(len(here), size=(classes, len(here)))
                scores[:, here] = np.take_along_axis(known[:, here], again, axis=1)
                expected[a] = posterior.score_draws[:, here].mean(dtype=np.float64)
        honest = np.clip(1 - np.nan_to_num(posterior.traits.constant, nan=1.0), 0.0, 1.0)
        honest[np.isnan(posterior.bias_draws[0])] = 0.0
        if not honest.any():
            honest = (~np.isnan(posterior.bias_draws[0])).astype(np.float64)
        again = stream(seed, "game", "graders").choice(
            len(honest), size=(classes, reports.graders), p=honest / honest.sum()
        )
        return cls(
            bare,
            scores,
            np.take_along_axis(posterior.bias_draws[draw], again, axis=1),
            np.take_along_axis(posterior.reliability_draws[draw], again, axis=1),
            expected,
        )

    def cast(self, number: int, seed: int) -> tuple[Reports, Truth]:
        """One of the classes."""
        reports = self.reports
        score, bias = (one[number].astype(np.float64) for one in (self.scores, self.biases))
        noise = stream(seed, "noise").standard_normal(len(reports))
        noise /= np.sqrt(self.reliabilities[number].astype(np.float64))[reports.grader]
        signal = score[reports.submission] + bias[reports.grader] + noise
        truth = Truth(score, Design.of(reports).submission_assignment, bias=bias)
        return reports.with_grades(reports.scale.nearest(signal)), truth

    def groups(self, size: int, count: int, seed: int) -> list[list[int]]:
        """So many groups of students, in which no two graded the same submission.

        Students are picked at random, and nobody twice.
        """
        graded = self._graded
        there = np.flatnonzero([len(one) > 0 for one in graded])
        found: list[list[int]] = []
        seen: list[set[int]] = []
        for student in stream(seed, "students").permutation(there).tolist():
            for group, taken in zip(found, seen, strict=True):
                if len(group) < size and taken.isdisjoint(graded[student]):
                    group.append(student)
                    taken.update(graded[student])
                    break
            else:
                if len(found) == count:
                    if all(len(group) == size for group in found):
                        break
                    continue
                found.append([student])
                seen.append(set(graded[student]))
        return found

    @cached_property
    def _graded(self) -> list[set[int]]:
        """The submissions that each student graded."""
        order = np.argsort(self.reports.grader, kind="stable")
        ends = np.bincount(self.reports.grader, minlength=self.reports.graders).cumsum()[:-1]
        return [set(one.tolist()) for one in np.split(self.reports.submission[order], ends)]


def with_steps(scale: Scale, grade: Floats) -> Scale:
    """The scale with the steps to which nearly all grades keep, if it has none and they fit."""
    if scale.finite:
        return scale
    try:
        return replace(scale, step=step_of(grade, scale))
    except ScaleError:
        return scale


@dataclass(frozen=True, eq=False)
class Replay(Experiment):
    """Classes from a mould: how good pay and estimates are in each, and what deviating gains.

    A student's pay is what a review earned them on average; mechanisms that do not say what a
    review adds are taken by what they pay in all.

    Students deviate one at a time. A few of many may do so together, no two of whom graded the
    same submission, and each is ranked as if the others had not: that comes to nearly the same,
    and saves time.

    Parameters
    ----------
    mould
        What the classes are made from.
    specs
        The mechanisms that pay them.
    groups, together
        How many groups of students deviate in each class, one after the other, and how many
        students are in each.
    """

    facts: ClassVar[ExperimentFacts] = ExperimentFacts(
        name="replay",
        label="Gains in classes like this one",
        source="Burrell & Schoenebeck 2022, Quantifying Robustness, for any class",
        question="What would a student of a class like this one gain by deviating?",
    )

    mould: Mould = field(kw_only=True)
    specs: tuple[str, ...] = ()
    groups: int = 1
    together: int = 1

    def points(self) -> Sequence[Point]:
        return [Point()]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, point, repetition)
        reports, truth = self.mould.cast(repetition, own)
        with warnings.catch_warnings():
            # Classes are many, and what is told of one is of no use.
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = list(self.measured(reports, truth, own))
        for metric, spec, strategy, value in found:
            yield Row(
                experiment=self.facts.name,
                mechanism=spec,
                spec=spec,
                strategy=strategy,
                x=None,
                metric=metric,
                repetition=repetition,
                seed=own,
                value=value,
            )

    def measured(
        self, reports: Reports, truth: Truth, seed: int
    ) -> Iterator[tuple[str, str, str, float]]:
        """Measure, mechanism or model, strategy and value of all that is asked of a class."""
        accuracy, close = KendallTau(per="report"), ScoreError()
        for name in MODELS:
            few = {**FEW_DRAWS, "seed": seed} if name == POSTERIOR else {}
            estimates = models.make(name, **few).fit(reports)
            yield close.published, name, "", close.measure(estimates.score, reports, truth)
        before = {}
        for spec in self.specs:
            rewards = score(spec, reports, seed=seed)
            before[spec] = pay = pay_for_a_review(rewards)
            error = accuracy.errors(rewards, truth)
            known = ~np.isnan(pay) & ~np.isnan(error)
            tau = accuracy.compare(pay[known], error[known])
            # The same pay for all tells nothing.
            yield accuracy.published, spec, "", 0.0 if np.isnan(tau) else tau
        deviators = self.mould.groups(self.together, self.groups, seed)
        yield DEVIATORS, "", "", float(sum(map(len, deviators)))
        for strategy in tempting():
            gains: dict[str, list[float]] = {spec: [] for spec in self.specs}
            for group in deviators:
                deviant = deviate(
                    reports, group, strategy, seed=seed, bias=truth.bias,
                    prior_mean=self.mould.expected[reports.assignment],
                )  # fmt: skip
                for spec in self.specs:
                    after = pay_for_a_review(score(spec, deviant, seed=seed))
                    gains[spec] += gains_alone(before[spec], after, group)
            for spec, found in gains.items():
                defined = [one for one in found if not np.isnan(one)]
                yield PER_100, spec, strategy, float(np.mean(defined)) if defined else float("nan")


def gains_alone(before: Floats, after: Floats, group: Sequence[int]) -> Iterator[float]:
    """The gain of each of a group, ranked among what the others of it got before."""
    measure = RankGain(out_of=100)
    pay = after.copy()
    pay[group] = before[group]
    for one in group:
        pay[one] = after[one]
        yield measure.between(before, pay, one)
        pay[one] = before[one]


def pay_for_a_review(rewards: Rewards) -> Floats:
    """What a review earned each grader on average, or all of them if that is all that is said."""
    value = value_of_reviews(rewards)
    return rewards.total if value is None else averages(value, rewards.reports)[0]


def pay_of(mechanism: Mechanism, reports: Reports, seed: int) -> Floats:
    """What a mechanism pays the graders of a class; NaN for all if it cannot."""
    try:
        return score(mechanism, reports, seed=seed).total
    except PeergaugeError:
        return np.full(reports.graders, np.nan)


def rivals(reports: Reports, posterior: Posterior, seed: int) -> list[str]:
    """The mechanisms that can pay a class: those that need no truth and pay about everybody.

    Each is taken in the variants of the literature, and those that treat bias also with
    ``bias=estimate`` where that makes a difference. Those that take a prior are told the class's,
    since the paper's can be far off. A mechanism that pays fewer than nine tenths of those whom
    another one pays is left out.
    """
    paid: dict[str, int] = {}
    prior = rounded_prior(*posterior.moments())
    for name, cls in mechanisms.classes().items():
        if cls.facts.needs_truth:
            continue
        takes = {one.name for one in parameters(cls)}
        biases = ["estimate"] if "bias" in takes else []
        for variant in cls.facts.variants:
            as_it_is = with_prior(mechanisms.make(name, **variant), *prior)
            others = [mechanisms.make(as_it_is, bias=bias) for bias in biases]
            before = np.full(reports.graders, np.nan)
            for made in (as_it_is, *others):
                pay = pay_of(made, reports, seed)
                if not np.allclose(pay, before, equal_nan=True):
                    paid[made.spec] = int(np.count_nonzero(~np.isnan(pay)))
                before = pay
    return [spec for spec, count in paid.items() if count >= 0.9 * max(paid.values())]
