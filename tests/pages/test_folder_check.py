"""Checking a graded folder: nothing differs as written, and every edit by hand is found."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import openpyxl
import pytest

from peergauge.classroom.grade import Settings
from peergauge.classroom.grade.audit import AUDIT_FILE, audit, read_earlier
from peergauge.classroom.grade.recomputed import AuditedNumbers
from peergauge.core.errors import TableError
from peergauge.core.text import BIDIRECTIONAL_CONTROLS
from peergauge.models.posterior import PG1Posterior
from peergauge.pages.folder_check import check_folder
from peergauge.pages.grade_folder import GradebookRequest, write_graded
from tests.classroom.grade.classes import graded

QUICK = PG1Posterior(draws=40, warmup=10)
HOSTILE = {0: "=1+1", 1: "</script>", 2: "Zoë\N{NO-BREAK SPACE}X", 3: "a & b <i>", 4: "12"}
HOSTILE |= {5: "\u202eadA \u2066x\u2069"}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graded folder with everything that can be in one."""
    folder = tmp_path_factory.mktemp("graded")
    export = folder / "export.csv"
    export.write_text("submission,grader,grade\n")
    ids = [f"p{number}@x.edu" for number in range(11)] + ["\u202ep11@x.edu"]
    found = graded(assignments=2, names=HOSTILE, ids=ids)
    to = [GradebookRequest(kind) for kind in ("csv", "xlsx", "moodle")]
    write_graded(found, folder / "out", files=[export], to=to, handouts=True)
    return folder / "out"


def test_files_for_people_show_bidirectional_controls(written: Path) -> None:
    """A name with such a character could be shown as another name, or reorder words beside it."""
    texts = {path: path.read_text() for path in written.rglob("*") if path.suffix == ".html"}
    with ZipFile(written / "grades.xlsx") as book:
        texts |= {Path(name): book.read(name).decode() for name in book.namelist()}
    texts[written / "import.txt"] = (written / "import.txt").read_text()
    assert [path for path, text in texts.items() if BIDIRECTIONAL_CONTROLS.search(text)] == []
    assert "[U+202E]adA [U+2066]x[U+2069]" in texts[written / "report.html"]
    # Tables that are imported elsewhere keep names as they are.
    assert "\u202ep11@x.edu" in (written / "graders.csv").read_text()


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "copy"))


