"""The contract of strategies: what every strategy promises, one check for each promise."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from peergauge.core.errors import PeergaugeError
from peergauge.simulate import CheapSignals, Setting, simulate
from peergauge.simulate.strategies import CoGraders, Situation, Strategy, strategies
from peergauge.tables import Scale
from peergauge.testing.classes import SCALES
from peergauge.testing.promises import broken, checks_of, promise, require

KIND = "strategy"

SIGNAL_REPEATS = 20
"""How often every signal of a scale occurs where randomness is looked for."""


def check_strategy(strategy: str | Strategy) -> None:
    """Check that a strategy, given as an object or by its spec string, keeps every promise.

    >>> check_strategy("hedge")
    """
    made = strategies.make(strategy) if isinstance(strategy, str) else strategy
    for check in checks_of(KIND, made):
        check(made)


def situation(signal: ArrayLike, **changes: Any) -> Situation:
    """One grader for each signal on 0..10 with prior mean 7, in the second of two assignments.

    Every other grader grades too low, and standings rise with the number of the grader.
    """
    seen = np.array(signal, dtype=np.float64)
    usual = Situation(
        signal=seen,
        grader=np.arange(len(seen), dtype=np.int32),
        assignment=np.ones(len(seen), dtype=np.int32),
        scale=Scale(),
        prior_mean=7.0,
        bias_sign=np.where(np.arange(len(seen)) % 2, -1.0, 1.0),
        bias_deviation=1.0,
        normal=lambda per, part: np.random.default_rng([len(per), *part.encode()]).standard_normal(
            len(seen)
        ),
        cheap=7.0 + (np.arange(len(seen)) % 3).astype(np.float64),
        assignments=2,
        co_graders=lambda: co_graders(len(seen), changes.get("scale", Scale()), 0),
        standing=lambda _done: np.linspace(0, 1, len(seen)),
        shared_signal=lambda correlation, noise: 6.0 + correlation + noise * (seen * 0 + 1),
        circle=lambda friends: np.arange(len(seen), dtype=np.int32) // friends,
    )
    return replace(usual, **changes)


def co_graders(count: int, scale: Scale, seed: int) -> CoGraders:
    """Three co-graders of each report, with random signals on the scale."""
    rng = np.random.default_rng([seed, count])
    grader = np.arange(count)[:, None] + np.array([1, 2, 3])
    signal = rng.choice(scale.values(), (count, 3))
    return CoGraders((grader % count).astype(np.int32), signal)


def _other_chance(seed: int, count: int, scale: Scale) -> dict[str, Any]:
    """Other random numbers and other graders."""
    rng = np.random.default_rng(seed)
    normal = rng.standard_normal((2, count))
    return {
        "grader": rng.permutation(count).astype(np.int32),
        "bias_sign": rng.choice([-1.0, 1.0], count),
        "normal": lambda per, _: normal[len(per) % 2],
        "cheap": 7.0 + rng.standard_normal(count),
        "co_graders": lambda: co_graders(count, scale, seed),
        "shared_signal": lambda *_: 7.0 + normal[0],
    }


@promise(KIND)
def check_reports_lie_on_the_scale(strategy: Strategy) -> None:
    """Simulated graders who follow the strategy give grades of the scale."""
    standing = np.linspace(0, 1, 8)
    for scale in SCALES:
        setting = Setting(8, 3, 3, scale=scale, cheap=CheapSignals())
        semester = simulate(setting, seed=1)
        grade = semester.redo(np.arange(8), strategy, standing=lambda _done: standing).grade
        require(
            np.isin(grade, scale.values()).all(), strategy, f"gives grades that are not on {scale}"
        )


@promise(KIND)
def check_every_signal_has_a_finite_report(strategy: Strategy) -> None:
    """There is one finite report for every signal; NaN if the strategy declares ``skips``."""
    for scale in SCALES:
        where = situation(scale.values(), scale=scale, prior_mean=scale.lowest + 7 * scale.unit)
        report = strategy.report(where)
        require(
            np.shape(report) == where.signal.shape,
            strategy,
            f"makes {np.size(report)} reports of {len(where.signal)} signals",
        )
        done = np.isfinite(report) | (np.isnan(report) & strategy.uses("skips"))
        require(done.all(), strategy, f"makes a report on {scale} that is no number")


@promise(KIND)
def check_declares_whether_it_is_informed(strategy: Strategy) -> None:
    """Reports depend on the signal exactly if the strategy declares ``informed``."""
    # The same signals of one grader in another order: some strategies subtract a grader's mean.
    one = np.zeros(6, dtype=np.int32)
    low, high = (strategy.report(situation(seen * 3, grader=one)) for seen in ([1, 9], [9, 1]))
    depends = not np.array_equal(low, high, equal_nan=True)
    require(
        strategy.facts.informed == depends,
        strategy,
        f"declares informed={strategy.facts.informed}, but its reports "
        f"{'depend' if depends else 'do not depend'} on the signal",
    )


@promise(KIND)
def check_declares_whether_it_has_memory(strategy: Strategy) -> None:
    """Reports depend on a grader's other signals exactly if the strategy declares ``memory``."""
    # The other signals belong to the assignment before, because some strategies look back only.
    one, when = np.zeros(3, dtype=np.int32), np.array([1, 0, 0], dtype=np.int32)
    low, high = (
        strategy.report(situation([5, *seen], grader=one, assignment=when))
        for seen in ([1, 9], [9, 8])
    )
    depends = not np.array_equal(low[:1], high[:1], equal_nan=True)
    require(
        strategy.facts.memory == depends,
        strategy,
        f"declares memory={strategy.facts.memory}, but a report "
        f"{'depends' if depends else 'does not depend'} on the grader's other signals",
    )


