"""What graders make of what they saw: one strategy in each file of this folder."""

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
"""What a number of a strategy's own belongs to."""


@dataclass(frozen=True, kw_only=True)
class StrategyFacts(Facts):
    """What a strategy declares.

    Parameters
    ----------
    informed
        Whether the report depends on the signal.
    random
        Whether the report depends on chance besides the signal.
    latent
        Whether it acts on what only a simulated grader can be told: the sign of their bias, or
        what is seen of a submission at a glance.
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
    """Everything that graders may act upon, for the reports that are to be made.

    Parameters
    ----------
    signal
        What was seen of the submission.
    grader, assignment
        Who reports, and on which assignment; in the order in which the reports are made.
    scale
        The grades that can be given.
    prior_mean
        What graders expect of a submission before they see it; of each of them if they differ.
    bias_sign
        +1 or -1 for each grader, if they know whether they tend to grade too high or too low.
    bias_deviation
        How far biases spread in this class.
    normal
        Standard normal numbers of this strategy's own, asked for by what they belong to and by
        the part of the strategy that uses them. A report's number does not depend on who else
        follows the strategy.
    part
        Which part of a strategy this is, where it is made of several.
    cheap
        What is seen of the submission at a glance, if this class has such a thing.
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
        """A standard normal number for each of the reports."""
        return self.normal("report", self.part)

    def normal_per_assignment(self) -> Floats:
        """One for each assignment of each grader, given for each of the reports."""
        return self.normal("assignment", self.part)

    def normal_per_grader(self) -> Floats:
        """One for each grader of the class, which stays over the semester."""
        return self.normal("grader", self.part)

    def within(self, part: str | int, signal: Floats | None = None) -> Situation:
        """The same for a part of a strategy, with chance of its own, and what it is told of."""
        seen = self.signal if signal is None else signal
        return replace(self, signal=seen, part=f"{self.part}/{part}")

    def known_bias_sign(self) -> Floats:
        """The sign of each grader's bias, or a refusal where nobody knows it."""
        if self.bias_sign is None:
            raise NeedsTruthError(
                "This strategy acts on the sign of a grader's bias, which only a simulated "
                "class knows; leave it out for a real one."
            )
        return self.bias_sign

    def known_cheap(self) -> Floats:
        """What is seen at a glance, or a refusal where that is not known."""
        if self.cheap is None:
            raise NeedsTruthError(
                "This strategy reports what is seen of a submission at a glance, which only a "
                "class simulated with cheap signals knows; give its setting some."
            )
        return self.cheap


class Strategy(Plugin):
    """Turns signals into reports."""

    facts: ClassVar[StrategyFacts]

    @abstractmethod
    def report(self, situation: Situation) -> Floats:
        """What to report; rounded to the nearest grade of the scale afterwards."""

    def in_words(self) -> str:
        """What a grader does who follows it, as advice to them."""
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
    """What those who make *rows* of the reports of a class may act upon.

    Numbers are drawn for every report and grader of the class, whoever uses them, so that a
    grader's reports under a strategy are the same whoever else follows it.
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
    """The reports of any class, had *graders* followed *strategy* on top of what they reported.

    What they reported is taken for what they saw. *prior_mean* is what they expect of a submission,
    or of that of each report. *bias* is that of each grader, where a simulation knows it.
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
    """The strategies of the paper that are not truthful, by name."""
    return [
        name
        for name, cls in strategies.classes().items()
        if name != "truthful" and cls.facts.in_paper
    ]
