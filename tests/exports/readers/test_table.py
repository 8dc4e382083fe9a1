from __future__ import annotations

import builtins
import re
import zipfile
from collections.abc import Iterable
from itertools import permutations
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.errors import TableError
from peergauge.exports.formats.columns import Column, ColumnMap, Part
from peergauge.exports.formats.guessing import guess_of_file
from peergauge.exports.formats.opening import Opened
from peergauge.exports.open import interpret_class
from peergauge.exports.questions import Dialogue
from peergauge.exports.readers import read_export, readers
from peergauge.exports.readers.table import TableReader
from peergauge.exports.records import Export, Note
from peergauge.exports.validate import validate
from tests.exports.exports import GOLDEN, noted, rows
from tests.exports.test_readers_of_tables import tables
from tests.exports.workbooks import write_workbook

FOLDER = GOLDEN / "table"


def test_a_row_for_each_review() -> None:
    export = read_export(FOLDER / "long.csv")
    assert rows(
        export.reviews, "assignment", "submission", "grader", "role", "score", "state", "row"
    ) == [
        ("A1", "s1", "ben", "peer", 7.0, "done", 2),
        ("A1", "s1", "cleo", "peer", 8.5, "done", 3),
        ("A1", "s2", "ada", "peer", None, "done", 4),
        ("A1", "s2", "tom", "staff", 6.0, "done", 5),
        ("A1", "s2", "cleo", "peer", None, "assigned", 6),
    ]
    assert rows(export.submissions, "assignment", "submission", "author") == [
        ("A1", "s1", "ada"),
        ("A1", "s2", "ben"),
    ]
    assert noted(export, "repaired") == [
        ("No number for a score: 'abc'.", (4,)),
        ("The role 'alien' is taken as peer.", (6,)),
    ]


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (
            "german.csv",
            [
                ("Blatt 1", "Aufsatz 3", "Jörg", "", 17.5, None, 20.0),
                ("Blatt 1", "Aufsatz 3", "Änne", "", 1012.5, None, 20.0),
                ("Blatt 1", "Aufsatz 4", "Jörg", "", 85.0, None, 100.0),
            ],
        ),
        (
            "french.tsv",
            [
                ("", "c1", "Élodie", "", 12.0, None, 20.0),
                ("", "c1", "Loïc", "", 14.5, None, 20.0),
            ],
        ),
        ("spanish.csv", [("T1", "p1", "José", "", 8.0, 0.0, 10.0)]),
        (
            "italian.csv",
            [
                ("", "e1", "Nicolò", "Chiarezza", 4.0, 1.0, 5.0),
                ("", "e1", "Nicolò", "Rigore", 5.0, 1.0, 5.0),
                ("", "e1", "Zoë", "Chiarezza", 3.0, 1.0, 5.0),
                ("", "e1", "Zoë", "Rigore", None, 1.0, 5.0),
            ],
        ),
        (
            "form.csv",
            [
                ("", "3", "101", "Clarity", 7.0, 1.0, 10.0),
                ("", "3", "101", "Depth of feedback", 8.0, 1.0, 10.0),
                ("", "3", "102", "Clarity", 9.0, 1.0, 10.0),
                ("", "3", "102", "Depth of feedback", 10.0, 1.0, 10.0),
            ],
        ),
        (
            "r2r.csv",
            [("", "2", "ada", "", 5.0, None, None), ("", "1", "ben", "", 4.0, None, None)],
        ),
        (
            "names.csv",
            [
                ("", "مقالة", "عائشة", "", 8.0, None, 10.0),
                ("", "חיבור", "דוד", "", 9.0, None, 10.0),
                ("", "essay 🚀", "Zoë 🐝", "", 10.0, None, 10.0),
            ],
        ),
    ],
)
def test_headers_of_many_kinds(file: str, expected: list[tuple[Any, ...]]) -> None:
    reviews = read_export(FOLDER / file).reviews
    assert (
        rows(
            reviews,
            "assignment",
            "submission",
            "grader",
            "criterion",
            "score",
            "lowest",
            "highest",
        )
        == expected
    )


def test_grades_in_pairs_with_who_gave_them() -> None:
    export = read_export(FOLDER / "pairs.csv")
    assert rows(export.reviews, "submission", "grader", "score", "state", "row") == [
        ("11", "102", 7.0, "done", 2),
        ("11", "103", 9.0, "done", 2),
        ("12", "103", 6.0, "done", 3),
        ("12", "101", None, "assigned", 3),
    ]
    assert rows(export.submissions, "submission", "author") == [
        ("11", "101"),
        ("12", "102"),
        ("13", "103"),
    ]


