"""Strategies, which turn signals into reports: one in each file of this folder."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from peergauge.core.arrays import Floats, Ints
from peergauge.core.brief import brief
from peergauge.core.errors import NeedsTruthError, ParameterError
from peergauge.core.randomness import stream
from peergauge.core.registry import Facts, Plugin, Registry, parameters
from peergauge.tables import Reports, Scale

Per = Literal["report", "assignment", "grader"]
"""The unit for which a strategy draws a random number."""

Standing: TypeAlias = Callable[[int], Floats]
"""Standing of each grader after so many assignments, as a mechanism shows it.

The standing is the share of the other graders who have been paid less: 1 for the best paid grader,
0 for the worst paid, NaN for a grader who has not been paid.
"""


class Move(NamedTuple):
    """How a search changes a number of a strategy."""

    spread: float
    """Standard deviation of a change."""

    step: float
    """The number is rounded to a multiple of this."""

    lowest: float
    highest: float

    def apply(self, value: float, rng: np.random.Generator) -> float:
        """Change a number at random."""
        moved = value + self.spread * rng.standard_normal()
        steps = round(round(moved / self.step) * self.step, 6)
        return float(np.clip(steps, self.lowest, self.highest))


class Tries(NamedTuple):
    """Specs of a strategy that a search for attacks tries."""

    first: tuple[str, ...] = ()
    """The most promising ones, which every search tries."""

    more: tuple[str, ...] = ()
    """Further ones, which only a thorough search tries."""


class CoGraders(NamedTuple):
    """The other graders of the submission of each report, in arrays of reports × places.

    Some places are empty: the grader's own place, and those of submissions with fewer graders.
    """

    grader: Ints
    """Number of the co-grader; -1 for an empty place."""

    signal: Floats
    """Signal of the co-grader; NaN for an empty place."""

    @classmethod
    def of(
        cls, rows: NDArray[np.int64], submission: Ints, grader: Ints, signal: Floats
    ) -> CoGraders:
        """The co-graders of some *rows* of a class, whose rows are sorted by submission."""
        own = submission[rows]
        first = np.searchsorted(submission, own, side="left")
        count = np.searchsorted(submission, own, side="right") - first
        place = first[:, None] + np.arange(int(count.max(initial=0)))
        empty = (place >= (first + count)[:, None]) | (place == rows[:, None])
        place = np.minimum(place, max(len(submission) - 1, 0))
        return cls(np.where(empty, -1, grader[place]), np.where(empty, np.nan, signal[place]))


@dataclass(frozen=True, kw_only=True)
class StrategyFacts(Facts):
    """Facts that a strategy declares.

    Parameters
    ----------
    informed
        Whether the report depends on the signal.
    random
        Whether the report depends on random draws in addition to the signal.
    latent
        Whether it uses information that only a simulated grader has: the sign of their bias, or
        the cheap signal of a submission.
    memory
        Whether a report depends on the grader's other signals too.
    calibrates
        Whether it subtracts the bias that the grader's own signals show.
    skips
        Whether some reviews are not done.
    copies
        Whether it uses what co-graders of the same submission report.
    shown
        Whether it uses the standing that a mechanism shows to graders.
    cheap
        Whether it uses a signal that graders share without reading the submission.
    circles
        Whether it is meant for circles of friends who act together.
    sabotages
        Whether it is meant to lower the pay of co-graders.
    labels
        Whether it can be followed where reports are labels, which have no order and no distance.
    in_paper
        Whether it is a strategy of the paper.
    """

    informed: bool
    random: bool = False
    latent: bool = False
    memory: bool = False
    calibrates: bool = False
    skips: bool = False
    copies: bool = False
    shown: bool = False
    cheap: bool = False
    circles: bool = False
    sabotages: bool = False
    labels: bool = False
    in_paper: bool = False

    __repr__ = brief


@dataclass(frozen=True)
class Situation:
    """The information that a strategy can use for a set of reports.

    Parameters
    ----------
    signal
        Signal of each report.
    grader, assignment
        Grader and assignment of each report, in the order of the reports.
    scale
        The scale of grades.
    prior_mean
        Expected true score before the signal is seen; one number, or one for each report.
    bias_sign
        +1 or -1 for each grader, if graders know whether they tend to grade too high or too low.
    bias_deviation
        Standard deviation of biases in this class.
    normal
        Function that returns standard normal numbers of this strategy, by the unit for which they
        are drawn and by the part of the strategy that uses them. The number of a report does not
        depend on which other graders follow the strategy.
    part
        Name of the part, for a strategy that consists of several.
    cheap
        Cheap signal of each report, if the class has one.
    assignments
        Number of assignments of the semester.
    co_graders
        Function that returns the co-graders of each report and what they report. These are their
        signals, that is, what they report if they are truthful, whatever strategy they follow.
    standing
        Standing of each grader after a number of assignments, as a mechanism shows it, computed
        from the reports before anybody deviates. It is exact for a grader who was truthful until
        then. None if no mechanism is known.
    shared_signal
        Function that returns a signal of each report that graders share without reading, by its
        correlation with the true score and by its noise; see
        :class:`~peergauge.simulate.CheapSignals`. None if the true scores are unknown.
    circle
        Function that divides the class into circles of a given number of friends, and returns the
        number of each grader's circle.
    """

    signal: Floats
    grader: Ints
    assignment: Ints
    scale: Scale
    prior_mean: float | Floats
    bias_sign: Floats | None
    bias_deviation: float
    normal: Callable[[Per, str], Floats]
    part: str = ""
    cheap: Floats | None = None
    assignments: int = 1
    co_graders: Callable[[], CoGraders] | None = None
    standing: Standing | None = None
    shared_signal: Callable[[float, float], Floats] | None = None
    circle: Callable[[int], Ints] | None = None

    @property
    def progress(self) -> Floats:
        """Share of the assignments of the semester that are over at the time of each report."""
        return np.asarray(self.assignment / self.assignments)

    def normal_per_report(self) -> Floats:
        """A standard normal number for each report."""
        return self.normal("report", self.part)

    def normal_per_assignment(self) -> Floats:
        """A standard normal number for each grader and assignment, repeated for their reports."""
        return self.normal("assignment", self.part)

    def normal_per_grader(self) -> Floats:
        """A standard normal number for each grader, constant over the semester."""
        return self.normal("grader", self.part)

    def within(self, part: str | int, signal: Floats | None = None) -> Situation:
        """Return the situation for a part of a strategy, with separate random numbers."""
        seen = self.signal if signal is None else signal
        return replace(self, signal=seen, part=f"{self.part}/{part}")

    def known_bias_sign(self) -> Floats:
        """Return the sign of each grader's bias; raise an error if it is unknown."""
        if self.bias_sign is None:
            raise NeedsTruthError(
                "This strategy acts on the sign of a grader's bias, which only a simulated "
                "class knows; leave it out for a real one."
            )
        return self.bias_sign

    def known_cheap(self) -> Floats:
        """Return the cheap signals; raise an error if the class has none."""
        if self.cheap is None:
            raise NeedsTruthError(
                "This strategy reports what is seen of a submission at a glance, which only a "
                "class simulated with cheap signals knows; give its setting some."
            )
        return self.cheap

    def known_co_graders(self) -> CoGraders:
        """Return the co-graders of each report; raise an error if they are unknown."""
        if self.co_graders is None:
            raise NeedsTruthError(
                "This strategy uses what co-graders report, which is not known here; apply it to "
                "the reports of a whole class."
            )
        return self.co_graders()

    def known_standing(self, done: int) -> Floats:
        """Return each grader's standing after some assignments; raise an error if unknown."""
        if self.standing is None:
            raise NeedsTruthError(
                "This strategy acts on the standing that a mechanism shows to graders, but no "
                "mechanism is known here; name one, as `peergauge exploit` does, or leave the "
                "strategy out."
            )
        return self.standing(done)

    def known_shared_signal(self, correlation: float, noise: float) -> Floats:
        """Return a signal that graders share; raise an error if true scores are unknown."""
        if self.shared_signal is None:
            raise NeedsTruthError(
                "This strategy uses a signal with a given correlation with the true score, which "
                "only a simulated class knows; leave it out for a real one."
            )
        return self.shared_signal(correlation, noise)

    def known_circle(self, friends: int) -> Ints:
        """Return the number of each grader's circle of friends; raise an error if unknown."""
        if self.circle is None:
            raise NeedsTruthError(
                "This strategy is followed by circles of friends, which are not known here; apply "
                "it to the reports of a whole class."
            )
        return self.circle(friends)


