from __future__ import annotations

import pytest

from peergauge.exports.formats.columns import Column, ColumnMap, Part
from peergauge.exports.formats.guessing import guess_columns
from peergauge.exports.formats.layouts import (
    BLOCKS_KEY,
    DIRECTION_KEY,
    RATED_KEY,
    thing_in,
    tokens_of,
)
from peergauge.exports.formats.opening import read_table
from peergauge.exports.questions import Dialogue


def guessed(text: str, **answers: str) -> tuple[ColumnMap, list[str]]:
    """The columns of a table, and the keys of the questions about it."""
    table = read_table(text, "table")
    assert table is not None
    talk = Dialogue({key.replace("_", " "): value for key, value in answers.items()})
    return guess_columns(table, talk), [one.key for one in talk.asked]


def grades(text: str) -> tuple[Column, ...]:
    columns, asked = guessed(text)
    assert asked == []
    assert columns.missing == ()
    return columns.of(Part.GRADE)


def blocks(header: str, row: str) -> list[tuple[str, str, str]]:
    """Grade, column of the submission and criterion of each block."""
    text = f"{header}\n{row}\n{row}\n"
    return [(one.name, one.of, one.criterion) for one in grades(text)]


@pytest.mark.parametrize(
    ("names", "scores"),
    [
        (
            ["Which project did you review first?", "Which project did you review second?"],
            ["Score for the first project", "Score for the second project"],
        ),
        (["Peer 1 name", "Peer 2 name"], ["Peer 1 score", "Peer 2 score"]),
        (["Reviewed project #1", "Reviewed project #2"], ["Rating #1", "Rating #2"]),
        (["Team", "Team2"], ["Score", "Score2"]),
        (["Team", "Team 2"], ["Score (0-10)", "Score 2 (0-10)"]),
        (["Teammate A", "Teammate B"], ["Rating of teammate A", "Rating of teammate B"]),
        (["1. Team reviewed", "3. Team reviewed"], ["2. Points", "4. Points"]),
        (
            ["Welches Projekt haben Sie als erstes bewertet?", "… als zweites Projekt?"],
            ["Punkte für das erste Projekt", "Punkte für das zweite Projekt"],
        ),
        (
            [
                "Quel projet avez-vous évalué en premier ?",
                "Quel projet avez-vous évalué en second ?",
            ],
            ["Note du premier projet", "Note du deuxième projet"],
        ),
        (
            ["¿Qué proyecto evaluaste primero?", "¿Qué proyecto evaluaste en segundo lugar?"],
            ["Puntuación del primer proyecto", "Puntuación del segundo proyecto"],
        ),
        (
            ["Primo progetto valutato", "Secondo progetto valutato"],
            ["Voto al primo progetto", "Voto al secondo progetto"],
        ),
    ],
    ids=lambda names: names[0],
)
def test_blocks_in_several_languages(names: list[str], scores: list[str]) -> None:
    (one, other), (first, second) = names, scores
    header = f"Timestamp,Email,{one},{first},{other},{second},Comments"
    found = blocks(header, "3/1/2026,a@x.org,Ben,4,Cleo,5,fine")
    # Names of repeated columns are numbered.
    assert [(grade, of) for grade, of, _ in found] == [(first, one), (second, other)]
    assert {criterion for *_, criterion in found} == {""}


def test_repeated_headers_are_numbered_blocks() -> None:
    found = blocks("Email,Team,Score,Team,Score", "a@x.org,Team 2,4,Team 3,5")
    assert found == [("Score", "Team", ""), ("Score (2)", "Team (2)", "")]


def test_blocks_with_criteria_and_comments() -> None:
    found = blocks(
        "Your name,Peer 1 name,Peer 1 - Effort,Peer 1 - Quality,Peer 1 - Remarks,"
        "Peer 2 name,Peer 2 - Effort,Peer 2 - Quality,Peer 2 - Remarks",
        "Ada,Ben,4,3,well done,Cleo,5,2,ok",
    )
    assert found == [
        ("Peer 1 - Effort", "Peer 1 name", "Effort"),
        ("Peer 1 - Quality", "Peer 1 name", "Quality"),
        ("Peer 2 - Effort", "Peer 2 name", "Effort"),
        ("Peer 2 - Quality", "Peer 2 name", "Quality"),
    ]


