"""The leaderboard: standings of mechanisms, comparisons and recommendations, from results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.lazy import pl
from peergauge.lab.bench.entrants import Needs
from peergauge.lab.bench.experiments import (
    ACCURACY,
    COST_UNIT,
    PAID_SHARE,
    SECONDS,
    SEMESTERS,
    STANDARD_ERROR,
    Exploitability,
    InClasses,
    Robustness,
)
from peergauge.lab.bench.suite import BY_NAME
from peergauge.lab.exploit.deviations import RANK_GAIN
from peergauge.mechanisms import mechanisms
from peergauge.metrics.statistics import mean_with_error
from peergauge.metrics.tau_variance import TauVariance


class Measure(NamedTuple):
    """A measure by which mechanisms are compared."""

    name: str
    label: str
    better: Literal["higher", "lower"]
    digits: int
    meaning: str


MEASURES = (
    Measure("binary-auc", "Binary AUC", "higher", 3, "how well pay separates the more "
            "accurate half of the graders from the other half, averaged over the first 1, 2, … "
            "assignments"),
    Measure("quinary-auc", "Quinary AUC", "higher", 3, "the same for every two of the five "
            "quintiles of graders by accuracy"),
    Measure("tau", "Kendall τ_B", "higher", 3, "rank correlation of pay and accuracy"),
    Measure("pearson", "Pearson ρ", "higher", 3, "linear correlation of pay and accuracy"),
    Measure("robustness", "Robustness", "higher", 1, "minus the mean rank gain (out of 100) of a "
            "grader who joins 10 to 90 others who follow one of the paper’s six strategies"),
    Measure("exploit", "Best attack", "lower", 1, "rank gain of the best plain strategy that the "
            "search found, if all others are truthful"),
    Measure("exploit-worst", "Worst of four", "lower", 1, "the highest rank gain of a plain "
            "strategy if 0, 30, 60 or 90 others follow it too"),
    Measure("exploit-calibrating", "Calibrating", "lower", 1, "rank gain of graders who subtract "
            "their own bias, if all others are truthful"),
    Measure("exploit-reversing", "Reversing", "lower", 1, "rank gain of graders who reverse the "
            "order of grades, with 90 others who do the same"),
    Measure("stability", "Luck", "lower", 4, "variance of the rank correlation of pay and effort "
            "if the same class is graded again"),
    Measure("cost", "Cost", "lower", 1, "processor time for a semester of 500 students and 15 "
            "assignments, in multiples of MSE_P that estimates biases"),
    Measure("paid", "Paid", "higher", 2, "share of the graders who are paid"),
)  # fmt: skip
BY_MEASURE = {one.name: one for one in MEASURES}
INTEGRITY, ROBUSTNESS = "binary-auc", "robustness"
EXPLOIT, WORST = "exploit", "exploit-worst"

ATTACK = "attack"
"""Measure of the board: rank gain of the best attack of one kind for one number of others."""

MAX_SAFE_RANKS = 3.0
"""Rank gain of the best attack, if all others are truthful, up to which a mechanism is safe."""

MIN_PAID_SHARE = 0.9
"""Share of graders that a mechanism must pay to be safe."""

CLEAR_ERRORS = 2.0
"""Standard errors by which one number must be ahead of another to be clearly ahead."""


class Value(NamedTuple):
    """A measured number with its standard error and sample size, and the strategy behind it."""

    value: float
    error: float
    n: int
    strategy: str = ""
    kind: str = ""
    others: int | None = None


@dataclass(frozen=True)
class Standing:
    """One mechanism in one setting.

    Parameters
    ----------
    spec, label
        Spec and label of the mechanism.
    needs
        What the mechanism needs.
    values
        Its measured values, by the name of the measure.
    own
        Whether it comes from the user's file.
    gains
        Rank gains of graders who join followers of each of the paper's strategies.
    attacks
        Rank gains of the best attack of each kind for each number of others.
    """

    spec: str
    label: str
    needs: Needs
    values: Mapping[str, Value]
    own: bool = False
    gains: tuple[Value, ...] = ()
    attacks: tuple[Value, ...] = ()

    def get(self, measure: str) -> float:
        """The value of a measure, NaN if it was not measured."""
        found = self.values.get(measure)
        return float("nan") if found is None else found.value

    def good(self, measure: str) -> float:
        """The value of a measure, with its sign changed if lower is better."""
        return self.get(measure) if BY_MEASURE[measure].better == "higher" else -self.get(measure)

    @property
    def safe(self) -> bool:
        """Whether the mechanism pays nearly all graders and no deviation that was tried gains much.

        It pays at least 90 % of the graders, its robustness is above 0 by more than two standard
        errors, and the best attack gains at most three ranks if all others are truthful. A measure
        that is missing is ignored.
        """
        paid, robustness, exploit = map(self.get, ("paid", ROBUSTNESS, EXPLOIT))
        if paid < MIN_PAID_SHARE or exploit > MAX_SAFE_RANKS:
            return False
        if np.isnan(robustness):
            return True
        return bool(robustness > CLEAR_ERRORS * np.nan_to_num(self.values[ROBUSTNESS].error))

    @property
    def safe_in_words(self) -> str:
        """Whether the mechanism is safe: yes, no, or not attacked."""
        if not self.safe:
            return "no"
        return "yes" if EXPLOIT in self.values else "not attacked"


BOARD_SCHEMA = ("setting", "mechanism", "measure", *Value._fields)
"""Columns of the leaderboard."""


def leaderboard(results: pl.DataFrame) -> pl.DataFrame:
    """A row for each mechanism, setting and measure: value, standard error, n and strategy."""
    rows: list[tuple[object, ...]] = []
    cell = ["experiment", "setting", "mechanism"]
    for (experiment, setting, spec), group in results.group_by(cell, maintain_order=True):
        rows += [
            (setting, spec, measure, *value) for measure, value in _measured(experiment, group)
        ]
    types = {"value": pl.Float64, "error": pl.Float64, "n": pl.Int64, "others": pl.Int64}
    schema = {name: types.get(name, pl.String) for name in BOARD_SCHEMA}
    return _with_costs(pl.DataFrame(rows, schema=schema, orient="row"))


def _measured(experiment: object, rows: pl.DataFrame) -> Iterable[tuple[str, Value]]:
    """The measures of one mechanism in one setting that come from one experiment."""
    if experiment == Robustness.facts.name:
        gains = rows.group_by("repetition", maintain_order=True).agg(pl.col("value").mean())
        gain = summary(gains["value"].to_numpy())
        yield ROBUSTNESS, gain._replace(value=-gain.value)
        for (name,), part in rows.group_by("strategy", maintain_order=True):
            found = summary(part["value"].to_numpy())
            yield RANK_GAIN.facts.name, found._replace(strategy=str(name))
    elif experiment == Exploitability.facts.name:
        yield from _exploited(rows)
    elif experiment == InClasses.facts.name:
        by_metric = _by_metric(rows.filter(~pl.col("resampled")))
        bootstrap = _by_metric(rows.filter(pl.col("resampled")))
        for name in ACCURACY:
            again = bootstrap[name]
            spread = float(np.std(again, ddof=1)) if len(again) > 1 else float("nan")
            yield name, summary(by_metric[name])._replace(error=spread)
        yield "paid", summary(by_metric[PAID_SHARE])
    else:
        names = {TauVariance.facts.name: "stability", SECONDS: "cost", PAID_SHARE: "paid"}
        for name, values in _by_metric(rows).items():
            yield names.get(name, name), summary(values)


def _by_metric(rows: pl.DataFrame) -> dict[str, Floats]:
    """The values of each measure, in the order of the rows."""
    return {
        str(name): part["value"].to_numpy()
        for (name,), part in rows.group_by("metric", maintain_order=True)
    }


def summary(values: Floats) -> Value:
    """The mean of the defined values, with its standard error.

    >>> summary(np.array([1.0, 3.0, np.nan]))[:3]
    (2.0, 1.0, 2)
    """
    return Value(*mean_with_error(values))


def _with_costs(board: pl.DataFrame) -> pl.DataFrame:
    """Divide costs by that of the unit, and drop the unit if it was only timed and not compared."""
    cost = pl.col("measure") == "cost"
    unit = board.filter(cost & (pl.col("mechanism") == COST_UNIT))["value"]
    if not len(unit):
        return board
    compared = board.filter(~cost)["mechanism"].unique()
    return board.filter(~cost | pl.col("mechanism").is_in(compared.implode())).with_columns(
        value=pl.when(cost).then(pl.col("value") / unit[0]).otherwise(pl.col("value"))
    )


def _exploited(rows: pl.DataFrame) -> Iterable[tuple[str, Value]]:
    """The attacks that were found, and the worst attack of each kind."""
    found: dict[str, dict[int, Value]] = {}
    for (kind, others), part in rows.group_by("kind", "others", maintain_order=True):
        # If a search ran twice, the second run had more effort.
        last = {
            str(metric): values[-1] for metric, values in _by_metric(part).items() if len(values)
        }
        value = Value(
            last[RANK_GAIN.facts.name],
            last[STANDARD_ERROR],
            int(last[SEMESTERS]),
            part["strategy"][-1],
            str(kind),
            int(str(others)),
        )
        found.setdefault(value.kind, {})[int(str(others))] = value
    for kind, by_others in found.items():
        for value in by_others.values():
            yield ATTACK, value
        worst = max(by_others.values(), key=lambda one: one.value)
        if kind != "plain":
            yield f"{EXPLOIT}-{kind}", worst
            continue
        yield EXPLOIT, by_others[0]
        if len(by_others) > 1:
            yield WORST, worst


def standings(board: pl.DataFrame, setting: str, own: Sequence[str] = ()) -> list[Standing]:
    """All mechanisms in one setting, in the order of the leaderboard.

    Safe mechanisms come before others, and mechanisms of higher integrity before those of lower
    integrity. Costs were measured in the paper's setting only, and are the same in all settings.
    """
    here = (pl.col("setting") == setting) | (pl.col("measure") == "cost")
    specs = board.filter(pl.col("setting") == setting)["mechanism"].unique(maintain_order=True)
    measured: dict[str, list[tuple[str, Value]]] = {spec: [] for spec in specs}
    for _, spec, measure, *value in board.filter(here).select(BOARD_SCHEMA).iter_rows():
        if spec in measured:
            measured[spec].append((measure, Value(*value)))
    found = [_standing(spec, values, spec in own) for spec, values in measured.items()]
    return sorted(found, key=lambda one: (not one.safe, -np.nan_to_num(one.get(INTEGRITY), nan=-9)))


def _standing(spec: str, measured: Sequence[tuple[str, Value]], own: bool) -> Standing:
    made = mechanisms.make(spec)
    several = {RANK_GAIN.facts.name, ATTACK}
    return Standing(
        spec,
        made.label,
        Needs.of(made),
        {measure: value for measure, value in measured if measure not in several},
        own,
        tuple(value for measure, value in measured if measure == RANK_GAIN.facts.name),
        tuple(value for measure, value in measured if measure == ATTACK),
    )


def pareto_front(points: Sequence[Sequence[float]]) -> list[int]:
    """Numbers of the points on the Pareto front, if higher coordinates are better.

    A point is on the front if no other point is at least as good on all axes and better on one.
    Points with an unknown coordinate are ignored.

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
    """Whether one mechanism is ahead of another by two standard errors on every measure."""
    for name in measures:
        if name not in one.values or name not in other.values:
            return False
        errors = np.nan_to_num([one.values[name].error, other.values[name].error])
        if not one.good(name) - other.good(name) > CLEAR_ERRORS * float(np.hypot(*errors)):
            return False
    return True


