"""Simulated classes of one setting: by seed, by design and by the shape of a real class."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import DesignError
from peergauge.simulate import Setting, simulate
from peergauge.simulate.source import SemesterSource, Shape

SETTING = Setting(students=12, assignments=2, strategies=(("hedge", 4),))
SHAPE = Shape(20, 4, 60, 200, 7.0, 2.0, 17)


def test_a_class_is_the_simulated_semester_of_its_seed() -> None:
    source = SemesterSource(SETTING)
    assert source.draw(3).semester().reports == simulate(SETTING, 3).reports
    assert source.draw(3, 1).semester().reports == simulate(SETTING, 3, repeat=1).reports
    assert source.draw(3).semester().reports != source.draw(4).semester().reports


def test_clusters_are_another_design_of_the_same_submissions() -> None:
    one = SemesterSource(SETTING).draw(3)
    clustered = one.semester("clusters")
    assert clustered.reports != one.semester().reports
    np.testing.assert_array_equal(clustered.truth.score, one.semester().truth.score)
    assert one.semester("clusters") is clustered


def test_nobody_deviates_in_the_truthful_source() -> None:
    source = SemesterSource(SETTING).truthful()
    assert source.setting.strategies == ()
    assert source.draw(3).semester().reports != SemesterSource(SETTING).draw(3).semester().reports


def test_a_shape_has_the_numbers_of_the_real_class() -> None:
    source = SemesterSource(Setting(students=20, assignments=4), SHAPE)
    assert source.uneven
    reports = source.draw(1).semester().reports
    assert (reports.graders, reports.assignments) == (20, 4)
    assert (reports.submissions, len(reports)) == (60, 200)


def test_there_are_no_clusters_in_a_shape() -> None:
    source = SemesterSource(Setting(students=20, assignments=4), SHAPE)
    with pytest.raises(DesignError, match="do not form clusters"):
        source.draw(1).semester("clusters")
