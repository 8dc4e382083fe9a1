"""Mechanisms as they were measured in one setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from peergauge.advice.measures import (
    BY_MEASURE,
    CLEAR_ERRORS,
    GAINS,
    INTEGRITY,
    NOT_ATTACKED,
    OVERALL_MEASURES,
    SEARCHED_COLUMNS,
    WITHSTOOD,
    Value,
    in_words,
    verdict,
)
from peergauge.core.brief import brief
from peergauge.core.lazy import pl
from peergauge.mechanisms import Mechanism, mechanisms
from peergauge.mechanisms.priors import needs_prior

ATTACK, STRATEGY_GAIN = "attack", "rank-gain"
"""Measures with several rows: the best attack of each kind, number of others and type, and the gain
of each strategy of the paper."""

EVERY_SETTING = "every setting"
"""The column ``setting`` of measures over all settings."""

BOARD_SCHEMA = ("setting", "mechanism", "measure", *Value._fields)
"""Columns of a leaderboard that describe a value."""


@dataclass(frozen=True)
class Needs:
    """What a mechanism needs before it can pay."""

    prior: bool
    """Whether it needs the mean or variance of true scores and does not estimate both."""

    clusters: bool
    steps: bool
    random: bool
    semester: bool
    superseded: bool = False
    """Whether another mechanism should be used instead."""

    @classmethod
    def of(cls, mechanism: Mechanism) -> Needs:
        """The needs of a mechanism, by its parameters and facts."""
        facts = mechanism.facts
        return cls(
            prior=needs_prior(mechanism),
            clusters=facts.design == "clusters",
            steps=facts.steps,
            random=facts.random,
            semester=facts.semester,
            superseded=bool(facts.superseded_by),
        )

    @property
    def words(self) -> tuple[str, ...]:
        """The needs in words."""
        words = {
            "a prior": self.prior,
            "clusters": self.clusters,
            "a scale with steps": self.steps,
            "chance": self.random,
            "the whole semester": self.semester,
        }
        return tuple(word for word, needed in words.items() if needed)


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
        Rank gains of the best attack of each kind for each number of others and each type.
    """

    spec: str
    label: str
    needs: Needs
    values: Mapping[str, Value]
    own: bool = False
    gains: tuple[Value, ...] = ()
    attacks: tuple[Value, ...] = ()

    __repr__ = brief

    def get(self, measure: str) -> float:
        """The value of a measure, NaN if it was not measured."""
        found = self.values.get(measure)
        return float("nan") if found is None else found.value

    def good(self, measure: str) -> float:
        """The value of a measure, with its sign changed if lower is better."""
        return self.get(measure) if BY_MEASURE[measure].better == "higher" else -self.get(measure)

    @property
    def verdict(self) -> str:
        """Whether the mechanism withstood the searches for attacks in all three columns."""
        said = {verdict(name, self.values.get(name)) for name in SEARCHED_COLUMNS}
        if said == {WITHSTOOD}:
            return WITHSTOOD
        return GAINS if GAINS in said else NOT_ATTACKED

    def cell(self, measure: str) -> str:
        """The measure as a table shows it: a number with its error, or the verdict of a search."""
        return in_words(measure, self.values.get(measure))


def standings(board: pl.DataFrame, setting: str, own: Sequence[str] = ()) -> list[Standing]:
    """All mechanisms in one setting, those of the highest integrity first.

    Measures over all settings, and costs, are the same in every setting.
    """
    measures = sorted(OVERALL_MEASURES)
    here = (pl.col("setting") == setting) | pl.col("measure").is_in(measures)
    specs = board.filter(pl.col("setting") == setting)["mechanism"].unique(maintain_order=True)
    measured: dict[str, list[tuple[str, Value]]] = {spec: [] for spec in specs}
    for _, spec, measure, *value in board.filter(here).select(BOARD_SCHEMA).iter_rows():
        if spec in measured and value[0] is not None:
            measured[spec].append((measure, Value(*value)))
    found = [_standing(spec, values, spec in own) for spec, values in measured.items()]
    return sorted(found, key=lambda one: -float(np.nan_to_num(one.get(INTEGRITY), nan=-9.0)))


def _standing(spec: str, measured: Sequence[tuple[str, Value]], own: bool) -> Standing:
    made = mechanisms.make(spec)
    return Standing(
        spec,
        made.label,
        Needs.of(made),
        {name: value for name, value in measured if name not in {ATTACK, STRATEGY_GAIN}},
        own,
        tuple(value for name, value in measured if name == STRATEGY_GAIN),
        tuple(value for name, value in measured if name == ATTACK),
    )


def clearly_beats(one: Standing, other: Standing, measures: Sequence[str]) -> bool:
    """Whether one mechanism is ahead of another by two standard errors on every measure."""
    for name in measures:
        if name not in one.values or name not in other.values:
            return False
        errors = np.nan_to_num([one.values[name].error, other.values[name].error])
        if not one.good(name) - other.good(name) > CLEAR_ERRORS * float(np.hypot(*errors)):
            return False
    return True