def test_numbers_of_projects_are_names_and_not_grades() -> None:
    found = blocks(
        "Email,Project number (first),Score (first),Project number (second),Score (second)",
        "a@x.org,2,4,3,5",
    )
    assert [(grade, of) for grade, of, _ in found] == [
        ("Score (first)", "Project number (first)"),
        ("Score (second)", "Project number (second)"),
    ]


def test_reviewers_in_blocks_gave_the_grades_of_the_row() -> None:
    columns = grades(
        "Essay,Reviewer 1,Score 1,Reviewer 2,Score 2\ne1,ada,5,ben,4\ne2,cleo,3,ada,2\n"
    )
    assert [(one.by, one.of) for one in columns] == [("Reviewer 1", ""), ("Reviewer 2", "")]


PEERS = "Student ID,Final grade,Grade 1,Peer 1 ID,Grade 2,Peer 2 ID\n7,4,5,8,3,9\n8,4,4,7,4,9\n"


def test_peers_in_blocks_may_give_or_get_the_grades() -> None:
    columns, asked = guessed(PEERS)
    assert asked == [BLOCKS_KEY]
    assert [one.by for one in columns.of(Part.GRADE)] == ["Peer 1 ID", "Peer 2 ID"]
    columns, _ = guessed(PEERS, direction_of_the_blocks="they got them")
    assert [one.of for one in columns.of(Part.GRADE)] == ["Peer 1 ID", "Peer 2 ID"]


def test_grades_of_projects_that_no_column_names_are_asked_about() -> None:
    text = "Email,Group,Score for the first project,Score for the second project\n"
    _, asked = guessed(text + "a@x.org,G1,3,4\nb@x.org,G2,3,5\n")
    assert BLOCKS_KEY in asked


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


@pytest.mark.parametrize(
    ("corner", "rows"),
    [
        ("Reviewer", "grader"),
        ("rater \\ ratee", "grader"),
        ("From / To", "grader"),
        ("Bewerter", "grader"),
        ("reviewee \\ reviewer", "submission"),
        ("Author", "submission"),
    ],
)
def test_the_direction_of_a_matrix_of_people(corner: str, rows: str) -> None:
    columns = grades(f"{corner},Ada,Ben,Cleo\nAda,,3,4\nBen,5,,4\nCleo,2,3,\n")
    if rows == "grader":
        assert (columns[0].submission, columns[0].whose) == ("Ada", "author")
    else:
        assert [one.grader for one in columns] == ["Ada", "Ben", "Cleo"]


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


@pytest.mark.parametrize(
    "text",
    [
        "Reviewer,Clarity,Depth,Style\nada,3,4,5\nben,4,4,4\n",
        "Reviewer,Essay,Clarity,Depth\nada,e1,3,4\nben,e1,4,4\n",
        "Reviewer,Reviewee,Q1,Q2,Q3\nada,ben,3,4,5\nben,ada,4,5,3\n",
        "Rater,Team,Idea,Execution,Total\nada,T1,3,4,7\nben,T1,4,4,8\n",
        "Reviewer,Team,Round 1 score,Round 2 score\nada,T1,3,4\nben,T1,4,5\n",
    ],
)
def test_criteria_are_no_ratees(text: str) -> None:
    columns, asked = guessed(text)
    assert asked == []
    assert not any(one.submission or one.of or one.grader for one in columns.columns)


def test_letters_of_a_matrix_have_values() -> None:
    columns = grades("Reviewer,Team 1,Team 2\nada,A,B\nben,B+,C\n")
    assert [one.values["A"] for one in columns] == [11, 11]


@pytest.mark.parametrize(
    ("header", "thing"),
    [("Team 4", "Team 4"), ("Gruppe B: Note", "Gruppe B"), ("Essay #12", "Essay #12"),
     ("Team work", None), ("Project a day", None), ("Team 1 and Team 2", None)],
)  # fmt: skip
def test_submissions_that_a_header_names(header: str, thing: str | None) -> None:
    found = thing_in(header)
    assert (found and found[0]) == thing


def test_words_and_numbers_of_a_header() -> None:
    assert tokens_of("Score2") == ["Score", "2"]
    assert tokens_of("your 1st PeerName") == ["your", "1st", "Peer", "Name"]
