from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.errors import TableError
from peergauge.exports.formats.columns import Column, ColumnMap, Part

names = st.text(max_size=12)
numbers = st.none() | st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.slow
@given(
    st.lists(
        st.builds(
            Column,
            name=names,
            part=st.sampled_from([Part.GRADE, Part.TRUTH, Part.UNUSED]),
            criterion=names,
            lowest=numbers,
            highest=numbers,
            grader=names,
            role=st.sampled_from(["", "peer", "staff"]),
            values=st.dictionaries(
                st.sampled_from(["A", 'say "so"', "tab\t", "a = b", "é"]) | st.integers().map(str),
                st.integers(-9, 9),
            ),
        ),
        min_size=1,
        max_size=5,
        unique_by=lambda column: column.name,
    ),
    names,
)
def test_maps_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, columns: list[Column], assignment: str
) -> None:
    path = tmp_path_factory.mktemp("maps") / "map.toml"
    written = ColumnMap(tuple(columns), assignment)
    written.write(path)
    assert ColumnMap.read(path) == written


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("column = ", "is not a column map in TOML"),
        ("", r"lists no columns; write \[\[column\]\]"),
        ("column = 3", r"not a column map; write \[\[column\]\]"),
        ("[[column]]\nis = 'grade'", "without a name"),
        ("[[column]]\nname = 'x'\nis = 'grad'", "is 'grad', which is none of assignment,"),
        ("[[column]]\nname = 'x'\nis = 'grade'\nmax = 3", "says max = 3 of 'x'; a column has"),
        ("[[column]]\nname = 'x'\nis = 'grade'\nby = 'y'", "that 'y' gave the grades of 'x'"),
        (
            "[[column]]\nname = 'x'\nis = 'grade'\nvalues = 3",
            "says values = 3 of 'x'; a column has",
        ),
        ("[[column]]\nname = 'x'\nis = 'grade'\nvalues = {A = 'b'}", "says values = {'A': 'b'} of"),
        (
            "[[column]]\nname = 'x'\nis = 'grade'\nvalues = {A = 1, a = 2}",
            "says values = .* of 'x'",
        ),
        ("[[column]]\nname = 'x'\nis = 'email'\nwhose = 'cat'", "says whose = 'cat' .* author"),
        (
            "[[column]]\nname = 'x'\nis = 'email'\n[[column]]\nname = 'y'\nis = 'email'",
            "two columns for the email of one person, 'x' and 'y'; keep one",
        ),
        (
            "[[column]]\nname = 'x'\nis = 'grader'\n[[column]]\nname = 'y'\nis = 'grader'",
            "two columns for the grader, 'x' and 'y'; keep one, or say with by =",
        ),
        (
            "[[column]]\nname = 'x'\nis = 'role'\n[[column]]\nname = 'y'\nis = 'role'",
            "two columns for the role, 'x' and 'y'; keep one",
        ),
        (
            "[[column]]\nname = 'x'\nis = 'role'\n[[column]]\nname = 'x'\nis = 'grade'",
            "lists 'x' twice",
        ),
    ],
)
def test_what_is_wrong_with_a_map(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "map.toml"
    path.write_text(text)
    with pytest.raises(TableError, match=complaint):
        ColumnMap.read(path)


def test_a_map_that_is_not_there() -> None:
    with pytest.raises(TableError, match="cannot be opened"):
        ColumnMap.read("nowhere.toml")