class Need(NamedTuple):
    """A restriction on the mechanisms that may be recommended."""

    name: str
    label: str
    forbids: tuple[str, ...]
    """Fields of :class:`Needs` that must be false."""


NEEDS = (
    Need("any", "no restriction", ()),
    Need("no-prior", "no known prior", ("prior",)),
    Need("no-semester", "final pay after each assignment", ("semester",)),
    Need("neither", "no known prior, final pay after each assignment", ("prior", "semester")),
)


@dataclass(frozen=True)
class Recommendation:
    """The mechanism to use in one setting, for one need.

    Parameters
    ----------
    need
        The restriction.
    use
        The recommended mechanism, if there is one.
    sentence
        The recommendation in words, with numbers.
    """

    need: Need
    use: Standing | None
    sentence: str


def fitting(found: Sequence[Standing], need: Need, *, estimated: bool = False) -> list[Standing]:
    """The mechanisms that meet a need and pay nearly all graders."""
    forbids = [name for name in need.forbids if not (estimated and name == "prior")]
    return [
        one
        for one in found
        if not any(getattr(one.needs, name) for name in forbids)
        and not np.isnan(one.get(INTEGRITY))
        and not one.get("paid") < MIN_PAID_SHARE
    ]


def candidates(found: Sequence[Standing], each: int, *, estimated: bool = False) -> list[Standing]:
    """The mechanisms that might be recommended: for each need, the best *each* that seem safe."""
    chosen: dict[str, Standing] = {}
    for need in NEEDS:
        safe = [one for one in fitting(found, need, estimated=estimated) if one.safe]
        best = sorted(safe, key=lambda one: one.get(INTEGRITY), reverse=True)
        chosen |= {one.spec: one for one in best[:each]}
    return list(chosen.values())


