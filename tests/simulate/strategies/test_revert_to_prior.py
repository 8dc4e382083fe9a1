"""Revert to the Prior: the expected score, rounded, whatever the signal."""

from __future__ import annotations

import pytest

from peergauge.tables import Scale
from tests.simulate.strategies.situations import reports_of_all_signals


@pytest.mark.parametrize(
    ("scale", "expected", "report"),
    [
        (Scale(), 7, 7),
        (Scale(), 7.4, 7),
        (Scale(), 6.6, 7),
        (Scale(), 6.5, 6),
        (Scale(), 7.5, 8),
        (Scale(1, 6), 4.4, 4),
        (Scale(1, 6), 4.5, 5),
        (Scale(0, 100, 10), 70, 70),
        (Scale(0, 100, 10), 64, 60),
        (Scale(0, 2, 0.5), 1.4, 1.5),
    ],
)
def test_every_signal_becomes_the_expected_score_rounded_half_to_even_level(
    scale: Scale, expected: float, report: float
) -> None:
    assert reports_of_all_signals("prior", scale, expected) == [report] * scale.levels
