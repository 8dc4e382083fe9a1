"""The peer tables of Coursera's research export, as a folder and as a ZIP file."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.readers import read_export
from peergauge.exports.validate import validate
from tests.exports.exports import GOLDEN, notes, reviews, rows, zipped

FOLDER = GOLDEN / "coursera" / "class"
IDEAS, COMPLETE = "Are the ideas clear?", "Is it complete?"
PART = "peer_assignment_review_schema_part"


def copy(folder: Path) -> Path:
    shutil.copytree(FOLDER, folder, dirs_exist_ok=True)
    return folder


def change(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / f"{name}.csv"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def append(folder: Path, name: str, *lines: str) -> None:
    with (folder / f"{name}.csv").open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def test_the_points_of_chosen_answers_add_up() -> None:
    export = read_export(FOLDER)
    assert reviews(export) == [
        ("essayBase", "s1", "ben", "peer", "", 4.0, 0.0, 5.0, "done", 1.0, 2),
        ("essayBase", "s1", "ben", "peer", IDEAS, 4.0, 0.0, 4.0, "done", 1.0, 2),
        ("essayBase", "s1", "ben", "peer", COMPLETE, 0.0, 0.0, 1.0, "done", 1.0, 2),
        ("essayBase", "s1", "cyd", "peer", "", 3.0, 0.0, 5.0, "done", 1.0, 3),
        ("essayBase", "s1", "cyd", "peer", IDEAS, 2.0, 0.0, 4.0, "done", 1.0, 3),
        ("essayBase", "s1", "cyd", "peer", COMPLETE, 1.0, 0.0, 1.0, "done", 1.0, 3),
        ("essayBase", "s2", "ada", "peer", "", 5.0, 0.0, 5.0, "done", 1.0, 4),
        ("essayBase", "s2", "ada", "peer", IDEAS, 4.0, 0.0, 4.0, "done", 1.0, 4),
        ("essayBase", "s2", "ada", "peer", COMPLETE, 1.0, 0.0, 1.0, "done", 1.0, 4),
        ("essayBase", "s2", "cyd", "peer", "", 0.0, 0.0, 5.0, "done", 1.0, 5),
        ("essayBase", "s2", "cyd", "peer", IDEAS, 0.0, 0.0, 4.0, "done", 1.0, 5),
        ("essayBase", "s2", "cyd", "peer", COMPLETE, 0.0, 0.0, 1.0, "done", 1.0, 5),
        ("essayBase", "s3", "ada", "peer", IDEAS, 2.0, 0.0, 4.0, "done", 1.0, 6),
        ("essayBase", "s3", "ada", "peer", COMPLETE, None, 0.0, 1.0, "done", 1.0, 6),
        ("essayBase", "s3", "tutor", "staff", "", 5.0, 0.0, 5.0, "done", 1.0, 7),
        ("essayBase", "s3", "tutor", "staff", IDEAS, 4.0, 0.0, 4.0, "done", 1.0, 7),
        ("essayBase", "s3", "tutor", "staff", COMPLETE, 1.0, 0.0, 1.0, "done", 1.0, 7),
    ]
    assert export.submissions.rows() == [
        ("essayBase", "s1", "ada"),
        ("essayBase", "s2", "ben"),
        ("essayBase", "s3", "cyd"),
    ]
    # 2017-01-06 10:00 and, with fractions of a second, 11:00.
    assert export.reviews["time"].unique().sort().head(2).to_list() == [1483696800.0, 1483700400.5]


def test_what_is_left_out_is_noted() -> None:
    assert notes(read_export(FOLDER)) == [
        ("missed", "Nothing is made of 1 other table: 'peer_comments'.", ()),
        ("dropped", "1 submission left out: draft.", ()),
        ("dropped", "1 submission left out: removed.", ()),
        ("read", "1 review by a mentor, taken as staff.", ()),
        ("dropped", "1 review of a draft.", ()),
        ("dropped", "1 review of a submission that was removed.", ()),
        ("dropped", "1 review of a submission that is not in the table of submissions.", ()),
        ("missed", "1 review without an answer to every question with points.", ()),
    ]


def test_a_class_is_on_the_scale_of_the_form() -> None:
    room = validate(read_export(FOLDER))
    assert room.report.scale == "0..5"
    assert room.reports.grade.tolist() == [4.0, 3.0, 5.0, 0.0]
    assert room.truth is not None
    assert room.truth.to_polars().rows() == [("essayBase", "s3", 5.0)]


@pytest.mark.parametrize("under", ["", "course_123/"])
def test_a_zip_file_is_read_like_a_folder(under: str, tmp_path: Path) -> None:
    path = tmp_path / "export.zip"
    packed = {f"{under}{one.name}": one.read_bytes() for one in FOLDER.iterdir()}
    path.write_bytes(zipped({**packed, f"{under}users.csv": b"uni_user_id\nada\n"}))
    export = read_export(path)
    assert export.format == "coursera"
    assert reviews(export) == reviews(read_export(FOLDER))


def test_the_other_tables_of_the_export_do_no_harm(tmp_path: Path) -> None:
    folder = copy(tmp_path)
    (folder / "users.csv").write_text("uni_user_id,country_cd\nada,UK\n")
    (folder / "course_progress.csv").write_text("course_id,uni_user_id,score\nc,ada,5\n")
    (folder / "on_demand_sessions.csv").write_text("course_id,on_demand_session_id\nc,1\n")
    export = read_export(folder)
    assert export.format == "coursera"
    assert reviews(export) == reviews(read_export(FOLDER))
    [missed] = [note.text for note in export.notes if "other tables" in note.text]
    assert missed.startswith("Nothing is made of 4 other tables: 'course_progress', 'on_demand_")


def test_a_table_of_the_same_name_elsewhere_is_not_one_of_coursera(tmp_path: Path) -> None:
    path = tmp_path / "users.csv"
    path.write_text("grader,essay,score\nada,e1,3\nben,e1,4\n")
    assert read_export(path).format == "table"


def test_quotation_marks_behind_backslashes(tmp_path: Path) -> None:
    """The export marks quotation marks, backslashes and line ends in a cell by a backslash."""
    folder = copy(tmp_path)
    odd = '"A \\"set\\", or\\\nclass: C:\\\\"'
    change(folder, "peer_submissions", '"On sets, briefly"', odd)
    change(folder, f"{PART}_options", '"No, not at all"', '"\\"No\\", not at all"')
    change(folder, f"{PART}s", "Is it complete?", '"Is it \\"complete\\", really?"')
    found = read_export(folder)
    name = 'Is it "complete", really?'
    assert reviews(found) == [
        tuple(name if cell == COMPLETE else cell for cell in row)
        for row in reviews(read_export(FOLDER))
    ]


def test_quotation_marks_that_another_program_doubled(tmp_path: Path) -> None:
    folder = copy(tmp_path)
    change(folder, "peer_submissions", '"On sets, briefly"', '"A ""set"", in C:\\"')
    assert reviews(read_export(folder)) == reviews(read_export(FOLDER))


@pytest.mark.parametrize("missing", ["NA", "NULL", "\\N"])
def test_missing_values_of_databases_and_r(missing: str, tmp_path: Path) -> None:
    folder = copy(tmp_path)
    change(folder, "peer_submissions", ",Numbers,,,,", f",Numbers,{missing},{missing},{missing},")
    assert reviews(read_export(folder)) == reviews(read_export(FOLDER))


def test_the_user_column_of_peer_assignments_is_found(tmp_path: Path) -> None:
    folder = copy(tmp_path)
    for name in ("peer_reviews", "peer_submissions"):
        change(folder, name, "uni_user_id", "uni_peer_assignments_user_id")
    assert reviews(read_export(folder)) == reviews(read_export(FOLDER))


def test_assignments_are_called_by_their_course_items(tmp_path: Path) -> None:
    folder = copy(tmp_path)
    (folder / "course_items.csv").write_text(
        "course_id,course_item_id,course_item_name\nc,i,Essay\n"
    )
    (folder / "course_item_peer_assignments.csv").write_text(
        "course_id,course_item_id,peer_assignment_id\nc,i,essayBase@2\n"
    )
    assert set(read_export(folder).reviews["assignment"]) == {"Essay"}


def test_versions_with_other_points_are_kept_apart(tmp_path: Path) -> None:
    folder = copy(tmp_path)
    change(folder, f"{PART}_options", "essayBase@2,p1,o3,Yes,4", "essayBase@2,p1,o3,Yes,9")
    found = rows(read_export(folder).reviews, "assignment", "submission", "highest")
    assert {row for row in found if row[2] in (5.0, 10.0)} == {
        ("essayBase (1)", "s1", 5.0),
        ("essayBase (2)", "s2", 10.0),
        ("essayBase (2)", "s3", 10.0),
    }


def test_two_answers_to_one_question_are_no_answer(tmp_path: Path) -> None:
    folder = copy(tmp_path)
    append(folder, "peer_review_part_choices", "essayBase@1,p1,o1,r1", "essayBase@1,p1,o2,r2")
    found = rows(read_export(folder).reviews, "grader", "submission", "criterion", "score")
    assert ("ben", "s1", IDEAS, None) in found
    assert ("ben", "s1", "", 4.0) not in found
    # The same answer twice is one answer.
    assert ("cyd", "s1", IDEAS, 2.0) in found


def test_answers_add_up_where_the_question_says_so(tmp_path: Path) -> None:
    folder = copy(tmp_path)
    # 0 + 2 + 4 points are possible together.
    change(folder, f"{PART}s", '</text></co-content>",4', '</text></co-content>",6')
    append(folder, "peer_review_part_choices", "essayBase@1,p1,o2,r1")
    found = rows(
        read_export(folder).reviews, "grader", "submission", "criterion", "score", "highest"
    )
    assert ("ben", "s1", IDEAS, 6.0, 6.0) in found
    assert ("ben", "s1", "", 6.0, 7.0) in found


def test_an_answer_that_is_not_in_the_form_is_none(tmp_path: Path) -> None:
    folder = copy(tmp_path)
    change(folder, "peer_review_part_choices", "p2,Yes,r3", "p2,Perhaps,r3")
    assert ("s2", "ada", COMPLETE, None) in rows(
        read_export(folder).reviews, "submission", "grader", "criterion", "score"
    )


def test_points_that_are_given_as_numbers_count(tmp_path: Path) -> None:
    folder = copy(tmp_path)
    change(folder, f"{PART}s", "What could be better?,", "How many of 10?,10")
    (folder / "peer_review_part_scores.csv").write_text(
        f"peer_assignment_id,{PART}_id,peer_review_id,peer_review_part_score\n"
        "essayBase@1,p3,r1,7\nessayBase@1,p3,r2,8.5\n"
    )
    found = rows(
        read_export(folder).reviews, "grader", "submission", "criterion", "score", "highest"
    )
    assert ("ben", "s1", "How many of 10?", 7.0, 10.0) in found
    assert ("cyd", "s1", "", 11.5, 15.0) in found


def test_a_review_that_is_listed_twice_counts_once(tmp_path: Path) -> None:
    folder = copy(tmp_path)
    append(folder, "peer_reviews", "r1,s1,ben,2017-01-06 10:00:00,,,,,f")
    export = read_export(folder)
    assert reviews(export) == reviews(read_export(FOLDER))
    assert ("dropped", "1 review listed twice: the first is kept.", ()) in notes(export)


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ("peer_reviews", ("peer_submissions", "peer_review_part_choices", f"{PART}_options")),
        ("peer_comments", ("peer_reviews", "peer_submissions", "peer_review_part_choices")),
    ],
)
def test_a_table_alone_says_which_others_are_needed(given: str, missing: tuple[str, ...]) -> None:
    with pytest.raises(TableError, match="other tables of the same export of Coursera") as refusal:
        read_export(FOLDER / f"{given}.csv")
    assert all(f"{name}.csv (" in str(refusal.value) for name in missing)


def test_rows_with_too_many_cells_are_noted(tmp_path: Path) -> None:
    folder = copy(tmp_path)
    append(folder, "peer_submissions", "s7,a\\b,too,many,cells,in,this,row,of,it,x,y,z")
    export = read_export(folder)
    assert ("dropped", "1 row of peer_submissions.csv with too many cells.", ()) in notes(export)


def test_free_answers_are_comments_that_authors_see_with_the_review(tmp_path: Path) -> None:
    folder = copy(tmp_path / "class")
    reviewed = (folder / "peer_reviews.csv").read_text().splitlines()[1:3]
    ids = [line.split(",")[0] for line in reviewed]
    lines = "".join(f'a,{PART},{own},"say <b>{own}</b> more"\n' for own in ids)
    (folder / "peer_review_part_free_responses.csv").write_text(
        f"peer_assignment_id,{PART}_id,peer_review_id,peer_review_part_free_response_text\n{lines}"
    )
    export = read_export(folder)
    linked = export.reviews.filter(criterion="").join(
        export.comments, left_on="comments", right_on="review"
    )
    assert rows(linked, "grader", "text", "visible") == [
        ("ben", f"say {ids[0]} more", True),
        ("cyd", f"say {ids[1]} more", True),
    ]
