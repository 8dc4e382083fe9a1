"""Final marks on the report: the numbers of marks.csv, with what is owed and missing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.final_mark import OwedReviews
from peergauge.classroom.grade.rounding import as_text
from peergauge.pages.final_marks_section import marks_section, owed_words
from tests.classroom.grade.classes import graded
from tests.pages.full_class import full_class


@pytest.fixture(scope="module")
def found() -> GradedClass:
    return full_class()


def test_a_class_without_final_marks_has_no_section() -> None:
    assert marks_section(graded()) is None


def test_everybody_has_a_row_with_the_exact_numbers(found: GradedClass) -> None:
    section = marks_section(found)
    assert section is not None
    assert found.final is not None
    assert sorted(row.place for row in section.rows) == list(range(len(found.final.rows)))
    for row in section.rows:
        mark = found.final.rows[row.place]
        assert mark.mark is not None
        assert mark.work_part is not None
        assert mark.reviewing_part is not None
        assert row.label == mark.person
        assert (row.mark, row.letter) == (as_text(mark.mark), mark.letter)
        total = float(row.work_part) + float(row.reviewing_part) - float(row.deduction)
        # The parts have four decimals, and the mark is rounded to 0.01.
        assert float(row.mark) == pytest.approx(total, abs=0.00501)
        assert row.why[0].startswith("Your final mark is")


def test_people_are_in_natural_order_and_owe_reviews(found: GradedClass) -> None:
    section = marks_section(found)
    assert section is not None
    assert [row.label for row in section.rows][:4] == ["p0", "p1", "p2", "p3"]
    assert [row.label for row in section.rows][-2:] == ["p10", "p11"]
    assert section.rows[0].reviews == "assigned 4, did 1"
    assert section.rows[0].owes
    assert not section.rows[-1].owes
    assert (section.owed, section.declined, section.deducted) == (True, False, True)


def test_unknown_assignments_and_missing_marks_are_dashes(found: GradedClass) -> None:
    settings = replace(found.settings, owed=replace(found.settings.owed, rule="none"))
    section = marks_section(replace(found, assigned=None, settings=settings))
    assert section is not None
    assert not section.owed
    assert {row.reviews for row in section.rows} == {"–"}
    assert owed_words(None) == "–"
    assert owed_words(OwedReviews(4, 1, 2), declined=True) == "assigned 4, did 1, declined 2"


def test_there_is_a_label_for_every_column(found: GradedClass) -> None:
    section = marks_section(found)
    assert section is not None
    assert len(section.labels) == 11
    assert section.labels[1] == "Mark"
