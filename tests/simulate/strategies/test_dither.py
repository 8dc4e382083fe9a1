"""Dither: reports are rounded up or down at random."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import ParameterError
from peergauge.simulate import simulate, strategies
from peergauge.tables import Scale
from tests.simulate.strategies.situations import situation


def test_small_changes_act_on_average() -> None:
    # A factor of 0.9 about 7 reports 4.3 for 4: 4 or 5, with a mean of 4.3 and a deviation of
    # 0.46, so the mean of 10,000 is known to 0.005.
    where = situation([4] * 10_000)
    found = strategies.make("dither").report(where)
    assert set(found) == {4, 5}
    assert found.mean() == pytest.approx(4.3, abs=0.02)


def test_without_dithering_a_small_change_does_not_act() -> None:
    semester = simulate(seed=1)
    rows = semester.signal >= 3
    plain, dithered = (
        semester.redone(np.arange(100), spec) for spec in ("stretch:factor=0.9", "dither")
    )
    assert np.array_equal(plain[rows], semester.signal[rows])
    assert not np.array_equal(dithered[rows], semester.signal[rows])


@pytest.mark.parametrize("scale", [Scale(), Scale(0, 1, 0.1), Scale(1, 6)], ids=str)
def test_grades_of_the_scale_stay(scale: Scale) -> None:
    where = situation(np.repeat(scale.values(), 50), scale=scale)
    found = strategies.make("dither:steps=truthful").report(where)
    assert found == pytest.approx(where.signal)


def test_a_scale_without_steps_is_not_rounded() -> None:
    where = situation([4.0, 5.5], scale=Scale(0, 10, None))
    assert strategies.make("dither").report(where) == pytest.approx([4.3, 5.65])


def test_it_consists_of_its_steps() -> None:
    made = strategies.make("dither:steps=calibrate+stretch:factor=0.9;centre=5")
    assert made.uses("calibrates")
    assert made.in_words().endswith("; round up or down at random, so that the mean is kept")
    with pytest.raises(ParameterError, match="at least one step"):
        strategies.make("dither:steps=")
