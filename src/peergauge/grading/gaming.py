"""Can these students game it? Every strategy replayed in classes like this one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from peergauge.models.posterior import Posterior
from peergauge.tables import Reports


class Gain(NamedTuple):
    """What a strategy gains its grader under a mechanism, all others being honest."""

    mechanism: str
    strategy: str
    gain: float
    """In ranks of a hundred students, compared with reporting what one saw."""

    error: float
    """Standard error."""


class Measured(NamedTuple):
    """How well a mechanism's pay measures how good graders are, in classes like this one."""

    mechanism: str
    integrity: float
    """Kendall τ_B between pay and accuracy."""

    error: float


class Estimated(NamedTuple):
    """How far off a way of estimating true scores is, in classes like this one."""

    model: str
    squared_error: float
    error: float


@dataclass(frozen=True)
class Gaming:
    """What was found.

    Parameters
    ----------
    chosen
        The spec of the mechanism that pays this class.
    gains
        Of every strategy under every mechanism that was compared.
    measured, estimated
        How good mechanisms are at measuring graders, and models at grading.
    recommended
        The spec of the mechanism to use here, or ``""`` for none: pay everybody alike.
    grades_by
        The model to grade by: ``pg1-posterior``, or ``mean`` if that is no worse.
    reason
        Why, in words with the numbers.
    classes
        How many classes were simulated.
    """

    chosen: str
    gains: tuple[Gain, ...]
    measured: tuple[Measured, ...]
    estimated: tuple[Estimated, ...]
    recommended: str
    grades_by: str
    reason: str
    classes: int


def play(
    reports: Reports,
    posterior: Posterior,
    mechanism: str,
    *,
    seed: int = 0,
    classes: int = 20,
    progress: Callable[[int, int], None] | None = None,
) -> Gaming:
    """Replay every strategy under the chosen mechanism and its rivals."""
    raise NotImplementedError
