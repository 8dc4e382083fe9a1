from __future__ import annotations

from pathlib import Path

import pytest

from peergauge.classroom.gradebooks import (
    Marks,
    Written,
    check_match,
    read_marks,
    refuse_without_maximum,
    write,
)
from peergauge.core.errors import ParameterError, TableError
from tests.classroom.gradebooks.classes import GOLDEN, marks_of

EXPORT = GOLDEN / "canvas-export.csv"


def filled(marks: Marks, tmp_path: Path, into: Path = EXPORT) -> tuple[Written, list[str]]:
    written = write(marks, "canvas", tmp_path / "filled.csv", into=into)
    return written, written.path.read_text(encoding="utf-8").splitlines()


def test_only_marks_change_in_an_export(tmp_path: Path) -> None:
    marks = Marks.from_frame(
        {
            "person": ["a", "b", "c", "f", "x"],
            "lms": [1001, None, None, None, 77],
            "sis": [None, "S02", None, None, None],
            "login": [None, None, "CLEO", None, None],
            "name": [None, None, None, "=Fay", "Xu"],
            "Peer review quality": [8.5, 9, None, 6, 5],
            "Bonus": [1, -0.5, None, None, None],
        },
        {"Peer review quality": 10, "Bonus": 2},
    )
    written, _ = filled(marks, tmp_path)
    assert written.path.read_bytes() == (GOLDEN / "canvas-filled.csv").read_bytes()
    # Students without a bonus are not in the file that creates it.
    assert [path.name for path in written.more_paths] == ["filled-2.csv"]
    assert written.more_paths[0].read_bytes() == (GOLDEN / "canvas-filled-2.csv").read_bytes()
    # There is no mark for c.
    assert written.matched == ("a", "b", "f")
    assert written.unmatched_people == ("x",)
    assert written.unmatched_rows == ()
    told = " ".join(written.notes)
    assert "Canvas will create 'Bonus' as a new assignment" in told
    assert "Bell, Ben (row 5): EX" in told
    assert "the old entry stays: Day, Cleo (row 6)" in told
    assert "(who is not there): x" in told
    assert "'Peer review quality'" not in told


def test_delimiter_bom_line_ends_and_decimal_comma_are_kept(tmp_path: Path) -> None:
    marks = Marks.from_frame(
        {
            "person": ["a", "z"],
            "name": ["Ada Lovelace", "Bell, Zoë"],
            "Essay, revised (4711)": [8.5, 9],
            "Bonus": [None, 0.5],
        },
        {"Bonus": 2.5},
    )
    written, _ = filled(marks, tmp_path, GOLDEN / "canvas-semicolon-export.csv")
    golden = GOLDEN / "canvas-semicolon-filled.csv"
    assert written.path.read_bytes() == golden.read_bytes()
    again = read_marks(golden, "canvas")
    assert again.of("Essay, revised (4711)") == [8.5, 9.0]
    assert again.highest == {"Essay, revised (4711)": 10.0}
    assert written.more_paths[0].read_bytes().decode("utf-8-sig").split("\r\n") == [
        "LastName;FirstName;ID;SIS Login ID;Section;Bonus",
        "    Points Possible;;;;;2,5",
        "Bell;Zoë;1002;zoe;Sec 1;0,5",
        "",
    ]


def test_students_without_marks_are_noted(tmp_path: Path) -> None:
    written, _ = filled(marks_of(lms=[1001]), tmp_path)
    assert written.unmatched_rows == ("Bell, Ben (row 5)", "Day, Cleo (row 6)", "=Fay (row 7)")


def test_the_test_student_is_never_marked(tmp_path: Path) -> None:
    written, lines = filled(marks_of(lms=[1001, 1999], mark=[5, 5]), tmp_path)
    assert written.unmatched_people == ("p1",)
    assert lines[-1] == EXPORT.read_text(encoding="utf-8").splitlines()[-1]


@pytest.mark.parametrize("title", ["Essay", "Essay (4711)", "Renamed (4711)"])
def test_columns_are_found_by_id_and_title(title: str, tmp_path: Path) -> None:
    _, lines = filled(marks_of(title, lms=[1001], mark=[5]), tmp_path)
    assert lines[0] == EXPORT.read_text(encoding="utf-8").splitlines()[0]
    assert '"likes ""quotes""",5,,' in lines[3]


def test_an_id_that_the_export_lacks_is_appended(tmp_path: Path) -> None:
    written, lines = filled(marks_of("Essay (99)", lms=[1001], mark=[5]), tmp_path)
    assert lines[0].endswith(",Essay (99)")
    assert "unless it has one with id 99" in " ".join(written.notes)


