"""Can these students game it? Every strategy replayed in classes like this one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from peergauge.classroom.grade.replay import DEVIATORS, POSTERIOR, Mould, Replay, pay_of
from peergauge.classroom.grade.replay import rivals as all_rivals
from peergauge.core.errors import ParameterError, TableError
from peergauge.engine.results import Row
from peergauge.engine.runner import Queue, computed, pieces_of
from peergauge.mechanisms import mechanisms
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.rank_gain import PER_100
from peergauge.metrics.score_error import ScoreError
from peergauge.models import models
from peergauge.models.posterior import Posterior
from peergauge.simulate.strategies import tempting
from peergauge.tables import Reports

SURE = 2.0
"""How many standard errors make a difference clear."""

SLIGHT = 3.0
"""Ranks of a hundred students up to which a gain tempts nobody."""

TELLING = 0.1
"""The τ_B up to which pay hardly measures anything."""

STUDENTS = 2000
"""How many students try each strategy: gains spread by some 30 ranks, so the error is below 1."""

SECONDS = 50.0
"""How long one core may take, by and large."""


class Gain(NamedTuple):
    """What a strategy gains its grader under a mechanism, all others being honest."""

    mechanism: str
    strategy: str
    gain: float
    """In ranks of a hundred students, compared with reporting what one saw."""

    error: float
    """Standard error."""


class Measured(NamedTuple):
    """How well a mechanism's pay measures how good graders are, in classes like this one."""

    mechanism: str
    integrity: float
    """Kendall τ_B between pay and accuracy."""

    error: float


class Estimated(NamedTuple):
    """How far off a way of estimating true scores is, in classes like this one."""

    model: str
    squared_error: float
    error: float
    worse: float = 0.0
    """By how much it is larger than that of the posterior in the same classes."""

    worse_error: float = 0.0


@dataclass(frozen=True)
class Gaming:
    """What was found.

    Parameters
    ----------
    chosen
        The spec of the mechanism that pays this class.
    gains
        Of every strategy under every mechanism that was compared.
    measured, estimated
        How good mechanisms are at measuring graders, and models at grading.
    recommended
        The spec of the mechanism to use here, or ``""`` for none: pay everybody alike.
    grades_by
        The model to grade by: ``pg1-posterior``, or ``mean`` if that is no worse.
    reason
        Why, in words with the numbers.
    classes, students
        How many classes were simulated, and how many of their students deviated.
    """

    chosen: str
    gains: tuple[Gain, ...]
    measured: tuple[Measured, ...]
    estimated: tuple[Estimated, ...]
    recommended: str
    grades_by: str
    reason: str
    classes: int
    students: int = 0


class Plan(NamedTuple):
    """How much is tried: so many classes, in each so many groups of so many students."""

    classes: int
    groups: int
    together: int


