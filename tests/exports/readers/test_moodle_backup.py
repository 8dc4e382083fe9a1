from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from peergauge.core.errors import TableError
from peergauge.exports.questions import Dialogue
from peergauge.exports.readers import read_export
from peergauge.exports.records import Export
from tests.exports.exports import (
    GOLDEN,
    notes,
    reviews,
    rows,
    tarred,
    without_defaults,
    zipped,
)

FILES = GOLDEN / "moodle-backup"

NAME = "Proofs & refutations"

FORM = (
    "<workshopform_accumulative_dimension id='1'><sort>1</sort><description>Ideas</description>"
    "<grade>10</grade><weight>1</weight></workshopform_accumulative_dimension>"
    "<workshopform_accumulative_dimension id='2'><sort>2</sort><description>Words</description>"
    "<grade>20</grade><weight>3</weight></workshopform_accumulative_dimension>"
)

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

NO_ROLES = (
    "missed",
    "The file does not say who is a teacher; give the whole backup with the roles of its users, or "
    "the enrolled users (core_enrol_get_enrolled_users) as well.",
    (),
)

Pack = Callable[[Mapping[str, bytes]], bytes]


def test_a_workshop_tells_practice_references_and_overrides() -> None:
    export = read_export(FILES / "workshop.xml")
    assert reviews(export) == PROOFS
    assert export.submissions.rows() == [(NAME, "31", "11"), (NAME, "32", "12")]
    assert without_defaults("truth", export.truth) == [
        {"assignment": NAME, "submission": "31", "score": 85.0, "highest": 100.0}
    ]
    assert notes(export) == [NO_ROLES]
    assert export.criteria.rows() == [
        (NAME, "Rigour", 2.0, None, 80.0),
        (NAME, "Style", 1.0, None, 80.0),
    ]


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
    assert notes(export)[0] == NO_ROLES
    assert [(kind, text.split(":")[0]) for kind, text, _ in notes(export)[1:]] == [
        ("missed", "A workshop has no <name>; its id is used."),
        ("missed", "A <submission> has no <authorid>."),
        ("missed", "The reviewer is not given."),
        ("repaired", "The grade of a review is not a number and is left empty."),
        ("missed", "A criterion is not in the form"),
    ]


# ---------------------------------------------------------------------- roles, comments and forms


def assessment(reviewer: int, grade: float, scores: Mapping[int, float], **more: Any) -> str:
    weight = more.get("weight", 1)
    strategy = more.get("strategy", "accumulative")
    given = "".join(
        f"<workshopform_{strategy}_grade id='{reviewer}{own}'><dimensionid>{own}</dimensionid>"
        f"<grade>{score}</grade></workshopform_{strategy}_grade>"
        for own, score in scores.items()
    )
    return (
        f"<assessment id='{reviewer}'><reviewerid>{reviewer}</reviewerid><weight>{weight}</weight>"
        f"<timemodified>1700000000</timemodified><grade>{grade}</grade>"
        f"<subplugin>{given}{more.get('also', '')}</subplugin></assessment>"
    )


def workshop(
    works: Mapping[int, list[str]],
    strategy: str = "accumulative",
    name: str = "Essay",
    form: str = FORM,
) -> bytes:
    """A workshop with works by their authors; a work has the number of its author plus 100."""
    given = "".join(
        f"<submission id='{author + 100}'><authorid>{author}</authorid><assessments>"
        f"{''.join(reviews)}</assessments></submission>"
        for author, reviews in works.items()
    )
    return (
        f"<activity modulename='workshop'><workshop id='1'><name>{name}</name><grade>80</grade>"
        f"<strategy>{strategy}</strategy>{form}<eval><workshopeval_best_settings>"
        "<comparison>9</comparison></workshopeval_best_settings></eval>"
        f"<submissions>{given}</submissions></workshop></activity>"
    ).encode()


def users(**more: str) -> bytes:
    people = "".join(
        f"<user id='{own}'><username>u{own}</username><email>{own}@x.example</email>"
        f"<firstname>Name</firstname><lastname>{own}</lastname>{more.get(f'u{own}', '')}</user>"
        for own in (1, 2, 3, 9)
    )
    return f"<users>{people}</users>".encode()


ROLES = b"""<roles_definition>
  <role id="3"><shortname>editingteacher</shortname><archetype>editingteacher</archetype></role>
  <role id="5"><shortname>student</shortname><archetype>student</archetype></role>
  <role id="7"><shortname>helper</shortname><archetype></archetype></role>
  <role id="8"><shortname>our-tutors</shortname><archetype>teacher</archetype></role>
</roles_definition>"""


