"""Comments become plain text: tags are removed, and line breaks and everything else stay."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.exports.formats.plain_text import plain_text, plain_texts


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p>One.</p>\n<p>Two,\nstill two.</p>", "One.\nTwo, still two."),
        ("One<br>Two<br/><br />Four", "One\nTwo\n\nFour"),
        ("<ul><li>first<li>second</ul>after", "- first\n- second\nafter"),
        ("<div><div><p>deep</p></div></div><p>next</p>", "deep\nnext"),
        ("<P CLASS='x'>T&eacute;st&nbsp;&nbsp;of &lt;b&gt;</P>", "Tést of <b>"),
        ("a<script>alert(1)</script>b<style>p{}</style>c", "abc"),
        ("<p>seen<!-- not <b>seen</b> --> too</p>", "seen too"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
        ("<p>vector<int> and List<T></p>", "vector<int> and List<T>"),
        ("first line\nsecond <b>line</b>", "first line\nsecond line"),
    ],
)
def test_markup_becomes_text_with_its_lines(markup: str, expected: str) -> None:
    assert plain_text(markup, markup=True) == expected


@pytest.mark.parametrize(
    "text",
    [
        "if a<b and c>d, then &amp; is an entity",
        "use <br> instead of <p>, I <3 it",
        "  indented code\n    stays".strip(),
        "one\n\ntwo",
    ],
)
def test_text_without_closing_tags_stays_as_it_is(text: str) -> None:
    assert plain_text(text) == text


def test_a_text_with_tags_is_markup_unless_the_platform_says_otherwise() -> None:
    assert plain_text("<p>Good.</p>") == "Good."
    assert plain_text("<p>Good.</p>", markup=False) == "<p>Good.</p>"


def test_line_ends_and_control_characters_are_those_of_plain_text() -> None:
    assert plain_text("a\r\nb\rc\x00\x1b[31m\u2028d  ") == "a\nb\nc[31m\nd"
    assert plain_text("a\n\n\n\n\nb") == "a\n\nb"
    assert plain_text(None) == plain_text(" \n ") == plain_text("<p> </p>") == ""


@given(
    st.text(st.sampled_from("<>/!-&;#pbri \n\0a\"'"), max_size=60), st.sampled_from([True, None])
)
def test_any_text_is_read_and_keeps_no_tag_or_control_character(text: str, markup: bool) -> None:
    found = plain_text(text, markup)
    assert found == found.strip()
    assert all(letter == "\n" or letter.isprintable() for letter in found)
    if markup and "&" not in text:
        assert "<p>" not in found
        assert "<br>" not in found


@given(st.text(st.characters(exclude_characters="<&", exclude_categories=["Cc", "Cs", "Zl", "Zp"])))
def test_words_are_never_lost(text: str) -> None:
    assert plain_text(f"<p>{text}</p>", markup=True).split() == text.split()


@pytest.mark.parametrize(
    "piece", ["<", "<a", "<!--", '<p "', "&", "&#", " ", "\n", "<script>", "<p>a\n"]
)
def test_time_is_in_proportion_to_the_length(piece: str) -> None:
    """A text of a million letters is read; in quadratic time this would take hours."""
    assert len(plain_text(piece * (1_000_000 // len(piece)), markup=True)) <= 1_000_000


def test_a_column_has_null_where_nothing_is_left() -> None:
    cells = pl.Series("x", ["<p>a</p>", None, " ", "b", " <p>a</p>", "b\n ", "b\n\n"])
    assert plain_texts(cells).to_list() == ["a", None, None, "b", "a", "b", "b"]


@given(st.lists(st.none() | st.text(st.sampled_from("ab <>/p\n\r\t\x0b\u2028&;"), max_size=12)))
def test_a_column_is_read_as_its_cells_are(cells: list[str | None]) -> None:
    found = plain_texts(pl.Series("x", cells, dtype=pl.String))
    assert found.to_list() == [plain_text(one) or None for one in cells]
