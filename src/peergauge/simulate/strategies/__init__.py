"""Strategies, which turn signals into reports: one in each file of this folder."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from peergauge.core.arrays import Floats, Ints
from peergauge.core.errors import NeedsTruthError
from peergauge.core.randomness import stream
from peergauge.core.registry import Facts, Plugin, Registry
from peergauge.tables import Reports, Scale

Per = Literal["report", "assignment", "grader"]
"""The unit for which a strategy draws a random number."""


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
    in_paper
        Whether it is a strategy of the paper.
    """

    informed: bool
    random: bool = False
    latent: bool = False
    memory: bool = False
    in_paper: bool = False


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


class Strategy(Plugin):
    """Base class of strategies, which turn signals into reports."""

    facts: ClassVar[StrategyFacts]

    @abstractmethod
    def report(self, situation: Situation) -> Floats:
        """Return the reports; they are rounded to the scale afterwards."""

    def label_on(self, scale: Scale) -> str:  # noqa: ARG002
        """The label for a class with this scale; labels themselves are for grades of 0..10."""
        return self.label

    def in_words(self) -> str:
        """Describe the strategy as advice to a grader."""
        return self.summary().rstrip(".")


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
) -> Situation:
    """Return the situation for the given *rows* of the reports of a class.

    Random numbers are drawn for every report and grader of the class, whether they are used or not.
    A grader's reports under a strategy therefore do not depend on which other graders follow it.
    """

    def normal(per: Per, part: str) -> Floats:
        names = ("strategy", strategy.facts.name, per, *([part] if part else []))
        if per == "grader":
            return stream(seed, *names).standard_normal(graders)
        rng = stream(seed, *names, repeat)
        if per == "report":
            return rng.standard_normal(len(signal))[rows]
        shape = int(assignment.max(initial=-1)) + 1, graders
        return rng.standard_normal(shape)[assignment[rows], grader[rows]]

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
    )


def deviate(
    reports: Reports,
    graders: ArrayLike,
    strategy: str | Strategy,
    *,
    prior_mean: float | Floats,
    seed: int,
    bias: Floats | None = None,
) -> Reports:
    """Return the reports of any class if *graders* had applied *strategy* to their reports.

    The original reports are treated as signals. *prior_mean* is the expected true score, as one
    number or one for each report. *bias* is the bias of each grader, if it is known.
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
    )
    grade = reports.grade.copy()
    grade[rows] = reports.scale.nearest(chosen.report(situation))
    return reports.with_grades(grade)


strategies: Registry[Strategy] = Registry("strategy", __name__, StrategyFacts)
strategy = strategies.register


def tempting() -> list[str]:
    """Names of the paper's strategies other than truthful."""
    return [
        name
        for name, cls in strategies.classes().items()
        if name != "truthful" and cls.facts.in_paper
    ]