class Strategy(Plugin):
    """Base class of strategies, which turn signals into reports.

    Examples
    --------
    >>> import peergauge
    >>> strategies["hedge"].facts.informed
    True
    >>> peergauge.simulate(students=20, strategies=(("hedge", 5),), seed=1).truth.strategic.sum()
    np.int64(5)
    """

    facts: ClassVar[StrategyFacts]

    moves: ClassVar[Mapping[str, Move]] = {}
    """How a search changes the numbers of the strategy, by the names of its parameters.

    Numbers of a strategy that declares nothing are changed in proportion to their defaults.
    """

    @abstractmethod
    def report(self, situation: Situation) -> Floats:
        """Return the reports, which are rounded to the scale afterwards.

        NaN means that the review is not done.
        """

    def parts(self) -> tuple[Strategy, ...]:
        """The strategies of which this one consists; none if it is simple."""
        return ()

    def uses(self, fact: str) -> bool:
        """Whether a fact holds for this strategy or for a strategy of which it consists."""
        return bool(getattr(self.facts, fact)) or any(one.uses(fact) for one in self.parts())

    def begins(self, assignments: int) -> int:  # noqa: ARG002
        """Number of assignments after which the first report can differ from the signal.

        It is 0 for strategies that act from the start. For others, a grader can know their standing
        before they choose the strategy.
        """
        return 0

    def circle_size(self) -> int:
        """Number of friends who follow the strategy together; 0 if it is meant for one grader."""
        return max((one.circle_size() for one in self.parts()), default=0)

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        """Specs that a search for attacks tries if the expected true score is *mean*, in points.

        By default every variant of the strategy is tried.
        """
        return Tries(tuple(cls(**variant).spec for variant in cls.facts.variants))

    def moved(self, mean: float, rng: np.random.Generator) -> Strategy:
        """Return the strategy with one of its numbers changed at random; itself if it has none.

        *mean* is the expected true score in points of 0..10, which replaces a centre of none.
        """
        moves = self.moves or _default_moves(type(self))
        if not moves:
            return self
        name = list(moves)[int(rng.integers(len(moves)))]
        value = getattr(self, name)
        changed = moves[name].apply(mean if value is None else float(value), rng)
        number: float = round(changed) if isinstance(value, int) else changed
        try:
            return strategies.make(self, **{name: number})
        except ParameterError:
            # Some combinations of numbers are impossible.
            return self

    def label_on(self, scale: Scale) -> str:  # noqa: ARG002
        """The label for a class with this scale; labels themselves are for grades of 0..10."""
        return self.label

    def in_words(self) -> str:
        """Describe the strategy as advice to a grader."""
        return self.summary().rstrip(".")


