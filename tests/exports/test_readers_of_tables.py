"""What holds for every reader of tables, on every file that is kept here, and on no file at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.errors import PeergaugeError
from peergauge.exports.formats.opening import Opened
from peergauge.exports.questions import Dialogue
from peergauge.exports.readers import Reader, read_export, readers
from tests.exports.exports import GOLDEN, keeps_to_the_tables, rows

FILES = sorted(path for path in GOLDEN.rglob("*") if path.is_file() and "messy" not in path.parts)
TABLES = ["canvas-csv", "gradescope", "mechanical-ta", "ora2-dump", "table"]


ALONE = [path for path in FILES if path.parent.parent == GOLDEN and path.parent.name in TABLES]
"""Files that need no others."""


def as_named(path: Path) -> str:
    return str(path.relative_to(GOLDEN))


def owner(path: Path) -> str:
    """The reader that a file was made for."""
    return path.relative_to(GOLDEN).parts[0]


ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "utf-8 with a mark": lambda text: text.encode("utf-8-sig"),
    "utf-16 with a mark": lambda text: text.encode("utf-16"),
    "utf-16 without a mark": lambda text: text.encode("utf-16-le"),
    "utf-32 with a mark": lambda text: text.encode("utf-32"),
    "lines of Windows": lambda text: text.replace("\n", "\r\n").encode(),
    "empty lines above and below": lambda text: f"\n\n{text}\n\n".encode(),
    "a zero byte": lambda text: text.encode() + b"\0",
}


@pytest.mark.slow
@pytest.mark.parametrize("path", ALONE, ids=as_named)
@pytest.mark.parametrize("written", ENCODINGS)
def test_however_a_table_is_written_it_says_the_same(
    path: Path, written: str, tmp_path: Path
) -> None:
    own = owner(path)
    text = Opened(path).text.removeprefix("\ufeff")
    file = tmp_path / path.name
    file.write_bytes(ENCODINGS[written](text))
    same, other = read_export(path), read_export(file)
    assert other.format == own
    # Numbers of comments follow the rows of the file.
    moved = ("source", "row", "comments")
    assert other.reviews.drop(moved).equals(same.reviews.drop(moved))
    assert other.comments["text"].equals(same.comments["text"])
    assert other.truth.equals(same.truth)
    assert other.submissions.equals(same.submissions)
    assert other.people.equals(same.people)
    down = 2 if written == "empty lines above and below" else 0
    assert other.reviews["row"].equals(same.reviews["row"] + down)


def test_empty_and_repeated_columns(tmp_path: Path) -> None:
    file = tmp_path / "odd.csv"
    file.write_text("grader,,essay,,score,score,*,^a$\nada,,e1,,7,8,x,y\n,,,,,,,\nben,,e1,,9,9,,\n")
    export = read_export(file, dialogue=Dialogue({"grades": "score"}))
    assert rows(export.reviews, "grader", "submission", "score", "row") == [
        ("ada", "e1", 7.0, 2),
        ("ben", "e1", 9.0, 4),
    ]
    [missed] = [note.text for note in export.notes if note.kind == "missed"]
    assert missed == (
        "Nothing is made of the columns 'column 2', 'column 4', 'score (2)', 'column 7', "
        "'column 8'."
    )


@pytest.mark.slow
def test_three_thousand_columns(tmp_path: Path) -> None:
    file = tmp_path / "wide.csv"
    header = ";".join(f"peer_{number}" for number in range(3000))
    file.write_text(f"project;{header}\np1;{'3;' * 2999}4\np2{';' * 3000}\n")
    export = read_export(file)
    assert export.reviews.height == 3000
    assert export.reviews["score"].sum() == 3 * 2999 + 4
    assert all(len(note.text) < 1000 for note in export.notes)


def answers(reader: Reader, file: Path) -> None:
    """Read a file, or refuse it in one sentence."""
    try:
        recognised = reader.recognises(Opened(file))
        export = reader.read(Opened(file))
    except PeergaugeError as error:
        said = str(error)
        assert said.endswith(".")
        assert "\n" not in said
    else:
        assert recognised
        keeps_to_the_tables(export)


own = pytest.mark.parametrize("name", TABLES)

headers = st.sampled_from(
    [
        "grader",
        "reviewer id",
        "submission",
        "Submission ID",
        "assignment",
        "score",
        "Score (10)",
        "truth",
        "author",
        "role",
        "state",
        "weight",
        "criterion",
        "State",
        "Assessor",
        "Assessee",
        "Total Score (45.0)",
        "Style (10.0)",
        "user_id",
        "Name",
        "assessor_id",
        "Score",
        "GradingWorkflowState",
        "Num Assigned Peer Reviews",
        "Num Completed Peer Reviews",
        "Review: 1",
        "Student ID",
        "Calibration ID",
        "Reviewer ID",
        "Reviewer Role",
        "Reviewer Grade",
        "Reviewer Weight",
        "Submission Appealed",
        "SID",
        "Email",
        "Total Score",
        "Max Points",
        "Status",
        "1: Q (4.0 pts)",
        "A",
        "A - Max Points",
        "Assignment Submission ID",
        "Question Submission ID",
        "Grader",
        "Grade 1",
        "Peer 1 ID",
        "peer_1",
        "peer_2",
        "*",
        "^.*$",
        "",
        "row",
        "First name",
        "Last name",
        "Reviewer email",
        "Section",
        "Group",
        "Overall rating",
        "Instructor grade",
    ]
)
GRADES = ["8/10", "8/20", "85%", "4 - Good", "Good (4)", "A", "A-", "B+", "Good", "Points Possible"]
cells = (
    st.sampled_from(
        [
            "",
            "7",
            "7,5",
            "-1",
            "1e308",
            "1e999",
            "nan",
            "inf",
            "Graded",
            "assigned",
            "a",
            "ta",
            "🐝",
        ]
    )
    | st.sampled_from(GRADES)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
)


@st.composite
def tables(draw: st.DrawFn, mark: str = "") -> str:
    names = draw(st.lists(headers, min_size=1, max_size=14))
    body = draw(st.lists(st.lists(cells, max_size=16), max_size=6))
    mark = mark or draw(st.sampled_from(",;\t"))
    return "\n".join(mark.join(row) for row in [names, *body])


@own
@given(text=tables())
def test_any_table_is_read_or_refused(
    name: str, text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.mktemp("tables") / "any.csv"
    file.write_text(text, encoding="utf-8", newline="")
    answers(readers.make(name), file)


@pytest.mark.slow
@own
@pytest.mark.parametrize("path", FILES, ids=as_named)
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused(
    name: str, path: Path, data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if path.relative_to(GOLDEN).parts[0] != name:
        return
    whole = path.read_bytes()
    begin = data.draw(st.integers(0, len(whole)))
    end = data.draw(st.integers(begin, min(len(whole), begin + 40)))
    file = tmp_path_factory.mktemp("damaged") / path.name
    file.write_bytes(whole[:begin] + data.draw(st.binary(max_size=8)) + whole[end:])
    answers(readers.make(name), file)


@own
@given(
    raw=st.binary(max_size=300), mark=st.sampled_from([b"", b"PK\x03\x04", b"\xff\xfe", b"a,b\n"])
)
def test_any_bytes_are_read_or_refused(
    name: str, raw: bytes, mark: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("bytes")
    for suffix in (".csv", ".xlsx"):
        file = folder / f"any{suffix}"
        file.write_bytes(mark + raw)
        answers(readers.make(name), file)