def test_a_column_for_each_grader() -> None:
    export = read_export(FOLDER / "matrix.csv")
    assert rows(export.reviews, "submission", "grader", "score") == [
        ("p1", "peer_1", 5.0),
        ("p1", "peer_3", 4.0),
        ("p2", "peer_2", 2.0),
    ]
    assert rows(export.truth, "submission", "score") == [("p1", 4.0), ("p2", 3.0)]


def test_staff_as_graders() -> None:
    reviews = read_export(FOLDER / "tutors.csv").reviews
    assert rows(reviews.head(3), "grader", "role", "criterion", "score") == [
        ("T1", "staff", "item1", 2.0),
        ("T1", "staff", "item2", 3.0),
        ("T1", "staff", "", 5.0),
    ]


def test_reviews_and_truth_together() -> None:
    export = read_export([FOLDER / "long.csv", FOLDER / "truth.csv"])
    assert export.reviews.height == 5
    assert rows(export.truth, "assignment", "submission", "score") == [
        ("A1", "s1", 8.0),
        ("A1", "s2", 6.0),
    ]


def test_a_map_that_cannot_be_guessed_is_asked_for_in_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "riddle.csv"
    file.write_text("x,y,z\n1,2,3\n")
    with pytest.raises(
        TableError,
        match=r"riddle.csv has the columns 'x', 'y', 'z', and its headers name no submission "
        r"\(what was graded\) and no grader \(who gave each grade\) and no grade \(what they "
        r"gave\); write a column map .* 'table:columns=map.toml'\.$",
    ):
        read_export(file)


def test_a_map_is_corrected_and_given_as_a_file_or_as_it_is(tmp_path: Path) -> None:
    file, where = tmp_path / "riddle.csv", tmp_path / "map.toml"
    file.write_text("x,y,z\nada,s1,3\n")
    columns = ColumnMap(
        (
            Column("x", Part.GRADER),
            Column("y", Part.SUBMISSION),
            Column("z", Part.GRADE, lowest=1, highest=5),
        ),
        assignment="A1",
    )
    columns.write(where)
    for using in (f"table:columns={where}", TableReader(columns=columns)):
        [row] = rows(
            read_export(file, using=using).reviews, "assignment", "grader", "score", "lowest"
        )
        assert row == ("A1", "ada", 3.0, 1.0)
    assert readers.make(f"table:columns={where}").spec == f"table:columns={where}"


def test_a_map_for_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "grades.csv"
    file.write_text("who,what,score\nada,s1,3\n")
    columns = ColumnMap((Column("marker", Part.GRADER),))
    with pytest.raises(
        TableError, match=r"grades.csv has no column 'marker', which the column map .* correct"
    ):
        read_export(file, using=TableReader(columns=columns))
    with pytest.raises(
        TableError, match=r"the column map lists no submission \(.*\) and no grade \("
    ):
        read_export(file, using=TableReader(columns=ColumnMap((Column("who", Part.GRADER),))))


def scores(file: str) -> list[tuple[Any, ...]]:
    reviews = read_export(FOLDER / file).reviews
    return rows(reviews, "submission", "grader", "criterion", "score", "lowest", "highest")


def test_the_highest_is_what_cells_say() -> None:
    assert scores("out-of.csv") == [
        ("e1", "ada", "", 8.0, None, 10.0),
        ("e1", "ben", "", 7.0, None, 10.0),
        ("e1", "cleo", "", 9.0, None, 10.0),
        ("e1", "dana", "", 6.0, None, 10.0),
    ]
    assert [row[3:] for row in scores("percent.csv")] == [
        (85.0, None, 100.0),
        (70.0, None, 100.0),
        (92.5, None, 100.0),
    ]


def test_the_highest_may_differ_between_assignments() -> None:
    assert [row[5] for row in scores("maxima.csv")] == [10.0, 10.0, 20.0, 20.0]
    room = validate(read_export(FOLDER / "maxima.csv"))
    assert room.report.scale_from == "percent, since the maxima differ"
    assert room.reports.to_polars()["grade"].to_list() == [80.0, 70.0, 75.0, 70.0]


