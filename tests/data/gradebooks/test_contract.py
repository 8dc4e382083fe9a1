"""What every gradebook promises."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from peergauge.data.gradebooks import Marks, gradebooks, read_marks, write
from peergauge.data.gradebooks._cells import like_a_formula
from peergauge.errors import ParameterError, PeergaugeError, TableError, UnknownNameError
from tests.data.gradebooks.classes import GOLDEN, two_people

KINDS = sorted(gradebooks.classes())
# What each platform knows people by, and tells again.
KEPT = {
    "canvas": ["name", "sis", "lms", "login", "section"],
    "moodle": ["name", "email", "sis"],
    "brightspace": ["sis", "login"],
    "csv": ["person", "name", "email", "sis", "lms", "login", "section"],
    "xlsx": ["person", "name", "email", "sis", "lms", "login", "section"],
}

letters = st.characters(
    exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"
) | st.sampled_from([*"=+-@'\",; \t\r\n＝é🎓א\u200f#"])
texts = st.text(letters, max_size=8)
names = texts | st.sampled_from(
    ["Lovelace, Ada", "=1+1", "+1", "-1", "@x", " =x", "'=x", '="=x"', "a\nb", "\tx", "\rx", "x;y"]
)
titles = st.text(st.characters(exclude_categories=("Cc", "Cs", "Z", "C")), min_size=1, max_size=6)
points = st.none() | st.floats(-1e6, 1e6) | st.integers(-10, 100).map(float)


@st.composite
def any_marks(draw: st.DrawFn) -> Marks:
    size = draw(st.integers(1, 4))

    def column(what: st.SearchStrategy[str], key: str = "") -> list[str]:
        return [f"{draw(what)}{key and key + str(k)}" for k in range(size)]

    columns: dict[str, list[str] | list[float | None]] = {
        "person": column(texts, "p"),
        "name": column(names),
        "email": column(texts, "e"),
        "sis": column(texts.map(lambda text: text.lstrip("#")), "s"),
        "lms": column(texts, "l"),
        "login": column(texts.map(lambda text: text.lstrip("#")), "n"),
        "section": column(texts),
    }
    for title in draw(st.lists(titles, min_size=1, max_size=3, unique=True)):
        columns[f"{title}:"] = [draw(points) for _ in range(size)]
    return Marks.from_frame(columns)


@pytest.mark.parametrize("kind", KINDS)
@given(marks=any_marks())
def test_what_is_written_is_read_back(kind: str, marks: Marks) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"marks{gradebooks.classes()[kind].facts.suffix}"
        written = write(marks, kind, path)
        again = read_marks(path, kind)
    assert list(written.matched) == marks.frame["person"].to_list()
    columns = [*marks.titles, *(key for key in KEPT[kind] if key in again.known)]
    # A workbook has 16 digits of a number.
    assert_frame_equal(
        again.frame.select(columns),
        marks.frame.select(columns),
        check_exact=kind != "xlsx",
        rel_tol=1e-15,
        abs_tol=0.0,
    )
    # What was left out was known of nobody.
    lost = [key for key in KEPT[kind] if key not in again.known]
    assert all(marks.frame[key].is_null().all() for key in lost)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "xlsx"])
@given(marks=any_marks())
def test_no_text_is_a_formula(kind: str, marks: Marks) -> None:
    import csv

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "marks.csv"
        write(marks, kind, path)
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.reader(file))
    numbers = len(marks.titles) + (kind == "brightspace")
    assert not any(like_a_formula(cell.removeprefix("'")) for cell in rows[0] if cell[:1] != "'")
    for row in rows[1:]:
        assert all(cell[:1] == "'" or not like_a_formula(cell) for cell in row[:-numbers])


@pytest.mark.parametrize("kind", [k for k, cls in gradebooks.classes().items() if cls.facts.fills])
@given(marks=any_marks())
def test_filling_in_the_same_marks_changes_nothing(kind: str, marks: Marks) -> None:
    with tempfile.TemporaryDirectory() as folder:
        new, filled = Path(folder) / "new.csv", Path(folder) / "filled.csv"
        write(marks, kind, new)
        written = write(marks, kind, filled, into=new)
        assert filled.read_bytes() == new.read_bytes()
    assert list(written.matched) == marks.frame["person"].to_list()
    assert written.unmatched_people == written.unmatched_rows == ()


@given(name=names)
def test_a_name_alone_finds_its_row_in_canvas(name: str) -> None:
    marks = Marks.from_frame({"person": ["a", "b"], "name": [f"{name}x", "Ben"], "Essay": [1, 2]})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "marks.csv"
        write(marks, "canvas", path)
        assert write(marks, "canvas", path, into=path).matched == ("a", "b")


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "xlsx"])
def test_a_new_file_looks_as_documented(kind: str, tmp_path: Path) -> None:
    write(two_people(), kind, tmp_path / "new.csv")
    assert (tmp_path / "new.csv").read_bytes() == (GOLDEN / f"{kind}-new.csv").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_refusals_leave_nothing_behind(kind: str, tmp_path: Path) -> None:
    suffix = gradebooks.classes()[kind].facts.suffix
    with pytest.raises(TableError, match=f"should end in {suffix}"):
        write(two_people(), kind, tmp_path / "marks.doc")
    with pytest.raises(TableError, match="There is no folder"):
        write(two_people(), kind, tmp_path / "nowhere" / f"marks{suffix}")
    with pytest.raises(TableError, match="There is no file"):
        read_marks(tmp_path / f"marks{suffix}", kind)
    with pytest.raises(PeergaugeError):
        write(two_people(), kind, tmp_path / f"marks{suffix}", into=tmp_path / "gone.csv")
    (tmp_path / f"folder{suffix}").mkdir()
    with pytest.raises(TableError, match="is a folder"):
        write(two_people(), kind, tmp_path / f"folder{suffix}")
    assert [path.name for path in tmp_path.iterdir()] == [f"folder{suffix}"]


@pytest.fixture(
    params=[b"", b" \n", b"\x00\x01\x02\xff", b'Student,"ID', b"some,other,file\n1,2,3\n"]
)
def no_gradebook(request: pytest.FixtureRequest, tmp_path: Path) -> bytes:
    data: bytes = request.param
    return data


@pytest.mark.parametrize("kind", KINDS)
def test_other_files_are_refused_by_name(kind: str, no_gradebook: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"odd{gradebooks.classes()[kind].facts.suffix}"
    path.write_bytes(no_gradebook)
    with pytest.raises(TableError, match="odd"):
        read_marks(path, kind)


def test_a_misspelt_gradebook_is_suggested(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'canvas'"):
        write(two_people(), "canvass", tmp_path / "marks.csv")


def test_tables_for_people_are_always_new(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="always written anew"):
        write(two_people(), "csv", tmp_path / "marks.csv", into=GOLDEN / "csv-new.csv")


def test_a_frame_will_do(tmp_path: Path) -> None:
    write({"person": ["a"], "Essay": [1]}, "csv", tmp_path / "marks.csv")
    assert read_marks(tmp_path / "marks.csv", "csv").of("Essay") == [1.0]
