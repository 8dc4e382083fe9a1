"""What headers say: scales, words and details of people."""

from __future__ import annotations

import pytest

from peergauge.exports.formats.headers import Scale, detail_of, scale_of, words_of


@pytest.mark.parametrize(
    ("header", "scale"),
    [
        ("Clarity (1-10)", Scale("Clarity", 1, 10)),
        ("Clarity [0 to 5 points]", Scale("Clarity", 0, 5)),
        ("Klarheit (von 1 bis 6)", Scale("Klarheit", 1, 6)),
        ("Note (max. 20)", Scale("Note", None, 20)),
        ("Score out of 7,5", Scale("Score", None, 7.5)),
        ("Score / 100 %", Scale("Score", None, 100)),
    ],
)
def test_a_scale_is_read_in_the_ways_that_people_write_it(header: str, scale: Scale) -> None:
    assert scale_of(header) == scale


@pytest.mark.parametrize(
    "header",
    [
        "Clarity",
        "Essay 2",
        "(1-10)",  # nothing would be left as a name
        "Clarity (10-1)",  # no scale runs downward
        "Clarity (0)",  # no grade would be above it
        "1/10 of the essays",
    ],
)
def test_a_header_without_a_scale_stays_as_it_is(header: str) -> None:
    assert scale_of(header) == Scale(header)


def test_only_the_end_of_a_long_header_is_searched() -> None:
    assert scale_of("(1-10) " + 80 * "x").highest is None


@pytest.mark.parametrize(
    ("header", "words"),
    [
        ("reviewerId", ["reviewer", "id"]),
        ("Évaluateur", ["evaluateur"]),
        ("q1_score", ["q", "1", "score"]),
        ("STRASSE Straße", ["strasse", "strasse"]),
        ("--", []),
    ],
)
def test_words_have_small_letters_without_accents(header: str, words: list[str]) -> None:
    assert words_of(header) == words


@pytest.mark.parametrize(
    ("header", "detail"),
    [
        ("Matrikelnummer", "sis"),
        ("Student number", "sis"),
        ("Grader's e-mail address", "email"),
        ("Nom d'utilisateur", "login"),
        ("Canvas user ID", "lms"),
        ("Prénom", "first name"),
        ("Apellidos", "last name"),
        ("Your full name", "name"),
        ("Section", "section"),
        ("File name", None),
        ("Email feedback", None),
        ("", None),
    ],
)
def test_details_of_people_are_told_from_other_columns(header: str, detail: str | None) -> None:
    assert detail_of(header) == detail
