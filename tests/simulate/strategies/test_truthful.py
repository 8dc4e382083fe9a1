"""Truthful graders report their signals."""

from __future__ import annotations

import pytest

from peergauge.tables import Scale
from tests.generators import SCALES
from tests.simulate.strategies.situations import reports_of_all_signals


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_every_signal_is_reported_as_it_is(scale: Scale) -> None:
    assert reports_of_all_signals("truthful", scale, scale.lowest) == scale.values().tolist()