@promise(KIND)
def check_declares_whether_it_is_random(strategy: Strategy) -> None:
    """Reports are a function of the signal unless the strategy declares that more matters.

    It declares ``random``, ``copies`` (what co-graders report) or ``shown`` (the standing).
    """
    more = any(map(strategy.uses, ("random", "copies", "shown", "circles")))
    for scale in SCALES:
        signal = np.repeat(scale.values(), SIGNAL_REPEATS)
        mean = scale.lowest + 7 * scale.unit
        once, again = (
            strategy.report(
                situation(
                    signal, scale=scale, prior_mean=mean, **_other_chance(seed, len(signal), scale)
                )
            )
            for seed in (1, 2)
        )
        one_each = len(set(zip(signal, once, strict=True))) == scale.levels
        same = np.array_equal(once, again, equal_nan=True)
        random = not one_each and not same
        require(
            more == random and one_each == same,
            strategy,
            f"declares {'that more than' if more else 'that only'} the signal matters (random, "
            f"copies, shown, circles), but its reports on {scale} "
            f"{'depend' if random else 'do not depend'} on more",
        )


@promise(KIND)
def check_inputs_stay_untouched(strategy: Strategy) -> None:
    """A strategy does not change the situation, and read-only arrays are enough for it."""
    where = situation([0, 3, 7, 10])
    given = replace(where, signal=where.signal.copy(), grader=where.grader.copy())
    strategy.report(given)
    require(
        np.array_equal(given.signal, where.signal) and np.array_equal(given.grader, where.grader),
        strategy,
        "changes the situation that it is given; copy an array before changing it",
    )
    for array in (where.signal, where.grader, where.assignment):
        array.setflags(write=False)
    try:
        strategy.report(where)
    except ValueError as error:
        raise broken(strategy, f"fails on read-only arrays: {error}") from error


@promise(KIND)
def check_spec_and_pickle_give_it_back(strategy: Strategy) -> None:
    """The spec string and a pickle make an equal strategy."""
    try:
        again = strategies.make(strategy.spec) == strategy
    except PeergaugeError:
        again = False
    require(again, strategy, f"cannot be made from its spec {strategy.spec}")
    copy = pickle.loads(pickle.dumps(strategy))
    require(
        copy == strategy and copy.facts == strategy.facts,
        strategy,
        "is not the same after pickling",
    )


@promise(KIND)
def check_explains_itself(strategy: Strategy) -> None:
    """A strategy has a docstring of its own that begins with a sentence, and words of advice."""
    # A dataclass without a docstring is given its signature instead.
    own = type(strategy).__doc__ or ""
    require(own and not own.startswith(f"{type(strategy).__name__}("), strategy, "has no docstring")
    require(
        strategy.summary().endswith("."), strategy, "has a docstring that begins with no sentence"
    )
    words = strategy.in_words()
    require(
        words[:1].isupper() and not words.endswith("."),
        strategy,
        "describes itself in words that do not begin with a capital or end with a full stop",
    )
