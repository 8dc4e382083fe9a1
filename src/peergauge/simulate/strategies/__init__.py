"""What graders make of what they saw: one strategy in each file of this folder."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from peergauge.errors import NeedsTruthError
from peergauge.grouping import Floats, Ints
from peergauge.registry import Facts, Plugin, Registry
from peergauge.tables import Scale


@dataclass(frozen=True, kw_only=True)
class StrategyFacts(Facts):
    """What a strategy declares.

    Parameters
    ----------
    informed
        Whether the report depends on the signal.
    random
        Whether the report depends on chance besides the signal.
    published
        What the authors' result files call it.
    """

    informed: bool
    random: bool = False
    published: str


@dataclass(frozen=True)
class Situation:
    """Everything that graders may act upon, for the reports that are to be made.

    Parameters
    ----------
    signal
        What was seen of the submission.
    grader
        Who reports.
    scale
        The grades that can be given.
    prior_mean
        What graders expect of a submission before they see it.
    bias_sign
        +1 or -1 for each grader, if they know whether they tend to grade too high or too low.
    normal_per_report, normal_per_grader
        Standard normal numbers of this strategy's own: one for each of the reports, or one for
        each grader that stays over the semester. A report's number does not depend on who else
        follows the strategy.
    bias_deviation
        How far biases spread in this class.
    """

    signal: Floats
    grader: Ints
    scale: Scale
    prior_mean: float
    bias_sign: Floats | None
    bias_deviation: float
    normal_per_report: Callable[[], Floats]
    normal_per_grader: Callable[[], Floats]

    def known_bias_sign(self) -> Floats:
        """The sign of each grader's bias, or a refusal where nobody knows it."""
        if self.bias_sign is None:
            raise NeedsTruthError(
                "This strategy acts on the sign of a grader's bias, which only a simulated "
                "class knows; leave it out for a real one."
            )
        return self.bias_sign


class Strategy(Plugin):
    """Turns signals into reports."""

    facts: ClassVar[StrategyFacts]

    @abstractmethod
    def report(self, situation: Situation) -> Floats:
        """What to report; rounded to the nearest grade of the scale afterwards."""


strategies: Registry[Strategy] = Registry("strategy", __name__, StrategyFacts)
strategy = strategies.register
