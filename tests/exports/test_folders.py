"""Which files of a folder are a class, and which folders hold none."""

from __future__ import annotations

from pathlib import Path

import pytest

from peergauge.core.errors import PassedOverWarning, TableError
from peergauge.exports.folders import classes_in, files_of
from peergauge.exports.readers import read_export
from tests.exports.exports import zipped

REVIEWS = "submission,grader,score\na,x,3\na,y,4\n"


def put(path: Path, text: str = REVIEWS) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_plain_tables_come_before_everything_beside_them(tmp_path: Path) -> None:
    for name in ("reports.csv", "truth.csv", "tutors.csv"):
        put(tmp_path / name)
    assert [path.name for path in files_of(tmp_path)] == ["reports.csv", "truth.csv"]


def test_notes_beside_an_export_are_no_part_of_it(tmp_path: Path) -> None:
    put(tmp_path / "reviews.csv")
    put(tmp_path / "SOURCE.md", "# Where it is from, who may use it\n")
    put(tmp_path / ".hidden.csv")
    assert [path.name for path in files_of(tmp_path)] == ["reviews.csv"]
    assert read_export(tmp_path).reviews.height == 2


def test_archives_of_other_things_are_named_and_passed_over(tmp_path: Path) -> None:
    put(tmp_path / "reviews.csv")
    (tmp_path / "work of students.zip").write_bytes(zipped({"ada.pdf": b"%PDF-"}))
    (tmp_path / "broken.tar.gz").write_bytes(b"\x1f\x8b")
    with pytest.warns(PassedOverWarning, match=r"read here: broken.tar.gz, work of students.zip\."):
        assert [path.name for path in files_of(tmp_path)] == ["reviews.csv"]


def test_a_folder_in_which_nothing_is_known_is_passed_over(tmp_path: Path) -> None:
    put(tmp_path / "ours" / "reviews.csv")
    put(tmp_path / "summary" / "joint.json", "[[1, 2], [3, 4]]")
    put(tmp_path / "notes" / "README.md")
    with pytest.warns(PassedOverWarning, match="no file in summary is read here"):
        assert [path.name for path in classes_in(tmp_path)] == ["ours"]


def test_a_class_that_is_known_and_wrong_is_not_passed_over(tmp_path: Path) -> None:
    put(tmp_path / "ours" / "reviews.csv")
    put(tmp_path / "broken" / "reviews.csv", "what,ever\n1,2\n")
    assert [path.name for path in classes_in(tmp_path)] == ["broken", "ours"]
    with pytest.raises(TableError, match="no submission"):
        read_export(tmp_path / "broken")


def test_a_folder_of_folders_is_no_class(tmp_path: Path) -> None:
    put(tmp_path / "ours" / "reviews.csv")
    with pytest.raises(TableError, match="without a file that is read here"):
        read_export(tmp_path)
