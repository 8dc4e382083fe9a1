"""Statistical models of grading: one in each file of this folder."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from peergauge.grouping import Floats
from peergauge.registry import Facts, Plugin, Registry
from peergauge.tables import Reports, frozen


@dataclass(frozen=True, kw_only=True)
class ModelFacts(Facts):
    """What a model declares."""


@dataclass(frozen=True, eq=False)
class Estimates:
    """What a model makes of reports.

    Parameters
    ----------
    score
        Estimated true score of each submission.
    bias, reliability
        Of each grader on each assignment (assignments × graders); NaN for a grader without
        reports there.
    rounds
        How many rounds of updates each assignment took.
    converged
        Whether they ended because nothing changed any more.
    """

    score: Floats
    bias: Floats
    reliability: Floats
    rounds: NDArray[np.int64]
    converged: NDArray[np.bool_]

    def __post_init__(self) -> None:
        # Several mechanisms may share these.
        for column in (self.score, self.bias, self.reliability, self.rounds, self.converged):
            frozen(column)

    def corrected(self, reports: Reports) -> Floats:
        """The grades less the estimated biases of those who gave them."""
        return np.asarray(reports.grade - reports.of_graders(self.bias))


class Model(Plugin):
    """Estimates true scores, biases and reliabilities from reports."""

    facts: ClassVar[ModelFacts]

    @abstractmethod
    def fit(self, reports: Reports) -> Estimates:
        """Estimate everything that the model knows of."""


models: Registry[Model] = Registry("model", __name__, ModelFacts)
model = models.register