def recommend(found: Sequence[Standing], need: Need, *, estimated: bool = False) -> Recommendation:
    """Recommend a mechanism, by a rule that can be checked in the table.

    Only mechanisms that meet the need, pay at least 90 % of the graders and are safe (see
    :attr:`Standing.safe`) can be recommended. A mechanism that was not attacked must also be
    clearly ahead of all that withstood an attack. Among the mechanisms whose integrity (binary AUC)
    is not clearly lower than the highest, the most robust is recommended, and the others are named.
    If an attack gains too much when others follow it too, the best mechanism that withstands this
    is named as well. If no mechanism is safe, the most robust one is named.

    Parameters
    ----------
    found
        All mechanisms in the setting.
    need
        The restriction.
    estimated
        Whether priors are estimated in this setting, so that no mechanism needs to know one.
    """
    fit = fitting(found, need, estimated=estimated)
    if not fit:
        return Recommendation(need, None, f"{_begin(need)}: no mechanism fits.")
    best = max(fit, key=_integrity)
    safe = _safe(fit)
    if not safe:
        return Recommendation(need, None, f"{_begin(need)}: {_none_is_safe(fit, best)}")
    first = max(safe, key=_integrity)
    near = [one for one in safe if not clearly_beats(first, one, [INTEGRITY])]
    use = max(near, key=_robustness)
    words = [
        f"{_begin(need)}: use {use.label} ({use.spec}), {_reason(safe, near)}: {_numbers(use)}."
    ]
    if EXPLOIT not in use.values:
        words.append("No attacks on it were searched for in this setting.")
    words += _if_others_join(use, safe)
    if len(near) > 1:
        others = (f"{one.label} ({_numbers(one)})" for one in near if one is not use)
        words.append(f"Not clearly behind: {'; '.join(others)}.")
    if clearly_beats(best, use, [INTEGRITY]):
        words.append(f"{best.label} measures better, but is not safe: {_numbers(best)}.")
    return Recommendation(need, use, " ".join(words))


