from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from peergauge.classroom.gradebooks import (
    Marks,
    gradebooks,
    read_marks,
    refuse_without_maximum,
    write,
)
from peergauge.classroom.gradebooks.moodle import likely_column
from peergauge.core.errors import ParameterError, TableError
from tests.classroom.gradebooks.classes import GOLDEN, marks_of

EXPORT = GOLDEN / "moodle-export.csv"
ODD = GOLDEN / "canvas-export.csv"
ITEM = "Workshop: Essay (assessment) (Real)"


def test_only_marks_change_in_an_export(tmp_path: Path) -> None:
    marks = Marks.from_frame(
        {
            "person": ["a", "b", "c", "x"],
            "email": ["ada@example.org", "BEN@example.org", None, "x@example.org"],
            "sis": [None, None, "S03", None],
            ITEM: [18.5, None, 12, 1],
        }
    )
    written = write(marks, "moodle", tmp_path / "filled.csv", into=EXPORT)
    assert written.path.read_bytes() == (GOLDEN / "moodle-filled.csv").read_bytes()
    # A row without a mark is left out: a blank cell would delete the grade that Moodle has.
    assert written.matched == ("a", "c")
    assert written.unmatched_people == ("x",)
    assert written.unmatched_rows == ("Bell, Ben (row 3)",)
    assert read_marks(written.path, "moodle").of(ITEM) == [18.5, 12.0]
    assert any("Without any mark, so left out of the file" in note for note in written.notes)


def test_names_alone_find_nobody(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="Nobody in the marks is in"):
        write(marks_of(name=["Lovelace, Ada"]), "moodle", tmp_path / "f.csv", into=EXPORT)


def test_a_new_column_is_noted_with_the_most_similar_one(tmp_path: Path) -> None:
    marks = marks_of("Workshop: Essay (assessment)", sis=["S01"])
    written = write(marks, "moodle", tmp_path / "f.csv", into=EXPORT)
    text = "choose 'New grade item' at the import for 'Workshop: Essay (assessment)'"
    assert any(text in note for note in written.notes)
    text = f"give the marks its title: 'Workshop: Essay (assessment)' into '{ITEM}'."
    assert any(text in note for note in written.notes)


@pytest.mark.parametrize(
    "title", ["Workshop: Essay (assessment) (Feedback)", "Course total (Real)"]
)
def test_feedback_and_totals_are_never_written(title: str, tmp_path: Path) -> None:
    for into in (None, EXPORT):
        with pytest.raises(TableError, match="no column of marks in Moodle"):
            write(marks_of(title, sis=["S01"]), "moodle", tmp_path / "f.csv", into=into)
    assert not list(tmp_path.iterdir())


def test_a_course_in_another_language(tmp_path: Path) -> None:
    export = tmp_path / "export.csv"
    item = "Atelier : Essai (évaluation) (Brut)"
    export.write_text(
        f"Prénom;Nom;Adresse de courriel;{item};Commentaire\nAda;L;a@x.org;7,50;Bien\n",
        encoding="utf-8",
    )
    marks = marks_of(item, email=["a@x.org"], mark=[8.25])
    with pytest.raises(TableError, match="moodle:email=NAME"):
        write(marks_of(sis=["1"]), "moodle:email=Mail", tmp_path / "f.csv", into=ODD)
    book = "moodle:email=Adresse de courriel"
    for kind in (book, "moodle"):
        written = write(marks, kind, tmp_path / "f.csv", into=export)
        last = written.path.read_text(encoding="utf-8").splitlines()[-1]
        # Moodle reads a decimal point in every language.
        assert last == "Ada;L;a@x.org;8.25;Bien"
    comment = marks_of("Commentaire", email=["a@x.org"])
    with pytest.raises(TableError, match="'Bien' under 'Commentaire', which is not a mark"):
        write(comment, book, tmp_path / "g.csv", into=export)


def test_addresses_and_times_are_no_marks_in_any_language(tmp_path: Path) -> None:
    export = tmp_path / "export.csv"
    export.write_text("Imię,Poczta,Pobrano\nAda,a@x.org,1700000000\n", encoding="utf-8")
    for title in ("Poczta", "Pobrano"):
        marks = marks_of(title, email=["a@x.org"])
        with pytest.raises(TableError, match="is a column of Moodle that holds no marks"):
            write(marks, "moodle", tmp_path / "f.csv", into=export)


def test_people_whom_moodle_cannot_identify_are_left_out_and_noted(tmp_path: Path) -> None:
    written = write(marks_of(email=["a@x.org", None]), "moodle", tmp_path / "f.csv")
    assert written.unmatched_people == ("p1",)
    assert "Left out, because Moodle cannot identify them without email: p1." in written.notes


# ------------------------------------------------------------------------------------------ maxima


