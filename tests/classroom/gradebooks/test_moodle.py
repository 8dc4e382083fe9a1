from __future__ import annotations

from pathlib import Path

import pytest

from peergauge.classroom.gradebooks import Marks, read_marks, write
from peergauge.core.errors import TableError
from tests.classroom.gradebooks.classes import GOLDEN, marks_of

EXPORT = GOLDEN / "moodle-export.csv"
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
    assert written.matched == ("a", "b", "c")
    assert written.unmatched_people == ("x",)
    assert read_marks(written.path, "moodle").of(ITEM) == [18.5, 15.0, 12.0]


def test_names_alone_find_nobody(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="Nobody in the marks is in"):
        write(marks_of(name=["Lovelace, Ada"]), "moodle", tmp_path / "f.csv", into=EXPORT)


def test_a_new_column_is_noted_with_the_most_similar_one(tmp_path: Path) -> None:
    marks = marks_of("Workshop: Essay (assessment)", sis=["S01"])
    written = write(marks, "moodle", tmp_path / "f.csv", into=EXPORT)
    assert "older versions of Moodle do not import; make a grade item" in written.notes[0]
    assert f"Did you mean '{ITEM}'?" in written.notes[0]


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
        write(marks, "moodle", tmp_path / "f.csv", into=export)
    book = "moodle:email=Adresse de courriel"
    written = write(marks, book, tmp_path / "f.csv", into=export)
    last = written.path.read_text(encoding="utf-8").splitlines()[-1]
    assert last == "Ada;L;a@x.org;8,25;Bien"
    comment = marks_of("Commentaire", email=["a@x.org"])
    with pytest.raises(TableError, match="'Bien' under 'Commentaire', which is not a mark"):
        write(comment, book, tmp_path / "g.csv", into=export)


def test_people_whom_moodle_cannot_identify_are_left_out_and_noted(tmp_path: Path) -> None:
    written = write(marks_of(email=["a@x.org", None]), "moodle", tmp_path / "f.csv")
    assert written.unmatched_people == ("p1",)
    assert "without email or sis: p1" in written.notes[0]
