"""Marks that are planned before anything is computed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from peergauge.classroom.grade.settings import Settings
from peergauge.classroom.grade.tables import gradebook_marks, planned_marks
from tests.classroom.grade.classes import SETTINGS, graded

CHOICES = {
    "plain": SETTINGS,
    "letters": replace(SETTINGS, points="A:20,B:50,C:30"),
    "no points to give": replace(SETTINGS, points="0..0.5"),
    "semester": replace(SETTINGS, points_over="semester"),
    "final": replace(SETTINGS, final=replace(SETTINGS.final, use=True)),
}


@pytest.mark.parametrize("assignments", [1, 2])
@pytest.mark.parametrize("settings", CHOICES.values(), ids=CHOICES.keys())
def test_planned_marks_have_the_titles_and_people_of_the_real_ones(
    settings: Settings, assignments: int
) -> None:
    """Otherwise a gradebook could be refused after everything is computed, or without need."""
    found = graded(assignments=assignments, settings=settings, names={0: "Ann"})
    real, planned = gradebook_marks(found), planned_marks(found.opened, settings)
    assert planned.titles == real.titles
    assert dict(planned.highest) == dict(real.highest)
    assert planned.people() == real.people()
    for title in real.titles:
        marked = [mark is not None for mark in real.of(title)]
        assert [mark is not None for mark in planned.of(title)] == marked


def test_planned_marks_without_authors_are_points_alone() -> None:
    found = graded(authors=False, staff=0)
    assert planned_marks(found.opened, SETTINGS).titles == gradebook_marks(found).titles