def test_marks_for_a_new_item_are_converted_to_a_hundred(tmp_path: Path) -> None:
    marks = marks_of("Review quality", 10, email=["a@x.org", "b@x.org"], mark=[8.5, 10])
    for into in (None, EXPORT):
        if into is not None:
            marks = marks_of("Review quality", 10, sis=["S01", "S03"], mark=[8.5, 10])
        written = write(marks, "moodle", tmp_path / "f.csv", into=into)
        assert read_marks(written.path, "moodle").of("Review quality") == [85, 100]
        text = "are out of 10, and converted to the 100 of the grade item: 10 becomes 100."
        assert any(text in note for note in written.notes)


def test_a_new_item_without_a_known_maximum_is_said(tmp_path: Path) -> None:
    written = write(marks_of(email=["a@x.org"], mark=[8.5]), "moodle", tmp_path / "f.csv")
    assert read_marks(written.path, "moodle").of("Essay") == [8.5]
    assert any("makes a grade item out of 100 for a new column" in note for note in written.notes)
    assert any("The highest possible mark of 'Essay' is not known" in one for one in written.notes)
    assert any("first make a grade item with their maximum" in note for note in written.notes)


@pytest.mark.parametrize(("highest", "mark"), [(10, 10.5), (None, 100.5)])
def test_a_mark_above_the_maximum_is_refused(
    highest: float | None, mark: float, tmp_path: Path
) -> None:
    marks = marks_of("Essay", highest, email=["a@x.org", "b@x.org"], mark=[1, mark])
    with pytest.raises(TableError, match=r"p1 has the mark .* Moodle would stop the whole import"):
        write(marks, "moodle", tmp_path / "f.csv")
    assert not list(tmp_path.iterdir())


def test_marks_are_converted_to_the_maximum_of_an_existing_item(tmp_path: Path) -> None:
    marks = marks_of(ITEM, 10, sis=["S01", "S03"], mark=[7.5, 10])
    with pytest.raises(TableError, match=r"does not say out of how many points .*maximum=POINTS"):
        write(marks, "moodle", tmp_path / "f.csv", into=EXPORT)
    written = write(marks, "moodle:maximum=20", tmp_path / "f.csv", into=EXPORT)
    assert read_marks(written.path, "moodle").of(ITEM) == [15, 20]
    # Somebody has 15 of them.
    with pytest.raises(TableError, match="the mark 15, which is above its maximum of 12"):
        write(marks, "moodle:maximum=12", tmp_path / "f.csv", into=EXPORT)
    as_they_are = marks_of(ITEM, sis=["S01"], mark=[21])
    with pytest.raises(TableError, match=r"p0 has the mark 21 .*above the maximum of 20"):
        write(as_they_are, "moodle:maximum=20", tmp_path / "f.csv", into=EXPORT)


def test_a_column_of_percentages_says_the_maximum(tmp_path: Path) -> None:
    """12.34 of 20 are 61.70 %, and 5 of 20 are 25 %."""
    export = tmp_path / "export.csv"
    export.write_text(
        "Email address,Quiz: One (Real),Quiz: One (Percentage)\n"
        "a@x.org,12.34,61.70 %\nb@x.org,5.00,25.00 %\nc@x.org,-,-\n"
    )
    marks = marks_of("Quiz: One (Real)", 10, email=["a@x.org", "c@x.org"], mark=[5, 10])
    written = write(marks, "moodle", tmp_path / "f.csv", into=export)
    assert written.path.read_text().splitlines()[1:] == [
        "a@x.org,10,61.70 %",
        "c@x.org,20,-",
    ]


def test_points_say_what_marks_are_out_of(tmp_path: Path) -> None:
    marks = marks_of(email=["a@x.org"], mark=[8.5])
    written = write(marks, "moodle:points=10", tmp_path / "f.csv")
    assert read_marks(written.path, "moodle").of("Essay") == [85]
    marks = marks_of(ITEM, sis=["S01"], mark=[8.5])
    written = write(marks, "moodle:points=10,maximum=20", tmp_path / "f.csv", into=EXPORT)
    assert read_marks(written.path, "moodle").of(ITEM) == [17]


def test_what_marks_of_a_new_column_are_out_of_must_be_known_at_the_command_line() -> None:
    marks = marks_of(sis=["S01"], mark=[8.5])
    for into in (None, EXPORT):
        with pytest.raises(ParameterError, match="--to moodle:points=10"):
            refuse_without_maximum(marks, "moodle", into)
        refuse_without_maximum(marks, "moodle:points=10", into)
    refuse_without_maximum(marks_of(ITEM, sis=["S01"]), "moodle", EXPORT)


@pytest.mark.parametrize("maximum", ["-1", "nan"])
def test_a_maximum_is_a_number_of_points(maximum: str) -> None:
    with pytest.raises(ParameterError, match="maximum"):
        gradebooks.make(f"moodle:maximum={maximum}")


# ------------------------------------------------------------------------------------------ people


def test_one_column_identifies_all_people(tmp_path: Path) -> None:
    """Two have an ID number, three an address: the file has addresses only."""
    marks = marks_of(
        email=["a@x.org", "b@x.org", None, "d@x.org"], sis=["1", None, "3", None], mark=[1, 2, 3, 4]
    )
    written = write(marks, "moodle", tmp_path / "f.csv")
    assert written.unmatched_people == ("p2",)
    assert written.path.read_text().splitlines() == [
        "First name,Last name,Email address,Essay",
        ",,a@x.org,1",
        ",,b@x.org,2",
        ",,d@x.org,4",
    ]
    assert any("map people by the column 'Email address'" in note for note in written.notes)


