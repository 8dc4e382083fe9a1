import pytest

from peergauge.core.errors import ParameterError
from peergauge.exports.questions import Dialogue
from peergauge.exports.readers._moodle_roles import named, staff_among, without_role

STUDENTS = {"1": {"student"}, "2": {"student"}}


def asked(dialogue: Dialogue) -> list[tuple[str, str]]:
    return [(one.key, one.default) for one in dialogue.asked]


@pytest.mark.parametrize("role", ["editingteacher", "teacher", "manager", "coursecreator"])
def test_people_with_a_role_for_teaching_are_staff(role: str) -> None:
    talk = Dialogue()
    assert staff_among({**STUDENTS, "9": {role}, "8": set(), "7": {"guest"}}, [], talk, "") == {"9"}
    assert asked(talk) == []


@pytest.mark.parametrize(
    ("authors", "default", "staff"),
    [(["1"], "staff", {"9"}), (["9"], "peers", set()), (None, "peers", set())],
)
def test_a_teacher_who_is_a_student_is_asked_about(
    authors: list[str] | None, default: str, staff: set[str]
) -> None:
    """Handing in work speaks for a student, and staff grades are final, so doubt is for peers."""
    talk = Dialogue()
    roles = {**STUDENTS, "9": {"student", "teacher"}}
    assert staff_among(roles, authors, talk, "", {"9": "Tess"}) == staff
    assert asked(talk) == [("teachers who are students", default)]
    assert "Tess (9)" in talk.asked[0].text
    for answer, expected in (("staff", {"9"}), ("peers", set())):
        known = Dialogue({"teachers who are students": answer})
        assert staff_among(roles, authors, known, "") == expected


@pytest.mark.parametrize(
    ("role", "default"), [("tutor-2", "staff"), ("Lehrkraft", "staff"), ("auditor", "peers")]
)
def test_a_role_that_a_site_has_made_is_asked_about(role: str, default: str) -> None:
    talk = Dialogue()
    found = staff_among({**STUDENTS, "9": {role}}, [], talk, "")
    assert found == ({"9"} if default == "staff" else set())
    assert asked(talk) == [(f"role: {role}", default)]
    # It is not in doubt for somebody who is a student or a teacher anyway.
    talk = Dialogue()
    assert staff_among({"1": {"student", role}, "2": {"teacher", role}}, [], talk, "") == {"2"}
    assert asked(talk) == []


def test_reviewers_without_a_role_are_peers_unless_answered() -> None:
    talk = Dialogue()
    assert without_role({"7"}, talk, "", {}) == set()
    assert asked(talk) == [("reviewers without a role", "peers")]
    assert without_role({"7"}, Dialogue({"reviewers without a role": "staff"}), "", {}) == {"7"}
    nobody = Dialogue()
    assert without_role(set(), nobody, "", {}) == set()
    assert nobody.asked == []


def test_some_of_several_people_can_be_staff() -> None:
    """A backup of one workshop has no roles of the course, so that all are asked about at once."""
    talk = Dialogue({"reviewers without a role": "9, 8"})
    assert without_role({"7", "8", "9"}, talk, "", {}) == {"8", "9"}
    wrong = Dialogue({"reviewers without a role": "9,6"})
    with pytest.raises(ParameterError, match="but 6 is none of 7, 8, 9"):
        without_role({"7", "8", "9"}, wrong, "", {})


def test_many_people_are_shortened() -> None:
    assert named(["1", "2"], {"1": "Ada"}) == "Ada (1), 2"
    assert named(list("123"), {}, most=2) == "1, 2 and 1 more"
