from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from peergauge.exports.formats.columns import Part
from peergauge.exports.formats.guessing import guess_of_file
from peergauge.exports.formats.opening import Opened
from peergauge.exports.formats.sheets import (
    HIDDEN_KEY,
    OLD_KEY,
    SHEETS_KEY,
    Sheet,
    sheets_to_read,
)
from peergauge.exports.questions import Dialogue
from peergauge.exports.readers import read_export
from tests.exports.exports import rows as rows_of
from tests.exports.workbooks import Cell, write_workbook

Rows = Sequence[Sequence[Cell]]

HEADER = ("Reviewer", "Team", "Score")
ONE: Rows = [HEADER, ("ada", "Team 2", 3), ("ben", "Team 1", 4)]
TWO: Rows = [HEADER, ("ada", "Team 3", 5), ("ben", "Team 2", 2)]
FAR: Rows = [HEADER, ("cleo", "Team 8", 5), ("dana", "Team 9", 2)]


def chosen(
    folder: Path, sheets: Mapping[str, Rows], *, hidden: Sequence[str] = (), **answers: str
) -> tuple[list[Sheet], Dialogue]:
    """The sheets of a workbook that are read, and the dialogue about them."""
    file = write_workbook(folder / "class.xlsx", sheets, hidden=hidden)
    talk = Dialogue({key.replace("_", " "): value for key, value in answers.items()})
    return sheets_to_read(Opened(file, talk)), talk


def told(talk: Dialogue) -> str:
    return " ".join(one.text for one in talk.decisions if one.part == "files")


def test_weeks_are_assignments(tmp_path: Path) -> None:
    found, talk = chosen(tmp_path, {"Week 1": ONE, "Week 2": TWO})
    assert [one.name for one in found] == ["Week 1", "Week 2"]
    assert talk.asked == []
    reviews = read_export(tmp_path / "class.xlsx").reviews
    assert rows_of(reviews, "assignment", "submission", "grader", "score", "row") == [
        ("Week 1", "Team 2", "ada", 3.0, 2),
        ("Week 1", "Team 1", "ben", 4.0, 3),
        ("Week 2", "Team 3", "ada", 5.0, 2),
        ("Week 2", "Team 2", "ben", 2.0, 3),
    ]


@pytest.mark.parametrize(
    ("sheets", "default"),
    [
        ({"Monday": ONE, "Friday": FAR}, "together"),
        ({"Monday": ONE, "Friday": TWO}, "assignments"),
        ({"Sheet1": ONE, "Sheet2": FAR}, "assignments"),
        ({"Clarity": ONE, "Style": TWO}, "criteria"),
    ],
)
def test_other_sheets_with_reviews_are_asked_about(
    sheets: Mapping[str, Rows], default: str, tmp_path: Path
) -> None:
    _, talk = chosen(tmp_path, sheets)
    assert [(one.key, one.default) for one in talk.asked] == [(SHEETS_KEY, default)]


@pytest.mark.parametrize(
    ("answer", "assignments", "criteria"),
    [
        ("assignments", {"Mo", "Fr"}, {""}),
        ("together", {""}, {""}),
        ("criteria", {""}, {"Mo", "Fr"}),
        ("first", {""}, {""}),
    ],
)
def test_answers_about_sheets(
    answer: str, assignments: set[str], criteria: set[str], tmp_path: Path
) -> None:
    file = write_workbook(tmp_path / "class.xlsx", {"Mo": ONE, "Fr": TWO})
    export = read_export(file, dialogue=Dialogue({SHEETS_KEY: answer}))
    assert set(export.reviews["assignment"]) == assignments
    assert set(export.reviews["criterion"]) == criteria
    assert export.reviews.height == (2 if answer == "first" else 4)


def test_a_copy_is_left_out_and_named(tmp_path: Path) -> None:
    found, talk = chosen(tmp_path, {"Data": ONE, "Data 2": ONE})
    assert [one.name for one in found] == ["Data"]
    assert "The sheet 'Data 2' is a copy of 'Data', and is left out." in told(talk)


def test_hidden_and_old_sheets_are_asked_about(tmp_path: Path) -> None:
    sheets = {"Week 1": ONE, "Week 2": TWO}
    found, talk = chosen(tmp_path, sheets, hidden=["Week 2"])
    assert [one.name for one in found] == ["Week 1"]
    assert [one.key for one in talk.asked] == [HIDDEN_KEY]
    found, _ = chosen(tmp_path, sheets, hidden=["Week 2"], hidden_sheets="read")
    assert [one.name for one in found] == ["Week 1", "Week 2"]
    found, talk = chosen(tmp_path, {"Data": ONE, "Data (old)": TWO})
    assert [one.name for one in found] == ["Data"]
    assert [one.key for one in talk.asked] == [OLD_KEY]


