import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.readers import read_export
from peergauge.exports.validate import validate
from tests.conftest import SHARED
from tests.exports.exports import GOLDEN, notes, rows, tarred, zipped
from tests.exports.readers.test_ora2 import as_expected, expected  # noqa: F401

FOLDER = GOLDEN / "ora2-dump" / "class"
ALL = sorted(FOLDER.iterdir())


def test_parts_join_their_assessment_and_submissions_tell_author_and_item() -> None:
    export = read_export(ALL)
    columns = ("assignment", "submission", "grader", "role", "criterion", "score", "highest")
    assert rows(export.reviews, *columns) == [
        ("ora1", "sub-1", "anon-b", "peer", "", 4.0, 5.0),
        ("ora1", "sub-1", "anon-b", "peer", "Ideas", 3.0, None),
        ("ora1", "sub-1", "anon-b", "peer", "Style", 1.0, None),
        ("ora1", "sub-1", "anon-c", "peer", "", 3.0, 5.0),
        ("ora1", "sub-1", "anon-c", "peer", "Ideas", 1.0, None),
        ("ora1", "sub-1", "anon-c", "peer", "Style", 2.0, None),
        ("ora1", "sub-1", "anon-t", "staff", "", 5.0, 5.0),
        ("ora1", "sub-1", "anon-t", "staff", "Ideas", 3.0, None),
        ("ora1", "sub-1", "anon-t", "staff", "Style", 2.0, None),
        ("ora1", "sub-2", "anon-b", "self", "", 2.0, 5.0),
        ("ora1", "sub-2", "anon-b", "self", "Ideas", 1.0, None),
        ("ora1", "sub-2", "anon-b", "self", "Style", 1.0, None),
        # The points that were possible are told by the table of scores.
        ("ora1", "sub-2", "anon-a", "peer", "", 2.0, 5.0),
        ("ora1", "sub-2", "anon-a", "peer", "Ideas", 0.0, None),
        ("ora1", "sub-2", "anon-a", "peer", "Style", 2.0, None),
        ("", "sub-9", "anon-a", "peer", "", None, 5.0),
    ]
    assert export.submissions.rows() == [
        ("ora1", "sub-1", "anon-a"),
        ("ora1", "sub-2", "anon-b"),
        ("ora2", "sub-3", "anon-c"),
    ]
    assert notes(export) == [
        ("missed", "A submission is not in the table of submissions.", (7,)),
        ("missed", "An assessment has no points in the table of parts.", (7,)),
        ("missed", "Nothing is made of the feedback of students on reviews.", ()),
        ("dropped", "Points are of an assessment that is not in the table of assessments.", (13,)),
        ("read", "The criterion 'Remarks' is for words only.", ()),
    ]


def test_a_row_is_one_of_the_file_that_it_names() -> None:
    export = read_export(ALL)
    places = rows(export.reviews.head(2), "source", "row")
    assert places == [(str(FOLDER / "assessment.csv"), 2), (str(FOLDER / "assessment_part.csv"), 2)]


def test_staff_tell_the_truth_and_final_scores_do_not() -> None:
    room = validate(read_export(ALL))
    assert room.report.scale == "0..5"
    assert room.truth is not None
    assert room.truth.to_polars().rows() == [("ora1", "sub-1", 5.0)]


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ("assessment", ("assessment_part", "submission")),
        ("assessment_part", ("assessment", "submission")),
        ("submission", ("assessment_part", "assessment")),
        ("score", ("assessment_part", "assessment", "submission")),
    ],
)
def test_a_table_alone_says_which_others_are_needed(given: str, missing: tuple[str, ...]) -> None:
    with pytest.raises(TableError, match=f"only '{given}' is there; give ") as refusal:
        read_export(FOLDER / f"{given}.csv")
    wanted = str(refusal.value).partition("; give ")[2]
    assert [name for name in missing if f"{name}.csv (" in wanted] == list(missing)
    assert f" {given}.csv" not in wanted


def test_an_assessment_that_is_listed_twice_counts_once(tmp_path: Path) -> None:
    again = tmp_path / "assessment.csv"
    text = (FOLDER / "assessment.csv").read_text(encoding="utf-8")
    again.write_text(text + text.splitlines()[1] + "\n", encoding="utf-8")
    others = [path for path in ALL if path.name != "assessment.csv"]
    export = read_export([again, *others])
    assert export.reviews.height == read_export(ALL).reviews.height
    assert ("dropped", "An assessment is listed twice: the first is kept.", (8,)) in notes(export)


