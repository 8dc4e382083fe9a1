from __future__ import annotations

from peergauge.exports.formats.columns import ColumnMap, Part
from peergauge.exports.formats.guessing import guess_columns
from peergauge.exports.formats.opening import read_table
from peergauge.exports.questions import Dialogue


def guessed(text: str) -> tuple[ColumnMap, Dialogue]:
    table = read_table(text, "table")
    assert table is not None
    talk = Dialogue()
    return guess_columns(table, talk), talk


def parts(columns: ColumnMap) -> list[str]:
    return [one.part.value for one in columns.columns]


def test_the_other_columns_of_a_form_are_guessed_one_by_one() -> None:
    columns, talk = guessed(
        "Timestamp,Email,Your team,Rate each team [Team 1],Rate each team [Team 2],Remarks\n"
        "3/1/2026 9:00,a@x.org,Team 1,,5,fine\n3/1/2026 9:10,b@x.org,Team 2,3,,ok\n"
    )
    assert parts(columns) == ["time", "grader", "own submission", "grade", "grade", "unused"]
    assert talk.asked == []
    assert talk.decisions[0].text == (
        "Each row holds several reviews: 2 columns of grades, for 2 submissions ('Team 1', "
        "'Team 2')."
    )
    # The stand-in columns of the guess stay inside.
    assert "\0" not in "".join(one.text for one in talk.decisions)


def test_grades_about_the_grader_are_not_used() -> None:
    columns, _ = guessed(
        "Timestamp,Name,Rate yourself (1-5),Teammate 1 name,Teammate 1 rating,Teammate 2 name,"
        "Teammate 2 rating\n3/1/2026,Ada,5,Ben,4,Cleo,3\n3/1/2026,Ben,5,Ada,4,Cleo,3\n"
    )
    assert parts(columns)[1:3] == ["grader", "unused"]
    assert [one.of for one in columns.of(Part.GRADE)] == ["Teammate 1 name", "Teammate 2 name"]


IDS = ",".join(['"{""ImportId"":""x""}"'] * 8)


def survey(names: str, texts: str, *rows: str) -> str:
    added = "StartDate,EndDate,Status,Finished,ResponseId,RecipientEmail"
    told = "Start Date,End Date,Response Type,Finished,Response ID,Recipient Email"
    return "\n".join([f"{added},{names}", f"{told},{texts}", IDS, *rows]) + "\n"


def test_a_survey_by_its_question_texts() -> None:
    columns, _ = guessed(
        survey(
            "Q1,Q2",
            "Rate each team - Team 1,Rate each team - Team 2",
            "2026-03-01 9:00:00,2026-03-01 9:10:00,IP Address,True,R_1,a@x.org,4,5",
            "2026-03-01 9:00:00,2026-03-01 9:20:00,IP Address,True,R_2,b@x.org,3,2",
        )
    )
    assert [one.submission for one in columns.of(Part.GRADE)] == ["Team 1", "Team 2"]
    assert columns.name_of(Part.GRADER) == "RecipientEmail"
    assert columns.name_of(Part.TIME) == "EndDate"
    assert parts(columns)[2:5] == ["unused"] * 3


def test_the_responses_of_an_anonymous_survey_are_its_graders() -> None:
    columns, talk = guessed(
        survey(
            "Q1,Q2",
            "Which team did you review?,Score",
            "2026-03-01,2026-03-01,IP Address,True,R_1,,Team 1,5",
            "2026-03-01,2026-03-01,IP Address,True,R_2,,Team 1,4",
        )
    )
    assert columns.name_of(Part.GRADER) == "ResponseId"
    assert "Graders are known by their responses only, and cannot be followed." in [
        one.text for one in talk.decisions
    ]
