"""The gaming test: can students of this class gain by not being honest?

Strategies are tried in simulated classes like this one. The result recommends a mechanism and a
model.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from peergauge.classroom.grade.gaming_experiment import (
    DEVIATOR_COUNT,
    GRADE_MODEL,
    RANKS_OUT_OF,
    GamingExperiment,
    comparable_mechanisms,
    most_mechanisms,
    total_pay,
)
from peergauge.core.acceleration import compiled_twins
from peergauge.core.errors import ParameterError, PeergaugeError, TableError
from peergauge.core.text import counted
from peergauge.engine.results import Row
from peergauge.engine.runner import Queue, computed, pieces_of
from peergauge.mechanisms import mechanisms
from peergauge.mechanisms.priors import brief_label
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.rank_gain import RankGain
from peergauge.metrics.score_error import ScoreError
from peergauge.models import models
from peergauge.models.posterior import Posterior
from peergauge.simulate.resample import PosteriorClasses
from peergauge.simulate.strategies import strategies, tempting
from peergauge.tables import Reports, Scale

CLEAR_STANDARD_ERRORS = 2.0
"""A difference of more standard errors than this is clear."""

MAX_TOLERATED_RANKS = 3.0
"""Rank gain (out of 100) up to which a mechanism counts as robust."""

MIN_INFORMATIVE_TAU = 0.1
"""Kendall's τ_B up to which pay hardly measures accuracy."""

DEFAULT_DEVIATORS = 2000
"""Students who try each strategy: gains vary by some 30 ranks, so the standard error is below 1."""

MAX_CORE_SECONDS = 50.0
"""Approximate time limit of the experiment on one core."""

SECONDS_PER_PAYMENT, SECONDS_PER_PAID_REPORT = 0.0002, 6.5e-8
SECONDS_PER_CLASS, SECONDS_PER_CLASS_REPORT = 0.05, 3e-5
"""Costs by which the size of the experiment is chosen."""

MIN_CLASSES, DEFAULT_CLASSES, MAX_CLASSES = 3, 20, 100
MAX_GROUP_SIZE = 100


class StrategyGain(NamedTuple):
    """Mean rank gain of a grader who follows a strategy while all others are honest."""

    mechanism: str
    strategy: str
    gain: float
    """In ranks out of 100, compared with honest reports."""

    standard_error: float


class MechanismIntegrity(NamedTuple):
    """Measurement integrity of a mechanism in classes like this one."""

    mechanism: str
    integrity: float
    """Kendall's τ_B between pay and accuracy."""

    standard_error: float


class ModelError(NamedTuple):
    """Mean squared error of the true scores that a model estimates in classes like this one."""

    model: str
    squared_error: float
    standard_error: float
    excess: float = 0.0
    """Squared error minus that of the model of the grades in the same classes."""

    excess_standard_error: float = 0.0


@dataclass(frozen=True)
class GamingResult:
    """Result of the gaming test.

    Parameters
    ----------
    chosen
        Spec of the mechanism that pays this class.
    gains
        Rank gain of every strategy under every compared mechanism.
    integrities, model_errors
        Integrity of every compared mechanism, and error of every compared model.
    recommended_mechanism
        Spec of the mechanism to use in this class; empty if everybody should be paid alike.
    recommended_model
        The model to grade by: ``halfway``, or ``mean`` if that is no worse.
    reason
        The numbers behind the recommendation, in words.
    classes, students
        Number of simulated classes, and of students who deviated in all of them.
    """

    chosen: str
    gains: tuple[StrategyGain, ...]
    integrities: tuple[MechanismIntegrity, ...]
    model_errors: tuple[ModelError, ...]
    recommended_mechanism: str
    recommended_model: str
    reason: str
    classes: int
    students: int = 0

    @property
    def recommendation(self) -> str:
        """The one sentence that recommends a mechanism and a model, wherever it is shown."""
        if not self.recommended_mechanism:
            pay = "pay everybody alike for taking part"
        elif self.recommended_mechanism == self.chosen:
            pay = f"keep paying by {brief_label(self.chosen)}"
        else:
            recommended, chosen = map(brief_label, (self.recommended_mechanism, self.chosen))
            pay = f"pay by {recommended} instead of {chosen}"
        known = {"mean": "the mean of the reviews", GRADE_MODEL: "the model"}
        model = known.get(self.recommended_model, models.label_of(self.recommended_model))
        return f"Recommendation: {pay}, and grade by {model}."

    @property
    def most_accurate(self) -> str:
        """Spec of the mechanism with the highest integrity; empty if there is none."""
        best = max(self.integrities, key=lambda one: one.integrity, default=None)
        return "" if best is None else best.mechanism


