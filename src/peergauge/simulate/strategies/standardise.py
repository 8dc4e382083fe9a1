"""Give one's reports a wanted mean and spread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.registry import written
from peergauge.simulate.strategies import Move, Situation, Strategy, Tries, every, strategy
from peergauge.simulate.strategies.own import Signals, own_signals, which_signals
from peergauge.simulate.strategies.peers import check_share
from peergauge.simulate.strategies.points import share_in_words


@strategy(
    "standardise",
    label="Standardise to {deviation}",
    source="peergauge",
    informed=True,
    memory=True,
    calibrates=True,
)
@dataclass(frozen=True)
class Standardise(Strategy):
    """Subtract the mean of one's own signals, and stretch them to a wanted standard deviation.

    With mean m and standard deviation s of the grader's signals, expected true score μ and wanted
    deviation d, the report is m − w (m − μ) + (d / s) (signal − m), where w is *mean*.

    Parameters
    ----------
    deviation
        Standard deviation that the reports should have, in points of 0..10.
    mean
        Weight w: 1 replaces the own mean by the expected true score, 0 keeps it.
    signals
        Signals of the grader that are used: ``so-far`` up to and including the current assignment,
        or ``all`` of the semester.
    doubt
        Number of additional signals, exactly as expected and with the wanted spread, that are
        included in the mean and the standard deviation.
    """

    deviation: float = 1.8
    mean: float = 1.0
    signals: Signals = "all"
    doubt: float = 2.0

    moves: ClassVar[Mapping[str, Move]] = {
        "deviation": Move(0.2, 0.1, 0, 5),
        "mean": Move(0.2, 0.1, 0, 1),
        "doubt": Move(2, 1, 0, 40),
    }

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        return Tries(
            (*every("standardise:deviation={}", (1.5, 1.8, 2.1)), "standardise:mean=0"),
            (
                *every("standardise:deviation={}", (1.2, 2.5)),
                "standardise:signals=so-far",
                *every("standardise:mean=0,deviation={}", (1.5, 2.1, 2.5)),
                *every("standardise:mean=0.5,deviation={}", (1.5, 1.8)),
            ),
        )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_share(self.mean, "mean of standardise")
        for name in ("deviation", "doubt"):
            if not 0 <= getattr(self, name) < np.inf:
                raise ParameterError(
                    f"The {name} of standardise is finite and not negative, but is "
                    f"{getattr(self, name)}."
                )

    def uses(self, fact: str) -> bool:
        return super().uses(fact) and (fact != "calibrates" or self.mean > 0)

    def report(self, situation: Situation) -> Floats:
        own = own_signals(situation, self.signals)
        prior, wanted = situation.prior_mean, self.deviation * situation.scale.unit
        total = np.maximum(own.count + self.doubt, 1.0)
        centre = prior + own.count / total * (own.mean - prior)
        squares = own.variance * np.maximum(own.count - 1, 0) + wanted**2 * self.doubt
        variance = squares / np.maximum(own.count - 1 + self.doubt, 1.0)
        spread = np.sqrt(variance)
        factor = np.divide(wanted, spread, out=np.ones_like(spread), where=spread > 1e-9)
        return np.asarray(
            centre - self.mean * (centre - prior) + factor * (situation.signal - centre)
        )

    def in_words(self) -> str:
        mean = f"the mean of your grades {which_signals(self.signals)}"
        spread = f"their standard deviation is {written(self.deviation)} points"
        if self.mean == 0:
            return f"Move all grades towards or away from {mean} until {spread}"
        part = "" if self.mean == 1 else f" {share_in_words(self.mean)} of the way"
        return (
            f"Move {mean}{part} to the expected grade, and stretch or shrink your grades until "
            f"{spread}"
        )
