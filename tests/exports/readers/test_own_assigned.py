from __future__ import annotations

from pathlib import Path

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.formats.opening import Opened
from peergauge.exports.open import open_class
from peergauge.exports.readers import read_export, reader_of, readers

HEADER = "assignment,submission,grader,state\n"
REPORTS = "assignment,submission,grader,grade\n1,s,ann,3\n1,s,bob,4\n1,t,ann,5\n2,u,bob,1\n"


def folder_with(folder: Path, assigned: str) -> Path:
    (folder / "reports.csv").write_text(REPORTS)
    (folder / "assigned.csv").write_text(assigned)
    (folder / "class.json").write_text('{"peergauge": "1.0", "scale": "0..5"}')
    return folder


def test_the_list_is_joined_with_the_grades(tmp_path: Path) -> None:
    """Bob owes a review of t and one of anything; nothing is known of the second assignment."""
    rows = "1,s,ann,done\n1,t,ann,done\n1,s,bob,done\n1,t,bob,assigned\n1,,bob,assigned\n"
    opened = open_class(folder_with(tmp_path, f"{HEADER}{rows}1,u,ann,declined\n"))
    assert len(opened.reports) == 4
    reports = opened.assigned_reports
    assert reports.assigned is not None
    assert reports.assigned.tolist() == [[2, 3], [-1, -1]]


def test_a_review_that_is_done_and_not_in_the_reports_is_not_owed(tmp_path: Path) -> None:
    rows = "1,s,ann,done\n1,t,ann,done\n1,s,bob,done\n1,t,bob,done\n"
    opened = open_class(folder_with(tmp_path, HEADER + rows))
    assert opened.assigned_reports.undone is None


def test_a_table_with_grades_is_one_of_reviews_and_other_columns_are_told(tmp_path: Path) -> None:
    path = tmp_path / "reviews.csv"
    path.write_text(f"points,{HEADER}3,1,s,ann,done\n,1,t,bob,assigned\n")
    assert reader_of(Opened(path)).facts.name != "own-assigned"
    path.write_text(f"colour,{HEADER}red,1,s,ann,done\n")
    [note] = readers.make("own-assigned").read(Opened(path)).notes
    assert "the column 'colour'" in note.text


def test_an_empty_list_says_nothing(tmp_path: Path) -> None:
    assert open_class(folder_with(tmp_path, HEADER)).assigned is None


def test_another_list_beside_a_class_is_not_read(tmp_path: Path) -> None:
    """The plan of 'peergauge assign' may have the same name."""
    plan = "assignment,submission,author,grader\n1,s,cy,ann\n"
    assert open_class(folder_with(tmp_path, plan)).assigned is None


def test_the_list_is_read_as_it_is_whatever_reads_the_grades(tmp_path: Path) -> None:
    rows = "1,s,ann,done\n1,t,bob,assigned\n"
    export = read_export(folder_with(tmp_path, HEADER + rows), using="table")
    assert export.assigned_in == {"1"}


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ("1,s,,done", "no grader"),
        ("1,s,ann,late", "no known state"),
        ("1,s,ann,", "no known state"),
        ("1,,ann,done", "no submission, but is done"),
    ],
)
def test_a_wrong_row_is_refused(row: str, wrong: str, tmp_path: Path) -> None:
    path = tmp_path / "assigned.csv"
    path.write_text(f"{HEADER}1,s,ann,done\n{row}\n")
    assert reader_of(Opened(path)).facts.name == "own-assigned"
    with pytest.raises(TableError, match=rf"Row 3 of .*assigned\.csv has {wrong}"):
        readers.make("own-assigned").read(Opened(path))


def test_the_list_alone_is_no_class(tmp_path: Path) -> None:
    path = tmp_path / "assigned.csv"
    path.write_text(f"{HEADER}1,s,ann,assigned\n")
    with pytest.raises(TableError, match=r"add the reports\.csv of the class"):
        open_class(path)
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(TableError, match="should have the columns assignment, submission"):
        readers.make("own-assigned").read(Opened(tmp_path / "other.csv"))
