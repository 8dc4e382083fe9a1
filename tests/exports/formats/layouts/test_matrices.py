from __future__ import annotations

import pytest

from peergauge.exports.formats.columns import Part
from peergauge.exports.formats.layouts.look import DIRECTION_KEY, RATED_KEY
from tests.exports.formats.layouts.guessed import grades, guessed


@pytest.mark.parametrize(
    ("corner", "rows"),
    [
        ("Reviewer", "grader"),
        ("rater \\ ratee", "grader"),
        ("From / To", "grader"),
        ("Bewerter", "grader"),
        ("reviewee \\ reviewer", "submission"),
        ("Author", "submission"),
        ("Your name \\ Student being reviewed", "grader"),
        ("Graded by \\ Name of the student you reviewed", "grader"),
        ("Graded student / Your name", "submission"),
        ("Whose essay did you read? | Graded by", "submission"),
        ("Graded by \\ Whose essay did you read?", "grader"),
        ("Reviewee → / Reviewer ↓", "grader"),
    ],
)
def test_the_direction_of_a_matrix_of_people(corner: str, rows: str) -> None:
    columns = grades(f"{corner},Ada,Ben,Cleo\nAda,,3,4\nBen,5,,4\nCleo,2,3,\n")
    if rows == "grader":
        assert (columns[0].submission, columns[0].whose) == ("Ada", "author")
    else:
        assert [one.grader for one in columns] == ["Ada", "Ben", "Cleo"]


def test_names_in_another_case_make_a_matrix_of_people() -> None:
    columns = grades(
        "Graded by \\ Whose essay did you read?,ADA,ben,Cleo\nada,,3,4\nBen,5,,4\ncleo,2,3,\n"
    )
    assert [one.submission for one in columns] == ["ADA", "ben", "Cleo"]


def test_a_title_says_the_direction_of_a_matrix() -> None:
    for title, rows in (
        ("Rows: who gave the grade. Columns: who received it.", "grader"),
        ("Columns are the reviewers and rows are the reviewed students", "submission"),
        ("Zeilen: Bewertende; Spalten: Bewertete", "grader"),
    ):
        columns = grades(f"{title}\n\n,Ada,Ben,Cleo\nAda,,3,4\nBen,5,,4\nCleo,2,3,\n")
        assert bool(columns[0].submission) == (rows == "grader")


def test_a_matrix_of_people_without_a_word_is_asked_about() -> None:
    text = "Student,Ada,Ben,Cleo\nAda,,3,4\nBen,5,,4\nCleo,2,3,\n"
    columns, asked = guessed(text)
    assert asked == [DIRECTION_KEY]
    assert columns.name_of(Part.GRADER) == "Student"
    columns, _ = guessed(text, direction_of_the_matrix="submissions in rows")
    assert columns.name_of(Part.AUTHOR) == "Student"
    assert [one.grader for one in columns.of(Part.GRADE)] == ["Ada", "Ben", "Cleo"]


@pytest.mark.parametrize("mean", ["Average", "Mean", "Total", "Ø", "Schnitt", "Moyenne", "Media"])
def test_means_beside_a_matrix_are_no_ratees(mean: str) -> None:
    columns = grades(f"Reviewer,Team 1,Team 2,{mean}\nada,3,5,4\nben,,4,4\n")
    assert [one.submission for one in columns] == ["Team 1", "Team 2"]


def test_staff_in_a_matrix() -> None:
    columns, asked = guessed(
        "Project,Ada,Ben,Instructor,Prof. Lin\nP1,3,,4,3\nP2,,3,3,\nP3,4,,5,5\nP4,,,3,\n"
    )
    assert [(one.grader, one.role) for one in columns.of(Part.GRADE)] == [
        ("Ada", ""),
        ("Ben", ""),
        ("Prof. Lin", "staff"),
    ]
    assert columns.name_of(Part.TRUTH) == "Instructor"
    assert set(asked) <= {RATED_KEY}


@pytest.mark.parametrize(
    "text",
    [
        "Student,Essay 1,Essay 2\nAda,80,90\nBen,70,75\n",
        "Student,Project 1,Project 2,Total\nAda,80,90,170\nBen,70,75,145\n",
        "Student,1,2,3\nAda,80,90,60\nBen,70,75,65\n",
    ],
)
def test_a_matrix_that_may_be_a_gradebook_is_asked_about(text: str) -> None:
    _, asked = guessed(text)
    assert RATED_KEY in asked
    columns, _ = guessed(text, rated_columns="criteria")
    assert not any(one.submission for one in columns.columns)


def test_letters_of_a_matrix_have_values() -> None:
    columns = grades("Reviewer,Team 1,Team 2\nada,A,B\nben,B+,C\n")
    assert [one.values["A"] for one in columns] == [11, 11]