def test_the_column_that_all_have_is_chosen(tmp_path: Path) -> None:
    marks = marks_of(email=["a@x.org", None], sis=["1", "2"], mark=[1, 2])
    written = write(marks, "moodle", tmp_path / "f.csv")
    assert written.path.read_text().splitlines()[0] == "First name,Last name,ID number,Essay"
    assert written.unmatched_people == ()
    assert any("map people by the column 'ID number'" in note for note in written.notes)


def test_people_without_address_are_identified_by_user_name_or_number(tmp_path: Path) -> None:
    for key, column in (("login", "Username"), ("lms", "User ID")):
        marks = {"person": ["a", "b"], key: ["7", "8"], "Essay": [1.0, 2.0]}
        written = write(marks, "moodle", tmp_path / "f.csv")
        assert written.path.read_text().splitlines()[0] == f"First name,Last name,{column},Essay"


def test_a_row_without_the_column_of_all_others_is_left_out(tmp_path: Path) -> None:
    export = tmp_path / "export.csv"
    export.write_text(
        "First name,Surname,ID number,Email address,Quiz\n"
        "Ada,L,1,a@x.org,-\nBen,B,2,,3\nCleo,D,3,c@x.org,-\n"
    )
    marks = marks_of("Quiz", sis=["1", "2", "3"], email=["a@x.org", "b@x.org", "c@x.org"])
    written = write(marks, "moodle", tmp_path / "f.csv", into=export)
    # All have an ID number.
    assert written.matched == ("p0", "p1", "p2")
    export.write_text(export.read_text().replace("Cleo,D,3", "Cleo,D,"))
    written = write(marks, "moodle", tmp_path / "f.csv", into=export)
    assert written.matched == ("p0", "p2")
    assert any("whose row has no email, by which all others" in note for note in written.notes)


def test_marks_that_not_everybody_has_are_in_a_second_file(tmp_path: Path) -> None:
    marks = Marks.from_frame(
        {
            "person": ["a", "b", "c"],
            "email": ["a@x.org", "b@x.org", "c@x.org"],
            "Essay": [50, None, None],
            "Quality": [7, 8, None],
        }
    )
    written = write(marks, "moodle", tmp_path / "f.csv")
    assert written.matched == ("a", "b")
    assert written.unmatched_people == ()
    assert written.more_paths == (tmp_path / "f-2.csv",)
    assert read_marks(written.path, "moodle").of("Quality") == [7, 8]
    assert read_marks(tmp_path / "f-2.csv", "moodle").of("Essay") == [50]
    assert any("import 2 files" in note for note in written.notes)


def test_nothing_to_write_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="There are no marks to write under Essay"):
        write(marks_of(email=["a@x.org"], mark=[None]), "moodle", tmp_path / "f.csv")


def test_an_export_separated_by_colons(tmp_path: Path) -> None:
    export = tmp_path / "export.csv"
    export.write_text(
        '"First name":Surname:"Email address":"Workshop: Essay (submission) (Real)"\n'
        "Ada:L:a@x.org:7.00\n"
    )
    marks = marks_of("Workshop: Essay (submission) (Real)", email=["a@x.org"], mark=[8.5])
    written = write(marks, "moodle", tmp_path / "f.csv", into=export)
    assert written.path.read_text().splitlines()[1] == "Ada:L:a@x.org:8.5"


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Essay grade", "Workshop: Essay (submission) (Real)"),
        ("Essay review", "Workshop: Essay review (submission) (Real)"),
        ("Essay review grade", "Workshop: Essay review (submission) (Real)"),
        ("Workshop: Essay (assessment)", "Workshop: Essay (assessment) (Real)"),
        ("Points for grading Essay", "Workshop: Essay (assessment) (Real)"),
        ("Peer review quality", None),
    ],
)
def test_hints_name_the_right_column(title: str, expected: str | None) -> None:
    headers = [
        f"Workshop: {name} ({kind}) (Real)"
        for name in ("Essay review", "Essay")
        for kind in ("submission", "assessment")
    ]
    assert likely_column(title, headers) == expected


def test_the_export_of_a_running_moodle_is_filled(real_classes: Path, tmp_path: Path) -> None:
    export = real_classes / "platform-exports" / "moodle-4.5" / "gradebook-export.csv"
    known = read_marks(export, "moodle")
    title = "Workshop: Plain 100 (submission) (Real)"
    people = known.frame.select("person", "email").with_columns(pl.lit(50.0).alias(title))
    written = write(Marks(people), "moodle", tmp_path / "f.csv", into=export)
    assert len(written.matched) == 12
    before, after = export.read_text("utf-8").splitlines(), written.path.read_text("utf-8")
    assert len(after.splitlines()) == len(before)
    assert set(read_marks(written.path, "moodle").of(title)) == {50.0}