def _integrity(one: Standing) -> float:
    return one.get(INTEGRITY)


def _robustness(one: Standing) -> float:
    return float(np.nan_to_num(one.get(ROBUSTNESS), nan=-np.inf))


def _safe(fit: Sequence[Standing]) -> list[Standing]:
    """The safe mechanisms; those that were not attacked only if clearly ahead of all others."""
    safe = [one for one in fit if one.safe]
    withstood = [one for one in safe if EXPLOIT in one.values]
    if not withstood:
        return safe
    top = max(withstood, key=_integrity)
    return [one for one in safe if one in withstood or clearly_beats(one, top, [INTEGRITY])]


def _none_is_safe(fit: Sequence[Standing], best: Standing) -> str:
    """Sentences for a need that no safe mechanism meets."""
    known = [one for one in fit if not np.isnan(one.get(ROBUSTNESS))] or fit
    robust = max(known, key=_robustness)
    if robust is best:
        words = f"{best.label} measures best and is the most robust ({_numbers(best)})"
    else:
        words = (
            f"{best.label} measures best ({_numbers(best)}); "
            f"{robust.label} is the most robust ({_numbers(robust)})"
        )
    return f"no mechanism is safe. {words}."


def _reason(safe: Sequence[Standing], near: Sequence[Standing]) -> str:
    """Why a mechanism is recommended."""
    if len(safe) == 1:
        return "the only safe mechanism"
    if len(near) == 1:
        return f"which measures best of the {len(safe)} safe mechanisms"
    return f"the most robust of the {len(near)} that measure best among {len(safe)} safe mechanisms"