def plan(
    reports: Reports, specs: int, classes: int | None = None, students: int = STUDENTS
) -> Plan:
    """As much as :data:`SECONDS` allow, by what things cost, and no more than is of use.

    It depends on the size of the class alone, so that the same seed gives the same numbers on any
    machine. One in a hundred students of a large class deviate together, a hundred at most.
    """
    reports = reports.paid_only
    graders = len(np.unique(reports.grader))
    pay = max(specs, 1) * (0.0002 + 6.5e-8 * len(reports))
    round_ = pay * len(tempting())
    once = 0.05 + 3e-5 * len(reports) + pay
    if classes is None:
        useful = min(max(students // graders, 20), 100)
        classes = max(3, min(useful, int(SECONDS / (once + round_))))
    wanted = min(-(-students // classes), graders)
    # Ranking them takes time too.
    together = min(max(graders // 100, 1), wanted, 100)
    affordable = max(int((SECONDS / classes - once) / round_), 1)
    return Plan(classes, min(-(-wanted // together), affordable), together)


def play(
    reports: Reports,
    posterior: Posterior,
    mechanism: str,
    *,
    seed: int = 0,
    classes: int | None = None,
    students: int = STUDENTS,
    rivals: Sequence[str] | None = None,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Gaming:
    """Replay every strategy under the chosen mechanism and its rivals.

    Classes like this one are simulated, in which all are honest (see
    :class:`~peergauge.classroom.grade.replay.Mould`). Each is paid by every mechanism, and its true
    scores are estimated by every model. Then some of its students follow every strategy in turn,
    and are paid again. Errors are those over classes. What is made of it, :func:`recommend` says.

    Parameters
    ----------
    reports, posterior
        The class, and what is known of it.
    mechanism
        What pays it.
    seed
        The same seed gives the same numbers, however many workers there are.
    classes
        How many to simulate; by default 20, more of a small class and fewer of a very large one.
    students
        How many of their students should deviate, in all classes together; fewer do where that
        would take too long.
    rivals
        The mechanisms to compare; all that can pay this class if left out, told its prior if
        they take one.
    workers, executor
        As in :func:`peergauge.engine.runner.run`.
    progress
        Called with the numbers of finished and of all classes.
    """
    if classes is not None and classes < 2:
        raise ParameterError("Errors are told from at least two classes.")
    if students < 1:
        raise ParameterError("At least one student deviates.")
    if not len(reports.paid_only):
        raise TableError("There are no reports to simulate a class from.")
    chosen = mechanisms.make(mechanism)
    given = all_rivals(reports, posterior, seed) if rivals is None else rivals
    specs = [mechanisms.make(one).spec for one in given]
    if chosen.spec not in specs and not np.isnan(pay_of(chosen, reports, seed)).all():
        specs = [chosen.spec, *specs]
    size = plan(reports, len(specs), classes, students)
    replay = Replay(
        repetitions=size.classes,
        mould=Mould.of(reports, posterior, size.classes, seed),
        specs=tuple(specs),
        groups=size.groups,
        together=size.together,
    )
    tell = progress or (lambda _done, _of: None)
    tell(0, size.classes)
    rows: dict[int, list[Row]] = {}
    queue = Queue(pieces_of(replay, 1, seed))
    with closing(computed(queue, seed, workers, executor)) as pieces:
        for piece, (of_class, _) in pieces:
            rows[piece.first] = of_class
            tell(len(rows), size.classes)
    found = [row for at in sorted(rows) for row in rows[at]]
    gains, measured, estimated = summed_up(found)
    recommended, grades_by, reason = recommend(chosen.spec, gains, measured, estimated)
    deviated = int(sum(row.value for row in found if row.metric == DEVIATORS))
    return Gaming(
        chosen=chosen.spec,
        gains=gains,
        measured=measured,
        estimated=estimated,
        recommended=recommended,
        grades_by=grades_by,
        reason=f"{reason} So it came out where {deviated:,} students of {size.classes} simulated "
        "classes tried every strategy.",
        classes=size.classes,
        students=deviated,
    )


def summed_up(
    rows: Iterable[Row],
) -> tuple[tuple[Gain, ...], tuple[Measured, ...], tuple[Estimated, ...]]:
    """Means over classes with their standard errors; what no class defines is left out."""
    values: dict[tuple[str, str, str], list[float]] = {}
    for row in rows:
        values.setdefault((row.metric, row.spec, row.strategy), []).append(row.value)
    gains, measured, estimated = [], [], []
    for (metric, spec, strategy), found in values.items():
        mean, error = _mean(found)
        if np.isnan(mean):
            continue
        if metric == PER_100:
            gains.append(Gain(spec, strategy, mean, error))
        elif metric == KendallTau.facts.published:
            measured.append(Measured(spec, mean, error))
        elif metric == ScoreError.facts.published:
            best = values[ScoreError.facts.published, POSTERIOR, ""]
            worse = _mean([one - other for one, other in zip(found, best, strict=True)])
            estimated.append(Estimated(spec, mean, error, *worse))
    return tuple(gains), tuple(measured), tuple(estimated)


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """The mean of what is defined, and its standard error; NaN where there is none."""
    known = np.array([one for one in values if not np.isnan(one)])
    if len(known) < 2:
        return float("nan"), float("nan")
    return float(known.mean()), float(known.std(ddof=1) / np.sqrt(len(known)))


def recommend(
    chosen: str,
    gains: Sequence[Gain],
    measured: Sequence[Measured],
    estimated: Sequence[Estimated],
) -> tuple[str, str, str]:
    """What to pay by, what to grade by, and why.

    1. A mechanism *tells* something if its integrity is clearly above 0.1, that is by more than
       two standard errors. If none does, nothing is recommended: pay everybody alike.
    2. It *can be gamed* if a strategy gains more than three ranks of a hundred. Of those that tell
       something and cannot be gamed, the one with the highest integrity is recommended. The gain is
       taken as it was measured: asking for a clear one would favour what is measured poorly.
    3. If all of them can be gamed, each rank of a hundred that the best strategy gains is held
       against a hundredth of integrity, and the mechanism is recommended that has most left.
    4. Grades are the mean, unless its squared error is clearly larger than the posterior's.
    """
    best: dict[str, Gain] = {}
    gamed: dict[str, Gain] = {}
    for one in gains:
        if one.mechanism not in best or one.gain > best[one.mechanism].gain:
            best[one.mechanism] = one
        most = gamed.get(one.mechanism)
        if one.gain > SLIGHT and (most is None or one.gain > most.gain):
            gamed[one.mechanism] = one
    ranked = sorted(measured, key=lambda one: -one.integrity)
    telling = [
        one
        for one in ranked
        if one.integrity - SURE * one.error > TELLING and one.mechanism in best
    ]
    safe = [one for one in telling if one.mechanism not in gamed]
    words = []
    if not telling:
        recommended = ""
        words.append(
            "Pay everybody alike, for taking part: under no mechanism does pay go clearly with "
            f"accuracy in classes like this one{_highest(ranked)}."
        )
    elif safe:
        recommended = safe[0].mechanism
        words.append(
            f"Pay by {_called(recommended)}: its pay goes with accuracy ({_tau(safe[0])}), and no "
            f"strategy gains more than {SLIGHT:g} ranks of a hundred; the best is "
            f"{_gain(best[recommended])}."
        )
    else:
        trade = max(telling, key=lambda one: one.integrity - best[one.mechanism].gain / 100)
        recommended = trade.mechanism
        words.append(
            "Every mechanism that measures accuracy can be gamed. The best trade is "
            f"{_called(recommended)} ({_tau(trade)}): the best strategy there is "
            f"{_gain(best[recommended])}."
        )
    told = {one.mechanism: one for one in measured}
    others = [(telling[0].mechanism, "measures best")] if telling else []
    if chosen not in dict(others):
        others.append((chosen, "was chosen"))
    for name, why in others:
        if name in told and name != recommended:
            most = gamed.get(name)
            words.append(
                f"{_called(name)}, which {why}, has {_tau(told[name])}, and "
                + ("can hardly be gamed." if most is None else f"can be gamed: {_gain(most)}.")
            )
    if chosen not in told:
        words.append(f"{_called(chosen)}, which was chosen, cannot pay simulated classes.")
    grades_by, grading = _grades(estimated)
    return recommended, grades_by, " ".join([*words, grading])


def _called(spec: str) -> str:
    """What people call a mechanism."""
    return mechanisms.make(spec).label


def _grades(estimated: Sequence[Estimated]) -> tuple[str, str]:
    """What to grade by, and why."""
    by_name = {one.model: one for one in estimated}
    if not {"mean", POSTERIOR} <= set(by_name):
        return POSTERIOR, ""
    mean, posterior = by_name["mean"], by_name[POSTERIOR]
    numbers = (
        f"the mean's squared error is {mean.squared_error:.3g} ± {mean.error:.1g} where the "
        f"posterior's is {posterior.squared_error:.3g} ± {posterior.error:.1g}"
    )
    if mean.worse <= SURE * mean.worse_error:
        return "mean", f"Grade by the mean, which is no worse than a model here: {numbers}."
    called = models.make(POSTERIOR).label
    return POSTERIOR, f"Grade by {called} rather than the mean: {numbers}."


def _tau(one: Measured) -> str:
    return f"τ_B {one.integrity:.2f} ± {one.error:.2f}"


def _gain(one: Gain) -> str:
    return f"{one.strategy} with {one.gain:+.1f} ± {one.error:.1f} ranks of a hundred"


def _highest(ranked: Sequence[Measured]) -> str:
    return f"; the highest is {ranked[0].mechanism} with {_tau(ranked[0])}" if ranked else ""
