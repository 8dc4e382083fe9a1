"""Where a theorem says that the truth is not beaten, no strategy beats it.

Every mechanism that declares an equilibrium is paid in classes in which its assumption about
signals holds, and is checked to hold. All graders report their signals, but for one, who follows
each strategy of a family in turn: all functions from signals to reports where there are few
signals, and the registered strategies that look at one report at a time where signals are
continuous. No strategy may gain more than :data:`MAX_STANDARD_ERRORS` over the truth.

A mechanism that declares another assumption fails until classes are made in which it holds.

**Tolerance.** The gain is a mean over eleven assignments that are drawn independently, paid with
the same random draws before and after. A strategy that is exactly as good as the truth, of which
every mechanism has some, passes four standard errors (Student's t with ten degrees of freedom)
once in 800 times; the seed is fixed. False claims are beaten by far more, as the last tests show.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from peergauge.mechanisms import Equilibrium, Mechanism, MechanismFacts, mechanisms, score
from peergauge.simulate.strategies import Situation, Strategy, strategies
from peergauge.tables import Reports, Scale

Floats = NDArray[np.float64]

MAX_STANDARD_ERRORS = 4.0
ASSIGNMENTS, SUBMISSIONS, GRADERS, SEATS = 12, 120, 12, 3
WORLDS_PER_MECHANISM = 2

MIN_MARGIN = 0.03
"""Least amount by which an inequality of an assumption holds, so that estimates agree with it."""

MIN_JOINT_PROBABILITY = 0.02
"""Least probability of a pair of signals, so that mechanisms that count pairs see all of them."""

ANY_SIGNALS = "–"
"""The assumption of mechanisms that need none."""

CLAIMS = tuple(
    one
    for one in mechanisms.all()
    if one.facts.equilibrium not in (Equilibrium.NONE, Equilibrium.NOT_ANALYSED)
)


# ------------------------------------------------------------------------------------- worlds


@dataclass(frozen=True)
class World:
    """A distribution of signals that are independent given the state of a submission.

    Parameters
    ----------
    prior
        The probability of each state.
    seen
        The probability of each signal in each state, states × signals.
    """

    prior: Floats
    seen: Floats

    @property
    def joint(self) -> Floats:
        """The probabilities of the signals of two graders of a submission."""
        return np.asarray(np.einsum("k,kx,ky->xy", self.prior, self.seen, self.seen))

    @property
    def marginal(self) -> Floats:
        """The probability of each signal."""
        return np.asarray(self.prior @ self.seen)

    @property
    def belief(self) -> Floats:
        """The probability of each signal of a peer, given one's own: own × peer's."""
        return np.asarray(self.joint / self.marginal[:, None])


def own_signal_leads(value: Floats, margin: float) -> bool:
    """Whether the diagonal exceeds all other entries of its row by a margin."""
    others = np.where(np.eye(len(value), dtype=bool), -np.inf, value).max(axis=1)
    return bool((np.diag(value) > others + margin).all())


def self_dominating(world: World) -> bool:
    return own_signal_leads(world.belief, MIN_MARGIN)


def self_predicting(world: World) -> bool:
    return own_signal_leads(world.belief / world.marginal, MIN_MARGIN)


def strictly_correlated(world: World) -> bool:
    return bool(abs(np.linalg.det(world.joint)) > MIN_MARGIN)


def stochastically_relevant(world: World) -> bool:
    distance = np.abs(world.belief[:, None] - world.belief[None, :]).max(axis=2)
    return bool((distance + np.eye(len(distance)) > MIN_MARGIN).all())


def conditionally_independent(world: World) -> bool:
    return np.allclose(world.prior.sum(), 1) and np.allclose(world.seen.sum(axis=1), 1)


def medians_of_beliefs(world: World) -> bool:
    """Whether a signal is the median of what its grader believes about the state."""
    state = world.prior[:, None] * world.seen / world.marginal
    below = np.cumsum(state, axis=0)
    signal = np.arange(len(world.prior))
    at, before = below[signal, signal], below[signal, signal] - state[signal, signal]
    return bool((at > 0.5 + MIN_MARGIN).all() and (before < 0.5 - MIN_MARGIN).all())


def estimated_well(world: World) -> bool:
    """Whether no correlation of two signals is so small that its sign is a matter of chance."""
    excess = world.joint - np.outer(world.marginal, world.marginal)
    return bool((np.abs(excess) > MIN_MARGIN / 2).all())


@dataclass(frozen=True)
class Assumption:
    """What must hold of a world, and in which worlds it is looked for.

    Parameters
    ----------
    holds
        The conditions.
    signals
        The number of signals.
    accuracy
        The least and the greatest share of signals that are the state; the others are random.
    """

    holds: tuple[Callable[[World], bool], ...]
    signals: int = 3
    accuracy: tuple[float, float] = (0.3, 0.8)


ASSUMPTIONS: Mapping[str, Assumption] = {
    "self-dominating": Assumption((self_dominating,)),
    "self-predicting": Assumption((self_predicting,)),
    "self-predicting, two signals": Assumption((self_predicting,), signals=2),
    # DMI splits all grades into two.
    "strictly correlated": Assumption((strictly_correlated,), signals=2),
    "stochastically relevant": Assumption((stochastically_relevant,), accuracy=(0.0, 0.5)),
    "conditionally independent": Assumption((conditionally_independent,), accuracy=(0.0, 0.5)),
    # Of more signals, reports are not independent given the answer to each of SSR's questions.
    "conditionally independent, medians of beliefs": Assumption(
        (conditionally_independent, medians_of_beliefs), signals=2
    ),
    ANY_SIGNALS: Assumption((estimated_well,), accuracy=(0.0, 0.5)),
}
"""The assumptions that mechanisms declare."""


def random_worlds(assumption: Assumption, seed: int) -> Iterator[World]:
    """Worlds in which an assumption holds, among worlds that are drawn at random."""
    rng, size = np.random.default_rng(seed), assumption.signals
    for _ in range(100_000):
        accuracy = rng.uniform(*assumption.accuracy)
        noise = rng.dirichlet(np.ones(size), size)
        world = World(
            rng.dirichlet(np.full(size, 3.0)), accuracy * np.eye(size) + (1 - accuracy) * noise
        )
        common = world.joint.min() > MIN_JOINT_PROBABILITY
        if common and all(condition(world) for condition in assumption.holds):
            yield world
    raise AssertionError("the assumption holds too seldom to be tested")


# ------------------------------------------------------------------------------------ classes


@dataclass(frozen=True)
class Class:
    """A class of truthful graders, some of whom may deviate because they never meet."""

    truthful: Reports
    deviators: NDArray[np.int64]

    def deviating(self, strategy: Callable[[Reports, NDArray[np.bool_]], Floats]) -> Reports:
        """The reports if each deviator follows a strategy."""
        rows = np.isin(self.truthful.grader, self.deviators)
        grade = self.truthful.grade.copy()
        grade[rows] = strategy(self.truthful, rows)
        return replace(self.truthful, grade=grade)


def class_of_signals(
    draw: Callable[[np.random.Generator, int], Floats],
    scale: Scale,
    design: str,
    seed: int,
    each: int = SUBMISSIONS,
) -> Class:
    """A class whose graders report their signals; *draw* makes those of so many submissions.

    *each* is the number of submissions of an assignment.
    """
    rng = np.random.default_rng(seed)
    submissions = ASSIGNMENTS * each
    if design == "clusters":
        group = np.arange(submissions) % (GRADERS // SEATS)
        grader = group[:, None] * SEATS + np.arange(SEATS)
        deviators = np.arange(0, GRADERS, SEATS)
    else:
        grader = np.sort(rng.random((submissions, GRADERS)).argsort(axis=1)[:, :SEATS], axis=1)
        deviators = np.array([0])
    submission = np.repeat(np.arange(submissions), SEATS)
    reports = Reports(
        assignment=(submission // each).astype(np.int32),
        submission=submission.astype(np.int32),
        grader=grader.ravel(),
        grade=draw(rng, submissions).ravel(),
        scale=scale,
    )
    return Class(reports, deviators)


def class_in(world: World, design: str, seed: int, submissions: int = SUBMISSIONS) -> Class:
    """A class in a world of a few signals, which are the grades 0, 1, …"""
    signals = len(world.marginal)

    def draw(rng: np.random.Generator, submissions: int) -> Floats:
        state = rng.choice(len(world.prior), submissions, p=world.prior)
        below = np.cumsum(world.seen, axis=1)[state][:, None, :-1]
        passed = rng.random((submissions, SEATS))[:, :, None] > below
        return np.asarray(passed.sum(axis=2), dtype=np.float64)

    return class_of_signals(draw, Scale(0, signals - 1), design, seed, submissions)


def gains(
    mechanism: Mechanism, given: Class, family: Mapping[str, Callable[..., Floats]]
) -> dict[str, tuple[float, float]]:
    """The mean gain of each strategy over the truth in an assignment, and its standard error.

    The first assignment does not count: some mechanisms learn from it what is usual.
    """

    def pay(reports: Reports) -> Floats:
        amount = score(mechanism, reports, seed=1).amount[1:, given.deviators]
        assert np.isfinite(amount).all(), "somebody was not paid, or infinitely much"
        return np.asarray(amount.sum(axis=1))

    truth, found = pay(given.truthful), {}
    for name, strategy in family.items():
        gain = pay(given.deviating(strategy)) - truth
        found[name] = float(gain.mean()), float(gain.std(ddof=1) / np.sqrt(len(gain)))
    return found


def beating(found: Mapping[str, tuple[float, float]]) -> dict[str, tuple[float, float]]:
    """The strategies that gain more than chance explains."""
    return {
        name: (gain, error)
        for name, (gain, error) in found.items()
        if gain > MAX_STANDARD_ERRORS * error + 1e-9
    }


# ------------------------------------------------------------------------- strategies of a grader


def all_functions(signals: int) -> dict[str, Callable[..., Floats]]:
    """All functions from so many signals to as many reports, without the truth."""

    def reporting(values: tuple[int, ...]) -> Callable[..., Floats]:
        table = np.array(values, dtype=float)
        return lambda reports, rows: table[reports.grade[rows].astype(int)]

    truth = tuple(range(signals))
    return {
        str(values): reporting(values)
        for values in product(range(signals), repeat=signals)
        if values != truth
    }


def looks_at_one_report(strategy: Strategy) -> bool:
    """Whether a strategy can be followed by somebody who knows nothing but a single signal."""
    more = ("latent", "memory", "skips", "copies", "shown", "cheap")
    alone = strategy.circle_size() == 0
    return strategy.facts.informed and alone and not any(strategy.uses(fact) for fact in more)


def registered(mean: float) -> dict[str, Callable[..., Floats]]:
    """The registered strategies that look at one report at a time."""

    def following(strategy: Strategy) -> Callable[..., Floats]:
        def reported(reports: Reports, rows: NDArray[np.bool_]) -> Floats:
            rng = np.random.default_rng(5)
            signal = reports.grade[rows]
            situation = Situation(
                signal=signal,
                grader=reports.grader[rows],
                assignment=reports.assignment[rows],
                scale=reports.scale,
                prior_mean=mean,
                bias_sign=None,
                bias_deviation=0.0,
                normal=lambda *_: rng.standard_normal(len(signal)),
                assignments=reports.assignments,
            )
            return np.clip(strategy.report(situation), 0.0, 10.0)

        return reported

    return {one.spec: following(one) for one in strategies.all() if looks_at_one_report(one)}


# ------------------------------------------------------------------------------------ the claims

NORMAL_MEAN, NORMAL_VARIANCE, NOISE_VARIANCE = 5.0, 1.5, 0.7
"""True scores and noise of signals, in points of 0..10; the noise is that of the parametric
mechanisms, and the ends of the scale are more than three standard deviations away."""


def normal_class(seed: int, submissions: int = SUBMISSIONS) -> Class:
    """A class of the model behind the parametric mechanisms, with continuous grades."""

    def draw(rng: np.random.Generator, submissions: int) -> Floats:
        true = rng.normal(NORMAL_MEAN, NORMAL_VARIANCE**0.5, (submissions, 1))
        noise = rng.normal(0.0, NOISE_VARIANCE**0.5, (submissions, SEATS))
        return np.clip(true + noise, 0.0, 10.0)

    return class_of_signals(draw, Scale(0, 10, None), "any", seed, submissions)


def knowing(mechanism: Mechanism) -> Mechanism:
    """The mechanism with the prior of :func:`normal_class`, if it needs one."""
    if mechanism.facts.prior == "none":
        return mechanism
    prior: dict[str, Any] = {"prior_mean": NORMAL_MEAN, "prior_variance": NORMAL_VARIANCE}
    return replace(mechanism, **prior)  # type: ignore[type-var]


def counts_grades(mechanism: Mechanism) -> bool:
    """Whether a mechanism counts equal grades; others compute with continuous ones."""
    return mechanism.facts.steps or mechanism.facts.labels != "none"


def assumption_of(facts: MechanismFacts) -> Assumption:
    """What has to hold in the classes in which a mechanism is held to its claim."""
    assert facts.assumption in ASSUMPTIONS, (
        f"The mechanism '{facts.name}' claims to be {facts.equilibrium.value} under the assumption "
        f"'{facts.assumption}', but ASSUMPTIONS makes no classes in which that holds."
    )
    return ASSUMPTIONS[facts.assumption]


def worlds_of(mechanism: Mechanism) -> list[World]:
    """Worlds in which the assumption of a mechanism holds."""
    found = random_worlds(assumption_of(mechanism.facts), seed=1)
    return [next(found) for _ in range(WORLDS_PER_MECHANISM)]


@pytest.mark.parametrize("mechanism", [one for one in CLAIMS if counts_grades(one)], ids=str)
def test_no_function_of_signals_beats_the_truth(mechanism: Mechanism) -> None:
    for number, world in enumerate(worlds_of(mechanism)):
        given = class_in(world, mechanism.facts.design, seed=number)
        found = gains(mechanism, given, all_functions(len(world.marginal)))
        assert not beating(found), world


@pytest.mark.parametrize("mechanism", [one for one in CLAIMS if not counts_grades(one)], ids=str)
def test_no_registered_strategy_beats_the_truth(mechanism: Mechanism) -> None:
    """Normal signals with a common correlation other than 0 are stochastically relevant."""
    assumption_of(mechanism.facts)
    found = gains(knowing(mechanism), normal_class(seed=1), registered(NORMAL_MEAN))
    assert not beating(found)


@pytest.mark.parametrize(
    "mechanism",
    [one for one in CLAIMS if one.facts.equilibrium is Equilibrium.DOMINANTLY],
    ids=str,
)
def test_a_dominant_truth_is_not_beaten_among_careless_graders_either(
    mechanism: Mechanism,
) -> None:
    """The reports of all others are noisy: four in ten say nothing about the submission."""
    for number, world in enumerate(worlds_of(mechanism)):
        given = careless(class_in(world, mechanism.facts.design, seed=number), share=0.4)
        found = gains(mechanism, given, all_functions(len(world.marginal)))
        assert not beating(found), world


def careless(given: Class, share: float) -> Class:
    """The class with a share of random reports by those who do not deviate."""
    reports, rng = given.truthful, np.random.default_rng(3)
    random = (rng.random(len(reports)) < share) & ~np.isin(reports.grader, given.deviators)
    grade = np.where(random, rng.integers(0, reports.scale.levels, len(reports)), reports.grade)
    return replace(given, truthful=replace(reports, grade=grade.astype(np.float64)))


# ----------------------------------------------------------- the checks can fail, and where they do


def test_a_claim_under_a_new_assumption_needs_classes_in_which_it_holds() -> None:
    facts = MechanismFacts(name="new", equilibrium=Equilibrium.TRUTHFUL, assumption="a full moon")
    with pytest.raises(AssertionError, match="under the assumption 'a full moon', but ASSUMPTIONS"):
        assumption_of(facts)


BIASED = World(prior=np.array([0.1, 0.9]), seen=np.array([[0.65, 0.35], [0.28, 0.72]]))
"""Most submissions are good: whoever sees a bad one still expects that a peer sees a good one."""


@pytest.mark.parametrize("name", ["oa", "ssr"])
def test_where_most_submissions_are_good_it_pays_to_call_all_of_them_good(name: str) -> None:
    """Claim: OA needs self-dominating signals, and SSR medians of beliefs; others need neither."""
    assert self_predicting(BIASED)
    assert not self_dominating(BIASED)
    assert not medians_of_beliefs(BIASED)
    given, family = class_in(BIASED, "any", seed=1, submissions=600), all_functions(2)
    assert list(beating(gains(mechanisms.make(name), given, family))) == ["(1, 1)"]
    for robust in ("ptsc", "sqrt-agreement"):
        assert not beating(gains(mechanisms.make(robust), given, family))


def test_the_best_guess_of_a_peers_report_beats_the_truth_where_distances_are_paid() -> None:
    """Claim: truth is no equilibrium of MSE, as the best guess is nearer to the mean."""
    slope = NORMAL_VARIANCE / (NORMAL_VARIANCE + NOISE_VARIANCE)

    def best_guess(reports: Reports, rows: NDArray[np.bool_]) -> Floats:
        return np.asarray(NORMAL_MEAN + slope * (reports.grade[rows] - NORMAL_MEAN))

    given = normal_class(seed=1, submissions=600)
    assert beating(gains(mechanisms.make("mse"), given, {"best guess": best_guess}))