@pytest.mark.parametrize(
    ("marks", "sentence"),
    [
        (marks_of(lms=[5]), "Nobody in the marks is in"),
        (marks_of("Final Score", lms=[1001]), "takes the title 'Final Score' for a column of its"),
        (marks_of("Section", lms=[1001]), "takes the title 'Section'"),
        (marks_of(lms=[1001], mark=[85]), "out of 10 in .* 1 marks are above, up to 85; say what"),
        (marks_of("Notes", lms=[1001]), "Row 4 of .* has 'likes \"quotes\"' under 'Notes'"),
    ],
)
def test_what_is_refused(marks: Marks, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(TableError, match=sentence):
        filled(marks, tmp_path)
    assert not list(tmp_path.iterdir())


def test_titles_that_are_there_twice_need_an_id(tmp_path: Path) -> None:
    export = tmp_path / "export.csv"
    export.write_text("Student,ID,Section,Essay (1),Essay (2)\nAda,1,,,\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"several columns 'Essay': Essay \(1\), Essay \(2\)"):
        filled(marks_of(lms=[1]), tmp_path, export)
    _, lines = filled(marks_of("Essay (2)", lms=[1], mark=[3]), tmp_path, export)
    assert lines[1] == "Ada,1,,,3"


def test_two_titles_cannot_share_a_column(tmp_path: Path) -> None:
    marks = Marks.from_frame({"person": ["a"], "lms": ["1001"], "Essay": [1], "Essay (4711)": [2]})
    with pytest.raises(TableError, match=r"'Essay' and 'Essay \(4711\)' would both go under"):
        filled(marks, tmp_path)


def test_a_section_does_not_decide_on_the_decimal_sign(tmp_path: Path) -> None:
    export = tmp_path / "export.csv"
    text = "Student;ID;Section;Essay\nAda;1;1.2;7,5\nBen;2;1.2;\nCleo;3;1.2;\n"
    export.write_text(text, encoding="utf-8")
    _, lines = filled(marks_of(lms=[2], mark=[0.5]), tmp_path, export)
    assert lines[2] == "Ben;2;1.2;0,5"


def test_a_file_with_a_new_column_cannot_change_other_grades(tmp_path: Path) -> None:
    marks = Marks.from_frame(
        {
            "person": ["a", "b"],
            "lms": [1001, 1002],
            "Essay": [3, 4],
            "Bonus": [1, None],
        },
        {"Essay": 10, "Bonus": 2},
    )
    written, lines = filled(marks, tmp_path)
    assert read_marks(written.path, "canvas").of("Essay (4711)")[:2] == [3.0, 4.0]
    more = read_marks(written.more_paths[0], "canvas")
    # The old grades for the essay are not in it, and nobody has a blank cell.
    assert more.titles == ("Bonus",)
    assert (more.frame["lms"].to_list(), more.of("Bonus")) == (["1001"], [1.0])
    assert not any(line.endswith(",Bonus") for line in lines)


def test_marks_are_converted_to_the_points_of_an_assignment(tmp_path: Path) -> None:
    marks = marks_of(lms=[1001, 1002], mark=[85, 40], highest=100)
    written, lines = filled(marks, tmp_path)
    assert ",8.5," in lines[3]
    assert ",4,EX," in lines[4]
    assert "100 becomes 10" in " ".join(written.notes)


def test_what_marks_are_out_of_can_be_given(tmp_path: Path) -> None:
    marks = marks_of("Bonus", lms=[1001], mark=[1.5])
    written = write(marks, "canvas:points=2", tmp_path / "new.csv")
    assert written.path.read_text().splitlines()[1] == '"    Points Possible",,,,,2'
    written = write(marks, "canvas", tmp_path / "new.csv")
    assert "give canvas:points=POINTS" in " ".join(written.notes)
    with pytest.raises(ParameterError, match=r"must know what the marks are out of.*points=10"):
        refuse_without_maximum(marks, "canvas")
    refuse_without_maximum(marks, "canvas:points=2")
    refuse_without_maximum(marks_of(lms=[1001]), "canvas", EXPORT)
    with pytest.raises(ParameterError, match="should be above 0"):
        write(marks, "canvas:points=-1", tmp_path / "new.csv")


def test_a_guarded_title_is_noted_and_found_again(tmp_path: Path) -> None:
    marks = marks_of("=Essay", lms=[1001], mark=[5])
    written, lines = filled(marks, tmp_path)
    assert lines[0].endswith(",'=Essay")
    assert "taking a title for a formula" in " ".join(written.notes)
    _, again = filled(marks, tmp_path, written.path)
    assert again == lines


def test_students_who_cannot_be_distinguished_are_refused(tmp_path: Path) -> None:
    export = tmp_path / "export.csv"
    text = "Student,ID,Section,Essay\n    Points Possible,,,10\nAda,,,1\nAda,,,2\n"
    export.write_text(text, encoding="utf-8")
    with pytest.raises(TableError, match=r"Row 4 of .* has Ada again"):
        read_marks(export, "canvas")


def test_read_only_columns_are_refused(tmp_path: Path) -> None:
    export = tmp_path / "export.csv"
    text = "Student,ID,Section,Essay\n    Points Possible,,,(read only)\nAda,1,,\n"
    export.write_text(text, encoding="utf-8")
    with pytest.raises(TableError, match="read-only in Canvas"):
        filled(marks_of(lms=[1]), tmp_path, export)


def test_an_export_can_be_filled_in_place_again_and_again(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_bytes(EXPORT.read_bytes())
    marks = marks_of("Bonus", lms=[1001, 1002], mark=[1.5, None])
    write(marks, "canvas", path, into=path)
    once = path.read_bytes()
    write(marks, "canvas", path, into=path)
    assert path.read_bytes() == once


def test_people_whom_canvas_cannot_identify_are_left_out_and_noted(tmp_path: Path) -> None:
    marks = marks_of(lms=[1, None, None, None], name=["Ada", "Ben", "Ben", None], mark=[1, 2, 3, 4])
    written = write(marks, "canvas", tmp_path / "new.csv")
    assert written.matched == ("p0",)
    assert written.unmatched_people == ("p1", "p2", "p3")
    assert "p1, p2, p3" in written.notes[0]
    with pytest.raises(TableError, match="Canvas could not identify anybody"):
        write(marks_of(person=["p1"]), "canvas", tmp_path / "none.csv")
    assert not (tmp_path / "none.csv").exists()


def test_a_guarded_name_or_id_is_noted(tmp_path: Path) -> None:
    written = write(marks_of(login=["@ada", None], name=["A", "=B"]), "canvas", tmp_path / "n.csv")
    told = " ".join(written.notes)
    assert "taking an id for a formula; remove it for the import: p0" in told
    assert "Canvas will ask who that is: p1" in told


def test_canvas_own_way_to_quote_names_is_understood() -> None:
    assert read_marks(EXPORT, "canvas").frame["name"].to_list()[-1] == "=Fay"


def test_people_known_only_by_their_identifier_are_found_by_name(tmp_path: Path) -> None:
    marks = Marks.from_frame({"person": ["Ben Bell", "Nobody Else"], "Bonus": [1, 2]})
    written, lines = filled(marks, tmp_path)
    assert written.matched == ("Ben Bell",)
    assert lines == [
        "Student,ID,SIS User ID,SIS Login ID,Section,Bonus",
        '"    Points Possible",,,,,',
        '"Bell, Ben",1002,S02,ben,Sec 1,1',
    ]


def test_a_roster_without_marks_is_no_reason_to_write_an_empty_column(tmp_path: Path) -> None:
    """People of the gradebook without marks, and graders with marks who are not in it."""
    marks = marks_of(
        "Bonus", lms=[1001, 1002, None], person=["a", "b", "grader 17"], mark=[None, None, 5]
    )
    with pytest.raises(TableError, match=r"Nobody in the marks is in .*canvas-export"):
        filled(marks, tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_match_can_be_checked_before_there_are_marks() -> None:
    people = [{"person": "x", "lms": "1001"}, {"person": "Ben Bell"}]
    check_match(people, "canvas", EXPORT)
    strangers = [{"person": f"anonymous {k}"} for k in range(3)]
    with pytest.raises(TableError) as refusal:
        check_match([*people, *strangers], "canvas", EXPORT)
    said = str(refusal.value)
    assert "Only 2 of 5 graders are in" in said
    assert (
        "anonymous 0, anonymous 1, anonymous 2 were compared with its columns 'ID' (such " in said
    )
    with pytest.raises(
        TableError, match=r"None of 3 graders are in .*'SIS Login ID' \(such as 'ada'\)"
    ):
        check_match(strangers, "canvas", EXPORT)
    with pytest.raises(TableError, match="no Canvas gradebook"):
        check_match(people, "canvas", GOLDEN / "moodle-export.csv")
    with pytest.raises(ParameterError, match="always a new file"):
        check_match(people, "csv", EXPORT)