# ------------------------------------------------------------------------------------- archives

Pack = Callable[[Mapping[str, bytes]], bytes]
packs = pytest.mark.parametrize(
    ("pack", "suffix"), [(tarred, ".tar.gz"), (tarred, ".tgz"), (zipped, ".zip")]
)


def members(folder: Path = FOLDER, under: str = "") -> dict[str, bytes]:
    return {f"{under}{path.name}": path.read_bytes() for path in sorted(folder.iterdir())}


def values(path: Path) -> list[tuple[object, ...]]:
    export = read_export(path)
    assert export.format == "ora2-dump"
    return export.reviews.drop("source", "comments").rows()


@packs
@pytest.mark.parametrize("under", ["", "./", "dump/", "course/2026-11-16/"])
def test_an_archive_is_read_like_a_folder(
    pack: Pack, suffix: str, under: str, tmp_path: Path
) -> None:
    path = tmp_path / f"2026-11-16T10_00{suffix}"
    path.write_bytes(pack(members(under=under)))
    assert values(path) == read_export(ALL).reviews.drop("source", "comments").rows()
    # The archive may also be the only file of a folder.
    assert values(tmp_path) == values(path)


@packs
def test_rows_of_an_archive_name_their_member(pack: Pack, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"dump{suffix}"
    path.write_bytes(pack(members(under="dump/")))
    places = rows(read_export(path).reviews.head(1), "source", "row")
    assert places == [(f"{path}/dump/assessment.csv", 2)]


@packs
def test_other_members_do_no_harm(pack: Pack, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"dump{suffix}"
    others = {
        "__MACOSX/dump/._assessment.csv": b"\0\5\x16\7",
        "dump/readme.txt": b"what this is",
        "../../assessment.csv": b"id\n1\n",
    }
    path.write_bytes(pack({**members(under="dump/"), **others}))
    assert values(path) == read_export(ALL).reviews.drop("source", "comments").rows()


@packs
def test_two_dumps_in_one_archive_are_refused(pack: Pack, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"dump{suffix}"
    path.write_bytes(pack({**members(under="a/"), **members(under="b/")}))
    with pytest.raises(TableError, match=r"several tables assessment.csv; give one dump"):
        read_export(path)


@packs
def test_an_archive_without_a_table_says_which(pack: Pack, suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"dump{suffix}"
    some = members()
    del some["submission.csv"]
    path.write_bytes(pack(some))
    with pytest.raises(TableError, match=r"give submission.csv \(who wrote a submission"):
        read_export(path)


def test_an_archive_of_other_tables_is_not_a_dump(tmp_path: Path) -> None:
    path = tmp_path / "other.zip"
    path.write_bytes(zipped({"score.csv": b"a,b\n1,2\n"}))
    with pytest.raises(TableError, match="is none of the files that are read here"):
        read_export(path)


def test_an_archive_that_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("peergauge.exports.formats.archives.MAX_TREE_BYTES", 300)
    path = tmp_path / "dump.zip"
    path.write_bytes(zipped(members()))
    with pytest.raises(TableError, match="unpacks to more than"):
        read_export(path)


def test_criteria_of_two_assignments_keep_their_own_labels(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    with (tmp_path / "assessment.csv").open("a", encoding="utf-8") as file:
        file.write("9,sub-3,2014-06-01 15:00:00+00:00,anon-a,PE,5,\n")
    with (tmp_path / "assessment_part.csv").open("a", encoding="utf-8") as file:
        file.write("9,2,c1,Proof,good,Good,\n")
    found = rows(read_export(tmp_path).reviews, "assignment", "criterion")
    assert set(found) >= {("ora1", "Ideas"), ("ora2", "Proof")}
    assert ("ora2", "Ideas") not in found


# -------------------------------------------------------------------- files that ORA itself wrote


@pytest.mark.parametrize("form", ["folder", ".tar.gz", ".zip"])
def test_the_dump_comes_to_what_was_given(
    form: str,
    expected: list[tuple[str, str, str, str, float, float]],  # noqa: F811
    tmp_path: Path,
) -> None:
    path = folder = SHARED / "data" / "platform-exports" / "ora2" / "dump"
    if form != "folder":
        path = tmp_path / f"dump{form}"
        path.write_bytes((zipped if form == ".zip" else tarred)(members(folder)))
    export = read_export(path)
    assert as_expected(export) == expected
    assert validate(export).report.scale == "0..9"
