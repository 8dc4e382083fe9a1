"""Downloads: the record of a week gives the numbers of the page on the command line."""

from __future__ import annotations

import csv
import io
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from peergauge.classroom.grade.decisions import Action, Decision
from peergauge.core.errors import ParameterError, PeergaugeError
from peergauge.web import changes, downloads
from peergauge.web.context import Context
from peergauge.web.state import WeekState
from peergauge.web.store import NewFile
from peergauge.web.store.records import Week
from tests.web.kit import HEADER, NAMES, class_file, class_rows, opened_context, table_bytes

NUMBERS = ("grades.csv", "graders.csv")


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    with opened_context(tmp_path) as made:
        yield made


def members(content: bytes) -> dict[str, bytes]:
    """The files of an archive."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def graded_by_commands(record: bytes, folder: Path) -> None:
    """Unpack a record, and run the commands of its command.sh with the real command line."""
    with zipfile.ZipFile(io.BytesIO(record)) as archive:
        archive.extractall(folder)
    for line in (folder / downloads.COMMAND_FILE).read_text(encoding="utf-8").splitlines():
        program, *words = shlex.split(line)
        assert program == "peergauge"
        done = subprocess.run(
            [sys.executable, "-m", "peergauge.cli", *words],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"


def check_record(context: Context, week: Week, folder: Path) -> None:
    """The commands of a record write the tables of graded.zip, byte for byte."""
    page = members(downloads.graded_zip(context, week))
    graded_by_commands(downloads.record_zip(context, week), folder)
    place = f"{week.position:02d}"
    (out,) = (one / "graded" for one in folder.iterdir() if one.name.startswith(place))
    names = {name.removeprefix("graded/") for name in page}
    assert names == {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    for name in sorted(names & {*NUMBERS, "marks.csv", "decision-log.csv", "settings.toml"}):
        assert (out / name).read_bytes() == page[f"graded/{name}"], name


def messy_week(week: int) -> bytes:
    """A week with a review that was sent twice, and a column that looks like a second grade."""
    rows = [(*row, str(at % 7)) for at, row in enumerate(class_rows(week))]
    author, reviewer, grade, _ = rows[0]
    again = (author, reviewer, "9" if grade != "9" else "8", "3")
    return table_bytes((*HEADER, "Effort (0 to 10)"), *rows, again)


def answered(context: Context, week: Week) -> Week:
    """The week after an answer to each of its questions that is not the default."""
    asked = context.workbench.opened(week).opened.interpretation.open_questions
    answers = {one.key: one.choices[1].value for one in asked}
    return changes.answer(context, week.id, week.revision, answers) if answers else week


@pytest.mark.slow
def test_the_record_of_two_weeks_gives_the_numbers_of_the_page(
    context: Context, tmp_path: Path
) -> None:
    course, first = changes.new_course(context, "Logic", [NewFile("form 1.csv", messy_week(1))])
    columns = {"Effort (0 to 10)": "unused"}
    first = changes.set_columns(context, first.id, first.revision, columns)
    first = answered(context, first)
    state = WeekState.from_json(first.state)
    assert state.columns
    assert state.answers, "the export of this test has to raise a question"
    settings = {"points": "0..20", "final.use": True, "grades.round_to": 0.5, "level": 0.8}
    first = changes.set_settings(context, first.id, first.revision, settings)
    author, reviewer, _ = class_rows(1)[5]
    for said in (
        Decision(Action.STAFF_GRADE, submission=NAMES[2], grade=8.25, reason="checked, twice"),
        Decision(Action.EXCLUDE_REVIEW, submission=author, grader=reviewer, reason="copied"),
    ):
        first = changes.decide(context, first.id, first.revision, said)
    check_record(context, first, tmp_path / "first")
    second = changes.new_week(context, course.id, "", [NewFile("form 2.csv", messy_week(2))])
    second = answered(context, second)
    second = changes.set_settings(context, second.id, second.revision, {"estimator": "median"})
    said = Decision(Action.EXCLUDE_GRADER, grader=NAMES[4], reason="absent")
    second = changes.decide(context, second.id, second.revision, said)
    check_record(context, second, tmp_path / "second")


ODD_NAMES = (
    "reviews of week 1.csv", "Übung für Größen.csv", "-o.csv", "--help.csv",
    'it\'s $HOME; `x` & "y".csv', "part.csv", "part.csv", "PART.csv",
)  # fmt: skip


@pytest.mark.slow
def test_the_record_works_whatever_the_names_of_files_are(context: Context, tmp_path: Path) -> None:
    rows = class_rows()
    size = len(rows) // len(ODD_NAMES)
    files = [
        NewFile(name, table_bytes(HEADER, *rows[at * size : (at + 1) * size]))
        for at, name in enumerate(ODD_NAMES)
    ]
    _, week = changes.new_course(context, "Logic: week 1/2?", files)
    check_record(context, answered(context, week), tmp_path / "record")


@pytest.mark.parametrize(
    "names", [("é.csv", "e\u0301.csv"), ("a.csv", "A.CSV"), ("a.csv", "a.csv.")]
)
def test_files_whose_names_a_system_takes_for_one_are_in_folders_of_their_own(
    context: Context, names: tuple[str, str]
) -> None:
    rows = class_rows()
    files = [NewFile(name, table_bytes(HEADER, *rows[at::2])) for at, name in enumerate(names)]
    _, week = changes.new_course(context, "Logic", files)
    record = members(downloads.record_zip(context, answered(context, week)))
    places = [name.split("/")[-2] for name in record if "/export/" in name]
    assert places == ["1", "2"]


@pytest.mark.slow
def test_the_record_works_with_a_file_whose_name_is_an_option(
    context: Context, tmp_path: Path
) -> None:
    _, week = changes.new_course(context, "Logic", [replace(class_file(), name="--help")])
    check_record(context, answered(context, week), tmp_path / "record")


@pytest.mark.slow
def test_the_record_holds_the_table_of_assigned_reviews(context: Context, tmp_path: Path) -> None:
    _, week = changes.new_course(context, "Logic", [class_file()])
    rows = [("person", "assigned"), *((name, 6) for name in NAMES)]
    file = NewFile("to do.csv", table_bytes(*rows))
    week = changes.set_assigned(context, week.id, week.revision, [file])
    assert context.workbench.opened(week).assigned is not None
    check_record(context, week, tmp_path / "record")


def test_a_file_of_a_week_is_the_one_of_its_folder(context: Context) -> None:
    _, week = changes.new_course(context, "Logic", [class_file()])
    page = members(downloads.graded_zip(context, week))
    assert downloads.single_file(context, week, "grades.csv") == page["graded/grades.csv"]
    with pytest.raises(ParameterError, match="There is no file 'passwd' of this week"):
        downloads.single_file(context, week, "passwd")


def test_handouts_are_written_only_if_they_are_wanted(context: Context) -> None:
    _, week = changes.new_course(context, "Logic", [class_file()])
    without = members(downloads.graded_zip(context, week))
    pages = members(downloads.graded_zip(context, week, handouts=True))
    assert not [name for name in without if name.startswith("graded/students/")]
    texts = [one.decode() for name, one in pages.items() if name.startswith("graded/students/")]
    assert downloads.handout(context, week, NAMES[0]) in texts
    with pytest.raises(ParameterError, match="There is no handout for 'Nobody'"):
        downloads.handout(context, week, "Nobody")


# --------------------------------------------------------------------------------------- gradebook


def test_the_preview_shows_the_rows_of_the_file(context: Context) -> None:
    _, week = changes.new_course(context, "Logic", [class_file()])
    with pytest.raises(PeergaugeError, match="No gradebook is chosen yet"):
        downloads.gradebook(context, week)
    week = changes.set_gradebook(context, week.id, week.revision, "canvas", [])
    name, content, preview = downloads.gradebook(context, week)
    rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
    assert preview.name == name
    assert preview.lines == rows[: downloads.MAX_PREVIEW_LINES]
    assert len(rows) > len(NAMES)
    assert any(NAMES[0].split()[0] in cell for row in rows for cell in row)
    assert members(downloads.graded_zip(context, week))[f"graded/{name}"] == content


def test_names_that_look_like_formulas_are_text_in_every_table(context: Context) -> None:
    formula = '=HYPERLINK("http://x","y")'
    rows = [tuple(formula if cell == NAMES[0] else cell for cell in row) for row in class_rows()]
    _, week = changes.new_course(context, "Logic", [NewFile("a.csv", table_bytes(HEADER, *rows))])
    week = changes.set_gradebook(context, week.id, week.revision, "canvas", [])
    found = members(downloads.graded_zip(context, week))
    tables = {name: one for name, one in found.items() if name.endswith(".csv")}
    assert any(b"HYPERLINK" in one for one in tables.values())
    for name, content in tables.items():
        for row in csv.reader(io.StringIO(content.decode("utf-8-sig"))):
            assert not [cell for cell in row if cell.startswith(("=", "@"))], name