def test_cells_with_another_highest_than_their_column(tmp_path: Path) -> None:
    file = tmp_path / "mixed.csv"
    file.write_text("grader,essay,score (1-10)\nada,e1,8/10\nben,e1,15/20\ncleo,e1,9\n")
    assert rows(read_export(file).reviews, "score", "lowest", "highest") == [
        (8.0, 1.0, 10.0),
        (15.0, None, 20.0),
        (9.0, 1.0, 10.0),
    ]
    file.write_text("grader,essay,score\nada,e1,8/10\nben,e1,15/20\ncleo,e1,9\n")
    export = read_export(file)
    assert export.reviews["highest"].to_list() == [10.0, 20.0, None]
    room = validate(export)
    assert room.reports.to_polars()["grade"].to_list() == [80.0, 75.0]
    assert room.report.notes[-1].text == "1 review: other grades say out of how much, and differ"
    assert room.report.notes[-1].rows == (4,)


def test_words_beside_numbers() -> None:
    assert [row[:4] for row in scores("labelled.csv")] == [
        ("1", "ada@example.org", "The talk was clear", 4.0),
        ("1", "ada@example.org", "The group was prepared", 4.0),
        ("1", "ben@example.org", "The talk was clear", 5.0),
        ("1", "ben@example.org", "The group was prepared", 5.0),
        ("2", "cleo@example.org", "The talk was clear", 2.0),
        ("2", "cleo@example.org", "The group was prepared", 4.0),
    ]


def test_letters_are_places_on_a_scale() -> None:
    assert [row[2:] for row in scores("letters.csv")] == [
        ("Clarity grade", 10.0, 0.0, 11.0),
        ("Depth grade", 8.0, 0.0, 11.0),
        ("Clarity grade", 9.0, 0.0, 11.0),
        ("Depth grade", 5.0, 0.0, 11.0),
        ("Clarity grade", 0.0, 0.0, 11.0),
        ("Depth grade", None, 0.0, 11.0),
        ("Clarity grade", None, 0.0, 11.0),
        ("Depth grade", 2.0, 0.0, 11.0),
    ]
    export = read_export(FOLDER / "letters.csv")
    assert rows(export.truth, "submission", "score", "highest") == [
        ("e1", 9.0, 11.0),
        ("e2", 2.0, 11.0),
    ]
    assert noted(export, "repaired") == [("No number for a score: 'n/a'.", (5,))]
    assert noted(export, "read")[1][0] == (
        "Words and letters in 'Clarity grade', 'Depth grade', 'Instructor grade' have these "
        "values: A = 11, A- = 10, B+ = 9, B = 8, B- = 7, C+ = 6, C = 5, C- = 4, D+ = 3, D = 2, "
        "D- = 1, F = 0; change them in the column map."
    )


RATED = "Reviewer,Essay,Rating\nada,e1,Excellent\nben,e1,good\ncleo,e1,Good\ndana,e1,\n"


def test_words_get_numbers_in_the_map(tmp_path: Path) -> None:
    file, where = tmp_path / "rated.csv", tmp_path / "map.toml"
    file.write_text(RATED.replace("Excellent", "Superb"))
    with pytest.raises(
        TableError,
        match=r"rated.csv has the columns .* no grade \(what they gave\); if the words in 'Rating' "
        r'are grades, give them numbers in the column map, as values = { "Superb" = …, "good" = '
        r'…, "Good" = … }; write a column map .*',
    ):
        read_export(file)
    guess_of_file(file).write(where)
    kept = where.read_text()
    where.write_text(kept.replace('"Rating"\nis = "unused"', '"Rating"\nis = "grade"'))
    with pytest.raises(TableError, match=r"has no numbers in 'Rating', .* but words; give them"):
        read_export(file, using=f"table:columns={where}")
    values = 'is = "grade"\nvalues = { superb = 4, good = 3, fair = 2, poor = 1 }'
    where.write_text(kept.replace('"Rating"\nis = "unused"', f'"Rating"\n{values}'))
    reviews = read_export(file, using=f"table:columns={where}").reviews
    assert rows(reviews, "grader", "score", "lowest", "highest", "state") == [
        ("ada", 4.0, 1.0, 4.0, "done"),
        ("ben", 3.0, 1.0, 4.0, "done"),
        ("cleo", 3.0, 1.0, 4.0, "done"),
        ("dana", None, 1.0, 4.0, "assigned"),
    ]


def test_words_beside_grades_are_told(tmp_path: Path) -> None:
    file = tmp_path / "rated.csv"
    file.write_text("Reviewer,Essay,Rating,Score\nada,e1,Good,3\nben,e1,Poor,4\n")
    assert noted(read_export(file), "missed")[1][0] == (
        "If the words in 'Rating' are grades, give them numbers in the column map, as values = "
        '{ "Good" = …, "Poor" = … }.'
    )


