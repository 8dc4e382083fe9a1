"""Effort as a choice: what each level of effort earns, costs, and whether it is an equilibrium."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.lazy import pl
from peergauge.core.randomness import derived_seed, stream
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.metrics.statistics import mean_with_error
from peergauge.payments import PaymentRule, payments
from peergauge.simulate import ListedEffort, Setting
from peergauge.simulate.source import SemesterSource
from peergauge.tables import frozen

MAX_STANDARD_ERRORS = 2.0
"""Standard errors by which a gain must differ from 0 to be certain."""


class EffortGain(NamedTuple):
    """What a level of effort earns, costs and gains for one agent, if all others choose another.

    Parameters
    ----------
    others, own
        Effort of all other agents, and of this agent.
    pay, pay_error
        Mean pay of this agent, times the payment scale, and its standard error.
    cost
        Cost of the agent's effort.
    utility
        Pay minus cost.
    gain, gain_error
        Utility minus that of the same effort as all others, in the same classes, and its standard
        error.
    """

    others: float
    own: float
    pay: float
    pay_error: float
    cost: float
    utility: float
    gain: float
    gain_error: float


class EffortEquilibrium(NamedTuple):
    """Whether a level of effort, chosen by everybody, is an equilibrium.

    Parameters
    ----------
    effort
        Effort of everybody.
    verdict
        ``yes`` if no other level gains, even with two standard errors more; ``no`` if another level
        gains by more than two standard errors; ``unclear`` otherwise.
    best
        The other level that gains most.
    gain, gain_error
        Its gain, and the standard error.
    """

    effort: float
    verdict: Literal["yes", "no", "unclear"]
    best: float
    gain: float
    gain_error: float


class NeededScale(NamedTuple):
    """The smallest payment scale at which no cheaper effort gains; infinite if there is none."""

    scale: float
    error: float
    against: float


@dataclass(frozen=True, eq=False)
class EffortPay:
    """Pay of one agent by their own level of effort and by that of all others.

    Parameters
    ----------
    levels
        Levels of effort.
    pay
        Pay of the agent: classes × level of all others × own level. A row of classes is one
        simulated class with the same agents, submissions and random numbers throughout.
    """

    levels: tuple[float, ...]
    pay: Floats

    def __post_init__(self) -> None:
        pay = frozen(np.array(self.pay, dtype=np.float64))
        size = len(self.levels)
        if (
            size < 2
            or len(set(self.levels)) < size
            or pay.ndim != 3
            or pay.shape[1:] != (size,) * 2
        ):
            raise ParameterError(
                f"Pay is given for classes x {size} x {size} different levels of effort, at least "
                f"two, but an array of shape {pay.shape} was given."
            )
        if len(pay) < 2:
            raise ParameterError("Standard errors need at least two classes.")
        object.__setattr__(self, "pay", pay)

    def gains(self, cost: ArrayLike, scale: float = 1.0) -> list[EffortGain]:
        """Pay, cost and gain of every level of effort against every level of all others.

        Parameters
        ----------
        cost
            Cost of each level of effort, in units of pay.
        scale
            Payment scale: the amount of money for one unit of pay.
        """
        price = self._price(cost, scale)
        found = []
        for i, others in enumerate(self.levels):
            for j, own in enumerate(self.levels):
                earned = mean_with_error(scale * self.pay[:, i, j])
                more = mean_with_error(scale * (self.pay[:, i, j] - self.pay[:, i, i]))
                found.append(
                    EffortGain(
                        others,
                        own,
                        earned.mean,
                        earned.error,
                        float(price[j]),
                        earned.mean - float(price[j]),
                        more.mean - float(price[j] - price[i]),
                        more.error,
                    )
                )
        return found

    def best_response(self, others: float, cost: ArrayLike, scale: float = 1.0) -> EffortGain:
        """The level of effort with the highest utility if all others choose the level *others*."""
        self._place(others)
        choices = [one for one in self.gains(cost, scale) if one.others == others]
        return max(choices, key=lambda one: one.utility)

    def path(self, start: float, cost: ArrayLike, scale: float = 1.0) -> list[float]:
        """Best-response dynamics: the efforts of a class that always moves to the best response.

        It ends at a level that is its own best response, or with the first level that occurs again.
        """
        found = [start]
        while True:
            found.append(self.best_response(found[-1], cost, scale).own)
            if found[-1] in found[:-1]:
                return found[:-1] if found[-1] == found[-2] else found

    def equilibria(self, cost: ArrayLike, scale: float = 1.0) -> list[EffortEquilibrium]:
        """Whether each level of effort is a symmetric equilibrium in pure strategies."""
        gains = self.gains(cost, scale)
        found = []
        for level in self.levels:
            others = [one for one in gains if one.others == level != one.own]
            best = max(others, key=lambda one: one.gain)
            high = max(one.gain + MAX_STANDARD_ERRORS * one.gain_error for one in others)
            low = max(one.gain - MAX_STANDARD_ERRORS * one.gain_error for one in others)
            verdict: Literal["yes", "no", "unclear"] = (
                "yes" if high <= 0 else "no" if low > 0 else "unclear"
            )
            found.append(EffortEquilibrium(level, verdict, best.own, best.gain, best.gain_error))
        return found

    def needed_scale(self, effort: float, cost: ArrayLike) -> NeededScale:
        """The smallest payment scale at which no cheaper level gains, if all choose *effort*.

        Against a cheaper level it is the difference of the costs divided by the difference of the
        mean pay. The standard error is that of the ratio by the delta method.
        """
        price, i = self._price(cost, 1.0), self._place(effort)
        found = NeededScale(0.0, 0.0, effort)
        for j, other in enumerate(self.levels):
            if price[j] >= price[i]:
                continue
            more = mean_with_error(self.pay[:, i, i] - self.pay[:, i, j])
            spared = float(price[i] - price[j])
            if not more.mean > 0:
                return NeededScale(np.inf, np.nan, other)
            if spared / more.mean > found.scale:
                found = NeededScale(spared / more.mean, spared / more.mean**2 * more.error, other)
        return found

    def to_polars(self, cost: ArrayLike, scale: float = 1.0) -> pl.DataFrame:
        """Return :meth:`gains` as a Polars frame."""
        return pl.DataFrame(self.gains(cost, scale), schema=list(EffortGain._fields), orient="row")

    def _price(self, cost: ArrayLike, scale: float) -> Floats:
        price = np.asarray(cost, dtype=np.float64)
        if price.shape != (len(self.levels),) or not np.isfinite(price).all():
            raise ParameterError(
                f"There are {len(self.levels)} levels of effort, so that {len(self.levels)} finite "
                f"costs are needed, but {price.tolist()} were given."
            )
        if not 0 <= scale < np.inf:
            raise ParameterError(f"A payment scale is finite and not negative, but is {scale:g}.")
        return price

    def _place(self, effort: float) -> int:
        if effort not in self.levels:
            raise ParameterError(f"{effort:g} is not one of the levels of effort {self.levels}.")
        return self.levels.index(effort)


def effort_pay(
    mechanism: str | Mechanism,
    setting: Setting,
    levels: Sequence[float],
    *,
    payment: str | PaymentRule = "linear",
    classes: int = 40,
    agents: int = 4,
    seed: int = 0,
) -> EffortPay:
    """Simulate what each level of effort earns, given the level that all others choose.

    All agents report truthfully what they see. In each class, some random agents choose each other
    level, one at a time, and their mean pay is kept. Graders, submissions and random numbers are
    the same whatever the levels, so that differences of pay have little noise. Agents who are not
    paid are left out of the mean.

    Parameters
    ----------
    mechanism
        The mechanism that scores reports.
    setting
        The class; its distribution of effort is replaced. The model of signals gives effort its
        meaning: the mean number of additional draws, or the probability of not guessing.
    levels
        Levels of effort from which agents choose.
    payment
        The rule that turns scores into pay.
    classes
        Number of simulated classes, from which standard errors are computed.
    agents
        Number of agents in each class who choose another level, one at a time.
    seed
        The same seed gives the same numbers.

    Examples
    --------
    >>> from peergauge.simulate import label_setting
    >>> crowd = label_setting(students=12, assignments=2)
    >>> found = effort_pay("oa", crowd, (0.0, 1.0), classes=20, agents=2, seed=1)
    >>> [one.verdict for one in found.equilibria(cost=(0.0, 1.0), scale=0.1)]
    ['yes', 'no']
    """
    made, rule, choices = mechanisms.make(mechanism), payments.make(payment), tuple(levels)
    if not 1 <= agents <= setting.students:
        raise ParameterError(
            f"From 1 to {setting.students} agents of a class can choose another level of effort, "
            f"but {agents} was given."
        )
    pay = np.full((classes, len(choices), len(choices)), np.nan)
    for number in range(classes):
        own_seed = derived_seed(seed, "effort choice", number)
        who = stream(own_seed, "agents").permutation(setting.students)[:agents]
        for i, others in enumerate(choices):
            usual = np.full(setting.students, float(others))
            alike = _pay(made, rule, setting, usual, own_seed)
            for j, own in enumerate(choices):
                if i == j:
                    pay[number, i, j] = mean_with_error(alike[who]).mean
                    continue
                earned = np.empty(agents)
                for place, agent in enumerate(who):
                    effort = usual.copy()
                    effort[agent] = own
                    earned[place] = _pay(made, rule, setting, effort, own_seed)[agent]
                pay[number, i, j] = mean_with_error(earned).mean
    return EffortPay(tuple(float(one) for one in choices), pay)


def _pay(
    mechanism: Mechanism, rule: PaymentRule, setting: Setting, effort: Floats, seed: int
) -> Floats:
    """Expected pay of each agent in the class of a seed, if agents choose these efforts."""
    chosen = replace(setting, effort=ListedEffort(tuple(effort.tolist())))
    semester = SemesterSource(chosen).draw(seed).semester(mechanism.facts.design)
    rewards = score(mechanism, semester.reports, seed=seed, truth=semester.truth)
    return rule.expected(rewards.total)
