"""The leaderboard: from results to a row for each mechanism, setting and measure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from peergauge.advice.measures import (
    ALONE,
    BY_MEASURE,
    BY_TYPE,
    CALIBRATING,
    CHEAP,
    COPYING,
    DIFFERENCE,
    INTEGRITY,
    MEAN_SETTING,
    NOT_ATTACKED,
    PAID,
    REVERSING,
    ROBUSTNESS,
    SEARCHED_COLUMNS,
    SKIPPING,
    TOGETHER,
    WITHOUT_CHEAP,
    WORST_DIFFERENCE,
    WORST_SETTING,
    Measure,
    Value,
    in_numbers,
    verdict,
)
from peergauge.advice.rule import best_attack
from peergauge.advice.standing import ATTACK, BOARD_SCHEMA, EVERY_SETTING, Standing, clearly_beats
from peergauge.core.arrays import Floats
from peergauge.core.lazy import pl
from peergauge.lab.bench.experiments import (
    ACCURACY,
    BEYOND_SHIFT_ERROR,
    COST_UNIT,
    PAID_SHARE,
    SECONDS,
    SEMESTERS,
    STANDARD_ERROR,
    UNASSIGNED_KIND,
    UNDESERVED_ERROR,
    UNDESERVED_GAIN,
    Exploitability,
    InClasses,
    Integrity,
    Robustness,
)
from peergauge.lab.bench.suite import BY_NAME
from peergauge.lab.exploit.deviations import GAIN_BEYOND_SHIFT, RANK_GAIN
from peergauge.lab.exploit.types import EVERYBODY
from peergauge.metrics.statistics import mean_with_error
from peergauge.metrics.tau_variance import TauVariance

YARDSTICK = "mse"
"""The mechanism to which a class can always return, and with which integrity is compared."""

KINDS_APART = frozenset({CALIBRATING, REVERSING})
"""Kinds of attacks that have columns of their own and do not count in the others."""

DESERVING_KINDS = frozenset({COPYING, CHEAP, "coalition"})
"""Kinds of attacks that may make reports more accurate. They count with their undeserved gain."""


def leaderboard(results: pl.DataFrame) -> pl.DataFrame:
    """A row for each mechanism, setting and measure.

    Its columns are those of a :class:`~peergauge.advice.measures.Value`, and the ``verdict`` of a
    search for attacks. Measures over all settings have the setting ``every setting``.
    """
    rows: list[tuple[object, ...]] = []
    cell = ["experiment", "setting", "mechanism"]
    for (experiment, setting, spec), group in results.group_by(cell, maintain_order=True):
        rows += [
            (setting, spec, measure, *value) for measure, value in _measured(experiment, group)
        ]
    rows += _compared(results)
    types = {"value": pl.Float64, "error": pl.Float64, "n": pl.Int64, "others": pl.Int64}
    schema = {name: types.get(name, pl.String) for name in BOARD_SCHEMA}
    board = _with_costs(pl.DataFrame(rows, schema=schema, orient="row"))
    return _with_verdicts(board)


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
        yield PAID, summary(by_metric[PAID_SHARE])
    else:
        names = {TauVariance.facts.name: "stability", SECONDS: "cost", PAID_SHARE: PAID}
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


# ------------------------------------------------------------------------- integrity over settings


def is_honest(setting: str) -> bool:
    """Whether a setting of the suite counts for the worst setting of a mechanism."""
    return setting in BY_NAME and BY_NAME[setting].honest


def _compared(results: pl.DataFrame) -> list[tuple[object, ...]]:
    """Differences to MSE in every setting, and the worst and the mean over honest settings.

    All mechanisms pay the same classes, so that the error of a difference is that of the paired
    differences over classes.
    """
    integrity = results.filter(
        (pl.col("experiment") == Integrity.facts.name) & (pl.col("metric") == INTEGRITY)
    ).select("setting", "mechanism", "repetition", "value")
    rows: list[tuple[object, ...]] = []
    mse = integrity.filter(pl.col("mechanism") == YARDSTICK).drop("mechanism")
    paired = integrity.join(mse, on=["setting", "repetition"], suffix="_mse", how="inner")
    worst: dict[str, list[Value]] = {}
    for (setting, spec), part in paired.group_by("setting", "mechanism", maintain_order=True):
        value = summary((part["value"] - part["value_mse"]).to_numpy())
        rows.append((setting, spec, DIFFERENCE, *value))
        if is_honest(str(setting)):
            worst.setdefault(str(spec), []).append(value._replace(where=str(setting)))
    measured: dict[str, list[Value]] = {}
    for (setting, spec), part in integrity.group_by("setting", "mechanism", maintain_order=True):
        if is_honest(str(setting)):
            value = summary(part["value"].to_numpy())._replace(where=str(setting))
            measured.setdefault(str(spec), []).append(value)
    for spec, values in measured.items():
        lowest = min(values, key=_value)
        mean = float(np.mean([one.value for one in values]))
        # The classes of different settings are independent.
        error = float(np.sqrt(np.sum([one.error**2 for one in values]))) / len(values)
        rows.append((EVERY_SETTING, spec, WORST_SETTING, *lowest))
        rows.append((EVERY_SETTING, spec, MEAN_SETTING, *Value(mean, error, len(values))))
        if spec in worst:
            rows.append((EVERY_SETTING, spec, WORST_DIFFERENCE, *min(worst[spec], key=_value)))
    return rows


def _value(one: Value) -> float:
    return one.value


# ---------------------------------------------------------------------------------------- attacks


def _exploited(rows: pl.DataFrame) -> Iterable[tuple[str, Value]]:
    """The attacks that were found, and the best attack of each column."""
    found: dict[tuple[str, int, str], Value] = {}
    copied: list[Value] = []
    named = rows.with_columns(pl.col("type").fill_null(EVERYBODY))
    keys = ["kind", "others", "type", "repetition", "strategy"]
    for (kind, others, type_, _, strategy), part in named.group_by(keys, maintain_order=True):
        measured = {name: values for name, values in _by_metric(part).items() if len(values)}
        for at in range(len(measured[RANK_GAIN.facts.name])):
            last = {name: float(values[at]) for name, values in measured.items()}
            value = Value(
                last[RANK_GAIN.facts.name],
                last[STANDARD_ERROR],
                int(last[SEMESTERS]),
                str(strategy),
                str(kind),
                int(str(others)),
                str(type_),
            )
            if value.kind in DESERVING_KINDS and UNDESERVED_GAIN in last:
                undeserved = value._replace(
                    value=last[UNDESERVED_GAIN], error=last[UNDESERVED_ERROR]
                )
                copied += [undeserved] if value.kind == COPYING else []
                # Such an attack gains no more ranks than it gains, and than it does not deserve.
                value = min(value, undeserved, key=_value)
            if value.type != EVERYBODY and GAIN_BEYOND_SHIFT in last:
                beyond = value._replace(
                    value=last[GAIN_BEYOND_SHIFT], error=last[BEYOND_SHIFT_ERROR]
                )
                # Inaccurate graders gain by any shift, under every measure of accuracy.
                value = min(value, beyond, key=_value)
            key = value.kind, int(str(others)), value.type
            # If a search ran twice, the better attack counts.
            both = [one for one in (found.get(key), value) if one is not None]
            found[key] = best_attack(both) or value
    for value in found.values():
        yield ATTACK, value
    for measure, counts in _COLUMNS.items():
        best = best_attack([one for one in found.values() if counts(one)])
        if best is not None:
            yield measure, best
    best = best_attack(copied)
    if best is not None:
        yield COPYING, best


def _plain(one: Value) -> bool:
    """Whether an attack counts in the columns of all kinds that are not reported apart."""
    return one.kind not in KINDS_APART and one.kind != UNASSIGNED_KIND


_COLUMNS: dict[str, Callable[[Value], bool]] = {
    ALONE: lambda one: _plain(one) and one.others == 0 and one.type == EVERYBODY,
    TOGETHER: lambda one: _plain(one) and one.others != 0 and one.type == EVERYBODY,
    BY_TYPE: lambda one: _plain(one) and one.type != EVERYBODY,
    WITHOUT_CHEAP: lambda one: _plain(one) and one.kind != CHEAP,
    CHEAP: lambda one: one.kind == CHEAP,
    SKIPPING: lambda one: one.kind == UNASSIGNED_KIND,
    CALIBRATING: lambda one: one.kind == CALIBRATING,
    REVERSING: lambda one: one.kind == REVERSING,
}
"""The attacks that count in each column."""


def _with_verdicts(board: pl.DataFrame) -> pl.DataFrame:
    """Add the verdicts of the searches, and a row for each column that was not attacked."""
    compared = board.filter(pl.col("measure") == INTEGRITY).select("setting", "mechanism").unique(
        maintain_order=True
    )  # fmt: skip
    searched = set(
        board.filter(pl.col("measure").is_in(SEARCHED_COLUMNS))
        .select("setting", "mechanism", "measure")
        .iter_rows()
    )
    missing = [
        {"setting": setting, "mechanism": spec, "measure": measure}
        for setting, spec in compared.iter_rows()
        for measure in SEARCHED_COLUMNS
        if (setting, spec, measure) not in searched and setting in BY_NAME
    ]
    said = [
        verdict(measure, Value(value, error, 0))
        for measure, value, error in board.select("measure", "value", "error").iter_rows()
    ]
    judged = board.with_columns(verdict=pl.Series(said, dtype=pl.String))
    if not missing:
        return judged
    empty = pl.DataFrame(missing).with_columns(verdict=pl.lit(NOT_ATTACKED))
    return pl.concat([judged, empty], how="diagonal_relaxed").select(judged.columns)


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


# ----------------------------------------------------------------------------------- comparisons


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


def place(found: Sequence[Standing], one: Standing) -> str:
    """Sentences on the place of one mechanism among all others, and on attacks on it."""
    places = []
    for name in (INTEGRITY, WORST_SETTING, ROBUSTNESS):
        known = [other for other in found if not np.isnan(other.get(name))]
        if one in known:
            ahead = sum(other.good(name) > one.good(name) for other in known)
            places.append(
                f"{_ordinal(ahead + 1)} of {len(known)} by {_in_words(name)} "
                f"({in_numbers(name, one.values[name])})"
            )
    axes = [name for name in (INTEGRITY, ROBUSTNESS) if not np.isnan(one.get(name))]
    beaten = [other.label for other in found if clearly_beats(other, one, axes)]
    by = f"by {len(beaten)}, first of all by {beaten[0]}" if beaten else "by no other"
    columns = "; ".join(f"{_in_words(name)}: {one.cell(name)}" for name in SEARCHED_COLUMNS)
    return (
        f"{one.label} ({one.spec}) is {', '.join(places)}. It is clearly beaten on "
        f"{' and '.join(map(_in_words, axes))} {by}. Attacks (ranks gained) {columns}."
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


def shown_measures(standings: Sequence[Standing]) -> list[Measure]:
    """The measures that at least one mechanism has, in the order of the leaderboard."""

    def known(name: str) -> bool:
        return any(not np.isnan(one.get(name)) for one in standings)

    return [one for one in BY_MEASURE.values() if known(one.name)]
