"""How graders are paid from reports alone: one mechanism in each file of this folder."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from peergauge.core.errors import NeedsTruthError, TableError
from peergauge.core.lazy import pl
from peergauge.core.randomness import stream
from peergauge.core.registry import Facts, Plugin, Registry
from peergauge.tables import Reports, Rewards, Truth


class Equilibrium(Enum):
    """What a mechanism promises about truthful reporting, from the paper's table."""

    NONE = "none"
    HELPFUL = "helpful reporting"
    TRUTHFUL = "truthful"
    NEARLY_STRONGLY = "ε-strongly truthful"
    DOMINANTLY = "dominantly truthful"
    NOT_ANALYSED = "not analysed"


@dataclass(frozen=True, kw_only=True)
class MechanismFacts(Facts):
    """What a mechanism declares.

    Parameters
    ----------
    family
        What it is akin to.
    novel
        Whether the paper proposes it in its appendix, rather than compare it in its body.
    random
        Whether chance plays a part in the payments.
    design
        ``clusters`` if groups of graders must grade the same submissions, ``any`` otherwise.
    steps
        Whether it counts grades, and so needs a scale with steps.
    equilibrium, assumption
        What it promises about truthful reporting, and what must hold of the signals for that.
    penalties
        Whether it holds reports against penalty tasks, for which spare reports serve too.
    truth
        Whether it is given the true scores, which a real class has at most from its staff.
    checks
        Whether it can use the true scores of those submissions that staff checked, where some
        were; graders do not know which.
    semester
        Whether it judges all reports so far together. An assignment then adds whatever it
        changes the judgement by, which may be less than nothing, and may concern those who did
        not grade in it.
    in_paper
        Whether the paper compares it, in its body or in its appendix.
    """

    family: str
    novel: bool = False
    random: bool = False
    design: Literal["any", "clusters"] = "any"
    steps: bool = False
    equilibrium: Equilibrium
    assumption: str
    penalties: bool = False
    truth: bool = False
    checks: bool = False
    semester: bool = False
    in_paper: bool = False


class Mechanism(Plugin):
    """Pays graders. It sees reports, never the truth, unless it declares that it must."""

    facts: ClassVar[MechanismFacts]

    @abstractmethod
    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        """Pay every grader for every assignment."""

    def score_with_truth(self, reports: Reports, truth: Truth, rng: np.random.Generator) -> Rewards:
        """Pay with knowledge of the true scores; only for mechanisms that declare ``truth``."""
        raise NotImplementedError

    def score_with_checks(
        self, reports: Reports, checks: Truth, rng: np.random.Generator
    ) -> Rewards:
        """Pay with the true scores of checked submissions; only for those that declare ``checks``.

        *checks* has no score for any other submission.
        """
        raise NotImplementedError

    def told(
        self, reports: Reports, grader: int | None = None, checks: Truth | None = None
    ) -> pl.DataFrame:
        """What graders can be told after each assignment; only for those that declare ``semester``.

        A row for each assignment of each grader, or of the one with that number: how many of its
        reports are theirs, the total so far, how much that changed, and what the change is made
        of, in columns that begin with ``from_`` and add up to it.
        """
        raise NotImplementedError


mechanisms: Registry[Mechanism] = Registry("mechanism", __name__, MechanismFacts)
mechanism = mechanisms.register


def score(
    mechanism: str | Mechanism,
    reports: Reports,
    *,
    seed: int = 0,
    truth: Truth | None = None,
    checks: Truth | None = None,
) -> Rewards:
    """Pay the graders of *reports* by a mechanism, named by its spec string or given as is.

    The draws of a random mechanism belong to *seed* and its name and depend on who graded what,
    not on the grades: reports that differ in their grades alone are paid with the same draws.
    *truth* is handed to a mechanism that declares that it needs the true scores, to no other.
    *checks* are the true scores of submissions that staff checked, and of no others. They are
    handed to a mechanism that declares that it can use them, in place of *truth*, and to no other.
    """
    chosen = mechanisms.make(mechanism)
    if not len(reports):
        raise TableError("There are no reports to score.")
    if chosen.facts.steps:
        reports.scale.steps_needed()
    rng = stream(seed, "mechanism", chosen.facts.name)
    checked = checks if chosen.facts.checks else None
    if chosen.facts.truth and truth is None and checked is None:
        raise NeedsTruthError(
            f"The mechanism '{chosen.facts.name}' is paid by the true scores; give them too, "
            "or choose another mechanism."
        )
    counted = reports if chosen.facts.penalties else reports.paid_only
    if not len(counted.paid_only):
        raise TableError("There are only spare reports, and they are not paid.")
    if checked is not None:
        rewards = chosen.score_with_checks(counted, checked, rng)
    elif chosen.facts.truth and truth is not None:
        rewards = chosen.score_with_truth(counted, truth, rng)
    else:
        rewards = chosen.score(counted, rng)
    return rewards if reports.spare is None else _without_spare(rewards, reports, reports.spare)


def _without_spare(rewards: Rewards, reports: Reports, spare: NDArray[np.bool_]) -> Rewards:
    """Rewards for *reports*, of which those that are *spare* have no part."""
    if rewards.part is None:
        return Rewards(rewards.amount, reports, whole=rewards.whole)
    part = np.full(len(reports), np.nan)
    part[~spare] = rewards.part if len(rewards.part) < len(reports) else rewards.part[~spare]
    return Rewards(rewards.amount, reports, part, rewards.averaged, rewards.whole)
