from peergauge.exports.formats.opening import Opened
from peergauge.exports.readers import read_export, readers
from tests.exports.exports import GOLDEN, notes, without_defaults

FILE = GOLDEN / "canvas-users" / "users.json"


def test_users_are_told_by_everything_that_files_call_them() -> None:
    export = readers.make("canvas-users").read(Opened(FILE))
    assert without_defaults("people", export.people) == [
        {
            "person": "11",
            "name": "Ada Lovelace",
            "email": "ada@x.example",
            "sis": "S01",
            "lms": "11",
            "login": "ada1",
            "section": "3",
        },
        {
            "person": "12",
            "name": "Ben آدا",
            "email": "ben@x.example",
            "sis": "S02",
            "lms": "12",
            "login": "ben1",
        },
        {"person": "13", "name": "🌻, Cléo", "lms": "13", "login": "cleo1", "section": "SEC-1"},
    ]
    assert notes(export) == [
        ("dropped", "A user is listed twice: the first is kept.", (4,)),
        ("missed", "The number of a user is not given.", (5,)),
    ]


def test_users_name_the_people_of_reviews() -> None:
    export = read_export([GOLDEN / "canvas-rubric" / "essay.json", FILE])
    known = dict(export.people.select("person", "email").rows())
    assert known["12"] == "ben@x.example"
    assert export.format == "canvas-rubric+canvas-users"
