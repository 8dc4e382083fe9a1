"""From what was measured to a leaderboard: who stands where, who beats whom, and what to use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from peergauge.core.lazy import pl
from peergauge.lab.bench.entrants import Needs
from peergauge.lab.bench.measuring import (
    ACCURACY,
    AMONG,
    ERROR,
    GAIN,
    PAID,
    SECONDS,
    SEMESTERS,
    STABILITY,
    USUAL,
    Exploitability,
    InClasses,
    Robustness,
)
from peergauge.lab.bench.suite import BY_NAME
from peergauge.lab.paper.e02_integrity_in_classes import AGAIN
from peergauge.mechanisms import mechanisms


class Measure(NamedTuple):
    """Something that mechanisms are compared by."""

    name: str
    label: str
    better: Literal["higher", "lower"]
    digits: int
    meaning: str


MEASURES = (
    Measure("binary-auc", "Binary AUC", "higher", 3, "how well pay tells the better half by "
            "squared error from the worse, in the mean over the first 1, 2, … assignments"),
    Measure("quinary-auc", "Quinary AUC", "higher", 3, "the same for the quintiles"),
    Measure("kendall-tau", "Kendall τ_B", "higher", 3, "rank correlation of pay and accuracy"),
    Measure("pearson", "Pearson ρ", "higher", 3, "linear correlation of pay and accuracy"),
    Measure("robustness", "Robustness", "higher", 1, "minus the ranks of a hundred that one grader "
            "gains by joining 10 to 90 others who follow one of the paper’s six strategies"),
    Measure("exploit", "Best attack", "lower", 1, "ranks that the best plain strategy found gains "
            "among truthful others"),
    Measure("exploit-worst", "Worst of four", "lower", 1, "the same among 0, 30, 60 or 90 others "
            "who follow it too, wherever it gains most"),
    Measure("exploit-calibrating", "Calibrating", "lower", 1, "ranks that taking off one’s own "
            "bias gains among truthful others"),
    Measure("exploit-reversing", "Reversing", "lower", 1, "ranks that turning grades upside down "
            "gains, with 90 others who do the same"),
    Measure("stability", "Luck", "lower", 4, "variance of τ_B with effort when the same class is "
            "graded anew"),
    Measure("cost", "Cost", "lower", 1, "processor time for a semester of 500 students and 15 "
            "assignments, in multiples of MSE_P that estimates biases"),
    Measure("paid", "Paid", "higher", 2, "share of the graders whom it pays"),
)  # fmt: skip
BY_MEASURE = {one.name: one for one in MEASURES}
INTEGRITY, ROBUSTNESS = "binary-auc", "robustness"
EXPLOIT, WORST = "exploit", "exploit-worst"

SAFE = 3.0
"""Ranks that the best attack among truthful others may gain, for a mechanism to be recommended."""

PAYS = 0.9
"""The share of graders whom a mechanism must pay to be recommended."""

SURE = 2.0
"""Standard errors by which one number must be ahead of another to count as ahead."""


class Value(NamedTuple):
    """What was measured: a number, its standard error, of how many classes, and by what attack."""

    value: float
    error: float
    n: int
    attack: str = ""


@dataclass(frozen=True)
class Standing:
    """One mechanism in one setting.

    Parameters
    ----------
    spec, label
        What it is called.
    needs
        What it must have.
    values
        What was measured of it, by the name of the measure.
    own
        Whether it comes from a file of the user's.
    """

    spec: str
    label: str
    needs: Needs
    values: Mapping[str, Value]
    own: bool = False

    def get(self, measure: str) -> float:
        """A number, NaN if it was not measured."""
        found = self.values.get(measure)
        return float("nan") if found is None else found.value

    def good(self, measure: str) -> float:
        """The same, turned so that more is better."""
        return self.get(measure) if BY_MEASURE[measure].better == "higher" else -self.get(measure)

    @property
    def safe(self) -> bool:
        """Whether it pays about everybody, and rewards no deviation that was tried much.

        Robustness is above 0 by more than two standard errors, and the best attack among truthful
        others gains at most three ranks. What was not measured is not held against it.
        """
        paid, robustness, exploit = map(self.get, ("paid", ROBUSTNESS, EXPLOIT))
        if paid < PAYS or exploit > SAFE:
            return False
        if np.isnan(robustness):
            return True
        return bool(robustness > SURE * np.nan_to_num(self.values[ROBUSTNESS].error))

    @property
    def told_safe(self) -> str:
        """The same in a word, which says if it was not attacked."""
        if not self.safe:
            return "no"
        return "yes" if EXPLOIT in self.values else "not attacked"


def leaderboard(results: pl.DataFrame) -> pl.DataFrame:
    """A row for each mechanism, setting and measure: value, standard error, n and attack."""
    rows: list[dict[str, object]] = []
    cell = ["experiment", "mechanism", "spec"]
    for (experiment, case, spec), group in results.group_by(cell, maintain_order=True):
        by_metric = {
            str(name): part for (name,), part in group.group_by("metric", maintain_order=True)
        }
        rows += [
            {"setting": case, "mechanism": spec, "measure": measure, **value._asdict()}
            for measure, value in _measured(str(experiment), by_metric)
        ]
    schema = {
        "setting": pl.String, "mechanism": pl.String, "measure": pl.String,
        "value": pl.Float64, "error": pl.Float64, "n": pl.Int64, "attack": pl.String,
    }  # fmt: skip
    found = pl.DataFrame(rows, schema=schema)
    return _with_costs(found)


def _measured(experiment: str, by: Mapping[str, pl.DataFrame]) -> Iterable[tuple[str, Value]]:
    """The measures that one experiment gives of one mechanism in one setting."""
    if experiment == Robustness.facts.name:
        gains = by[GAIN].group_by("repetition", maintain_order=True).agg(value=_mean())
        gain = summed(gains["value"].to_numpy())
        yield ROBUSTNESS, gain._replace(value=-gain.value)
        for (name,), part in by[GAIN].group_by("strategy", maintain_order=True):
            yield f"gain-{name}", summed(part["value"].to_numpy())
    elif experiment == Exploitability.facts.name:
        yield from _exploited(by)
    elif experiment == InClasses.facts.name:
        for name in ACCURACY:
            again = by[name + AGAIN]["value"].to_numpy()
            spread = float(np.std(again, ddof=1)) if len(again) > 1 else float("nan")
            yield name, summed(by[name]["value"].to_numpy())._replace(error=spread)
        yield PAID, summed(by[PAID]["value"].to_numpy())
    else:
        names = {STABILITY: "stability", SECONDS: "cost"}
        for name, part in by.items():
            yield names.get(name, name), summed(part["value"].to_numpy())


def _mean() -> pl.Expr:
    return pl.col("value").mean()


def summed(values: np.ndarray) -> Value:
    """The mean of values that are defined, with its standard error.

    >>> summed(np.array([1.0, 3.0, np.nan]))
    Value(value=2.0, error=1.0, n=2, attack='')
    """
    defined = values[~np.isnan(values)]
    n = len(defined)
    if not n:
        return Value(float("nan"), float("nan"), 0)
    error = float(defined.std(ddof=1) / np.sqrt(n)) if n > 1 else float("nan")
    return Value(float(defined.mean()), error, n)


def _with_costs(found: pl.DataFrame) -> pl.DataFrame:
    """Seconds in multiples of what is usual; nothing but those is known of the usual one."""
    cost = pl.col("measure") == "cost"
    usual = found.filter(cost & (pl.col("mechanism") == USUAL))["value"]
    if not len(usual):
        return found
    compared = found.filter(~cost)["mechanism"].unique()
    return found.filter(~cost | pl.col("mechanism").is_in(compared.implode())).with_columns(
        value=pl.when(cost).then(pl.col("value") / usual[0]).otherwise(pl.col("value"))
    )


def _exploited(by: Mapping[str, pl.DataFrame]) -> Iterable[tuple[str, Value]]:
    """The attacks that were found, and the worst of each kind."""
    found: dict[str, dict[int, Value]] = {}
    for name, part in by.items():
        kind, _, others = name.partition(AMONG)
        if others.isdigit():
            # What was searched for twice was searched for harder the second time.
            error, semesters = (by[name + more]["value"][-1] for more in (ERROR, SEMESTERS))
            value = Value(part["value"][-1], error, int(semesters), part["strategy"][-1])
            found.setdefault(kind, {})[int(others)] = value
    for kind, by_others in found.items():
        for count, value in by_others.items():
            yield f"{kind}-{count}", value
        worst = max(by_others.values(), key=lambda one: one.value)
        if kind != "plain":
            yield f"{EXPLOIT}-{kind}", worst
            continue
        yield EXPLOIT, by_others[0]
        if len(by_others) > 1:
            yield f"{EXPLOIT}-worst", worst


def standings(board: pl.DataFrame, case: str, own: Sequence[str] = ()) -> list[Standing]:
    """Everybody in one setting, in the order of the leaderboard.

    Those that are safe come first; among them, and among the others, those of higher integrity.
    Costs are those of the paper's setting, wherever it was.
    """
    here = (pl.col("setting") == case) | (pl.col("measure") == "cost")
    there = board.filter(pl.col("setting") == case)["mechanism"].unique(maintain_order=True)
    values: dict[str, dict[str, Value]] = {spec: {} for spec in there}
    for _, spec, measure, value, error, n, attack in board.filter(here).iter_rows():
        if spec in values:
            values[spec][measure] = Value(value, error, n, attack)
    found = []
    for spec, measured in values.items():
        made = mechanisms.make(spec)
        found.append(Standing(spec, made.label, Needs.of(made), measured, spec in own))
    return sorted(found, key=lambda one: (not one.safe, -np.nan_to_num(one.get(INTEGRITY), nan=-9)))


def pareto_front(points: Sequence[Sequence[float]]) -> list[int]:
    """Which points no other is at least as good as everywhere and better somewhere; more is better.

    A point with a number that is not known is not on the front, and beats nobody.

    >>> pareto_front([(0, 3), (1, 2), (1, 1), (2, 0), (-1, 3)])
    [0, 1, 3]
    """
    table = np.array([tuple(point) for point in points], dtype=np.float64)
    front = []
    for i, point in enumerate(table):
        if not np.isnan(point).any():
            with np.errstate(invalid="ignore"):
                beaten = (table >= point).all(axis=1) & (table > point).any(axis=1)
            if not beaten.any():
                front.append(i)
    return front


def clearly_beats(one: Standing, other: Standing, measures: Sequence[str]) -> bool:
    """Whether one is ahead on every measure by more than two standard errors."""
    for name in measures:
        if name not in one.values or name not in other.values:
            return False
        errors = np.nan_to_num([one.values[name].error, other.values[name].error])
        if not one.good(name) - other.good(name) > SURE * float(np.hypot(*errors)):
            return False
    return True


class Need(NamedTuple):
    """What somebody asks of a mechanism besides measuring well."""

    name: str
    label: str
    forbids: tuple[str, ...]
    """The needs that a mechanism must not have, by their fields."""


NEEDS = (
    Need("any", "whatever it takes", ()),
    Need("no-prior", "no prior known", ("prior",)),
    Need("no-semester", "each assignment paid for good", ("semester",)),
    Need("neither", "no prior known, each assignment paid for good", ("prior", "semester")),
)


@dataclass(frozen=True)
class Recommendation:
    """What to use in one setting, for one need.

    Parameters
    ----------
    need
        What was asked for.
    use
        The mechanism, if there is one.
    sentence
        The same in words, with numbers.
    """

    need: Need
    use: Standing | None
    sentence: str


def fitting(found: Sequence[Standing], need: Need, *, estimated: bool = False) -> list[Standing]:
    """Those that do without what a need rules out, and pay about everybody."""
    forbids = [name for name in need.forbids if not (estimated and name == "prior")]
    return [
        one
        for one in found
        if not any(getattr(one.needs, name) for name in forbids)
        and not np.isnan(one.get(INTEGRITY))
        and not one.get("paid") < PAYS
    ]


def candidates(found: Sequence[Standing], each: int, *, estimated: bool = False) -> list[Standing]:
    """Those that might be recommended: for each need, so many that seem safe and measure best."""
    chosen: dict[str, Standing] = {}
    for need in NEEDS:
        safe = [one for one in fitting(found, need, estimated=estimated) if one.safe]
        best = sorted(safe, key=lambda one: one.get(INTEGRITY), reverse=True)
        chosen |= {one.spec: one for one in best[:each]}
    return list(chosen.values())


def recommend(found: Sequence[Standing], need: Need, *, estimated: bool = False) -> Recommendation:
    """What to use, by a rule that anybody can check in the table.

    Of the mechanisms that do without what the need forbids and pay at least nine tenths of the
    graders, those count whose robustness is above 0 by two standard errors and against which the
    best attack among truthful others gains at most three ranks; who was not attacked counts only if
    clearly ahead of all who withstood one. Of those that are not clearly behind the highest
    integrity (binary AUC) among them, the most robust is recommended, and the others are named. If
    an attack that others follow too gains more, the best is named that withstands that as well. If
    nobody is safe, the most robust of all is named as the least bad.

    Parameters
    ----------
    found
        Everybody in the setting.
    need
        What is asked for.
    estimated
        Whether the priors of this setting are estimated, so that everybody does without one.
    """
    fit = fitting(found, need, estimated=estimated)
    if not fit:
        return Recommendation(need, None, f"{_begin(need)}: nothing here fits.")
    best = max(fit, key=lambda one: one.get(INTEGRITY))
    safe = [one for one in fit if one.safe]
    if stood := [one for one in safe if EXPLOIT in one.values]:
        top = max(stood, key=lambda one: one.get(INTEGRITY))
        safe = [one for one in safe if one in stood or clearly_beats(one, top, [INTEGRITY])]
    if not safe:
        known = [one for one in fit if not np.isnan(one.get(ROBUSTNESS))] or fit
        least = max(known, key=lambda one: np.nan_to_num(one.get(ROBUSTNESS), nan=-np.inf))
        told = f"{best.label} measures best and is the most robust ({_numbers(best)})"
        if least is not best:
            told = (
                f"{best.label} measures best ({_numbers(best)}); "
                f"{least.label} is the most robust ({_numbers(least)})"
            )
        return Recommendation(need, None, f"{_begin(need)}: nothing is safe. {told}.")
    first = max(safe, key=lambda one: one.get(INTEGRITY))
    near = [one for one in safe if not clearly_beats(first, one, [INTEGRITY])]
    use = max(near, key=lambda one: np.nan_to_num(one.get(ROBUSTNESS), nan=-np.inf))
    why = f"of the {len(safe)} that are safe " + (
        "it measures best" if len(near) == 1 else f"{len(near)} measure best and it is most robust"
    )
    words = [
        f"{_begin(need)}: use {use.label} ({use.spec}), "
        f"{why if len(safe) > 1 else 'the only one that is safe'}: {_numbers(use)}."
    ]
    if EXPLOIT not in use.values:
        words.append("No attacks on it were searched for here.")
    words += _if_others_join(use, safe)
    if len(near) > 1:
        others = (f"{one.label} ({_numbers(one)})" for one in near if one is not use)
        words.append(f"Not clearly behind: {'; '.join(others)}.")
    if clearly_beats(best, use, [INTEGRITY]):
        words.append(f"{best.label} measures better, but is not safe: {_numbers(best)}.")
    return Recommendation(need, use, " ".join(words))


def _if_others_join(use: Standing, safe: Sequence[Standing]) -> list[str]:
    """What an attack gains that others follow too, and what withstands that, if this does not."""
    if not use.get(WORST) > SAFE:
        return []
    told = [f"If others do the same, an attack on it gains up to {plus_minus(use, WORST)} ranks."]
    if stand := [one for one in safe if one.get(WORST) <= SAFE]:
        best = max(stand, key=lambda one: one.get(INTEGRITY))
        told.append(
            f"{best.label} ({best.spec}) withstands that too, up to {plus_minus(best, WORST)} "
            f"ranks: {_numbers(best)}."
        )
    return told


def _begin(need: Need) -> str:
    return need.label[0].upper() + need.label[1:]


def _numbers(one: Standing) -> str:
    """Integrity, robustness and best attack in words, as far as they are known."""
    words = {
        INTEGRITY: "binary AUC {}",
        ROBUSTNESS: "robustness {}",
        EXPLOIT: "best attack found {} ranks",
    }
    return ", ".join(
        text.format(plus_minus(one, name))
        for name, text in words.items()
        if not np.isnan(one.get(name))
    )


def plus_minus(one: Standing, measure: str) -> str:
    """A number with its standard error, as people write it; a dash for what is not there."""
    value, digits = one.get(measure), BY_MEASURE[measure].digits
    if np.isnan(value):
        return "–"
    sign = "+" if measure == ROBUSTNESS else ""
    told = f"{round(value, digits) + 0.0:{sign}.{digits}f}".replace("-", "−")
    error = one.values[measure].error
    return told if np.isnan(error) else f"{told} ± {error:.{digits}f}"


def place(found: Sequence[Standing], one: Standing) -> str:
    """Where a mechanism stands among all others, in one sentence."""
    told = []
    for name in (INTEGRITY, ROBUSTNESS, EXPLOIT):
        known = [other for other in found if not np.isnan(other.get(name))]
        if one in known:
            ahead = sum(other.good(name) > one.good(name) for other in known)
            told.append(
                f"{_ordinal(ahead + 1)} of {len(known)} by {_in_words(name)} "
                f"({plus_minus(one, name)})"
            )
    axes = [name for name in (INTEGRITY, ROBUSTNESS) if not np.isnan(one.get(name))]
    beaten = [other.label for other in found if clearly_beats(other, one, axes)]
    by = f"{len(beaten)}, {beaten[0]} first" if beaten else "nobody"
    return (
        f"{one.label} ({one.spec}) comes {', '.join(told)}, and is clearly beaten on "
        f"{' and '.join(map(_in_words, axes))} by {by}."
    )


def _in_words(measure: str) -> str:
    """The label of a measure inside a sentence."""
    label = BY_MEASURE[measure].label
    return label[0].lower() + label[1:]


def _ordinal(n: int) -> str:
    """1st, 2nd, 3rd, 4th.

    >>> [_ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 102)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '13th', '21st', '102nd']
    """
    ending = "th" if n % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")
    return f"{n}{ending}"


def estimates_priors(case: str) -> bool:
    """Whether mechanisms are told what the reports say, in a setting of the suite."""
    return case in BY_NAME and BY_NAME[case].told == "estimated"