def test_rows_below_titles_keep_their_numbers() -> None:
    export = read_export(FOLDER / "titles.csv")
    assert rows(export.reviews, "grader", "score", "row") == [("ada", 7.0, 5), ("ben", 8.0, 7)]
    assert noted(export, "read")[0][0] == (
        "The header stands below 'Essay 2, peer review', 'Course: Writing', 'Spring 2026' and 1 "
        "more."
    )


def test_a_row_of_points_is_no_review() -> None:
    export = read_export(FOLDER / "points.csv")
    assert rows(export.reviews, "grader", "criterion", "score", "highest", "row") == [
        ("ada", "Clarity", 3.0, 5.0, 3),
        ("ada", "Depth", 8.0, 10.0, 3),
        ("ada", "", 11.0, 15.0, 3),
        ("ben", "Clarity", 4.0, 5.0, 4),
        ("ben", "Depth", 7.0, 10.0, 4),
        ("ben", "", 11.0, 15.0, 4),
    ]
    told = "The row 'Points Possible' holds the highest grades, and no review."
    assert noted(export, "read")[0] == (told, (2,))


def test_who_is_who_in_a_table_of_reviews() -> None:
    export = read_export(FOLDER / "people.csv")
    assert rows(export.people, "person", "name", "email", "sis", "section") == [
        ("101", "Ada Lin", "ada@example.org", "101", "S1"),
        ("102", "Ben Okoro", "ben@example.org", "102", "S2"),
    ]
    assert rows(read_export(FOLDER / "form.csv").people, "person", "email", "sis") == [
        ("101", "ada@example.org", "101"),
        ("102", "ben@example.org", "102"),
    ]


def test_a_form_and_a_roster() -> None:
    roster = read_export(FOLDER / "roster.csv")
    assert rows(roster.people, "person", "name", "email", "sis") == [
        ("101", "Ada Lin", "ada@example.org", "101"),
        ("102", "Ben Okoro", "ben@example.org", "102"),
        ("103", "Cleo Marsh", "cleo@example.org", "103"),
    ]
    assert rows(roster.submissions, "submission", "author") == [("3", "101"), ("4", "102")]
    assert noted(roster, "missed") == [("No group is given.", (4,))]
    both = read_export([FOLDER / "form.csv", FOLDER / "roster.csv"])
    assert both.people.filter(pl.col("person") == "101")["name"].to_list() == ["Ada Lin"]
    room = validate(both)
    # Ada is in group 3, whose work she and Ben reviewed, each on two criteria.
    assert room.reports.to_polars()["grader"].to_list() == ["102"]
    assert ("1 review: a review of one's own work", (2,)) in noted_of(room.report.notes)


def noted_of(notes: Iterable[Note]) -> list[tuple[str, tuple[int, ...]]]:
    return [(note.text, note.rows) for note in notes]


def test_a_map_is_for_the_reviews_and_not_for_their_roster(tmp_path: Path) -> None:
    where = tmp_path / "map.toml"
    guess_of_file(FOLDER / "form.csv").write(where)
    files = [FOLDER / "form.csv", FOLDER / "roster.csv"]
    same, other = read_export(files), read_export(files, using=f"table:columns={where}")
    assert same.reviews.equals(other.reviews)
    assert same.people.equals(other.people)


GRADER, GRADE = r"no grader \(who gave each grade\)", r"no grade \(what they gave\)"
SUBMISSION = r"no submission \(what was graded\)"


