from __future__ import annotations

from pathlib import Path

import pytest

from peergauge.data.opening import Opened, number, read_table
from peergauge.data.records import SCHEMAS, table


@pytest.mark.parametrize("what", SCHEMAS)
def test_a_table_of_nothing_has_no_rows(what: str) -> None:
    assert table(what).height == 0


@pytest.mark.parametrize("text", ["1e999", "9" * 400, "nan", "inf", "", "8/10", None])
def test_what_is_no_finite_number(text: str | None) -> None:
    assert number(text) is None


def test_the_first_foreign_letter_may_come_late(tmp_path: Path) -> None:
    late = "grader;score\n" + "ada;7\n" * 20_000 + "Jörg;8\n"
    for encoding in ("cp1252", "utf-8"):
        file = tmp_path / f"{encoding}.csv"
        file.write_bytes(late.encode(encoding))
        found = Opened(file).table
        assert found is not None
        assert found.frame["grader"][-1] == "Jörg"


def test_one_bad_byte_does_not_spoil_the_other_letters(tmp_path: Path) -> None:
    file = tmp_path / "bad.csv"
    late = "grader;score\n" + "ada;7\n" * 20_000
    file.write_bytes(late.encode() + "Jörg;8\nÄnne;9\n".encode() + b"\xff;1\n")
    found = Opened(file).table
    assert found is not None
    assert found.frame["grader"][-3:].to_list() == ["Jörg", "Änne", "\ufffd"]


def test_a_header_may_break_lines_and_stand_below_empty_ones() -> None:
    found = read_table('\n\n"who;\ngraded";score\nada;7\n', "table")
    assert found is not None
    assert found.header == ("who;\ngraded", "score")
    assert found.rows.to_list() == [4]