def _default_moves(cls: type[Strategy]) -> dict[str, Move]:
    """Changes of all parameters with a number as their default, in proportion to it."""
    found = {}
    for field in parameters(cls):
        if isinstance(field.default, float):
            spread = max(0.25 * abs(field.default), 0.1)
            found[field.name] = Move(spread, spread / 4, -np.inf, np.inf)
    return found


def every(template: str, *values: Iterable[object]) -> tuple[str, ...]:
    """Fill every combination of values into a template.

    >>> every("shift:by={}", (-1, 1))
    ('shift:by=-1', 'shift:by=1')
    """
    return tuple(template.format(*one) for one in product(*values))


def simple_specs() -> list[str]:
    """The specs, with default parameters, of all strategies that do not consist of others."""
    return [
        name
        for name, cls in strategies.classes().items()
        if name != "truthful" and "steps" not in (one.name for one in parameters(cls))
    ]


def circles(graders: int, friends: int, seed: int) -> Ints:
    """Divide a class at random into circles of friends; return the number of each circle.

    If the class cannot be divided evenly, the last circle is smaller.
    """
    order = stream(seed, "circles", friends).permutation(graders)
    number = np.empty(graders, dtype=np.int32)
    number[order] = np.arange(graders) // friends
    return number


def situation_of(
    strategy: Strategy,
    rows: NDArray[np.int64],
    signal: Floats,
    grader: Ints,
    assignment: Ints,
    graders: int,
    scale: Scale,
    prior_mean: float | Floats,
    *,
    seed: int,
    repeat: int = 0,
    bias_sign: Floats | None = None,
    bias_deviation: float = 0.0,
    cheap: Floats | None = None,
    submission: Ints | None = None,
    assignments: int | None = None,
    standing: Standing | None = None,
    shared_signal: Callable[[float, float], Floats] | None = None,
) -> Situation:
    """Return the situation for the given *rows* of the reports of a class.

    Random numbers are drawn for every report and grader of the class, whether they are used or not.
    A grader's reports under a strategy therefore do not depend on which other graders follow it.
    Co-graders are known if the *submission* of each report is given.
    """
    if not strategy.facts.labels:
        scale.numbers_needed(f"The strategy '{strategy.facts.name}'")

    def normal(per: Per, part: str) -> Floats:
        names = ("strategy", strategy.facts.name, per, *([part] if part else []))
        if per == "grader":
            return stream(seed, *names).standard_normal(graders)
        rng = stream(seed, *names, repeat)
        if per == "report":
            return rng.standard_normal(len(signal))[rows]
        shape = int(assignment.max(initial=-1)) + 1, graders
        return rng.standard_normal(shape)[assignment[rows], grader[rows]]

    def co_graders() -> CoGraders:
        assert submission is not None
        return CoGraders.of(rows, submission, grader, signal)

    def shared(correlation: float, noise: float) -> Floats:
        assert shared_signal is not None
        return shared_signal(correlation, noise)[rows]

    return Situation(
        signal=signal[rows],
        grader=grader[rows],
        assignment=assignment[rows],
        scale=scale,
        prior_mean=prior_mean if np.ndim(prior_mean) == 0 else np.asarray(prior_mean)[rows],
        bias_sign=bias_sign,
        bias_deviation=bias_deviation,
        normal=normal,
        cheap=None if cheap is None else cheap[rows],
        assignments=int(assignment.max(initial=0)) + 1 if assignments is None else assignments,
        co_graders=None if submission is None else co_graders,
        standing=standing,
        shared_signal=None if shared_signal is None else shared,
        circle=lambda friends: circles(graders, friends, seed),
    )


