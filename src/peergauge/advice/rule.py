"""The rule by which a mechanism is recommended, from measured values alone.

A mechanism loses a point for each hundredth of binary AUC by which it measures worse than MSE in
the least favourable setting that the class may resemble, and a point for each rank out of 100 above
three that the best attack found may gain (by its upper two-sigma bound). The mechanism that loses
the fewest points is recommended. MSE is the yardstick, because a class can always return to it.

Cheap signals that graders share without reading do not decide, because they defeat every mechanism
that sees reports alone once enough graders use them. They are listed as left open.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from peergauge.advice.measures import (
    ALONE,
    BY_MEASURE,
    CALIBRATING,
    CHEAP,
    COPYING,
    DIFFERENCE,
    INTEGRITY,
    MAX_WITHSTOOD_RANKS,
    PAID,
    REVERSING,
    SEARCHED_COLUMNS,
    SKIPPING,
    WITHOUT_CHEAP,
    WORST_DIFFERENCE,
    WORST_SETTING,
    Value,
    in_numbers,
)
from peergauge.advice.standing import Standing
from peergauge.core.brief import brief
from peergauge.core.errors import PeergaugeError
from peergauge.simulate.strategies import strategies

MIN_PAID_SHARE = 0.9
"""Share of graders that a mechanism must pay to be recommended."""

POINTS_PER_AUC = 100.0
"""Points for a difference of 1 in binary AUC: a hundredth counts as much as a rank out of 100."""


class Need(NamedTuple):
    """A restriction on the mechanisms that may be recommended."""

    name: str
    label: str
    forbids: tuple[str, ...]
    """Fields of :class:`~peergauge.advice.standing.Needs` that must be false."""


NEEDS = (
    Need("any", "no restriction", ()),
    Need("no-prior", "no known prior", ("prior",)),
    Need("no-semester", "final pay after each assignment", ("semester",)),
    Need("neither", "no known prior, final pay after each assignment", ("prior", "semester")),
)


@dataclass(frozen=True)
class Judged:
    """A mechanism with the points that it loses.

    Parameters
    ----------
    standing
        The mechanism in the setting.
    difference
        Its binary AUC minus that of MSE in the least favourable setting; None if not measured.
    attack
        The best attack found over all columns; None if the mechanism was not attacked.
    known_gain
        Highest rank gain of any strategy that was tried, by a search or among the paper's.
    """

    standing: Standing
    difference: Value | None
    attack: Value | None
    known_gain: float

    @property
    def attacked(self) -> bool:
        """Whether attacks were searched for."""
        return self.attack is not None

    @property
    def points_lost(self) -> float:
        """Points by the rule of this module; what was not measured counts as no loss."""
        gain = self.known_gain if self.attack is None else self.attack.upper_bound
        measuring = 0.0 if self.difference is None else -POINTS_PER_AUC * self.difference.value
        return measuring + max(0.0, gain - MAX_WITHSTOOD_RANKS)


@dataclass(frozen=True)
class Recommendation:
    """The mechanism to use in one setting, for one need.

    Parameters
    ----------
    need
        The restriction.
    use
        The recommended mechanism, if there is one.
    why
        The reason in sentences, with the measured numbers.
    leaves_open
        What the mechanism does not prevent, in sentences: attacks by column, calibrating and
        reversing, and its weakest setting.
    points_lost
        Points that the mechanism loses by the rule of this module.
    """

    need: Need
    use: Standing | None
    why: tuple[str, ...]
    leaves_open: tuple[str, ...] = ()
    points_lost: float = float("nan")

    __repr__ = brief

    @property
    def mechanism(self) -> str:
        """Spec of the recommended mechanism; empty if there is none."""
        return "" if self.use is None else self.use.spec

    @property
    def sentence(self) -> str:
        """The need, the reason and what is left open, as one paragraph."""
        begin = self.need.label[0].upper() + self.need.label[1:]
        return " ".join([f"{begin}: {self.why[0]}", *self.why[1:], *self.leaves_open])


def fitting(found: Sequence[Standing], need: Need, *, estimated: bool = False) -> list[Standing]:
    """The mechanisms that meet a need, measure something and pay nearly all graders.

    Mechanisms that are superseded by another one are left out.

    Parameters
    ----------
    estimated
        Whether priors are estimated in this setting, so that no mechanism needs to know one.
    """
    forbids = [name for name in need.forbids if not (estimated and name == "prior")]
    return [
        one
        for one in found
        if not any(getattr(one.needs, name) for name in forbids)
        and not np.isnan(one.get(INTEGRITY))
        and not one.get(PAID) < MIN_PAID_SHARE
        and not one.needs.superseded
    ]


def best_attack(found: Collection[Value]) -> Value | None:
    """The attack that counts among several: the highest gain that was not withstood.

    If all were withstood, it is the one with the highest upper bound. None if there is none.

    >>> best_attack([Value(5, 4, 9), Value(10, 0.5, 9), Value(0, 0.1, 9)]).value
    10
    >>> best_attack([Value(0.5, 0.9, 9), Value(1, 0.1, 9)]).value
    0.5
    """
    known = [one for one in found if not np.isnan(one.value)]
    open_ = [one for one in known if not one.withstood]
    if open_:
        return max(open_, key=lambda one: one.value)
    return max(known, key=lambda one: one.upper_bound, default=None)


def judge(
    one: Standing,
    *,
    differences: Mapping[str, Value] | None = None,
    elsewhere: Standing | None = None,
    assigned_known: bool = True,
) -> Judged:
    """Count the points that a mechanism loses.

    Parameters
    ----------
    one
        The mechanism in the setting.
    differences
        For each setting that the class may resemble, binary AUC minus that of MSE. By default the
        lowest difference over all honest settings is used. The difference in the setting itself
        always counts too.
    elsewhere
        The mechanism in the setting in which every mechanism was attacked. Its attacks count in the
        columns that were not searched in this setting.
    assigned_known
        Whether mechanisms are told which reviews were assigned; if not, skipping counts too.
    """
    skipping = () if assigned_known else (SKIPPING,)
    attacks = attacks_of(one, elsewhere, (WITHOUT_CHEAP, *skipping))
    if WITHOUT_CHEAP not in attacks:
        attacks = attacks_of(one, elsewhere, (*SEARCHED_COLUMNS, *skipping))
    if differences is None:
        overall = one.values.get(WORST_DIFFERENCE)
        differences = {} if overall is None else {overall.where: overall}
    known = [*differences.values(), one.values.get(DIFFERENCE)]
    worst = min(
        (value for value in known if value is not None and not np.isnan(value.value)),
        key=lambda value: value.value,
        default=None,
    )
    tried = [value.value for value in (*one.gains, *attacks.values())]
    return Judged(one, worst, best_attack(attacks.values()), max(tried, default=0.0))


def attacks_of(
    one: Standing, elsewhere: Standing | None, columns: Sequence[str] = SEARCHED_COLUMNS
) -> dict[str, Value]:
    """The best attack in each column that was searched, in this setting or else elsewhere."""
    found = {}
    for name in columns:
        value = one.values.get(name)
        if value is None and elsewhere is not None:
            value = elsewhere.values.get(name)
        if value is not None and not np.isnan(value.value):
            found[name] = value
    return found


def choose(judged: Sequence[Judged]) -> Judged | None:
    """The mechanism that loses the fewest points.

    A mechanism that was not attacked is chosen only if none was. Equal points go to the higher
    integrity, and then to the name that comes first, so that the order of rows plays no part.
    """
    attacked = [one for one in judged if one.attacked] or list(judged)

    def order(one: Judged) -> tuple[float, float, str]:
        return one.points_lost, -one.standing.get(INTEGRITY), one.standing.spec

    return min(attacked, key=order, default=None)


def candidates(judged: Sequence[Judged], each: int) -> list[Standing]:
    """The *each* mechanisms that lose the fewest points so far, attacked or not."""
    ordered = sorted(judged, key=lambda one: (one.points_lost, one.standing.spec))
    return [one.standing for one in ordered[:each]]


def recommend_among(
    found: Sequence[Standing],
    need: Need,
    *,
    estimated: bool = False,
    differences: Mapping[str, Mapping[str, Value]] | None = None,
    elsewhere: Mapping[str, Standing] | None = None,
    elsewhere_label: str = "",
    assigned_known: bool = True,
    label_of: Mapping[str, str] | None = None,
) -> Recommendation:
    """Recommend one of the mechanisms that were measured in a setting, by the rule of this module.

    Parameters
    ----------
    found
        All mechanisms in the setting.
    need
        The restriction.
    estimated
        Whether priors are estimated in this setting, so that no mechanism needs to know one.
    differences
        For each mechanism, its differences to MSE by setting; see :func:`judge`.
    elsewhere, elsewhere_label
        All mechanisms in the setting in which every mechanism was attacked, and its label.
    assigned_known
        Whether mechanisms are told which reviews were assigned.
    label_of
        Labels of settings by their names.
    """
    fit = fitting(found, need, estimated=estimated)
    if not fit:
        return Recommendation(need, None, ("no mechanism fits.",))
    judged = [
        judge(
            one,
            differences=None if differences is None else differences.get(one.spec, {}),
            elsewhere=(elsewhere or {}).get(one.spec),
            assigned_known=assigned_known,
        )
        for one in fit
    ]
    chosen = choose(judged)
    assert chosen is not None
    labels = label_of or {}
    use = chosen.standing
    why = [f"use {use.label} ({use.spec}). {_measures(chosen, labels)}"]
    if not chosen.attacked:
        why.append("No attacks on any of the mechanisms that fit were searched for.")
    else:
        why.append(_points(chosen, judged))
    if more := _alternative(chosen, judged):
        why.append(more)
    other = (elsewhere or {}).get(use.spec)
    open_ = left_open(use, other, elsewhere_label, labels, assigned_known=assigned_known)
    return Recommendation(need, use, tuple(why), open_, chosen.points_lost)


def _measures(one: Judged, labels: Mapping[str, str]) -> str:
    """A sentence on how well a mechanism measures."""
    use = one.standing
    words = f"Its binary AUC is {in_numbers(INTEGRITY, use.values.get(INTEGRITY))}"
    if DIFFERENCE in use.values:
        words += f" ({in_numbers(DIFFERENCE, use.values[DIFFERENCE])} compared with MSE)"
    if one.difference is not None and one.difference.where:
        where = labels.get(one.difference.where, one.difference.where)
        words += (
            f"; in the least favourable setting that was considered, ‘{where}’, it is "
            f"{in_numbers(WORST_DIFFERENCE, one.difference)} compared with MSE"
        )
    return words + "."


def _points(chosen: Judged, judged: Sequence[Judged]) -> str:
    """A sentence on the points that decide."""
    attacked = sum(one.attacked for one in judged)
    return (
        f"It loses the fewest points ({_number(chosen.points_lost)}) of {attacked} attacked "
        "mechanisms that fit: a point for each hundredth of AUC below MSE, and for each rank above "
        f"{MAX_WITHSTOOD_RANKS:g} that the best attack found may gain."
    )


def _alternative(chosen: Judged, judged: Sequence[Judged]) -> str:
    """A sentence on the mechanism that measures better, if there is one, and what it costs."""
    use = chosen.standing
    best = max(judged, key=lambda one: one.standing.get(INTEGRITY))
    if not best.standing.get(INTEGRITY) > use.get(INTEGRITY) or best is chosen:
        return ""
    numbers = in_numbers(INTEGRITY, best.standing.values[INTEGRITY])
    cost = (
        f"the best attack found gains {in_numbers(ALONE, best.attack)} ranks"
        if best.attack is not None and not best.attack.withstood
        else "it was not attacked"
        if best.attack is None
        else f"it loses {_number(best.points_lost)} points"
    )
    return f"{best.standing.label} measures better here (binary AUC {numbers}), but {cost}."


def left_open(
    use: Standing,
    elsewhere: Standing | None = None,
    elsewhere_label: str = "",
    labels: Mapping[str, str] | None = None,
    *,
    assigned_known: bool = True,
) -> tuple[str, ...]:
    """What a mechanism does not prevent: attacks by column, and its weakest setting."""
    sentences = []
    held = []
    for name in (*SEARCHED_COLUMNS, *(() if assigned_known else (SKIPPING,))):
        value, there = use.values.get(name), ""
        if value is None and elsewhere is not None and name in elsewhere.values:
            value, there = elsewhere.values[name], f" (searched in ‘{elsewhere_label}’)"
        label = BY_MEASURE[name].label
        if value is None or np.isnan(value.value):
            sentences.append(f"{label}: not attacked.")
        elif value.withstood:
            held.append(f"{label.lower()}{there}")
        else:
            gain = in_numbers(name, value)
            sentences.append(f"{label}{there}: {_who(value)} {gain} ranks{_by(value)}.")
    if held:
        sentences.insert(0, f"It withstood the search for attacks {' and '.join(held)}.")
    for name in (COPYING, CHEAP, CALIBRATING, REVERSING):
        value = use.values.get(name) or (elsewhere.values.get(name) if elsewhere else None)
        if value is not None and value.value > 0 and not value.withstood:
            sentences.append(f"{OPEN_WORDS[name]} {in_numbers(name, value)} ranks.")
    weakest = use.values.get(WORST_SETTING)
    if weakest is not None:
        where = (labels or {}).get(weakest.where, weakest.where)
        sentences.append(
            f"Its weakest honest setting is ‘{where}’, with a binary AUC of "
            f"{in_numbers(WORST_SETTING, weakest)}."
        )
    return tuple(sentences)


OPEN_WORDS = {
    COPYING: "Copying co-graders gains, beyond what the copied reports deserve, up to",
    CHEAP: "A signal that graders share without reading gains up to",
    CALIBRATING: "Calibrating gains up to",
    REVERSING: "Reversing gains up to",
}
"""Beginnings of the sentences on attacks that are reported apart."""

TYPE_WORDS = {
    "ability-1": "the most accurate quarter of the graders gains",
    "ability-2": "the second quarter of the graders by accuracy gains",
    "ability-3": "the third quarter of the graders by accuracy gains",
    "ability-4": "the least accurate quarter of the graders gains",
    "standing-1": "graders who were shown a standing in the first quarter gain",
    "standing-2": "graders who were shown a standing in the second quarter gain",
    "standing-3": "graders who were shown a standing in the third quarter gain",
    "standing-4": "graders who were shown a standing in the last quarter gain",
}
"""Types of graders as subjects of a sentence, with their verb."""


def _who(value: Value) -> str:
    """The graders who gain, with the verb."""
    subject = TYPE_WORDS.get(value.type, "a grader gains")
    if value.others:
        return f"with {value.others} others out of 100, {subject}"
    return subject


def _by(value: Value) -> str:
    """What the graders do, in words."""
    words = strategy_in_words(value.strategy)
    return f" by this: {words[:1].lower()}{words[1:]}" if words else ""


def strategy_in_words(spec: str) -> str:
    """What a grader does who follows a strategy; the spec itself if the strategy is unknown."""
    if not spec:
        return ""
    try:
        return strategies.make(spec).in_words().rstrip(".")
    except PeergaugeError:
        return spec


def _number(value: float) -> str:
    return f"{round(value, 1) + 0.0:.1f}".replace("-", "−")
