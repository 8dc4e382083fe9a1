"""Statistical models of grading: one in each file of this folder."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, fields
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.registry import Facts, Plugin, Registry
from peergauge.tables import Reports, frozen


@dataclass(frozen=True, kw_only=True)
class ModelFacts(Facts):
    """What a model declares.

    Parameters
    ----------
    random
        Whether its estimates depend on chance, by a seed among its parameters.
    """

    random: bool = False


@dataclass(frozen=True, eq=False)
class Estimates:
    """What a model makes of reports.

    Parameters
    ----------
    score
        Estimated true score of each submission; NaN for one that nobody graded, unless the model
        has a prior.
    bias, reliability
        Of each grader on each assignment (assignments × graders); NaN for a grader without
        reports there, and where the model has none.
    rounds
        How many rounds of updates each assignment took.
    converged
        Whether they ended because nothing changed any more.
    deviation
        Standard deviation of each score; NaN where it cannot be told, None if the model gives
        none.
    """

    score: Floats
    bias: Floats
    reliability: Floats
    rounds: NDArray[np.int64]
    converged: NDArray[np.bool_]
    deviation: Floats | None = None

    def __post_init__(self) -> None:
        # Several mechanisms may share these.
        for field in fields(self):
            column = getattr(self, field.name)
            for one in column if isinstance(column, tuple) else (column,):
                if one is not None:
                    frozen(one)

    @classmethod
    def of_scores(cls, reports: Reports, score: Floats, deviation: Floats | None = None) -> Self:
        """The estimates of a model that knows nothing of graders and takes no rounds."""
        unknown = np.full((reports.assignments, reports.graders), np.nan)
        rounds = np.zeros(reports.assignments, dtype=np.int64)
        return cls(score, unknown, unknown, rounds, rounds == 0, deviation)

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