def test_every_other_sheet_is_used_or_named(tmp_path: Path) -> None:
    found, talk = chosen(
        tmp_path,
        {
            "Instructions": [["Please grade three teams."], ["Thank you."]],
            "Reviews": ONE,
            "Students": [("Name", "Email", "Team"), ("Ada", "a@x.org", "Team 1")],
            "Instructor": [("Team", "Score"), ("Team 1", 4), ("Team 2", 3)],
            "Pivot": [("Team", "Average of Score"), ("Team 1", 4), ("Team 2", 3)],
            "Notes": [("Room", "Date"), ("B 1", "4 March")],
            "Empty": [],
        },
    )
    assert [(one.name, one.kind) for one in found] == [
        ("Reviews", "reviews"),
        ("Instructor", "truth"),
        ("Students", "people"),
    ]
    for name in ("Instructions", "Pivot", "Notes", "Empty"):
        assert f"The sheet '{name}' is not used" in told(talk)
    assert talk.asked == []


def test_scores_without_graders_may_be_those_of_staff(tmp_path: Path) -> None:
    sheets = {"Reviews": ONE, "Result": [("Team", "Score"), ("Team 1", 4), ("Team 2", 3)]}
    found, talk = chosen(tmp_path, sheets)
    assert [one.name for one in found] == ["Reviews"]
    assert [one.key for one in talk.asked] == ["sheet Result"]
    found, _ = chosen(tmp_path, sheets, sheet_Result="staff")
    assert [one.kind for one in found] == ["reviews", "truth"]


def test_a_sheet_for_each_grader(tmp_path: Path) -> None:
    def graded(*scores: int) -> Rows:
        return [("Team", "Grade"), *((f"Team {k}", score) for k, score in enumerate(scores))]

    sheets = {"Ada Lin": graded(3, 4), "Ben Okoro": graded(5, 4), "Cleo Marsh": graded(2, 2)}
    found, talk = chosen(tmp_path, sheets)
    assert [one.columns.name_of(Part.GRADER) for one in found] == ["sheet name"] * 3
    assert talk.asked == []
    reviews = read_export(tmp_path / "class.xlsx").reviews
    assert rows_of(reviews.head(3), "grader", "submission", "score") == [
        ("Ada Lin", "Team 0", 3.0),
        ("Ada Lin", "Team 1", 4.0),
        ("Ben Okoro", "Team 0", 5.0),
    ]
    _, talk = chosen(tmp_path, {"ada": graded(3, 4), "ben": graded(5, 4)})
    assert [one.key for one in talk.asked] == [SHEETS_KEY]


def test_a_sheet_for_each_submission(tmp_path: Path) -> None:
    given: Rows = [("Reviewer", "Grade"), ("ada", 4), ("ben", 3)]
    found, talk = chosen(tmp_path, {f"Project {k}": given for k in (1, 2, 3)})
    assert [one.columns.name_of(Part.SUBMISSION) for one in found] == ["sheet name"] * 3
    assert talk.asked == []


def test_a_saved_map_keeps_what_the_sheets_are(tmp_path: Path) -> None:
    file = write_workbook(tmp_path / "class.xlsx", {"Week 1": ONE, "Week 2": TWO})
    where = tmp_path / "map.toml"
    guess_of_file(file).write(where)
    other = read_export(file, using=f"table:columns={where}")
    assert other.reviews.equals(read_export(file).reviews)
    # The map also fits the workbook of another week.
    another = write_workbook(tmp_path / "other.xlsx", {"Week 3": FAR})
    reviews = read_export(another, using=f"table:columns={where}").reviews
    assert set(reviews["assignment"]) == {"Week 3"}


def test_the_name_of_one_sheet_is_no_fact(tmp_path: Path) -> None:
    file = write_workbook(tmp_path / "class.xlsx", {"Week 1": ONE, "Week 2": TWO})
    reviews = read_export(file, using="table:sheet=Week 2").reviews
    assert rows_of(reviews, "assignment", "score") == [("", 5.0), ("", 2.0)]


def test_a_table_below_the_first_is_a_sheet(tmp_path: Path) -> None:
    file = tmp_path / "class.csv"
    file.write_text(
        "Reviewer,Team,Score\nada,Team 2,3\nben,Team 1,4\n\n"
        "Name,Email,Team\nAda,ada@x.org,Team 1\nBen,ben@x.org,Team 2\n"
    )
    talk = Dialogue()
    found = sheets_to_read(Opened(file, talk))
    assert [one.kind for one in found] == ["reviews", "people"]
    assert "The table from row 5 on is read too: it holds people." in told(talk)