def changed(folder: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    content = json.loads((folder / AUDIT_FILE).read_text())
    edit(content)
    (folder / AUDIT_FILE).write_text(json.dumps(content))


def test_a_folder_as_it_was_written_has_no_difference(written: Path) -> None:
    found = check_folder(written, [written.parent / "export.csv"])
    assert found.differences == []
    assert {name for name in found.compared if "/" not in name} == {
        "audit.json", "grades.csv", "graders.csv", "grades.xlsx (grades)", "grades.xlsx (graders)",
        "gradebook-csv.csv", "gradebook-xlsx.xlsx", "gradebook-moodle.csv", "report.html",
        "semester.csv", "semester.html", "handouts.csv", "settings.toml",
        "grades.xlsx (semester)", "grades.xlsx (why grades)", "grades.xlsx (why points)",
    }  # fmt: skip
    assert len([name for name in found.compared if name.startswith("students/")]) == 12
    assert min(found.compared.values()) > 20
    *_, last = found.lines()
    assert last == f"No difference found in {sum(found.compared.values())} values."
    assert "export.csv is the file export.csv that was graded." in found.notes


def test_letters_and_rewards_for_all_reviews_together_are_checked(tmp_path: Path) -> None:
    settings = Settings(mechanism="corr", points="A:50,B:50", model=QUICK)
    write_graded(
        graded(students=10, graders=4, assignments=2, settings=settings, gaming=None),
        tmp_path / "out",
        handouts=True,
    )
    assert check_folder(tmp_path / "out").differences == []


def test_an_interval_for_the_staff_grade_is_checked(tmp_path: Path) -> None:
    write_graded(graded(staff=6), tmp_path / "out")
    assert "staff_low" in (tmp_path / "out" / "grades.csv").read_text().splitlines()[0]
    assert check_folder(tmp_path / "out").differences == []


def test_a_sheet_without_the_empty_column_of_assignments_is_checked(tmp_path: Path) -> None:
    found = graded()
    unnamed = replace(found.reports, assignment_names=None)
    found = replace(found, opened=replace(found.opened, reports=unnamed))
    write_graded(found, tmp_path / "out")
    assert check_folder(tmp_path / "out").differences == []


def test_a_class_of_unknown_authors_without_staff_is_checked(tmp_path: Path) -> None:
    write_graded(graded(staff=0, authors=False), tmp_path / "out", handouts=True)
    assert check_folder(tmp_path / "out").differences == []


NUMBER = r"\d+\.\d\d"


@pytest.mark.parametrize(
    ("file", "before", "after", "what"),
    [
        ("grades.csv", r"(?m)^(A1,s3,[^,]*,)[\d.]+", r"\g<1>9.87",
         "submission A1 / s3, grade: shows 9.87"),
        ("graders.csv", r"(?m)^(p5@x.edu,[^,]*,)[\d.]+", r"\g<1>1",
         "grader p5@x.edu, points: shows 1,"),
        ("gradebook-csv.csv", r"(?m)^(p5@x.edu,[^,]*,)[\d.]+", r"\g<1>9.99",
         "student p5@x.edu, A1 grade: shows 9.99"),
        ("gradebook-moodle.csv", r",(\d\d)\.\d+", r",\1.5", "shows"),
        ("report.html", rf"<td><b>{NUMBER}</b>", "<td><b>99.00</b>", "grade: shows 99.00"),
        ("report.html", rf'(<td data-v="[^"]*"><b>){NUMBER}', r"\g<1>1.23", "points: shows 1.23"),
        ("report.html", r"(The lowest grade is )[\d.]+", r"\g<1>0.01",
         "shows The lowest grade is 0.01"),
        ("students/p7-x.edu.html", rf"(<strong><span[^>]*>){NUMBER}", r"\g<1>9.99",
         "grade: shows 9.99"),
        ("students/p7-x.edu.html", r'(<td class="number">)\d+<', r"\g<1>55<", "given: shows 55"),
    ],
)  # fmt: skip
def test_a_number_that_was_edited_is_found_with_its_place(
    folder: Path, file: str, before: str, after: str, what: str
) -> None:
    text = (folder / file).read_text(encoding="utf-8")
    edited = re.sub(before, after, text, count=1)
    assert edited != text
    (folder / file).write_text(edited, encoding="utf-8")
    found = check_folder(folder).differences
    assert f"{file} was changed after it was written." in found
    assert any(one.startswith(f"{file}, ") and what in one for one in found)
    # The same without digests, as an older version wrote it.
    changed(folder, lambda content: content.pop("written"))
    assert any(what in one for one in check_folder(folder).differences)


def test_a_changed_word_is_found_by_the_digest(folder: Path) -> None:
    page = folder / "report.html"
    page.write_text(page.read_text().replace("Every grade is an estimate", "Every grade is final"))
    assert check_folder(folder).differences == ["report.html was changed after it was written."]


def test_a_cell_of_the_workbook_that_was_edited_is_found(folder: Path) -> None:
    book = openpyxl.load_workbook(folder / "grades.xlsx")
    book["Grades"]["D4"] = 1.5
    book.save(folder / "grades.xlsx")
    found = check_folder(folder).differences
    assert len(found) == 2
    assert found[1].startswith("grades.xlsx (grades), submission A1 / s2, grade: shows 1.5, but")


def test_rows_may_be_sorted_but_not_lost_doubled_or_made_up(folder: Path) -> None:
    path = folder / "grades.csv"
    head, *rows = path.read_text().splitlines()
    path.write_text("\n".join([head, *reversed(rows)]) + "\n")
    assert check_folder(folder).differences == ["grades.csv was changed after it was written."]
    path.write_text("\n".join([head, *rows[1:], rows[4], rows[4].replace("s4", "s99")]) + "\n")
    assert check_folder(folder).differences[1:] == [
        "grades.csv, grade A1 / s4 is there twice.",
        "grades.csv, grade A1 / s99 is not in the audit.",
        "grades.csv, submission A1 / s0 is missing.",
    ]


def test_files_that_are_missing_or_damaged_are_found(folder: Path) -> None:
    (folder / "graders.csv").unlink()
    (folder / "grades.csv").write_bytes(b"\0\1")
    (folder / "grades.xlsx").write_bytes(b"PK")
    (folder / "gradebook-csv.csv").write_text("a\n")
    (folder / "students" / "new.html").write_text("<p>")
    found = check_folder(folder)
    text = "\n".join(found.differences)
    assert "graders.csv is missing; it was written with the audit." in text
    for name in ("grades.csv", "grades.xlsx", "gradebook-csv.csv"):
        assert f"{name} cannot be read" in text
    assert "students/new.html was not written with this audit." in found.notes


def test_inputs_are_compared_with_their_digests(written: Path, tmp_path: Path) -> None:
    same, other = tmp_path / "renamed.csv", tmp_path / "export.csv"
    same.write_bytes((written.parent / "export.csv").read_bytes())
    other.write_text("submission,grader,grade\na,b,1\n")
    assert check_folder(written, [same]).differences == []
    assert check_folder(written, [other]).differences == [
        "export.csv is not the file of this name that was graded."
    ]
    stray = tmp_path / "stray.csv"
    stray.write_text("x")
    found = check_folder(written, [stray])
    assert found.differences == ["stray.csv is not among the files that were graded."]
    assert "Not compared, because they were not given: export.csv." in found.notes


def test_inputs_of_one_name_in_several_folders_are_all_compared(
    folder: Path, tmp_path: Path
) -> None:
    files = [tmp_path / place / "part.csv" for place in ("a", "b", "c")]
    for file, text in zip(files, ("one", "two", "one"), strict=True):
        file.parent.mkdir()
        file.write_text(text)
    digests = audit(graded(), files)["files"]
    assert list(digests) == ["part.csv", "part.csv (2)", "part.csv (3)"]
    changed(folder, lambda content: content.update(files=digests))
    found = check_folder(folder, files)
    assert not [one for one in found.differences if "part.csv" in one]
    assert not [one for one in found.notes if "not given" in one]
    assert "part.csv is the file part.csv (2) that was graded." in found.notes
    only = check_folder(folder, files[:1])
    assert "Not compared, because they were not given: part.csv (2)." in only.notes


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "3", '{"grades": []}', "[" * 99999])
def test_what_is_no_audit_is_refused_in_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / AUDIT_FILE).write_text(text)
    with pytest.raises(TableError, match=r"audit.json is (damaged|not an audit)"):
        check_folder(tmp_path)


