from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.readers import read_export
from tests.exports.exports import GOLDEN, notes, reviews, tarred, without_defaults, zipped

FILES = GOLDEN / "moodle-backup"

NAME = "Proofs & refutations"

USERS = """<?xml version="1.0" encoding="UTF-8"?>
<users>
  <user id="11" contextid="5"><username>ada1</username><idnumber>S-1</idnumber>
    <email>ada@x.example</email><firstname>Ada</firstname><lastname>$@NULL@$</lastname>
    <roles><role_overrides><name>no name</name></role_overrides></roles></user>
</users>
"""

PROOFS = [
    (NAME, "20", "staff", "staff", "", 90.0, 0.0, 100.0, "done", 1.0, 1),
    (NAME, "20", "staff", "staff", "Rigour", 9.0, 0.0, 10.0, "done", 1.0, 1),
    (NAME, "20", "11", "calibration", "", 80.0, 0.0, 100.0, "done", 0.0, 2),
    (NAME, "31", "12", "peer", "", 70.0, 0.0, 100.0, "done", 1.0, 3),
    (NAME, "31", "12", "peer", "Rigour", 8.0, 0.0, 10.0, "done", 1.0, 3),
    (NAME, "31", "12", "peer", "Style", 2.5, 0.0, 5.0, "done", 1.0, 3),
    (NAME, "31", "13", "peer", "", None, 0.0, 100.0, "assigned", 2.0, 4),
]

ESSAY = [
    ("Essay", "41", "11", "peer", "", 100.0, 0.0, 100.0, "done", 1.0, 1),
    ("Essay", "41", "11", "peer", "Structure", 4.0, 1.0, 4.0, "done", 1.0, 1),
]

Pack = Callable[[Mapping[str, bytes]], bytes]


def test_a_workshop_tells_practice_references_and_overrides() -> None:
    export = read_export(FILES / "workshop.xml")
    assert reviews(export) == PROOFS
    assert export.submissions.rows() == [(NAME, "31", "11"), (NAME, "32", "12")]
    assert without_defaults("truth", export.truth) == [
        {"assignment": NAME, "submission": "31", "score": 85.0, "highest": 100.0}
    ]
    assert notes(export) == []


def test_the_levels_of_a_rubric_are_the_ends_of_its_scale() -> None:
    assert reviews(read_export(FILES / "rubric.xml")) == ESSAY


@pytest.mark.parametrize("pack", [tarred, zipped])
def test_every_workshop_of_an_archive_is_an_assignment(pack: Pack, tmp_path: Path) -> None:
    path = tmp_path / "course.mbz"
    path.write_bytes(
        pack(
            {
                "moodle_backup.xml": b"<moodle_backup/>",
                "./activities/workshop_41/workshop.xml": (FILES / "workshop.xml").read_bytes(),
                "activities/workshop_42/workshop.xml": (FILES / "rubric.xml").read_bytes(),
                "activities/quiz_43/quiz.xml": b"<!DOCTYPE not read>",
                "files/ab/abcdef": bytes(5000),
                "users.xml": USERS.encode(),
            }
        )
    )
    export = read_export(path)
    assert reviews(export) == PROOFS + ESSAY
    assert without_defaults("people", export.people) == [
        {
            "person": "11",
            "name": "Ada",
            "email": "ada@x.example",
            "sis": "S-1",
            "lms": "11",
            "login": "ada1",
        }
    ]
    sources = export.reviews["source"].unique(maintain_order=True).to_list()
    assert sources[0] == f"{path}/activities/workshop_41/workshop.xml"


def test_workshops_of_one_name_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "course.mbz"
    rubric = (FILES / "rubric.xml").read_bytes()
    path.write_bytes(
        zipped(
            {
                "activities/workshop_1/workshop.xml": rubric,
                "activities/workshop_2/workshop.xml": rubric.replace(b'hop id="4"', b'hop id="5"'),
            }
        )
    )
    assert read_export(path).reviews["assignment"].unique().sort().to_list() == [
        "Essay",
        "Essay (5)",
    ]


@pytest.mark.parametrize("pack", [tarred, zipped])
def test_members_outside_their_folder_are_not_read(pack: Pack, tmp_path: Path) -> None:
    path = tmp_path / "course.mbz"
    rubric = (FILES / "rubric.xml").read_bytes()
    path.write_bytes(
        pack({"moodle_backup.xml": b"<a/>", "../activities/workshop_1/workshop.xml": rubric})
    )
    with pytest.raises(TableError, match=r"should hold a <workshop>.* but has 'moodle_backup.xml'"):
        read_export(path)
    assert not (tmp_path.parent / "activities").exists()
    assert list(tmp_path.iterdir()) == [path]


def test_a_workshop_without_users_says_so(tmp_path: Path) -> None:
    path = tmp_path / "workshop.xml"
    path.write_text("<activity><workshop id='3'><name>Essay</name></workshop></activity>")
    export = read_export(path)
    assert export.reviews.is_empty()
    assert notes(export) == [
        ("missed", "A workshop has no reviews; back it up with the data of its users.", ())
    ]


def test_what_is_missing_is_noted(tmp_path: Path) -> None:
    path = tmp_path / "workshop.xml"
    path.write_text(
        "<workshop id='3'><submissions><submission id='1'><assessments><assessment id='2'>"
        "<grade>lots</grade><x><workshopform_numerrors_grade><dimensionid>8</dimensionid>"
        "<grade>1</grade></workshopform_numerrors_grade></x></assessment><assessment id='3'>"
        "<reviewerid>9</reviewerid></assessment></assessments></submission></submissions></workshop>"
    )
    export = read_export(path)
    assert reviews(export) == [
        ("3", "1", None, "peer", "", None, 0.0, 100.0, "assigned", 1.0, 1),
        ("3", "1", None, "peer", "8", 1.0, None, None, "assigned", 1.0, 1),
        ("3", "1", "9", "peer", "", None, 0.0, 100.0, "assigned", 1.0, 2),
    ]
    assert [(kind, text.split(":")[0]) for kind, text, _ in notes(export)] == [
        ("missed", "A workshop has no <name>; its id is used."),
        ("missed", "A <submission> has no <authorid>."),
        ("missed", "The reviewer is not given."),
        ("repaired", "The grade of a review is not a number and is left empty."),
        ("missed", "A criterion is not in the form"),
    ]