def deviate(
    reports: Reports,
    graders: ArrayLike,
    strategy: str | Strategy,
    *,
    prior_mean: float | Floats,
    seed: int,
    bias: Floats | None = None,
    standing: Standing | None = None,
) -> Reports:
    """Return the reports of any class if *graders* had applied *strategy* to their reports.

    The original reports are treated as signals. *prior_mean* is the expected true score, as one
    number or one for each report. *bias* is the bias of each grader, if it is known. *standing* is
    what a mechanism shows to graders, for strategies that act on it. Reviews that are not done are
    missing from the result.

    Examples
    --------
    >>> import peergauge
    >>> reports = peergauge.simulate(students=20, assignments=3, seed=1).reports
    >>> changed = deviate(reports, [4], "all-tens", prior_mean=7.0, seed=1)
    >>> set(changed.grade[changed.grader == 4].tolist())
    {10.0}
    """
    chosen = strategies.make(strategy)
    rows = np.flatnonzero(np.isin(reports.grader, np.atleast_1d(graders)))
    situation = situation_of(
        chosen,
        rows,
        reports.grade,
        reports.grader,
        reports.assignment,
        reports.graders,
        reports.scale,
        prior_mean,
        seed=seed,
        bias_sign=None if bias is None else np.sign(bias),
        bias_deviation=0.0 if bias is None else float(np.std(bias)),
        submission=reports.submission,
        assignments=reports.assignments,
        standing=standing,
    )
    grade = reports.grade.copy()
    grade[rows] = rounded(chosen.report(situation), reports.scale)
    return reports.handed_in(grade)


def rounded(report: Floats, scale: Scale) -> Floats:
    """Round reports to the scale; NaN, for reviews that are not done, stays NaN."""
    missing = np.isnan(report)
    if not missing.any():
        return scale.nearest(report)
    return np.where(missing, np.nan, scale.nearest(np.where(missing, scale.lowest, report)))


strategies: Registry[Strategy] = Registry("strategy", __name__, StrategyFacts)
strategy = strategies.register


def tempting() -> list[str]:
    """Names of the paper's strategies other than truthful."""
    return [
        name
        for name, cls in strategies.classes().items()
        if name != "truthful" and cls.facts.in_paper
    ]
