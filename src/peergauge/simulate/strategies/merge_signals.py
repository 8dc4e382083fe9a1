"""Merge similar signals into one grade."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.simulate.strategies import Situation, Strategy, strategy


@strategy(
    "merge",
    label="Merge Signals",
    source="Burrell & Schoenebeck 2022; Shnayder & Parkes 2016",
    informed=True,
    in_paper=True,
)
@dataclass(frozen=True)
class MergeSignals(Strategy):
    """Report one of five grades, each for a range of signals.

    On 0..10: 0 stays 0; 1, 2, 3 become 3; 4, 5, 6 become 6; 7, 8, 9 become the expected true
    score; 10 stays 10. On another scale the same happens in proportion.
    """

    def report(self, situation: Situation) -> Floats:
        scale = situation.scale
        # Rounded, because 0.3 on 0..1 is not exactly three tenths in binary.
        tenths = np.round((situation.signal - scale.lowest) / scale.unit, 9)
        merged = np.select(
            [tenths <= 0, tenths <= 3, tenths <= 6, tenths < 10], [0.0, 3.0, 6.0, np.nan], 10.0
        )
        report = scale.lowest + scale.unit * merged
        return np.where(np.isnan(merged), situation.prior_mean, report)
