"""Report All 10s: the highest grade, whatever the signal."""

from __future__ import annotations

import pytest

from peergauge.simulate import strategies
from peergauge.tables import Scale
from tests.simulate.strategies.situations import reports_of_all_signals


@pytest.mark.parametrize(
    ("scale", "highest"),
    [(Scale(), 10), (Scale(1, 6), 6), (Scale(0, 2, 0.5), 2), (Scale(0, 100, 10), 100)],
    ids=str,
)
def test_every_signal_becomes_the_highest_grade(scale: Scale, highest: float) -> None:
    assert reports_of_all_signals("all-tens", scale, scale.lowest) == [highest] * scale.levels


def test_its_label_names_the_highest_grade_of_the_scale() -> None:
    made = strategies.make("all-tens")
    assert made.label_on(Scale(0, 25)) == "Always the highest grade (25)"
    assert made.label_on(Scale(0, 2, 0.5)) == "Always the highest grade (2)"
