"""How wrong would letter grades based on the rewards be?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.metrics import RewardMetric, metric
from peergauge.metrics.statistics import both_known, midranks, quantile_classes
from peergauge.tables import Rewards, Truth

LETTER_GRADES = "ABCDF"
"""Letters from the best to the worst."""


@metric(
    "letter-loss",
    label="Letter-grade loss",
    source="Burrell & Schoenebeck 2022 (called for there)",
    of="rewards",
    needs="true scores",
    lowest=0.0,
    highest=float("inf"),
    better="lower",
)
@dataclass(frozen=True)
class LetterLoss(RewardMetric):
    """The mean loss of a designer per grader, over letter grades A, B, C, D and F.

    Letters are quintiles: those that graders deserve by squared error, and those that the rewards
    give; ties go to the worse letter. A letter that is too low by *d* steps costs ``too_low ×
    d^power``, one that is too high ``too_high × d^power``. A designer may care about a single line
    between letters only, such as the one between D and F. For any other loss, give a 5 × 5 matrix
    to :func:`mean_loss`.

    Parameters
    ----------
    too_low, too_high
        The cost of a letter that is one step lower, or higher, than deserved.
    power
        The exponent by which the cost grows with the number of steps.
    line
        The lines between letters that count as a step: ``every`` line, or only one of them. With
        ``below-d`` only failing matters.
    """

    too_low: float = 1.0
    too_high: float = 1.0
    power: float = 1.0
    line: Literal["every", "below-a", "below-b", "below-c", "below-d"] = "every"

    def __post_init__(self) -> None:
        super().__post_init__()
        costs = self.too_low, self.too_high, self.power
        if not all(0 <= cost < np.inf for cost in costs):
            raise ParameterError(
                f"The costs of a wrong letter should be finite and not negative, but are {costs}."
            )

    def matrix(self) -> Floats:
        """The loss of giving letter *j* where *i* is deserved, by row *i* and column *j*."""
        letter = np.arange(5)
        if self.line != "every":
            letter = (letter > LETTER_GRADES.index(self.line[-1].upper())).astype(np.int64)
        steps = np.subtract.outer(letter, letter).astype(np.float64)
        size = np.abs(steps) ** self.power * (steps != 0)
        return np.asarray(np.where(steps > 0, self.too_high, self.too_low) * size)

    def measure(self, rewards: Rewards, truth: Truth) -> float:
        return mean_loss(self.totals(rewards), self.errors(rewards, truth), self.matrix())


def mean_loss(total: Floats, error: Floats, matrix: ArrayLike) -> float:
    """The mean loss of letters given by *total* where letters by *error* are deserved.

    ``matrix[i, j]`` is the loss of giving letter *j* where letter *i* is deserved, counted from A.
    """
    loss = np.asarray(matrix, dtype=np.float64)
    if loss.shape != (5, 5):
        raise ParameterError(f"A loss has 5 × 5 entries, one for each two of {LETTER_GRADES}.")
    known = both_known(total, error)
    if not known.any():
        return float("nan")
    # Quantile classes count from the worst, letters from A. Payments may be infinite, so that
    # their ranks are cut into classes; only the order matters.
    deserved = 4 - quantile_classes(-error[known], 5)
    given = 4 - quantile_classes(midranks(total[known]), 5)
    return float(loss[deserved, given].mean())