def _if_others_join(use: Standing, safe: Sequence[Standing]) -> list[str]:
    """Sentences on attacks that others follow too, if the mechanism does not withstand them."""
    if not use.get(WORST) > MAX_SAFE_RANKS:
        return []
    words = [f"If others follow it too, an attack gains up to {plus_minus(use, WORST)} ranks."]
    if withstand := [one for one in safe if one.get(WORST) <= MAX_SAFE_RANKS]:
        best = max(withstand, key=_integrity)
        words.append(
            f"{best.label} ({best.spec}) withstands such attacks, which gain up to "
            f"{plus_minus(best, WORST)} ranks: {_numbers(best)}."
        )
    return words


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
    """A number with its standard error; a dash if it was not measured."""
    value, digits = one.get(measure), BY_MEASURE[measure].digits
    if np.isnan(value):
        return "–"
    sign = "+" if measure == ROBUSTNESS else ""
    number = f"{round(value, digits) + 0.0:{sign}.{digits}f}".replace("-", "−")
    error = one.values[measure].error
    return number if np.isnan(error) else f"{number} ± {error:.{digits}f}"


def place(found: Sequence[Standing], one: Standing) -> str:
    """A sentence on the place of one mechanism among all others."""
    places = []
    for name in (INTEGRITY, ROBUSTNESS, EXPLOIT):
        known = [other for other in found if not np.isnan(other.get(name))]
        if one in known:
            ahead = sum(other.good(name) > one.good(name) for other in known)
            places.append(
                f"{_ordinal(ahead + 1)} of {len(known)} by {_in_words(name)} "
                f"({plus_minus(one, name)})"
            )
    axes = [name for name in (INTEGRITY, ROBUSTNESS) if not np.isnan(one.get(name))]
    beaten = [other.label for other in found if clearly_beats(other, one, axes)]
    by = f"by {len(beaten)}, first of all by {beaten[0]}" if beaten else "by no other"
    return (
        f"{one.label} ({one.spec}) is {', '.join(places)}. It is clearly beaten on "
        f"{' and '.join(map(_in_words, axes))} {by}."
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


def estimates_priors(setting: str) -> bool:
    """Whether mechanisms are given an estimated prior in a setting of the suite."""
    return setting in BY_NAME and BY_NAME[setting].prior == "estimated"