@pytest.mark.parametrize(
    ("file", "content", "complaint"),
    [
        (
            "survey.csv",
            b"Timestamp,How clear was it? (1-5)\n1/2/2026 9:00,4\n1/2/2026 9:01,5\n",
            rf"the columns 'Timestamp', 'How clear was it\? \(1-5\)', and its headers name "
            rf"{SUBMISSION} and {GRADER}; write a column map",
        ),
        (
            "bank.csv",
            b"Date,Description,Amount,Balance\n2026-01-02,Rent,-800,12.5\n2026-01-03,Food,-1,11.5\n",
            rf"'Date', 'Description', 'Amount', 'Balance', and .* {SUBMISSION} and {GRADER} and "
            rf"{GRADE}; write",
        ),
        (
            "class.csv",
            b"Student,Essay score,Quiz score\nAda,7,8\nBen,7,9\n",
            rf"headers name {GRADER}; if staff gave the 2 scores, rename 'Essay score' to 'Staff",
        ),
        ("reviews.csv", b"Reviewer,Essay,Remark\nada,e1,fine\n", rf"headers name {GRADE}; write"),
        ("ratings.csv", b"Reviewer,Score,Remark\nada,4,x\nada,5,y\n", rf"name {SUBMISSION}; write"),
        ("one.csv", b"score\n3\n4\n", rf"a single column, 'score', .* {SUBMISSION} and {GRADER};"),
        ("letter.txt", b"Dear all\nplease grade\n", "a single column, 'Dear all', and"),
        (
            "empty.csv",
            b"grader,essay,score\n",
            r"a header \('grader', 'essay', 'score'\) and nothing below it; export it again",
        ),
        (
            "page.xls",
            b"<html><table><tr><td>a</td></tr></table>",
            r"a web page \(HTML\), not a table",
        ),
        (
            "old.xls",
            b"\xd0\xcf\x11\xe0" + bytes(600),
            r"a workbook of the old kind \(.xls\), not a",
        ),
        (
            "scan.pdf",
            b"%PDF-1.7\n%\xe2\xe3",
            "is a PDF file, not a table; save the grades as CSV or",
        ),
        (
            "scan.png",
            b"\x89PNG\r\n\x1a\n" + bytes(90),
            "is a picture, not a table; save the grades",
        ),
        (
            "lines.jsonl",
            b'{"a": 1, "b": 2}\n{"a": 2, "b": 2}\n',
            "is JSON, not a table",
        ),
    ],
)
def test_a_wrong_file_is_told_what_it_lacks(
    file: str, content: bytes, complaint: str, tmp_path: Path
) -> None:
    path = tmp_path / file
    path.write_bytes(content)
    with pytest.raises(TableError, match=complaint) as refused:
        read_export(path)
    assert str(refused.value).startswith(str(path))


@pytest.mark.parametrize(
    "content",
    [
        "Name,Email\nAda,a@x\nBen,b@x\n",
        "Student,ID,SIS Login ID,Section,Essay (4711)\n    Points Possible,,,,10\nAda,1,ada,S,8\n",
        "essay,truth\ne1,4\n",
    ],
    ids=["roster", "gradebook", "truth"],
)
def test_files_without_reviews_do_not_make_a_class(content: str, tmp_path: Path) -> None:
    path = tmp_path / "alone.csv"
    path.write_text(content)
    with pytest.raises(
        TableError, match=r"no reviews of peers in .*alone.csv|alone.csv should come with reviews"
    ):
        validate(read_export(path))


