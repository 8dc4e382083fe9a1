"""What every gradebook promises, whoever wrote it: found in the registry, never listed."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from peergauge.classroom.gradebooks import PERSON_COLUMNS, Marks, gradebooks, read_marks, write
from peergauge.core.errors import ParameterError, PeergaugeError, TableError, UnknownNameError
from peergauge.core.formulas import like_a_formula
from tests.classroom.gradebooks.classes import GOLDEN, two_people

KINDS = sorted(gradebooks.classes())
FACTS = {kind: one.facts for kind, one in gradebooks.classes().items()}
FILLING = [kind for kind in KINDS if FACTS[kind].fills]
each_kind = pytest.mark.parametrize("kind", KINDS)
AS_TEXT = [kind for kind in KINDS if FACTS[kind].suffix == ".csv"]

letters = st.characters(
    exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"
) | st.sampled_from([*"=+-@'\",; \t\r\n＝é🎓א\u200f#"])
texts = st.text(letters, max_size=8)
names = texts | st.sampled_from(
    ["Lovelace, Ada", "=1+1", "+1", "-1", "@x", " =x", "'=x", '="=x"', "a\nb", "\tx", "\rx", "x;y"]
)
titles = st.text(st.characters(exclude_categories=("Cc", "Cs", "Z", "C")), min_size=1, max_size=6)
points = st.none() | st.floats(-100, 100) | st.integers(-10, 100).map(float)


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


def writable(marks: Marks, kind: str) -> Marks:
    """The marks, without gaps where a blank cell would delete a grade."""
    if not FACTS[kind].blank_wipes:
        return marks
    return Marks(marks.frame.with_columns(pl.col(title).fill_null(1.5) for title in marks.titles))


@pytest.mark.slow
@each_kind
@given(marks=any_marks())
def test_what_is_written_is_read_back(kind: str, marks: Marks) -> None:
    marks = writable(marks, kind)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"marks{FACTS[kind].suffix}"
        written = write(marks, kind, path)
        again = read_marks(path, kind)
    assert list(written.matched) == marks.frame["person"].to_list()
    columns = [*marks.titles, *(key for key in FACTS[kind].keeps if key in again.known)]
    # A workbook has 16 digits of a number.
    assert_frame_equal(
        again.frame.select(columns),
        marks.frame.select(columns),
        check_exact=kind != "xlsx",
        rel_tol=1e-15,
        abs_tol=0.0,
    )
    # What was left out was known of nobody.
    lost = [key for key in FACTS[kind].keeps if key not in again.known]
    assert all(marks.frame[key].is_null().all() for key in lost)


@pytest.mark.parametrize("kind", AS_TEXT)
@given(marks=any_marks())
def test_no_text_is_a_formula(kind: str, marks: Marks) -> None:
    marks = writable(marks, kind)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "marks.csv"
        write(marks, kind, path)
        rows = rows_of(path)
    numbers = len(marks.titles) + (kind == "brightspace")
    assert not any(like_a_formula(cell.removeprefix("'")) for cell in rows[0] if cell[:1] != "'")
    for row in rows[1:]:
        assert all(cell[:1] == "'" or not like_a_formula(cell) for cell in row[:-numbers])


@pytest.mark.slow
@pytest.mark.parametrize("kind", FILLING)
@given(marks=any_marks())
def test_filling_in_the_same_marks_changes_nothing(kind: str, marks: Marks) -> None:
    marks = writable(marks, kind)
    with tempfile.TemporaryDirectory() as folder:
        new, filled = Path(folder) / "new.csv", Path(folder) / "filled.csv"
        write(marks, kind, new)
        written = write(marks, kind, filled, into=new)
        assert filled.read_bytes() == new.read_bytes()
    assert list(written.matched) == marks.frame["person"].to_list()
    assert written.unmatched_people == written.unmatched_rows == ()


@pytest.mark.parametrize("kind", FILLING)
def test_an_instructors_own_export_is_filled_and_else_left_alone(kind: str, tmp_path: Path) -> None:
    export = GOLDEN / f"{kind}-export.csv"
    known = read_marks(export, kind)
    title = known.titles[0]
    marks = Marks(known.frame.select(*known.known, pl.lit(2.25).alias(title)))
    written = write(marks, kind, tmp_path / "filled.csv", into=export)
    assert list(written.matched) == known.frame["person"].to_list()
    again = read_marks(written.path, kind)
    filled = again.of(title)
    assert all(new == 2.25 for old, new in zip(known.of(title), filled, strict=True) if old)
    # Where a platform says that somebody has no mark to get, that stays, and is told.
    assert set(filled) == {2.25} or written.notes
    others = [name for name in known.frame.columns if name != title]
    assert_frame_equal(again.frame.select(others), known.frame.select(others))
    before, after = (rows_of(path) for path in (export, written.path))
    changed = {
        (row, column)
        for row, (old, new) in enumerate(zip(before, after, strict=True))
        for column, (cell, other) in enumerate(zip(old, new, strict=True))
        if cell != other
    }
    assert len({column for _, column in changed}) == 1
    assert len(changed) == filled.count(2.25)


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


@each_kind
def test_there_is_a_page(kind: str) -> None:
    page = (GOLDEN.parents[2] / "docs" / "reference" / "gradebooks.md").read_text(encoding="utf-8")
    assert f"\n## {kind}\n" in page
    assert FACTS[kind].keeps
    assert set(FACTS[kind].keeps) <= set(PERSON_COLUMNS)


@pytest.mark.parametrize("kind", KINDS)
@given(marks=any_marks())
def test_no_cell_is_blank_where_that_deletes_a_grade(kind: str, marks: Marks) -> None:
    """Everybody with a mark has it in one of the files, and no file has a gap."""
    given = {
        (person, title): mark
        for title in marks.titles
        for person, mark in zip(marks.frame["sis"], marks.of(title), strict=True)
        if mark is not None
    }
    if not FACTS[kind].blank_wipes or not given:
        return
    found: dict[tuple[str, str], float | None] = {}
    with tempfile.TemporaryDirectory() as folder:
        written = write(marks, kind, Path(folder) / "marks.csv")
        for path in (written.path, *written.more_paths):
            again = read_marks(path, kind)
            for title in again.titles:
                assert again.frame[title].null_count() == 0
                found |= {
                    (person, title): mark
                    for person, mark in zip(again.frame["sis"], again.of(title), strict=True)
                }
    assert found == given


@given(name=names)
def test_a_name_alone_finds_its_row_in_canvas(name: str) -> None:
    marks = Marks.from_frame({"person": ["a", "b"], "name": [f"{name}x", "Ben"], "Essay": [1, 2]})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "marks.csv"
        write(marks, "canvas", path)
        assert write(marks, "canvas", path, into=path).matched == ("a", "b")


@pytest.mark.parametrize("kind", AS_TEXT)
def test_a_new_file_looks_as_documented(kind: str, tmp_path: Path) -> None:
    write(two_people(), kind, tmp_path / "new.csv")
    assert (tmp_path / "new.csv").read_bytes() == (GOLDEN / f"{kind}-new.csv").read_bytes()


@each_kind
def test_refusals_leave_nothing_behind(kind: str, tmp_path: Path) -> None:
    suffix = FACTS[kind].suffix
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


@each_kind
def test_other_files_are_refused_by_name(kind: str, no_gradebook: bytes, tmp_path: Path) -> None:
    path = tmp_path / f"odd{FACTS[kind].suffix}"
    path.write_bytes(no_gradebook)
    with pytest.raises(TableError, match="odd"):
        read_marks(path, kind)


def test_a_misspelt_gradebook_is_suggested(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'canvas'"):
        write(two_people(), "canvass", tmp_path / "marks.csv")


def test_tables_for_people_are_always_new(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="always a new file"):
        write(two_people(), "csv", tmp_path / "marks.csv", into=GOLDEN / "csv-new.csv")


def test_a_frame_will_do(tmp_path: Path) -> None:
    write({"person": ["a"], "Essay": [1]}, "csv", tmp_path / "marks.csv")
    assert read_marks(tmp_path / "marks.csv", "csv").of("Essay") == [1.0]
