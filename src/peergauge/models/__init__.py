"""Statistical models of grading: one in each file of this folder."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, fields
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.brief import brief
from peergauge.core.registry import Facts, Plugin, Registry
from peergauge.tables import Reports, frozen

__all__ = [
    "Estimates",
    "Model",
    "ModelFacts",
    "model",
    "models",
]


@dataclass(frozen=True, kw_only=True)
class ModelFacts(Facts):
    """Facts that a model declares.

    Parameters
    ----------
    random
        Whether its estimates are random, controlled by a seed among its parameters.

    Examples
    --------
    >>> ModelFacts(name="mine").label
    'mine'
    """

    random: bool = False


@dataclass(frozen=True, eq=False)
class Estimates:
    """Estimates of a model.

    Parameters
    ----------
    score
        Estimated true score of each submission; NaN for a submission without reports, unless the
        model has a prior.
    bias, reliability
        Estimates for each grader on each assignment (assignments × graders); NaN for a grader
        without reports there, and for models that do not estimate them.
    rounds
        Number of iterations for each assignment.
    converged
        Whether the iterations of each assignment converged.
    deviation
        Standard deviation of each score; NaN if it cannot be estimated, None if the model does not
        estimate it.

    Examples
    --------
    >>> import peergauge
    >>> reports = peergauge.simulate(students=6, assignments=2, graders=3, seed=1).reports
    >>> models["mean"].fit(reports).score.shape
    (12,)
    """

    score: Floats
    bias: Floats
    reliability: Floats
    rounds: NDArray[np.int64]
    converged: NDArray[np.bool_]
    deviation: Floats | None = None

    __repr__ = brief

    def __post_init__(self) -> None:
        # Read-only, because several mechanisms may share the estimates.
        for field in fields(self):
            column = getattr(self, field.name)
            for one in column if isinstance(column, tuple) else (column,):
                if isinstance(one, np.ndarray):
                    frozen(one)

    @classmethod
    def of_scores(cls, reports: Reports, score: Floats, deviation: Floats | None = None) -> Self:
        """Create the estimates of a model without grader parameters and iterations."""
        reports.scale.numbers_needed("An estimate of scores")
        unknown = np.full((reports.assignments, reports.graders), np.nan)
        rounds = np.zeros(reports.assignments, dtype=np.int64)
        return cls(score, unknown, unknown, rounds, rounds == 0, deviation)

    def corrected(self, reports: Reports) -> Floats:
        """Grades minus the estimated biases of their graders."""
        return np.asarray(reports.grade - reports.of_graders(self.bias))


class Model(Plugin):
    """Base class of models, which estimate true scores, biases and reliabilities from reports.

    Examples
    --------
    >>> import peergauge
    >>> reports = peergauge.simulate(students=20, assignments=3, seed=1).reports
    >>> models["pg1"].fit(reports).bias.shape
    (3, 20)
    """

    facts: ClassVar[ModelFacts]

    @abstractmethod
    def fit(self, reports: Reports) -> Estimates:
        """Estimate all parameters of the model."""


models: Registry[Model] = Registry("model", __name__, ModelFacts)
model = models.register


def __dir__() -> list[str]:
    return __all__