LAYOUTS = {
    "blocks": "Timestamp,Email,Which team did you review first?,Score for the first team,"
    "Which team did you review second?,Score for the second team\n"
    "3/1/2026,a@x.org,Team 2,4,Team 3,5\n3/1/2026,b@x.org,Team 1,3,,\n",
    "blocks of people": "Your name,Peer 1 name,Peer 1 - Effort (1-5),Peer 1 - Style (1-5),"
    "Peer 2 name,Peer 2 - Effort (1-5),Peer 2 - Style (1-5)\n"
    "Ada,Ben,4,3,Cleo,5,2\nBen,Ada,3,3,Cleo,,\n",
    "graders in blocks": "Essay,Reviewer 1,Score 1,Reviewer 2,Score 2\ne1,ada,5,ben,4\n"
    "e2,cleo,3,,\n",
    "ratees": "Timestamp,Email,Rate each team [Team 1],Rate each team [Team 2]\n"
    "3/1/2026,a@x.org,4,\n3/1/2026,b@x.org,3,5\n",
    "people": "Timestamp,Your name,Please rate the contribution from Ada,"
    "Please rate the contribution from Ben\n3/1/2026,Ada,5,4\n3/1/2026,Ben,3,5\n",
    "criteria": "Reviewer,Team 1 - Style,Team 1 - Depth,Team 2 - Style,Team 2 - Depth\n"
    "ada,1,2,3,4\nben,4,3,2,1\n",
    "weeks": "Reviewer,Week 1 / Team 1,Week 1 / Team 2,Week 2 / Team 1,Week 2 / Team 2\n"
    "ada,1,2,3,4\nben,4,3,2,1\n",
    "two header rows": "Reviewer,Team 1,,Team 2,\n,Style,Depth,Style,Depth\nada,1,2,3,4\n"
    "ben,4,3,2,1\n",
    "matrix": "rater \\ ratee,Ada,Ben,Cleo,Mean\nAda,,3,4,3.5\nBen,5,,4,4.5\nCleo,2,3,,2.5\n"
    "Mean,3.5,3,4,\n",
    "turned matrix": "Project,Ada,Ben,Prof. Lin\nP1,3,,4\nP2,,3,3\nP3,4,,\nP4,,,3\n",
    "people without a direction": "Student,Ada,Ben,Cleo\nAda,,3,4\nBen,5,,4\nCleo,2,3,\n",
    "letters": "Reviewer,Team 1,Team 2\nada,A,B\nben,B+,C\n",
    "zeros": "Reviewer,Team 1,Team 2,Team 3\nada,4,0,0\nben,0,3,0\ncleo,0,0,5\n",
    "blanks": "Reviewer,Team,Score\nada,T1,4\n,T2,3\nben,T1,5\n,T2,4\n",
    "totals": "Reviewer,Team,Score\nada,T1,4\nben,T1,5\nTotal,,9\n\nName,Email,Team\n"
    "Ada,ada@x.org,T2\n",
    "survey": "StartDate,ResponseId,RecipientEmail,Q1_1,Q1_2,Peer1_name,Peer2_name\n"
    "Start Date,Response ID,Recipient Email,Rate [Field-Peer1_name],Rate [Field-Peer2_name],,\n"
    + ",".join(['"{""ImportId"":""x""}"'] * 7)
    + "\n2026-03-01,R_1,ada@x.org,4,5,Ben,Cleo\n2026-03-01,R_2,ben@x.org,3,5,Ada,Cleo\n",
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_saved_map_reads_every_layout_the_same(name: str, tmp_path: Path) -> None:
    file, where = tmp_path / "class.csv", tmp_path / "map.toml"
    file.write_text(LAYOUTS[name])
    guess_of_file(file).write(where)
    one = TableReader().read(Opened(file))
    assert one.reviews.height
    assert says_the_same(one, TableReader(columns=str(where)).read(Opened(file)))


def read(name: str, tmp_path: Path) -> Export:
    file = tmp_path / "class.csv"
    file.write_text(LAYOUTS[name])
    return TableReader().read(Opened(file))


def test_blocks_become_reviews(tmp_path: Path) -> None:
    assert rows(read("blocks", tmp_path).reviews, "grader", "submission", "score", "row") == [
        ("a@x.org", "Team 2", 4.0, 2),
        ("a@x.org", "Team 3", 5.0, 2),
        ("b@x.org", "Team 1", 3.0, 3),
    ]
    export = read("blocks of people", tmp_path)
    reviews = rows(export.reviews, "grader", "submission", "criterion", "score", "state")
    assert reviews[:4] == [
        ("Ada", "Ben", "Effort", 4.0, "done"),
        ("Ada", "Ben", "Style", 3.0, "done"),
        ("Ada", "Cleo", "Effort", 5.0, "done"),
        ("Ada", "Cleo", "Style", 2.0, "done"),
    ]
    # Cleo is named, and not graded.
    assert ("Ben", "Cleo", "Style", None, "assigned") in reviews
    assert set(rows(export.submissions, "submission", "author")) == {
        ("Ada", "Ada"),
        ("Ben", "Ben"),
        ("Cleo", "Cleo"),
    }


def test_columns_of_ratees_become_reviews(tmp_path: Path) -> None:
    assert rows(read("ratees", tmp_path).reviews, "grader", "submission", "score") == [
        ("a@x.org", "Team 1", 4.0),
        ("b@x.org", "Team 1", 3.0),
        ("b@x.org", "Team 2", 5.0),
    ]
    export = read("people", tmp_path)
    assert rows(export.reviews, "grader", "submission", "score") == [
        ("Ada", "Ada", 5.0),
        ("Ada", "Ben", 4.0),
        ("Ben", "Ada", 3.0),
        ("Ben", "Ben", 5.0),
    ]
    assert rows(export.submissions, "submission", "author") == [("Ada", "Ada"), ("Ben", "Ben")]
    assert rows(read("weeks", tmp_path).reviews, "assignment", "submission", "criterion")[:4] == [
        ("Week 1", "Team 1", ""),
        ("Week 1", "Team 2", ""),
        ("Week 2", "Team 1", ""),
        ("Week 2", "Team 2", ""),
    ]


def test_a_matrix_in_either_direction(tmp_path: Path) -> None:
    reviews = read("matrix", tmp_path).reviews
    assert rows(reviews, "grader", "submission", "score") == [
        ("Ada", "Ben", 3.0),
        ("Ada", "Cleo", 4.0),
        ("Ben", "Ada", 5.0),
        ("Ben", "Cleo", 4.0),
        ("Cleo", "Ada", 2.0),
        ("Cleo", "Ben", 3.0),
    ]
    turned = read("turned matrix", tmp_path).reviews
    assert rows(turned, "submission", "grader", "score", "role")[:3] == [
        ("P1", "Ada", 3.0, "peer"),
        ("P1", "Prof. Lin", 4.0, "staff"),
        ("P2", "Ben", 3.0, "peer"),
    ]


@pytest.mark.parametrize(("answer", "kept"), [("not graded", 3), ("grade", 9), (None, 3)])
def test_many_zeros_of_a_matrix_are_asked_about(
    answer: str | None, kept: int, tmp_path: Path
) -> None:
    file = tmp_path / "class.csv"
    file.write_text(LAYOUTS["zeros"])
    talk = Dialogue({} if answer is None else {"zeros": answer})
    assert TableReader().read(Opened(file, talk)).reviews.height == kept
    assert [one.key for one in talk.asked] == ["zeros"]


def test_a_name_that_is_written_once_holds_for_the_rows_below(tmp_path: Path) -> None:
    export = read("blanks", tmp_path)
    assert export.reviews["grader"].to_list() == ["ada", "ada", "ben", "ben"]
    told = "The grader stands in a row above, and holds for this row too."
    assert (told, (3, 5)) in noted(export, "repaired")
    file = tmp_path / "again.csv"
    file.write_text("Reviewer,Team,Score\nada,T1,4\n,T2,3\nben,T1,5\n,T2,4\nada,T3,2\n")
    talk = Dialogue({"blank graders": "drop"})
    assert TableReader().read(Opened(file, talk)).reviews.height == 3
    assert [one.key for one in talk.asked] == ["blank graders"]


def test_a_first_row_of_data_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bare.csv"
    file.write_text("ada,e1,7\nben,e1,8\n")
    with pytest.raises(
        TableError, match=r"bare.csv seems to have no header: its first row is 'ada"
    ):
        read_export(file)


def says_the_same(one: Export, other: Export) -> bool:
    tables = ("reviews", "submissions", "people", "truth")
    return one.notes == other.notes and all(
        getattr(one, table).equals(getattr(other, table)) for table in tables
    )


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.name)
def test_a_map_that_was_kept_reads_the_same(path: Path, tmp_path: Path) -> None:
    where = tmp_path / "map.toml"
    guess_of_file(path).write(where)
    assert says_the_same(read_export(path), read_export(path, using=f"table:columns={where}"))


