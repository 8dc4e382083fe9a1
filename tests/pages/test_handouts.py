"""The list of handouts: one row for each page, for a mail merge."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import pytest

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.settings import FinalRules, GradeRules
from peergauge.core.lazy import pl
from peergauge.exports.records import table
from peergauge.pages.handouts import handout_table, handouts_csv
from peergauge.pages.students import pages, student_files
from tests.classroom.grade.classes import SETTINGS, graded


@pytest.fixture(scope="module")
def found() -> GradedClass:
    known = graded(students=6, graders=2, staff=0)
    rows = [{"person": "p1", "name": "=Ann", "email": "ann@example.edu"}]
    return replace(known, opened=replace(known.opened, people=table("people", rows)))


def test_every_page_has_a_row_with_its_file_and_results(found: GradedClass) -> None:
    listed = handout_table(found, student_files(found))
    assert listed.columns == ["person", "name", "email", "file", "grade", "points"]
    assert listed["file"].to_list() == [f"students/{name}" for name in pages(found)]
    row = listed.row(1, named=True)
    place = next(k for k, who in enumerate(found.names.authors) if who[0].id == "p1")
    assert row["email"] == "ann@example.edu"
    assert row["grade"] == pytest.approx(found.grades.score[place], abs=0.00501)
    assert row["points"] == pytest.approx(found.points[1], abs=0.00501)


def test_several_assignments_have_a_column_each() -> None:
    found = graded(students=6, graders=2, assignments=2)
    columns = handout_table(found, student_files(found)).columns
    assert columns[4:] == ["A1 grade", "A2 grade", "points"]


def test_awarded_grades_and_final_marks_are_listed() -> None:
    settings = replace(
        SETTINGS, grades=GradeRules(round_to=1, letters="A>=50%,B"), final=FinalRules(use=True)
    )
    found = graded(students=6, graders=2, staff=0, settings=settings)
    listed = handout_table(found, student_files(found))
    assert listed.columns[4:] == ["grade", "grade letter", "points", "final mark"]
    assert found.final is not None
    for row in listed.iter_rows(named=True):
        place = next(k for k, who in enumerate(found.names.authors) if who[0].id == row["person"])
        assert row["grade"] == found.awarded.grade[place] == round(row["grade"])
        assert row["grade letter"] == found.awarded.letter[place]
        mark = found.final.of(row["person"])
        assert mark is not None
        assert row["final mark"] == mark.mark


def test_the_file_opens_in_a_spreadsheet_and_runs_nothing(found: GradedClass) -> None:
    data = handouts_csv(handout_table(found, student_files(found)))
    assert data.startswith(b"\xef\xbb\xbf")
    assert pl.read_csv(BytesIO(data))["name"].to_list()[1] == "'=Ann"


def test_without_authors_there_is_no_column_of_grades() -> None:
    found = graded(students=6, graders=2, authors=False)
    assert "grade" not in handout_table(found, student_files(found)).columns
