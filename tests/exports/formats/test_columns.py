from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.errors import TableError
from peergauge.exports.formats.columns import Column, ColumnMap, Part, store_answers
from peergauge.exports.questions import Choice, Question

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


def test_answers_are_stored_beside_what_the_map_has(tmp_path: Path) -> None:
    path = tmp_path / "map.toml"
    path.write_text("# ours\n[[column]]\nname = 'who' # the grader\nis = 'grader'\n")
    store_answers(path, {"duplicates": "first", "column: Email": "unused"})
    store_answers(path, {"duplicates": "newest"})
    text = path.read_text()
    assert "# ours" in text
    assert "# the grader" in text
    read = ColumnMap.read(path)
    assert read.answers == {"duplicates": "newest", "column: Email": "unused"}
    assert read.columns == (Column("who", Part.GRADER),)


def test_a_map_may_hold_answers_alone(tmp_path: Path) -> None:
    path = tmp_path / "map.toml"
    store_answers(path, {"scale": "0..10"})
    assert ColumnMap.read(path) == ColumnMap((), "", {"scale": "0..10"})
    path.write_text("[answers]\nself = true\nhighest = 5\n")
    assert ColumnMap.read(path).answers == {"self": "yes", "highest": "5"}
    path.write_text("[answers]\nself = [1]\n")
    with pytest.raises(TableError, match=r"one value for each question below \[answers\]"):
        ColumnMap.read(path)


def test_open_questions_are_comments_of_a_written_map(tmp_path: Path) -> None:
    path = tmp_path / "map.toml"
    choices = (Choice("newest", "the later one counts"), Choice("first", "the first counts"))
    question = Question(
        "duplicates", "3 reviews are given twice;\nwhich counts?", choices, "newest"
    )
    written = ColumnMap((Column("who", Part.GRADER),), answers={"scale": "0..5"})
    written.write(path, [question])
    assert ColumnMap.read(path) == written
    text = path.read_text()
    assert "# 3 reviews are given twice; which counts?" in text
    # Removing the # answers the question.
    path.write_text(text.replace('# duplicates = "newest"', 'duplicates = "newest"'))
    assert ColumnMap.read(path).answers == {"scale": "0..5", "duplicates": "newest"}
