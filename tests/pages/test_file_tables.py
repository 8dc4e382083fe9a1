"""Tables that files show: all of them are compared, and what is not is listed."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from peergauge.classroom.grade.audit import AUDIT_FILE
from peergauge.pages.file_tables import flat_settings
from peergauge.pages.folder_check import check_folder
from peergauge.pages.restore import restore_folder
from tests.pages.graded_semester import SETTINGS, STUDENTS, graded_semester


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return graded_semester(tmp_path_factory.mktemp("semester"))


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    """A copy without digests, so that only the comparison of values can find a change."""
    copy = Path(shutil.copytree(written, tmp_path / "copy"))
    changed(copy, lambda content: content.pop("written"))
    return copy


def changed(folder: Path, edit: Callable[[dict[str, Any]], Any]) -> None:
    content = json.loads((folder / AUDIT_FILE).read_text())
    edit(content)
    (folder / AUDIT_FILE).write_text(json.dumps(content))


def test_both_weeks_agree_with_their_audits(written: Path) -> None:
    for week in ("week1", "week2"):
        found = check_folder(written.parent / week)
        assert found.differences == []
    assert set(found.compared) >= {
        "marks.csv", "decision-log.csv", "semester.csv", "semester.html", "handouts.csv",
        "settings.toml", "grades.xlsx (semester)", "grades.xlsx (why grades)",
        "grades.xlsx (why points)", "gradebook-xlsx.xlsx",
    }  # fmt: skip


def test_what_is_not_checked_is_listed(folder: Path) -> None:
    path = folder / "marks.csv"
    head, *rows = path.read_text().splitlines()
    path.write_text("\n".join([f"{head},luck", *(f"{row},7" for row in rows)]) + "\n")
    book = openpyxl.load_workbook(folder / "grades.xlsx")
    book.create_sheet("Criteria").append(["Clarity"])
    book["Criteria"].append([3.5])
    book.save(folder / "grades.xlsx")
    page = folder / "report.html"
    table = (
        '<table data-table="comets"><thead><tr><th data-column="tail">x</th></tr></thead>'
        "<tbody><tr><td>5</td></tr></tbody></table></main>"
    )
    page.write_text(page.read_text().replace("</main>", table))
    found = check_folder(folder)
    assert found.differences == []
    lines = "\n".join(found.lines())
    assert "Not checked in marks.csv: the column 'luck' (12 values)." in lines
    assert "Not checked in grades.xlsx: the sheet 'Criteria' (1 value)." in lines
    assert "'tail' of the table 'comets' (1 value)" in lines
    assert re.search(
        r"Not checked in pages in students: numbers in sentences \(\d+ values\)", lines
    )


@pytest.mark.parametrize(
    ("file", "before", "after", "what"),
    [
        ("marks.csv", r"(?m)^(p05,)[\d.]+", r"\g<1>99.5", "student p05, mark: shows 99.5"),
        ("marks.csv", r"final mark is [\d.]+", "final mark is 3", "why: shows 3"),
        ("grades.csv", r"It has a weight of [\d.]+", "It has a weight of 0.1", "why: shows 0.1"),
        ("graders.csv", r"The result is -\d+\.\d+", "The result is -9.5", "why: shows -9.5"),
        ("semester.csv", r"(?m)^(p05,)[\d.]+", r"\g<1>9.87", "student p05, Week 1 grade: shows"),
        ("handouts.csv", r"(students/p05.html,)[\d.]+", r"\g<1>9.87", "student p05, grade: shows"),
        ("decision-log.csv", r",7\.0,", ",8.0,", "grade: shows 8.0"),
        ("settings.toml", r"round_to = 0.5", "round_to = 0.25", "setting grades.round_to"),
        ("semester.html", r"<b>\d\.\d\d?", "<b>99.9", "shows 99.9"),
        ("gradebook-csv.csv", r"(?m)^p05,[\d.]+", "p05,1.25", "student p05"),
        ("students/p05.html", r"The result is −\d+\.\d+", "The result is −9.5", "sentences: shows"),
    ],
)  # fmt: skip
def test_an_edited_number_is_found_without_digests(
    folder: Path, file: str, before: str, after: str, what: str
) -> None:
    path = folder / file
    text = path.read_text(encoding="utf-8")
    edited = re.sub(before, after, text, count=1)
    assert edited != text
    path.write_text(edited, encoding="utf-8")
    assert any(one.startswith(file) and what in one for one in check_folder(folder).differences)


@pytest.mark.parametrize("file", ["marks.csv", "semester.csv", "handouts.csv", "gradebook-csv.csv"])
def test_rows_that_are_lost_doubled_or_exchanged_are_found(folder: Path, file: str) -> None:
    path = folder / file
    head, *rows = path.read_text().splitlines()
    path.write_text("\n".join([head, *rows[:3], *rows[4:]]) + "\n")
    assert re.search(r"is missing|lacks 1 student", "\n".join(check_folder(folder).differences))
    path.write_text("\n".join([head, *rows, rows[3]]) + "\n")
    assert re.search(r"twice|p04 again", "\n".join(check_folder(folder).differences))
    cells = [row.split(",", 1) for row in rows]
    cells[1][0], cells[2][0] = cells[2][0], cells[1][0]
    path.write_text("\n".join([head, *(",".join(row) for row in cells)]) + "\n")
    assert check_folder(folder).differences


def test_exchanged_pages_of_two_students_are_found(folder: Path) -> None:
    one, other = (folder / "students" / f"{name}.html" for name in ("p03", "p04"))
    first, second = one.read_text(), other.read_text()
    one.write_text(second)
    other.write_text(first)
    found = check_folder(folder).differences
    assert "students/p03.html is the page of p03, but shows somebody else." in found
    one.write_text(first)
    other.unlink()
    found = check_folder(folder).differences
    assert "handouts.csv, student p04 has students/p04.html, which is not there." in found


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("submissions", "awarded", 3), 1.5),
        (("submissions", "peer_grade", 3), 1.5),
        (("reviews", "parts", "pulled_in", 3), 1.5),
        (("reviews", "parts", "model_weight", 3), 0.9),
        (("comparison", "judged", 3), 1.5),
        (("comparison", "reference", 3), 1.5),
        (("class", "average"), -0.5),
        (("class", "between"), 0.5),
        (("class", "within"), 0.5),
        (("graders", "counts_for", 3), 0.5),
        (("graders", "standard_error", 3), 0.5),
        (("other_period", "graders", "own_average", 3), -0.5),
        (("other_period", "class", "average"), -0.5),
        (("semester", "runs", 1, "grades", "grade", 3), 1.5),
        (("semester", "runs", 1, "points", "points", 3), 1.5),
        (("semester", "runs", 1, "reviews", "reviews", 3), 1),
        (("final", "marks", 3, "mark"), 12.5),
        (("final", "marks", 3, "reviews"), 9),
        (("final", "marks", 3, "missing"), ["work"]),
        (("final", "marks", 3, "work", 0, "submissions"), [1]),
    ],
    ids=lambda one: " ".join(map(str, one)) if isinstance(one, tuple) else "",
)
def test_a_number_that_was_edited_in_the_audit_is_found(
    folder: Path, path: tuple[Any, ...], value: Any
) -> None:
    def edit(content: Any) -> None:
        for step in path[:-1]:
            content = content[step]
        assert content[path[-1]] != value
        content[path[-1]] = value

    changed(folder, edit)
    assert any(one.startswith(AUDIT_FILE) for one in check_folder(folder).differences)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["mean", "median", "trimmed-mean", "vancouver"])
def test_other_estimators_and_the_semester_are_checked(tmp_path: Path, estimator: str) -> None:
    chosen: dict[str, Any] = {"estimator": estimator, "points_over": "semester"}
    settings = replace(SETTINGS, **chosen)
    assert check_folder(graded_semester(tmp_path, settings)).differences == []


def test_names_are_restored_in_all_files(written: Path, tmp_path: Path) -> None:
    rows = ["kind,name,pseudonym"]
    # A name that sorts otherwise than its pseudonym changes the order of the page of the semester.
    rows += [f"person,Name {99 - number},{one}" for number, one in enumerate(STUDENTS)]
    rows += [f"submission,Work {number},s{number}" for number in range(20, 60)]
    (tmp_path / "key.csv").write_text("\n".join(rows) + "\n")
    restore_folder(written, tmp_path / "key.csv", tmp_path / "new")
    assert check_folder(tmp_path / "new").differences == []
    for path in (tmp_path / "new").rglob("*"):
        if path.suffix in (".csv", ".html", ".toml", ".txt", ".json"):
            text = re.sub(r"(?s)<(script|style).*?</\1>", "", path.read_text(encoding="utf-8"))
            assert not re.search(r"\bp(0\d|1[0-2])\b", text), path.name
    assert (tmp_path / "new" / "students" / "Name-99.html").is_file()


def test_settings_are_texts_by_their_names() -> None:
    assert flat_settings({"seed": 1, "final": {"use": True, "round_to": None}}) == {
        "seed": "1.0", "final.use": "True", "final.round_to": "none",
    }  # fmt: skip
