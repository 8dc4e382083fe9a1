"""Columns of the tables of the report: what they are called, and which have filters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.class_groups import groups_of
from peergauge.exports.records import table
from peergauge.pages.grading import page
from peergauge.pages.table_layout import ColumnFilter, grade_layout, grader_layout
from tests.classroom.grade.classes import graded


def with_sections(found: GradedClass) -> GradedClass:
    """The same class, with every second person in another section."""
    rows = [
        {"person": one.id, "section": f"Lab {number % 2 + 1}"}
        for number, one in enumerate(found.names.graders)
    ]
    return replace(found, opened=replace(found.opened, people=table("people", rows)))


def test_a_plain_class_has_no_filters() -> None:
    found = graded(staff=0)
    groups = groups_of(found)
    grades, graders = grade_layout(found, groups), grader_layout(found, groups)
    assert grades.filters == graders.filters == ()
    assert grades.labels[grades.main] == "Grade"
    assert graders.labels[graders.main] == "Points"


def test_assignments_and_sections_have_filters_on_their_own_columns() -> None:
    found = with_sections(graded(assignments=3))
    layout = grade_layout(found, groups_of(found))
    assert layout.filters == (
        ColumnFilter("Assignment", layout.labels.index("Assignment"), ["A1", "A2", "A3"]),
        ColumnFilter("Section", layout.labels.index("Section"), ["Lab 1", "Lab 2"]),
    )
    html = page(found)
    assert html.count('<select class="filter"') == 3
    header = html.split('id="grade-table"')[1].split("</thead>")[0]
    assert header.count("<th ") == layout.width


def test_parts_have_a_column_and_a_filter() -> None:
    found = graded(students=6, graders=2)
    groups = groups_of(found)._replace(grader_parts=np.array([1, 1, 1, 2, 2, 2]))
    layout = grader_layout(found, groups)
    assert layout.has("Part")
    assert layout.has("Rank in the part")
    assert layout.filters == (ColumnFilter("Part", 1, ["1", "2"]),)
