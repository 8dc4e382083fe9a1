"""Mix one's own signal with a signal that graders share without reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.registry import written
from peergauge.simulate.strategies import Move, Situation, Strategy, Tries, every, strategy
from peergauge.simulate.strategies.peers import check_share
from peergauge.simulate.strategies.points import share_in_words


@strategy(
    "mix-cheap",
    label="Mix with a Cheap Signal",
    source="peergauge; Gao et al. 2016",
    informed=True,
    random=True,
    latent=True,
    cheap=True,
)
@dataclass(frozen=True)
class MixCheap(Strategy):
    """Report a weighted mean of the signal and of a signal that graders share without reading.

    With correlation 0 the shared signal is worthless, such as the length of a text. With a high
    correlation and little noise it is like the grade that a machine suggests to everybody.

    Parameters
    ----------
    weight
        Weight of the shared signal.
    correlation
        Correlation of the shared signal with the true score.
    noise
        Standard deviation of each grader's noise; the shared signal itself has 1.
    """

    weight: float = 0.5
    correlation: float = 0.0
    noise: float = 0.2

    moves: ClassVar[Mapping[str, Move]] = {"weight": Move(0.15, 0.05, 0, 1)}

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        kinds = every("correlation={},noise={}", (0, 0.8), (0.2,))
        return Tries(
            every("mix-cheap:weight={},{}", (0.5, 1), kinds),
            (
                *every("mix-cheap:weight={},{}", (0.25, 0.75), kinds),
                "mix-cheap:correlation=0.8,noise=0.05",
            ),
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.weight, "weight of mix-cheap")
        if not -1 <= self.correlation <= 1:
            raise ParameterError(
                f"The correlation of mix-cheap lies in -1..1, but is {written(self.correlation)}."
            )
        if not 0 <= self.noise < np.inf:
            raise ParameterError(
                f"The noise of mix-cheap is finite and not negative, but is {self.noise}."
            )

    def report(self, situation: Situation) -> Floats:
        shared = situation.known_shared_signal(self.correlation, self.noise)
        return (1 - self.weight) * situation.signal + self.weight * shared

    def in_words(self) -> str:
        shared = "a worthless signal that others see too"
        if self.correlation:
            shared = (
                "a signal that others see too, such as a machine's grade, which correlates with "
                f"the true score by {written(self.correlation)}"
            )
        if self.weight == 1:
            return f"Report {shared}"
        return f"Move every grade {share_in_words(self.weight)} of the way towards {shared}"
