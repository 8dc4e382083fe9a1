"""The source of simulated semesters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from peergauge.core.errors import DesignError
from peergauge.simulate import Participation, Semester, Setting, simulate
from peergauge.simulate.source import SemesterSource, Shape

SMALL = Setting(students=20, assignments=3, graders=4, strategies={"hedge": 6})
SHAPE = Shape(
    students=12, assignments=3, submissions=30, grades=90, mean=7.0, variance=2.0, counted=10
)


def same(one: Semester, other: Semester) -> bool:
    return one.reports.to_polars().equals(other.reports.to_polars()) and bool(
        np.array_equal(one.truth.score, other.truth.score)
    )


@pytest.mark.parametrize("source", [SemesterSource(SMALL), SemesterSource(SMALL, SHAPE)])
def test_the_same_seed_draws_the_same_class_and_another_seed_another(
    source: SemesterSource,
) -> None:
    sized = replace(SMALL, students=source.shape.students) if source.shape else SMALL
    source = replace(source, setting=sized)
    first = source.draw(5).semester()
    assert same(source.draw(5).semester(), first)
    assert not same(source.draw(6).semester(), first)


def test_a_regular_class_is_that_of_simulate() -> None:
    assert same(SemesterSource(SMALL).draw(5).semester(), simulate(SMALL, 5))
    clusters = simulate(replace(SMALL, design="clusters"), 5)
    assert same(SemesterSource(SMALL).draw(5).semester("clusters"), clusters)


def test_a_repeat_has_the_same_students_who_grade_again() -> None:
    source = SemesterSource(SMALL)
    first, again = (source.draw(5, repeat).semester() for repeat in (0, 1))
    np.testing.assert_array_equal(first.population.strategy, again.population.strategy)
    np.testing.assert_array_equal(first.population.bias, again.population.bias)
    assert not same(first, again)


def test_clusters_are_the_same_students_in_another_design() -> None:
    drawn = SemesterSource(SMALL).draw(5)
    regular, clustered = drawn.semester(), drawn.semester("clusters")
    np.testing.assert_array_equal(regular.population.bias, clustered.population.bias)
    np.testing.assert_array_equal(regular.population.strategy, clustered.population.strategy)
    # A cluster of five grades its own five submissions: everybody meets the same four others.
    for grader in range(20):
        own = clustered.reports.submission[clustered.reports.grader == grader]
        met = np.isin(clustered.reports.submission, own)
        assert len(set(clustered.reports.grader[met].tolist())) <= 5


def test_a_class_of_a_real_shape_has_its_size_and_is_uneven() -> None:
    source = SemesterSource(replace(SMALL, students=12), SHAPE)
    reports = source.draw(5).semester().reports
    assert source.uneven
    assert (reports.graders, reports.assignments) == (12, 3)
    assert len(reports) == 90
    assert len(set(np.bincount(reports.grader, minlength=12).tolist())) > 1
    assert not SemesterSource(SMALL).uneven


def test_graders_of_an_uneven_class_do_not_form_clusters() -> None:
    drawn = SemesterSource(replace(SMALL, students=12), SHAPE).draw(5)
    with pytest.raises(DesignError, match="do not form clusters"):
        drawn.semester("clusters")
    # The refusal leaves the regular semester as it was.
    assert len(drawn.semester().reports) == 90


def test_a_class_with_missing_reviews_is_uneven() -> None:
    source = SemesterSource(replace(SMALL, participation=Participation(0.2, 1)))
    assert source.uneven
    with pytest.raises(DesignError, match="missing reviews"):
        source.draw(5).semester("clusters")


def test_nobody_is_strategic_in_a_truthful_source_and_all_else_stays() -> None:
    source = SemesterSource(SMALL)
    given, honest = (one.draw(5).semester() for one in (source, source.truthful()))
    assert np.count_nonzero(given.population.strategy) == 6
    assert not honest.population.strategy.any()
    np.testing.assert_array_equal(given.population.bias, honest.population.bias)
    np.testing.assert_array_equal(given.signal, honest.signal)
    np.testing.assert_array_equal(honest.reports.grade, honest.signal)
    uneven = SemesterSource(replace(SMALL, students=12), SHAPE)
    assert uneven.truthful().shape == SHAPE
