import json
from pathlib import Path
from typing import Any

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.formats.opening import Opened
from peergauge.exports.open import interpret_class
from peergauge.exports.readers import readers
from peergauge.exports.records import Export, table
from tests.exports.exports import GOLDEN, notes, rows, without_defaults

USERS = GOLDEN / "moodle-users" / "users.json"
REPORT = GOLDEN / "moodle-report" / "report.json"


def read(path: Path, *others: Export) -> Export:
    reader = readers.make("moodle-users")
    return reader.beside(reader.read(Opened(path)), others)


def user(own: int, *roles: str) -> dict[str, Any]:
    given = [{"roleid": k, "shortname": role} for k, role in enumerate(roles)]
    return {"id": own, "username": f"u{own}", "fullname": f"User {own}", "roles": given}


def reviewed_by(*graders: int) -> Export:
    rows = [{"submission": "s", "grader": str(one), "score": 1.0} for one in graders]
    return Export(
        reviews=table("reviews", rows),
        submissions=table("submissions", [{"submission": "s", "author": "1"}]),
    )


def test_only_reviewers_with_doubtful_roles_are_asked_about(tmp_path: Path) -> None:
    """An observer who reviewed nothing does not matter; a tutor who is a student does."""
    path = tmp_path / "users.json"
    users = [user(1, "student"), user(2, "student", "teacher"), user(3, "observer")]
    path.write_text(json.dumps([*users, user(4, "teacher")]))
    found = read(path, reviewed_by(1, 2))
    assert [(one.key, one.default) for one in found.dialogue.asked] == [
        ("teachers who are students", "staff")
    ]
    assert rows(found.people.drop_nulls("role"), "person") == [("2",), ("4",)]
    found = read(path, reviewed_by(1, 3))
    assert [(one.key, one.default) for one in found.dialogue.asked] == [("role: observer", "peers")]
    # Where reviewers have other names, everybody in doubt is asked about.
    found = read(path, reviewed_by(77))
    assert [one.key for one in found.dialogue.asked] == [
        "role: observer",
        "teachers who are students",
    ]


def test_people_have_their_ids_and_teachers_their_role() -> None:
    export = read(USERS)
    assert without_defaults("people", export.people) == [
        {
            "person": "11",
            "name": "Ada Apple",
            "email": "ada@x.example",
            "sis": "0001",
            "lms": "11",
            "login": "ada1",
            "section": "Group A",
        },
        {
            "person": "12",
            "name": "Ben آدا",
            "email": "Ben@X.example",
            "lms": "12",
            "login": "ben1",
        },
        {
            "person": "90",
            "name": "Tess 🌻",
            "email": "tess@x.example",
            "lms": "90",
            "login": "tess",
            "role": "staff",
        },
    ]
    assert notes(export) == [
        ("dropped", "A user is listed twice: the first is kept.", (3,)),
        ("read", "1 user of the course teaches: Tess 🌻 (90).", ()),
    ]


def test_several_answers_in_a_list_are_one_list(tmp_path: Path) -> None:
    users = json.loads(USERS.read_text(encoding="utf-8"))
    path = tmp_path / "users.json"
    path.write_text(json.dumps([users[:1], users[1:]]))
    assert read(path).people.equals(read(USERS).people)
    # The same without brackets and commas between the answers.
    path.write_text(json.dumps(users[:1]) + "\n" + json.dumps(users[1:]))
    assert readers.make("moodle-users").recognises(Opened(path))
    assert read(path).people.equals(read(USERS).people)


def test_the_grades_of_a_teacher_are_grades_by_staff(tmp_path: Path) -> None:
    """Reviewer 90 has no entry in the report; the file of users says that 90 teaches."""
    report = json.loads(REPORT.read_text())
    by_teacher = {"userid": 90, "assessmentid": 20, "submissionid": 32, "grade": 40, "weight": 1}
    report["report"]["grades"][1]["reviewedby"].append(by_teacher)
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report))
    opened = interpret_class([path, USERS], scale="0..80")
    assert opened.interpretation.open_questions == ()
    assert opened.reports.to_polars()["grader"].to_list() == ["12", "13"]
    assert opened.truth is not None
    assert dict(rows(opened.truth.to_polars(), "submission", "score")) == {"31": 70, "32": 40}
    texts = [note.text for note in opened.report.notes]
    assert "1 reviewer teaches the course, so that these reviews are by staff: 90." in texts


def test_users_alone_are_refused() -> None:
    with pytest.raises(TableError, match="should come with reviews"):
        interpret_class(USERS)


def test_users_without_roles_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "users.json"
    path.write_text('[{"id": 1, "fullname": "Ada", "username": "ada", "roles": []}]')
    assert notes(read(path)) == [
        ("missed", "No user has a role, so that teachers are not known.", ())
    ]


def test_the_users_of_a_running_moodle(real_classes: Path) -> None:
    export = read(real_classes / "platform-exports" / "moodle-4.5" / "enrolled-users.json")
    assert export.people.height == 13
    assert rows(export.people.drop_nulls("role"), "person", "role") == [("15", "staff")]
    assert export.people["email"].null_count() == export.people["login"].null_count() == 0