def assigned(*roles: tuple[int, int]) -> bytes:
    given = "".join(
        f"<assignment id='{k}'><roleid>{role}</roleid><userid>{user}</userid></assignment>"
        for k, (user, role) in enumerate(roles)
    )
    return f"<roles><role_assignments>{given}</role_assignments></roles>".encode()


STUDENTS = ((1, 5), (2, 5), (3, 5))

WORKS = {
    1: [
        assessment(2, 60, {1: 6, 2: 12}),
        assessment(3, 70, {1: 7, 2: 14}, weight=0),
        assessment(9, 50, {1: 5, 2: 10}, weight=2),
    ],
    2: [assessment(1, 80, {1: 8, 2: 16}), assessment(2, 100, {1: 10, 2: 20})],
}
"""Three reviews of the work of 1, the last by a teacher, and two of 2, the last by 2."""


def backup(path: Path, course: bytes, more: Mapping[str, bytes] | None = None) -> Path:
    file = path / "course.mbz"
    content = {
        "moodle_backup.xml": b"<moodle_backup/>",
        "activities/workshop_1/workshop.xml": workshop(WORKS),
        "activities/workshop_1/roles.xml": assigned(),
        "course/roles.xml": course,
        "roles.xml": ROLES,
        "users.xml": users(),
    }
    file.write_bytes(zipped({**content, **(more or {})}))
    return file


def roles_of(export: Export) -> dict[tuple[str, str], str]:
    whole = export.reviews.filter(pl.col("criterion") == "")
    return {(one["submission"], one["grader"]): one["role"] for one in whole.to_dicts()}


def test_teachers_are_staff_and_own_work_is_told_apart(tmp_path: Path) -> None:
    export = read_export(backup(tmp_path, assigned(*STUDENTS, (9, 3))))
    assert roles_of(export) == {
        ("101", "2"): "peer",
        ("101", "3"): "peer",
        ("101", "9"): "staff",
        ("102", "1"): "peer",
        ("102", "2"): "self",
    }
    assert export.dialogue.asked == []
    text = "1 teacher assessed, and is staff, not a peer: Name 9 (9)."
    assert notes(export) == [("read", text, ())]
    assert export.reviews["time"].unique().to_list() == [1700000000.0]


def test_a_role_in_the_workshop_counts_there_only(tmp_path: Path) -> None:
    """9 is a student of the course, and a tutor of the second workshop, by a role of the site."""
    path = backup(
        tmp_path,
        assigned(*STUDENTS, (9, 5)),
        {
            "activities/workshop_2/workshop.xml": workshop(WORKS, name="Second"),
            "activities/workshop_2/roles.xml": assigned((9, 8)),
        },
    )
    export = read_export(path, dialogue=Dialogue({"teachers who are students": "staff"}))
    by_staff = export.reviews.filter(pl.col("role") == "staff", pl.col("criterion") == "")
    assert rows(by_staff, "assignment", "grader") == [("Second", "9")]
    # 9 handed in nothing, so that the default is staff.
    assert [(one.key, one.default) for one in export.dialogue.asked] == [
        ("teachers who are students", "staff")
    ]