class ExperimentSize(NamedTuple):
    """Number of classes, of groups of deviators in each class, and of students in each group."""

    classes: int
    groups: int
    group_size: int


def experiment_size(
    reports: Reports,
    specs: int,
    classes: int | None = None,
    students: int = DEFAULT_DEVIATORS,
) -> ExperimentSize:
    """Choose the size of the experiment within :data:`MAX_CORE_SECONDS`.

    It depends on the size of the class alone, so that a seed gives the same numbers on any machine.
    In a large class one student in a hundred deviates at the same time, 100 students at most.

    Parameters
    ----------
    specs
        Number of mechanisms.
    classes, students
        Wanted number of classes, and of deviators in all of them.
    """
    reports = reports.paid_only
    graders = len(np.unique(reports.grader))
    per_class, per_group = _costs(len(reports), specs)
    if classes is None:
        useful = min(max(students // graders, DEFAULT_CLASSES), MAX_CLASSES)
        affordable = int(MAX_CORE_SECONDS / (per_class + per_group))
        classes = max(MIN_CLASSES, min(useful, affordable))
    wanted = min(-(-students // classes), graders)
    # Larger groups would take long to rank.
    group_size = min(max(graders // 100, 1), wanted, MAX_GROUP_SIZE)
    groups = max(int((MAX_CORE_SECONDS / classes - per_class) / per_group), 1)
    return ExperimentSize(classes, min(-(-wanted // group_size), groups), group_size)


def _costs(reports: int, specs: int) -> tuple[float, float]:
    """Approximate seconds on one core for each class, and for each group of deviators in it."""
    payment = max(specs, 1) * (SECONDS_PER_PAYMENT + SECONDS_PER_PAID_REPORT * reports)
    per_class = SECONDS_PER_CLASS + SECONDS_PER_CLASS_REPORT * reports + payment
    return per_class, payment * len(tempting())


def forecast(reports: Reports, cores: int) -> str:
    """One sentence that says what the gaming test will do, and about how long it will take."""
    specs = most_mechanisms()
    size = experiment_size(reports, specs)
    per_class, per_group = _costs(len(reports.paid_only), specs)
    seconds = size.classes * (per_class + size.groups * per_group) / max(cores, 1)
    about = f"{max(round(seconds, -1), 10):.0f} seconds" if seconds < 90 else (
        f"{seconds / 60:.0f} minutes"
    )  # fmt: skip
    return (
        f"The gaming test tries {len(tempting())} strategies under up to {specs} mechanisms in "
        f"{size.classes} simulated classes. This takes about {about} on "
        f"{counted(cores, 'free core')}, and longer the first time, when it is compiled."
    )


@compiled_twins()
def measure_gaming(
    reports: Reports,
    posterior: Posterior,
    mechanism: str,
    *,
    seed: int = 0,
    classes: int | None = None,
    students: int = DEFAULT_DEVIATORS,
    rivals: Sequence[str] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> GamingResult:
    """Try every tempting strategy under the chosen mechanism and its rivals.

    Honest classes like this one are simulated (see
    :class:`~peergauge.simulate.resample.PosteriorClasses`). Every mechanism pays each class, and
    every model estimates its true scores. Then some of its students follow every strategy in turn,
    and are paid again. Standard errors are computed over classes. :func:`recommend` has the rule
    for the recommendation.

    Parameters
    ----------
    reports, posterior
        The class, and the posterior distribution of its scores and graders.
    mechanism
        The mechanism that pays the class.
    seed
        The same seed gives the same numbers for any number of workers.
    classes
        Number of simulated classes; by default 20, more for a small class and fewer for a very
        large one.
    students
        Number of students who deviate in all classes; fewer if that would take too long.
    rivals
        Mechanisms to compare; by default all that can pay this class, with the prior of the class
        if they take one.
    workers, executor
        As in :func:`peergauge.engine.runner.run`.
    progress
        Called with the number of finished classes and the number of all classes.
    """
    if classes is not None and classes < 2:
        raise ParameterError("Standard errors need at least two classes.")
    if students < 1:
        raise ParameterError("At least one student must deviate.")
    if not len(reports.paid_only):
        raise TableError("The class has no reports, so no class like it can be simulated.")
    chosen = mechanisms.make(mechanism)
    given = comparable_mechanisms(reports, posterior, seed) if rivals is None else rivals
    specs = [mechanisms.make(one).spec for one in given]
    if chosen.spec not in specs and not np.isnan(total_pay(chosen, reports, seed)).all():
        specs = [chosen.spec, *specs]
    size = experiment_size(reports, len(specs), classes, students)
    experiment = GamingExperiment(
        repetitions=size.classes,
        classes=PosteriorClasses.of(reports, posterior, size.classes, seed),
        specs=tuple(specs),
        groups=size.groups,
        group_size=size.group_size,
    )
    rows = _run(experiment, seed, workers, executor, progress or (lambda _done, _of: None))
    gains, integrities, model_errors = summarise(rows)
    recommended, model, reason = recommend(
        chosen.spec, gains, integrities, model_errors, reports.scale
    )
    deviated = int(sum(row.value for row in rows if row.metric == DEVIATOR_COUNT))
    return GamingResult(
        chosen=chosen.spec,
        gains=gains,
        integrities=integrities,
        model_errors=model_errors,
        recommended_mechanism=recommended,
        recommended_model=model,
        reason=f"{reason} These numbers come from {deviated:,} students in {size.classes} "
        "simulated classes who tried every strategy.",
        classes=size.classes,
        students=deviated,
    )


def _run(
    experiment: GamingExperiment,
    seed: int,
    workers: int | None,
    executor: Executor | None,
    progress: Callable[[int, int], None],
) -> list[Row]:
    """Rows of all classes, in the order of the classes."""
    progress(0, experiment.repetitions)
    rows: dict[int, list[Row]] = {}
    queue = Queue(pieces_of(experiment, 1, seed))
    with closing(computed(queue, seed, workers, executor)) as pieces:
        for piece, (of_class, _) in pieces:
            rows[piece.first] = of_class
            progress(len(rows), experiment.repetitions)
    return [row for first in sorted(rows) for row in rows[first]]


def summarise(
    rows: Iterable[Row],
) -> tuple[tuple[StrategyGain, ...], tuple[MechanismIntegrity, ...], tuple[ModelError, ...]]:
    """Means over classes with their standard errors; values that are never defined are left out."""
    gain, tau, error = (cls.facts.name for cls in (RankGain, KendallTau, ScoreError))
    values: dict[tuple[str, str, str, str], list[float]] = {}
    for row in rows:
        key = row.metric, row.mechanism, row.strategy, str(row.parameters.get("model", ""))
        values.setdefault(key, []).append(row.value)
    gains, integrities, errors = [], [], []
    for (metric, mechanism, strategy, model), found in values.items():
        mean, standard_error = _mean(found)
        if np.isnan(mean):
            continue
        if metric == gain:
            gains.append(StrategyGain(mechanism, strategy, mean, standard_error))
        elif metric == tau:
            integrities.append(MechanismIntegrity(mechanism, mean, standard_error))
        elif metric == error:
            ours = values[error, "", "", GRADE_MODEL]
            excess = _mean([one - other for one, other in zip(found, ours, strict=True)])
            errors.append(ModelError(model, mean, standard_error, *excess))
    return tuple(gains), tuple(integrities), tuple(errors)


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """Mean and standard error of the defined values; NaN if there are fewer than two."""
    known = np.array([one for one in values if not np.isnan(one)])
    if len(known) < 2:
        return float("nan"), float("nan")
    return float(known.mean()), float(known.std(ddof=1) / np.sqrt(len(known)))


# ------------------------------------------------------------------------------- recommendation


def recommend(
    chosen: str,
    gains: Sequence[StrategyGain],
    integrities: Sequence[MechanismIntegrity],
    errors: Sequence[ModelError],
    scale: Scale | None = None,
) -> tuple[str, str, str]:
    """Recommend a mechanism and a model, and give the reason in words.

    The words describe, and only :attr:`GamingResult.recommendation` recommends.

    1. A mechanism is *informative* if its integrity is clearly above 0.1, that is by more than two
       standard errors. If none is, no mechanism is recommended: everybody is paid alike.
    2. A mechanism *can be gamed* if a strategy gains more than three ranks out of 100. Among the
       informative mechanisms that cannot be gamed, the one with the highest integrity is
       recommended. The gain counts as it was measured; a test of significance would favour
       mechanisms whose gains have large standard errors.
    3. If all informative mechanisms can be gamed, the one is recommended whose integrity is highest
       after subtracting 0.01 for each rank out of 100 that the best strategy gains.
    4. The model is the mean, unless its squared error is clearly larger than that of the grades.
    """
    best = _best_strategies(gains)
    ranked = sorted(integrities, key=lambda one: -one.integrity)
    informative = [one for one in ranked if _informative(one) and one.mechanism in best]
    on = scale or Scale()

    def in_words(one: StrategyGain) -> str:
        return _gain(one, on)

    recommended, sentence = _recommended_mechanism(ranked, informative, best, in_words)
    sentences = [sentence]
    by_mechanism = {one.mechanism: one for one in integrities}
    others = [(informative[0].mechanism, "measures accuracy best")] if informative else []
    if chosen not in dict(others):
        others.append((chosen, "pays this class"))
    for spec, property_ in others:
        if spec in by_mechanism and spec != recommended:
            gamed = f"can be gamed: {in_words(best[spec])}" if _gamed(best.get(spec)) else (
                "can hardly be gamed"
            )  # fmt: skip
            sentences.append(
                f"{brief_label(spec)}, which {property_}, has {_tau(by_mechanism[spec])}, and "
                f"{gamed}."
            )
    if chosen not in by_mechanism:
        sentences.append(
            f"{brief_label(chosen)}, which pays this class, cannot pay simulated classes."
        )
    model, why_model = _recommended_model(errors)
    return recommended, model, " ".join([*sentences, why_model])


def _best_strategies(gains: Sequence[StrategyGain]) -> dict[str, StrategyGain]:
    """The strategy that gains most under each mechanism."""
    best: dict[str, StrategyGain] = {}
    for one in gains:
        if one.mechanism not in best or one.gain > best[one.mechanism].gain:
            best[one.mechanism] = one
    return best


def _informative(one: MechanismIntegrity) -> bool:
    return one.integrity - CLEAR_STANDARD_ERRORS * one.standard_error > MIN_INFORMATIVE_TAU


def _gamed(best: StrategyGain | None) -> bool:
    return best is not None and best.gain > MAX_TOLERATED_RANKS


def _recommended_mechanism(
    ranked: Sequence[MechanismIntegrity],
    informative: Sequence[MechanismIntegrity],
    best: dict[str, StrategyGain],
    in_words: Callable[[StrategyGain], str],
) -> tuple[str, str]:
    """The mechanism by rules 1 to 3, and a sentence that says why."""
    if not informative:
        highest = (
            f"; the highest is {brief_label(ranked[0].mechanism)} with {_tau(ranked[0])}"
            if ranked
            else ""
        )
        return "", (
            "In classes like this one, pay is not clearly related to accuracy under any "
            f"mechanism{highest}."
        )
    robust = [one for one in informative if not _gamed(best[one.mechanism])]
    if robust:
        spec = robust[0].mechanism
        return spec, (
            f"Under {brief_label(spec)}, pay is related to accuracy ({_tau(robust[0])}), and no "
            f"strategy gains more than {MAX_TOLERATED_RANKS:g} ranks out of {RANKS_OUT_OF}. The "
            f"best strategy: {in_words(best[spec])}."
        )
    compromise = max(informative, key=lambda one: one.integrity - best[one.mechanism].gain / 100)
    spec = compromise.mechanism
    return spec, (
        "Every mechanism that measures accuracy can be gamed. The best compromise is "
        f"{brief_label(spec)} ({_tau(compromise)}). The best strategy there: "
        f"{in_words(best[spec])}."
    )


def _recommended_model(errors: Sequence[ModelError]) -> tuple[str, str]:
    """The model by rule 4, and a sentence that says why."""
    by_name = {one.model: one for one in errors}
    if not {"mean", GRADE_MODEL} <= set(by_name):
        return GRADE_MODEL, ""
    mean, ours = by_name["mean"], by_name[GRADE_MODEL]
    numbers = (
        f"grades by the mean are off by {math.sqrt(mean.squared_error):.2f} points, and grades by "
        f"the model by {math.sqrt(ours.squared_error):.2f} (root mean squares)"
    )
    if mean.excess <= CLEAR_STANDARD_ERRORS * mean.excess_standard_error:
        return "mean", f"The mean is no worse than a model here: {numbers}."
    return GRADE_MODEL, f"The model has a smaller error than the mean here: {numbers}."


def _tau(one: MechanismIntegrity) -> str:
    return f"τ_B {one.integrity:.2f} ± {one.standard_error:.2f}"


def _gain(one: StrategyGain, scale: Scale) -> str:
    return (
        f"‘{strategy_label(one.strategy, scale)}’ gains {one.gain:+.1f} ± "
        f"{one.standard_error:.1f} ranks out of {RANKS_OUT_OF}"
    )


def strategy_label(name: str, scale: Scale) -> str:
    """The label of a strategy in a class with this scale; the name itself if it is unknown.

    >>> strategy_label("all-tens", Scale(0, 25)), strategy_label("hedge", Scale())
    ('Always the highest grade (25)', 'Hedge')
    """
    try:
        return strategies.make(name).label_on(scale)
    except PeergaugeError:
        return name
