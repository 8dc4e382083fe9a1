from __future__ import annotations

import pytest

from peergauge.exports.formats.columns import Part
from peergauge.exports.formats.layouts.look import BLOCKS_KEY
from tests.exports.formats.layouts.guessed import grades, guessed


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
        (["Project being reviewed 1", "Project being reviewed 2"], ["Mark 1", "Mark 2"]),
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


def test_numbered_columns_that_may_be_names_are_asked_about() -> None:
    rows = "ada,Rain,0,Snow,1\nben,Rain,1,Snow,2\n"
    text = f"Reviewer,Project under scrutiny 1,Score 1,Project under scrutiny 2,Score 2\n{rows}"
    columns, asked = guessed(text)
    assert asked == [BLOCKS_KEY]
    assert [one.of for one in columns.of(Part.GRADE)] == [
        "Project under scrutiny 1",
        "Project under scrutiny 2",
    ]
    columns, _ = guessed(text, **{BLOCKS_KEY.replace(" ", "_"): "one"})
    assert [one.criterion for one in columns.of(Part.GRADE)] == ["Score 1", "Score 2"]
    # Comments are not repeated, and are no names.
    text = text.replace("ada,Rain", "ada,a fine start").replace("ben,Rain", "ben,too long")
    _, asked = guessed(text.replace("1,Snow", "1,too short").replace("0,Snow", "0,better"))
    assert BLOCKS_KEY not in asked
