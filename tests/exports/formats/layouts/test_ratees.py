from __future__ import annotations

import pytest

from peergauge.exports.formats.columns import Part
from peergauge.exports.formats.layouts.look import RATED_KEY
from tests.exports.formats.layouts.guessed import grades, guessed


def ratees(header: str, rows: str) -> list[tuple[str, str, str]]:
    """Submission, criterion and author of each column of grades."""
    return [(one.submission, one.criterion, one.whose) for one in grades(f"{header}\n{rows}")]


FORM = "3/1/2026,ada@x.org,4,5\n3/1/2026,ben@x.org,3,2\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Rate each project [Project 1]", "Rate each project [Project 2]"),
        ("How would you grade Project 1? (0-10)", "How would you grade Project 2? (0-10)"),
        ("Bewertung von Project 1", "Bewertung von Project 2"),
        ("Project 1 score", "Project 2 score"),
        ("Project 1", "Project 2"),
        ("Note (sur 20) [Project 1]", "Note (sur 20) [Project 2]"),
    ],
)
def test_a_column_for_each_project(one: str, other: str) -> None:
    found = ratees(f"Timestamp,Email Address,{one},{other}", FORM)
    assert found == [("Project 1", "", ""), ("Project 2", "", "")]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Please rate overall contribution from Ada", "Please rate overall contribution from Ben"),
        ("How much did Ada contribute?", "How much did Ben contribute?"),
        ("Contribution [Ada]", "Contribution [Ben]"),
        ("Ada's contribution", "Ben's contribution"),
        ("Ada: points", "Ben: points"),
        ("Ada (1-5)", "Ben (1-5)"),
    ],
)
def test_a_column_for_each_person_who_grades_too(one: str, other: str) -> None:
    found = ratees(f"Timestamp,Your name,{one},{other}", "3/1/2026,Ada,5,4\n3/1/2026,Ben,3,5\n")
    assert found == [("Ada", "", "author"), ("Ben", "", "author")]


@pytest.mark.parametrize(
    "headers",
    [
        ("Project 1 - Style", "Project 1 - Depth", "Project 2 - Style", "Project 2 - Depth"),
        ("Project 1 / Style", "Project 1 / Depth", "Project 2 / Style", "Project 2 / Depth"),
        ("Style [Project 1]", "Depth [Project 1]", "Style [Project 2]", "Depth [Project 2]"),
        ("Style (1-5) [Project 1]", "Depth (1-5) [Project 1]", "Style (1-5) [Project 2]",
         "Depth (1-5) [Project 2]"),
    ],
)  # fmt: skip
def test_several_criteria_for_each_project(headers: tuple[str, ...]) -> None:
    found = ratees(f"Reviewer,{','.join(headers)}", "ada,1,2,3,4\nben,4,3,2,1\n")
    assert found == [
        ("Project 1", "Style", ""),
        ("Project 1", "Depth", ""),
        ("Project 2", "Style", ""),
        ("Project 2", "Depth", ""),
    ]


def test_a_grid_of_criteria_is_one_review() -> None:
    columns = grades(
        "Timestamp,Email Address,Which project did you review?,Rate it [Clarity],Rate it [Depth]\n"
        "3/1/2026,a@x.org,Project 2,4,5\n3/1/2026,b@x.org,Project 2,4,3\n"
    )
    assert [(one.submission, one.of) for one in columns] == [("", ""), ("", "")]


def test_names_in_headers_that_occur_nowhere_else_are_asked_about() -> None:
    text = "Timestamp,Email,How good was Ada?,How good was Ben?\n"
    columns, asked = guessed(text + "3/1/2026,s1@x.org,4,5\n3/1/2026,s2@x.org,4,5\n")
    assert asked == [RATED_KEY]
    assert [(one.submission, one.whose) for one in columns.of(Part.GRADE)] == [
        ("Ada", "author"),
        ("Ben", "author"),
    ]


def test_comments_on_each_project_are_no_grades() -> None:
    found = ratees(
        "Timestamp,Email,Team 1 score,Team 1 comment,Team 2 score,Team 2 comment",
        "3/1/2026,a@x.org,3,good,4,bad\n3/1/2026,b@x.org,,,5,fair\n",
    )
    assert found == [("Team 1", "", ""), ("Team 2", "", "")]


def test_feedback_for_the_author_is_no_author() -> None:
    """The person in each row gave the grades, and the column of words names nobody."""
    rows = "s1x,7,8,nice work!!\ns2x,3,4,ok\ns3x,3,5,see comments in the PDF\n"
    header = "Username,Rate Ada Lin (0-10),Rate Ben Ott (0-10),Feedback for the author"
    columns, asked = guessed(f"{header}\n{rows}")
    assert asked == [RATED_KEY]
    assert [one.submission for one in columns.of(Part.GRADE)] == ["Ada Lin", "Ben Ott"]
    assert columns.name_of(Part.GRADER) == "Username"