def answer(reader: TableReader, file: Path) -> Export | str:
    try:
        return reader.read(Opened(file))
    except TableError as error:
        return str(error).replace("the column map lists", "its headers name")


@st.composite
def reviewed(draw: st.DrawFn) -> str:
    """A table that says at least who graded what, and mostly more."""
    first, *body = draw(tables(mark=",")).split("\n")
    who = st.sampled_from(["ada", "ben", "A", "7"])
    return "\n".join(
        [f"Reviewer,Essay,{first}", *(f"{draw(who)},{draw(who)},{row}" for row in body)]
    )


@pytest.mark.slow
@given(text=reviewed())
def test_any_map_that_was_kept_reads_the_same(
    text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("maps")
    file, where = folder / "any.csv", folder / "map.toml"
    file.write_text(text, encoding="utf-8", newline="")
    one = answer(TableReader(), file)
    if isinstance(one, str) and re.search("cannot be read as a table|seems to have no header", one):
        return
    guess_of_file(file).write(where)
    other = answer(TableReader(columns=str(where)), file)
    if isinstance(one, str) or isinstance(other, str):
        assert one == other
    else:
        assert says_the_same(one, other)


Cells = list[list[str | float | None]]

GRADES: Cells = [["grader", "essay", "score (0-10)"], ["ada", "e1", 7], [], ["ben", "e1", 7.5]]


def test_the_first_sheet_with_a_header_that_fits(tmp_path: Path) -> None:
    file = write_workbook(
        tmp_path / "class.xlsx",
        {
            "About": [["Grades of spring"]],
            "Roster": [["name", "email", "group"], ["Ada", "ada@example.org", "A"]],
            "Grades": [["Grades of spring"], [], *GRADES],
        },
    )
    export = read_export(file)
    assert export.format == "table"
    assert rows(export.reviews, "submission", "grader", "score", "highest", "row") == [
        ("e1", "ada", 7.0, 10.0, 4),
        ("e1", "ben", 7.5, 10.0, 6),
    ]
    assert noted(export, "read")[0] == ("The header stands below 'Grades of spring'.", ())


def test_a_sheet_by_name(tmp_path: Path) -> None:
    other: Cells = [["grader", "essay", "score"], ["cleo", "e2", 1]]
    file = write_workbook(tmp_path / "class.xlsx", {"First": GRADES, "Second": other})
    [row] = rows(read_export(file, using="table:sheet=Second").reviews, "grader")
    assert row == ("cleo",)
    with pytest.raises(
        TableError, match="no table on a sheet 'Third', only on 'First', 'Second'; name one"
    ):
        read_export(file, using="table:sheet=Third")


def test_rows_count_from_the_top_of_a_sheet(tmp_path: Path) -> None:
    file = write_workbook(tmp_path / "class.xlsx", {"Grades": [[], [], *GRADES]})
    assert read_export(file).reviews["row"].to_list() == [4, 6]


def test_a_workbook_that_would_explode_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bomb.xlsx"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("xl/workbook.xml", "<workbook/>")
        with packed.open("xl/worksheets/sheet1.xml", "w") as member:
            for _ in range(65):
                member.write(bytes(2**20))
    with pytest.raises(TableError, match=r"bomb.xlsx would take 65 MiB when unpacked, .* CSV\.$"):
        read_export(file)


def test_a_damaged_workbook_is_refused(tmp_path: Path) -> None:
    whole = write_workbook(tmp_path / "class.xlsx", {"Grades": GRADES}).read_bytes()
    file = tmp_path / "cut.xlsx"
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TableError, match=r"cut.xlsx is a damaged workbook; save it again"):
        read_export(file)


