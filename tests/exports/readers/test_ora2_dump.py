from pathlib import Path

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.readers import read_export
from peergauge.exports.validate import validate
from tests.exports.exports import GOLDEN, notes, rows

FOLDER = GOLDEN / "ora2-dump" / "class"
ALL = sorted(FOLDER.iterdir())


def test_parts_join_their_assessment_and_submissions_tell_author_and_item() -> None:
    export = read_export(ALL)
    columns = ("assignment", "submission", "grader", "role", "criterion", "score", "highest")
    assert rows(export.reviews, *columns) == [
        ("ora1", "sub-1", "anon-b", "peer", "", 4.0, 5.0),
        ("ora1", "sub-1", "anon-b", "peer", "Ideas", 3.0, None),
        ("ora1", "sub-1", "anon-b", "peer", "Style", 1.0, None),
        ("ora1", "sub-1", "anon-b", "peer", "Remarks", None, None),
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
