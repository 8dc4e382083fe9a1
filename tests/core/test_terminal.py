"""Text for a terminal."""

from __future__ import annotations

import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.terminal import (
    PlainOutput,
    cell_width,
    printable,
    shortened,
    table_lines,
    wrapped,
)


def test_escape_sequences_and_hidden_characters_are_shown_as_signs() -> None:
    assert printable("\x1b[31mred\x1b[0m") == "␛[31mred␛[0m"
    assert printable("a\u202eb\x9bc\u2028d") == "a�b�c�d"
    assert printable("Ada\u00a0Berg") == "Ada Berg"
    # A family emoji is several emoji that are joined.
    assert printable("👩\u200d👧") == "👩\u200d👧"


@given(st.text())
def test_no_text_controls_the_terminal(text: str) -> None:
    shown = printable(text)
    assert not any(unicodedata.category(one) in ("Cc", "Zl", "Zp", "Cs") for one in shown)
    assert len(shown) == len(text)


@given(st.text(), st.integers(1, 30))
def test_a_shortened_text_fits_and_begins_as_the_text(text: str, width: int) -> None:
    found = shortened(text, width)
    assert cell_width(found) <= width
    assert found == text or text.startswith(found.removesuffix("…"))


@given(st.text(), st.integers(2, 30), st.integers(1, 4))
def test_wrapped_lines_fit(text: str, width: int, most: int) -> None:
    lines = wrapped(text, width, most)
    assert len(lines) <= most
    assert all(cell_width(one) <= width for one in lines)


def test_a_wrapped_text_that_is_cut_ends_with_an_ellipsis() -> None:
    assert wrapped("one two three", 7, 1) == ["one tw…"]
    assert wrapped("one two three", 7, 2) == ["one two", "three"]
    assert wrapped("", 7, 2) == []


def test_the_widest_column_of_a_table_gives_way() -> None:
    rows = [["row", "grader"], ["2", "A" * 40], ["3", "漢字"]]
    assert table_lines(rows, 16) == ["row  grader", "2    AAAAAAAAAA…", "3    漢字"]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp437", "utf-8"])
def test_an_output_in_any_encoding_shows_signs_or_codes(encoding: str) -> None:
    data, plain = io.BytesIO(), PlainOutput()
    stream = io.TextIOWrapper(data, encoding)
    plain.take(stream)
    stream.write("3 ± 1… ")
    assert not plain.shown_codes
    stream.write("Łukasz 漢 \udcff")
    stream.flush()
    assert plain.shown_codes
    shown = data.getvalue().decode(encoding)
    assert shown in (
        "3 ± 1… Łukasz 漢 \\udcff",
        *(f"3 {sign} 1... \\u0141ukasz \\u6f22 \\udcff" for sign in ("±", "+/-")),
    )