def test_without_fastexcel_one_sentence_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "fastexcel":
            raise ModuleNotFoundError(name=name)
        return there(name, *rest, **more)

    file = write_workbook(tmp_path / "class.xlsx", {"Grades": GRADES})
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(TableError, match="pip install peergauge brings it"):
        read_export(file)


CLASSES = {
    "auckland-r-coding": (741, 247),
    "cornell-orie4741-2017": (217, 45),
    "mooc-aaai15-assignment3": (2084, 23),
}


@pytest.mark.parametrize("name", CLASSES)
def test_real_classes_are_read_with_one_call(name: str, real_classes: Path) -> None:
    reports, truth = real_classes / name / "reports.csv", real_classes / name / "truth.csv"
    given = pl.read_csv(reports, infer_schema=False)
    known = pl.read_csv(truth, infer_schema=False)
    assert (given.height, known.height) == CLASSES[name]
    both = read_export([reports, truth])
    for export in (read_export(reports), both):
        for column in ("assignment", "submission", "grader"):
            assert export.reviews[column].equals(given[column])
        assert export.reviews["score"].equals(given["score"].cast(pl.Float64))
        if "author" in given.columns:
            assert export.submissions.equals(
                given.select("assignment", "submission", "author").unique(maintain_order=True)
            )
    for export in (read_export(truth), both):
        assert export.truth["submission"].equals(known["submission"])
        assert export.truth["score"].equals(known["truth"].cast(pl.Float64).alias("score"))


def test_a_real_matrix_says_what_its_reports_say(real_classes: Path) -> None:
    folder = real_classes / "cornell-orie4741-2017"
    wide = read_export(folder / "ratings.csv")
    long = read_export(folder / "reports.csv")
    key = ("submission", "grader", "score")
    assert sorted(rows(wide.reviews, *key)) == sorted(rows(long.reviews, *key))
    truth = read_export(folder / "truth.csv").truth
    place = ("submission", "score")
    assert sorted(rows(wide.truth, *place)) == sorted(rows(truth, *place))


STAFF_FILE = "Student,Score (0-10)\nAda Lin,7\nBen Ott,5\nCleo Roy,9\n"
REVIEWS_FILE = "Reviewer,Author,Score (0-10)\n" + "".join(
    f"{one},{other},{3 + place}\n"
    for place, (one, other) in enumerate(permutations(["Ada Lin", "Ben Ott", "Cleo Roy"], 2))
)


@pytest.mark.parametrize(
    ("name", "default", "known"), [("TA grades.csv", "staff", 3), ("quiz.csv", "drop", 0)]
)
def test_one_score_for_each_student_in_a_file_beside_reviews_is_asked_about(
    name: str, default: str, known: int, tmp_path: Path
) -> None:
    (tmp_path / "reviews.csv").write_text(REVIEWS_FILE)
    (tmp_path / name).write_text(STAFF_FILE)
    opened = interpret_class([tmp_path / "reviews.csv", tmp_path / name])
    [question] = opened.interpretation.open_questions
    assert (question.key, question.default) == ("scores without graders", default)
    assert opened.reports.graders == 3
    assert (opened.truth.to_polars()["score"].count() if opened.truth else 0) == known
