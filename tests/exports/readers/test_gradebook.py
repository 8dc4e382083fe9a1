from pathlib import Path

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.formats.opening import Opened
from peergauge.exports.open import open_class
from peergauge.exports.readers import read_export, reader_of
from peergauge.exports.readers.gradebook import GradebookExport, kind_of
from tests.exports.exports import GOLDEN, rows

CANVAS = GOLDEN / "gradebook" / "canvas.csv"
MOODLE = GOLDEN / "gradebook" / "moodle.csv"


def platform_of(text: str, tmp_path: Path) -> str | None:
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    kind = kind_of(Opened(path))
    return None if kind is None else kind.platform


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        (
            CANVAS,
            r"gradebook of Canvas, .*add a file that does: in Canvas, .* rubric",
        ),
        (MOODLE, r"gradebook of Moodle, .*add a file that does: in Moodle, a course backup"),
    ],
)
def test_a_gradebook_instead_of_reviews_is_named(path: Path, sentence: str) -> None:
    with pytest.raises(TableError, match=sentence):
        open_class(path)


def test_students_keep_their_ids_and_other_rows_are_no_students() -> None:
    export = GradebookExport().read(Opened(CANVAS))
    assert rows(export.people, "person", "name", "sis", "lms", "login", "section") == [
        ("11", "Adams, Ada", "S11", "11", "ada", "Section 1"),
        ("12", "Brown, Ben", "S12", "12", "ben", "Section 1"),
    ]
    export = GradebookExport().read(Opened(MOODLE))
    assert rows(export.people, "person", "name", "sis", "email") == [
        ("ada@example.org", "Ada Adams", "S11", "ada@example.org"),
        ("ben@example.org", "Ben Brown", "S12", "ben@example.org"),
    ]


def test_with_reviews_it_is_a_roster(tmp_path: Path) -> None:
    reviews = tmp_path / "reviews.csv"
    reviews.write_text(
        "Reviewer,Project,Score\nAda Adams,P1,4\nBen Brown,P1,5\nAda Adams,P2,3\n",
        encoding="utf-8",
    )
    export = read_export([reviews, CANVAS])
    known = {row["person"]: row["lms"] for row in export.people.iter_rows(named=True)}
    assert [known[grader] for grader in export.reviews["grader"]] == ["11", "12", "11"]
    assert export.reviews.height == 3
    assert export.truth.is_empty()


@pytest.mark.parametrize(
    ("text", "platform"),
    [
        ("Student,ID,Section,Essay\n    Points Possible,,,10\nAda,1,A,5\n", "Canvas"),
        ("LastName,FirstName,ID,SIS Login ID,Section,Essay\nX,Ada,1,ada,A,5\n", "Canvas"),
        ("Student;ID;Section;Essay;Current Score;Final Score\nAda;1;A;5;50;50\n", "Canvas"),
        ("Student,ID,Section,Reviewer,Grade,Final Grade\nAda,1,A,Ben,5,5\n", None),
        ("Student,ID,Section,Score\nAda,1,A,5\n", None),
        (
            "OrgDefinedId,Username,Essay Points Grade,End-of-Line Indicator\n#1,#ada,5,#\n",
            "Brightspace",
        ),
        (
            "Last Name,First Name,Username,Student ID,Essay [Total Pts: 10 Score] |123\n"
            "Adams,Ada,ada,1,5\n",
            "Blackboard",
        ),
        (
            "Prénom,Nom de famille,Adresse de courriel,Atelier : Essai (remise),Téléchargé\n"
            "Ada,Adams,ada@example.org,50,1789000000\nBen,Brown,ben@example.org,60,1789000000\n",
            "Moodle",
        ),
        ("First name,Last name,Email address,Project,Score\nAda,A,a@example.org,P1,5\n", None),
        ("Reviewer,Project,Score\nAda,P1,4\nBen,P1,5\n", None),
    ],
)
def test_gradebooks_are_recognised_by_their_columns(
    text: str, platform: str | None, tmp_path: Path
) -> None:
    assert platform_of(text, tmp_path) == platform


def test_addresses_are_found_in_any_language(tmp_path: Path) -> None:
    path = tmp_path / "notes.csv"
    path.write_text(
        "Prénom,Nom de famille,Adresse de courriel,Atelier : Essai (remise),Téléchargé\n"
        "Ada,Adams,ada@example.org,50,1789000000\nBen,Brown,ben@example.org,60,1789000000\n",
        encoding="utf-8",
    )
    assert isinstance(reader_of(Opened(path)), GradebookExport)
    export = GradebookExport().read(Opened(path))
    assert export.people["email"].to_list() == ["ada@example.org", "ben@example.org"]