def test_a_teacher_of_one_course_is_a_student_of_another(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first = backup(tmp_path / "a", assigned(*STUDENTS, (9, 3)))
    other = {"activities/workshop_1/workshop.xml": workshop(WORKS, name="Other")}
    second = backup(tmp_path / "b", assigned(*STUDENTS, (9, 5)), other)
    export = read_export([first, second])
    of_nine = export.reviews.filter(pl.col("grader") == "9", pl.col("criterion") == "")
    assert rows(of_nine, "assignment", "role") == [("Essay", "staff"), ("Other", "peer")]


@pytest.mark.parametrize(
    ("course", "key"), [((9, 7), "role: helper"), (None, "reviewers without a role")]
)
def test_an_unknown_role_is_asked_about(
    course: tuple[int, int] | None, key: str, tmp_path: Path
) -> None:
    path = backup(tmp_path, assigned(*STUDENTS, *([course] if course else [])))
    export = read_export(path)
    assert [(one.key, one.default) for one in export.dialogue.asked] == [(key, "peers")]
    assert roles_of(export)["101", "9"] == "peer"
    answered = read_export(path, dialogue=Dialogue({key: "staff"}))
    assert roles_of(answered)["101", "9"] == "staff"


def test_a_student_who_left_the_course_stays_a_peer(tmp_path: Path) -> None:
    """2 handed in work, and has no role any more."""
    export = read_export(backup(tmp_path, assigned((1, 5), (3, 5), (9, 3))))
    assert export.dialogue.asked == []
    assert roles_of(export)["101", "2"] == "peer"


def test_a_deleted_user_has_no_address(tmp_path: Path) -> None:
    gone = {"users.xml": users(u2="<deleted>1</deleted>")}
    export = read_export(backup(tmp_path, assigned(*STUDENTS, (9, 3)), gone))
    (person,) = export.people.filter(pl.col("person") == "2").to_dicts()
    assert (person["name"], person["email"], person["login"]) == ("Name 2", None, None)
    text = "1 person of the class is deleted in Moodle, so that no address is known: 2."
    assert ("missed", text, ()) in notes(export)


def test_a_workshop_of_comments_is_left_out(tmp_path: Path) -> None:
    comments = workshop(WORKS, strategy="comments", name="Words")
    path = backup(
        tmp_path,
        assigned(*STUDENTS, (9, 3)),
        {"activities/workshop_2/workshop.xml": comments},
    )
    export = read_export(path)
    assert export.reviews["assignment"].unique().to_list() == ["Essay"]
    assert export.submissions["assignment"].unique().to_list() == ["Essay"]
    text = (
        "The workshop 'Words' with 5 reviews is left out: its reviews consist of comments, and the "
        "grade of 100 that Moodle stores for each is no grade."
    )
    assert ("dropped", text, ()) in notes(export)
    with pytest.raises(TableError, match="only workshops with the strategy 'comments'"):
        read_export(backup(tmp_path, assigned(), {"activities/workshop_1/workshop.xml": comments}))


def test_forms_of_other_strategies_are_ignored(tmp_path: Path) -> None:
    """A rubric was tried before, whose criterion has the same id as one of the points."""
    old = (
        "<workshopform_rubric_dimension id='1'><sort>1</sort><description>Old</description>"
        "<workshopform_rubric_level id='1'><grade>4</grade></workshopform_rubric_level>"
        "</workshopform_rubric_dimension>"
    )
    also = (
        "<workshopform_rubric_grade id='77'><dimensionid>1</dimensionid><grade>4</grade>"
        "</workshopform_rubric_grade>"
    )
    works = {1: [assessment(2, 60, {1: 6, 2: 12}, also=also)]}
    file = tmp_path / "workshop.xml"
    file.write_bytes(workshop(works, form=FORM + old))
    export = read_export(file)
    assert rows(export.reviews, "criterion", "score", "highest") == [
        ("", 60.0, 100.0),
        ("Ideas", 6.0, 10.0),
        ("Words", 12.0, 20.0),
    ]
    assert rows(export.criteria, "criterion", "weight", "strictness", "maximum") == [
        ("Ideas", 1.0, 9.0, 80.0),
        ("Words", 3.0, 9.0, 80.0),
    ]


@pytest.mark.parametrize("known", [True, False])
def test_a_scale_of_words_counts_from_1(known: bool, tmp_path: Path) -> None:
    words = FORM.replace("<grade>20</grade>", "<grade>-4</grade>")
    scales = (
        b"<scales_definition><scale id='4'><name>Words</name><scale>poor,fair,good</scale></scale>"
        b"</scales_definition>"
    )
    path = backup(
        tmp_path,
        assigned(*STUDENTS, (9, 3)),
        {
            "activities/workshop_1/workshop.xml": workshop(
                {1: [assessment(2, 60, {1: 6, 2: 3})]}, form=words
            ),
            **({"scales.xml": scales} if known else {}),
        },
    )
    export = read_export(path)
    ends = export.reviews.filter(pl.col("criterion") == "Words").select("lowest", "highest").rows()
    assert ends == [(1.0, 3.0) if known else (None, None)]


def test_the_backup_of_a_running_moodle(real_classes: Path) -> None:
    path = real_classes / "platform-exports" / "moodle-4.5" / "course-backup.mbz"
    export = read_export(path)
    assert export.dialogue.asked == []
    staff = export.reviews.filter(pl.col("role") == "staff")["grader"].unique().sort().to_list()
    assert staff == ["15", "staff"]
    own = export.reviews.filter(pl.col("role") == "self", pl.col("criterion") == "")
    assert own.height == 10
