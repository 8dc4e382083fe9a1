import io

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.formats.trees import (
    MAX_TAG_BYTES,
    MAX_TEXT_LETTERS,
    MAX_XML_DEPTH,
    flag_of,
    id_of,
    plain_of,
    quoted_names,
    read_xml,
    score_of,
    text_of,
)


@pytest.mark.parametrize("value", [7, 7.0, "7", " 7 ", "7.0", "\x007"])
def test_one_id_is_written_in_many_ways(value: object) -> None:
    assert id_of(value) == "7"


@pytest.mark.parametrize("value", [None, True, "", "  ", [], {}, float("nan"), float("inf")])
def test_what_names_nobody_is_null(value: object) -> None:
    assert id_of(value) is None


def test_half_a_letter_is_marked() -> None:
    assert text_of("Ada \ud83c") == "Ada ?"
    assert text_of("أدا 🌻") == "أدا 🌻"


@pytest.mark.parametrize("value", [10**4000, 1e400, "1e999", "lots", True, None, [7], "NaN"])
def test_what_is_no_finite_number_is_null(value: object) -> None:
    assert score_of(value) is None


def test_flags_are_written_in_many_ways() -> None:
    assert [flag_of(value) for value in (True, "true", "YES", 1)] == [True] * 4
    assert [flag_of(value) for value in (False, "False", "no", 0)] == [False] * 4


def test_names_are_told_on_one_line() -> None:
    assert quoted_names(["a\nb", " c ", "d" * 50]) == f"'a b', 'c', '{'d' * 40}'"


def test_long_runs_of_brackets_take_no_time() -> None:
    assert plain_of("<" * 10**6) == "<" * 10**6


def nodes(text: str | bytes) -> list[str]:
    raw = text.encode() if isinstance(text, str) else text
    found = read_xml(io.BytesIO(raw), "a.xml", lambda tag: tag == "n", frozenset({"x"}))
    return [node.fields.get("x", "") for node in found]


def test_only_the_texts_of_elements_that_are_wanted_are_kept() -> None:
    text = "<a><x>0</x><n id='1'><x>1<b/></x><c><x>2</x></c><y>3</y></n><n/></a>"
    assert nodes(text) == ["", ""]
    assert nodes("<a><n><x>A &amp; <![CDATA[<b>]]></x></n></a>") == ["A & <b>"]


def test_long_texts_are_cut() -> None:
    assert nodes(f"<n><x>{'a' * 10**6}</x></n>") == ["a" * MAX_TEXT_LETTERS]


LAUGHS = (
    "<!DOCTYPE n ["
    '<!ENTITY a "ha">'
    + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    + "]><n><x>&i;</x></n>"
)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (LAUGHS, "document type"),
        ('<!DOCTYPE n SYSTEM "file:///etc/passwd"><n/>', "document type"),
        ('<!DOCTYPE n [<!ENTITY a SYSTEM "file:///etc/passwd">]><n>&a;</n>', "document type"),
        ("<n>&a;</n>", "not valid XML: undefined entity in line 1"),
        ("<n>" * (MAX_XML_DEPTH + 1), "nests more than"),
        (f"<n a='{'a' * 3 * MAX_TAG_BYTES}'/>", "a tag that does not end"),
        (f"<n><!--{'a' * 3 * MAX_TAG_BYTES}", "a tag that does not end"),
        ("<n>\x00</n>", "not valid XML"),
        ("<n>", "not valid XML: no element found"),
        ("", "not valid XML: no element found"),
        (b"<n>\xff</n>", "not valid XML"),
        ('<?xml version="1.0" encoding="klingon"?><n/>', "encoding"),
        ('<?xml version="1.0" encoding="idna"?><n/>', "."),
        ('<?xml version="1.0" encoding="utf-7"?><n/>', "."),
    ],
)
def test_what_harms_is_refused_in_a_sentence(text: str | bytes, reason: str) -> None:
    with pytest.raises(TableError, match=reason) as refused:
        nodes(text)
    assert "\n" not in str(refused.value)


def test_more_than_is_allowed_is_refused() -> None:
    stream = io.BytesIO(b"<n>" + b" " * 10**6)
    with pytest.raises(TableError, match="more than 0 MiB of XML"):
        read_xml(stream, "a.xml", lambda _: True, frozenset(), most=10**5)