def test_without_folder_or_audit_the_sentence_says_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="There is no folder"):
        check_folder(tmp_path / "none")
    with pytest.raises(TableError, match=r"has no file audit.json; give a folder that"):
        check_folder(tmp_path)


@pytest.mark.parametrize("part", ["assignments", "submissions", "reviews", "graders", "class",
                                  "settings", "mechanism", "tables", "second_look", "flags",
                                  "gradebooks", "written", "files", "marks", "scale"])  # fmt: skip
@pytest.mark.parametrize("value", [None, 3, "x", [], {}, [1], {"a": [1]}])
def test_a_part_of_a_wrong_type_is_refused_or_found(folder: Path, part: str, value: Any) -> None:
    changed(folder, lambda content: content.update({part: value}))
    try:
        found = check_folder(folder)
    except TableError as error:
        assert "damaged" in str(error) or "not an audit" in str(error)  # noqa: PT017
    else:
        harmless = {"files", "written", "gradebooks", "marks", "tables"}
        assert found.differences or part in harmless


def test_the_audits_of_older_versions_are_checked_and_continued(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The pages of this folder have the order of this version.
    monkeypatch.setattr(AuditedNumbers, "has_older_order", False)

    def older(content: dict[str, Any]) -> None:
        for part in ("tables", "marks", "gradebooks", "written", "interpretation"):
            del content[part]
        del content["submissions"]["authors"], content["assignments"]["digest"]
        del content["graders"]["details"], content["graders"]["also_called"]
        content["peergauge"] = "0.1.0"

    changed(folder, older)
    for page in (folder / "report.html", *(folder / "students").iterdir()):
        text = re.sub(r' data-(table|column|key|claim)="[^"]*"', "", page.read_text())
        page.write_text(text)
    found = check_folder(folder)
    assert found.differences == []
    assert found.compared["grades.csv"] > 24 * 8
    assert any("older version" in note for note in found.notes)
    assert "13 pages written by an older version, such as report.html, cannot be compared" in (
        " ".join(found.lines())
    )
    assert len(read_earlier(folder).people) == 12
