"""Integrity against robustness: where each mechanism stands between the two.

Nothing is simulated here: E1 and E3 give the simulated trade-off, E7 and E3 the one with the novel
mechanisms, E2 and E5 that of real classes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from peergauge.core.lazy import pl
from peergauge.lab.paper.roster import variant_of
from peergauge.lab.paper.selections import (
    CLASS_GAINS,
    CLASS_INTEGRITY,
    EFFORT,
    EFFORT_NOVEL,
    GAINS,
    GAINS_NOVEL,
    GAINS_UNCORRECTED,
    INTEGRITY,
    INTEGRITY_CORRECTED,
    INTEGRITY_ESTIMATED,
    Selection,
)
from peergauge.mechanisms import mechanisms


class Value(NamedTuple):
    """A number and its standard error."""

    mean: float
    error: float


@dataclass(frozen=True)
class Standing:
    """One mechanism between integrity and robustness.

    Parameters
    ----------
    mechanism
        The mechanism by its variant, such as ``phi-div-p:divergence=kl``.
    setting
        How a parametric mechanism treats bias, where that differs between points.
    integrity
        By measure: the mean over all numbers of assignments (or of active graders).
    gain
        By strategy, where it is defined: the mean gain of a deviator over all numbers of strategic
        graders.
    """

    mechanism: str
    setting: str
    integrity: Mapping[str, Value]
    gain: Mapping[str, Value]

    def robustness(self, strategies: Iterable[str] | None = None) -> Value:
        """Minus the mean gain over *strategies*, or over all of them."""
        chosen = list(self.gain if strategies is None else strategies)
        gains = [self.gain[name] for name in chosen]
        errors = np.array([gain.error for gain in gains])
        mean = float(np.mean([gain.mean for gain in gains]))
        return Value(-mean, float(np.sqrt((errors**2).sum()) / len(gains)))


def as_in_the_paper(cells: pl.DataFrame) -> list[Standing]:
    """The paper's points: integrity of mechanisms that ignore bias, gains where they correct it."""
    return _where_known(
        _standing(cells, variant, "", INTEGRITY, GAINS) for variant in variants_in(cells, GAINS)
    )


def same_on_both_axes(cells: pl.DataFrame) -> list[Standing]:
    """One point for each mechanism, and two for parametric ones: corrected and uncorrected.

    MSE_P estimates biases in the published gains without correction. Φ-Div_P pays the same whether
    it estimates biases or not.
    """
    found = []
    for variant in variants_in(cells, GAINS):
        if variant not in variants_in(cells, INTEGRITY_CORRECTED):
            found.append(_standing(cells, variant, "", INTEGRITY, GAINS))
            continue
        estimated = variant in variants_in(cells, INTEGRITY_ESTIMATED)
        own = INTEGRITY_ESTIMATED if estimated else INTEGRITY
        found.append(_standing(cells, variant, "uncorrected", own, GAINS_UNCORRECTED))
        found.append(_standing(cells, variant, "corrected", INTEGRITY_CORRECTED, GAINS))
    return _where_known(found)


def with_novel_mechanisms(cells: pl.DataFrame) -> list[Standing]:
    """The trade-off with binary effort and without bias, which includes the novel mechanisms.

    LOO is left out, as in the paper, because it is given the truth.
    """
    return _where_known(
        _standing(cells, variant, "", effort, gains)
        for gains, effort in ((GAINS, EFFORT), (GAINS_NOVEL, EFFORT_NOVEL))
        for variant in variants_in(cells, gains)
        if not mechanisms.make(variant).facts.needs_truth
    )


def in_classes(cells: pl.DataFrame, out_of: int = 0) -> dict[str, list[Standing]]:
    """The points of each class of E2 and E5, by its name; errors are those of the gains alone.

    Gains are counted in ranks *out_of* so many students, or in ranks as they are if that is 0.
    """
    integrity, gains = CLASS_INTEGRITY.rows(cells), CLASS_GAINS.rows(cells)
    if not integrity.height or not gains.height:
        return {}
    integrity = integrity.filter(~pl.col("resampled"))
    gains = gains.filter(pl.col("out_of") == out_of)
    found = {}
    for name in integrity["class"].unique(maintain_order=True):
        there = pl.col("class") == name
        own = integrity.filter(there), gains.filter(there)
        if own[1].height:
            variants = dict.fromkeys(map(variant_of, own[1]["mechanism"]))
            found[name] = _where_known(_point(variant, "", *own) for variant in variants)
    return found


def pareto_front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Which points no other beats on one axis without losing on the other, from left to right.

    >>> pareto_front([(0, 3), (1, 2), (1, 1), (2, 0), (-1, 3)])
    [0, 1, 3]
    """
    order = sorted(range(len(points)), key=lambda i: (-points[i][0], -points[i][1], -i))
    front: list[int] = []
    for i in order:
        if not front or points[i][1] > points[front[-1]][1] or points[i] == points[front[-1]]:
            front.append(i)
    return front[::-1]


def _where_known(standings: Iterable[Standing]) -> list[Standing]:
    """Those that have both numbers."""
    return [one for one in standings if one.integrity and one.gain]


def variants_in(cells: pl.DataFrame, selection: Selection) -> list[str]:
    """The mechanisms that a selection has cells of, by their variants."""
    specs = selection.rows(cells)["mechanism"].unique(maintain_order=True)
    return list(dict.fromkeys(map(variant_of, specs)))


def _standing(
    cells: pl.DataFrame, variant: str, setting: str, integrity: Selection, gains: Selection
) -> Standing:
    return _point(variant, setting, integrity.rows(cells), gains.rows(cells))


def _point(variant: str, setting: str, integrity: pl.DataFrame, gains: pl.DataFrame) -> Standing:
    """One mechanism between the cells of its integrity and those of its gains."""
    measured, gained = (_of_variant(table, variant) for table in (integrity, gains))
    return Standing(
        variant,
        setting,
        {name: _mean(group) for (name,), group in measured.group_by("metric", maintain_order=True)},
        {name: _mean(group) for (name,), group in gained.group_by("strategy", maintain_order=True)},
    )


def _of_variant(cells: pl.DataFrame, variant: str) -> pl.DataFrame:
    """The cells of one mechanism that have a mean."""
    specs = [spec for spec in cells["mechanism"].unique() if variant_of(spec) == variant]
    return cells.filter(pl.col("mechanism").is_in(specs), pl.col("n") > 0)


def _mean(cells: pl.DataFrame) -> Value:
    """The mean over cells, with the standard error that theirs give it."""
    mean = cells["mean"].to_numpy()
    # A cell of one repetition says nothing about its error.
    squares = cells["sd"].fill_null(0.0).to_numpy() ** 2 / cells["n"].to_numpy()
    return Value(float(mean.mean()), float(np.sqrt(squares.sum()) / len(mean)))
