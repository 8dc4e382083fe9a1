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
from peergauge.mechanisms import mechanisms

BINARY_AUC, EFFORT_AUC, RANK_GAIN = "Binary AUCs", "ROC-AUC Scores", "rank gain"
IGNORED, ESTIMATED, CORRECTED = (
    "payments-vs-mse_with-bias-in-model",
    "payments-vs-mse_mse-p",
    "payments-vs-mse_parametric",
)
GAINS, GAINS_UNCORRECTED, GAINS_NOVEL = (
    "incentives_for_deviating-ce-bias",
    "incentives_for_deviating-ce-bias-parametric-bias_correct_false",
    "incentives_for_deviating-ce-bias-extensions",
)
EFFORT = (
    "be-no_bias-best_mechanisms",
    "be-no_bias-nonparam",
    "be-no_bias-phi_div",
    "be-no_bias-phi_div_p",
)
EFFORT_NOVEL = "be-no_bias-extensions"
CLASS_INTEGRITY, CLASS_GAINS = "real-integrity_", "real-gain_"

SIMULATED = (IGNORED, ESTIMATED, CORRECTED, GAINS, GAINS_UNCORRECTED)
NOVEL = (*EFFORT, EFFORT_NOVEL, GAINS, GAINS_NOVEL)


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
        What the published files call it.
    setting
        How a parametric one treats bias, where that differs between points.
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
    return _where_known(_standing(cells, name, "", IGNORED, GAINS) for name in _of(cells, GAINS))


def same_on_both_axes(cells: pl.DataFrame) -> list[Standing]:
    """Points of one and the same mechanism: parametric ones twice, corrected and uncorrected.

    MSE_P estimates biases in the published gains without correction, Φ-Div_P pays the same
    whether it estimates them or not.
    """
    found = []
    for name in _of(cells, GAINS):
        if name not in _of(cells, CORRECTED):
            found.append(_standing(cells, name, "", IGNORED, GAINS))
            continue
        own = ESTIMATED if name in _of(cells, ESTIMATED) else IGNORED
        found.append(_standing(cells, name, "uncorrected", own, GAINS_UNCORRECTED))
        found.append(_standing(cells, name, "corrected", CORRECTED, GAINS))
    return _where_known(found)


def with_novel_mechanisms(cells: pl.DataFrame) -> list[Standing]:
    """Unbiased graders of two efforts, and the novel mechanisms too.

    LOO is left out, as in the paper: it is given the truth.
    """
    given_truth = {one.published for one in mechanisms.all() if one.facts.needs_truth}
    found = []
    for gains, files in ((GAINS, EFFORT), (GAINS_NOVEL, (EFFORT_NOVEL,))):
        for name in _of(cells, gains):
            # A mechanism that is in several files has the same semesters in all of them.
            first = next((file for file in files if name in _of(cells, file)), None)
            if first is not None and name not in given_truth:
                found.append(_standing(cells, name, "", first, gains))
    return _where_known(found)


def in_classes(cells: pl.DataFrame, gain: str = RANK_GAIN) -> dict[str, list[Standing]]:
    """The points of each class of E2 and E5, by its name; errors are those of the gains alone.

    *gain* is the metric that gains are counted in.
    """
    found = {}
    for file in cells["experiment"].unique(maintain_order=True):
        name = file.removeprefix(CLASS_INTEGRITY)
        gains = CLASS_GAINS + name
        if name != file and _of(cells, gains):
            found[name] = _where_known(
                _standing(cells, one, "", file, gains, gain) for one in _of(cells, gains)
            )
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


def _of(cells: pl.DataFrame, file: str) -> list[str]:
    here = cells.filter(pl.col("experiment") == file)
    return here["mechanism"].unique(maintain_order=True).to_list()


def _standing(
    cells: pl.DataFrame,
    mechanism: str,
    setting: str,
    integrity: str,
    gains: str,
    gain: str = RANK_GAIN,
) -> Standing:
    own = cells.filter(pl.col("mechanism") == mechanism, pl.col("n") > 0)
    measured = own.filter(pl.col("experiment") == integrity)
    gained = own.filter(pl.col("experiment") == gains, pl.col("metric") == gain)
    return Standing(
        mechanism,
        setting,
        {name: _mean(group) for (name,), group in measured.group_by("metric", maintain_order=True)},
        {name: _mean(group) for (name,), group in gained.group_by("strategy", maintain_order=True)},
    )


def _mean(cells: pl.DataFrame) -> Value:
    """The mean over cells, with the standard error that theirs give it."""
    mean = cells["mean"].to_numpy()
    # A cell of one repetition says nothing about its error.
    squares = cells["sd"].fill_null(0.0).to_numpy() ** 2 / cells["n"].to_numpy()
    return Value(float(mean.mean()), float(np.sqrt(squares.sum()) / len(mean)))
