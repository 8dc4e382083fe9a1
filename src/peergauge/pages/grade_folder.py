"""The folder of a graded class: tables, report, audit, gradebooks and pages for students."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.audit import AUDIT_FILE, audit
from peergauge.classroom.grade.awarded import rule_sentences
from peergauge.classroom.grade.names import ClassNames
from peergauge.classroom.grade.semester import Semester
from peergauge.classroom.grade.settings import Settings
from peergauge.classroom.grade.settings_file import SETTINGS_FILE, settings_text
from peergauge.classroom.grade.tables import (
    decisions_table,
    gradebook_note,
    graders_table,
    grades_table,
    marks_table,
    planned_marks,
)
from peergauge.classroom.gradebooks import Written, check_match
from peergauge.core.errors import TableError
from peergauge.core.files import write_files
from peergauge.core.lazy import pl
from peergauge.core.optional import left_out, skipping
from peergauge.core.replacing import left_files, refuse_replacing, refuse_shared, same_file
from peergauge.core.text import counted, visible
from peergauge.exports.validate import OpenedClass
from peergauge.pages.folder_record import with_record
from peergauge.pages.gradebook_files import filled_gradebooks, gradebook_files, gradebook_name
from peergauge.pages.handouts import HANDOUTS_FILE, HANDOUTS_FOLDER, handout_table, handouts_csv
from peergauge.pages.semester_page import (
    SemesterRow,
    has_semester,
    semester_page,
    semester_rows,
    semester_table,
)
from peergauge.pages.texts import PageTexts
from peergauge.pages.workbook import (
    Sheet,
    grade_columns,
    grader_columns,
    notes_sheet,
    table_sheet,
    why_grades_sheet,
    why_points_sheet,
    workbook,
)
from peergauge.pages.workbook_sheets import MAX_SHEET_ROWS, further_sheets

ALL_IMPORT_NOTES = 10**9

MIN_FREE_BYTES = 2**23
"""Space that the files of the smallest class need, generously: the report has all its scripts."""

BYTES_OF_REVIEW, BYTES_OF_HANDOUT = 2**11, 2**16
"""Space that a review and the page of a student need, generously."""

MARKS_FILE = "marks.csv"
DECISION_LOG_FILE = "decision-log.csv"


class GradebookRequest(NamedTuple):
    """A gradebook to write: its kind, and the platform's own export to fill in."""

    kind: str
    into: Path | None = None


class WrittenFolder(NamedTuple):
    """Files and gradebooks that were written, and notes on what was left out."""

    files: tuple[Path, ...]
    gradebooks: tuple[Written, ...]
    notes: tuple[str, ...]


def write_graded(
    graded: GradedClass,
    folder: Path | str,
    *,
    files: Sequence[Path] = (),
    to: Sequence[GradebookRequest] = (),
    handouts: bool = False,
    texts: PageTexts | None = None,
    force: bool = False,
    changed: Sequence[Path] = (),
) -> WrittenFolder:
    """Write all files of a graded class into a folder, or none of them.

    Only the user may read the files. A file that an earlier run did not write, or that was changed
    since, is refused.

    Parameters
    ----------
    files
        Files that the class was read from, for the audit.
    to
        Gradebooks to write as well.
    handouts
        Whether to write a page for each student, into a folder ``students``, and a list of them.
    texts
        Course, title and so on for the pages; by default those of the settings.
    force
        Whether any file may be replaced.
    changed
        Files that may be replaced although they were changed, such as settings that the run read.
    """
    folder = Path(folder)
    texts = texts or PageTexts.of(graded.settings)
    notes: list[str] = []
    by_submission, by_grader = grades_table(graded), graders_table(graded)
    import_lines = (
        *graded.opened.report.lines(ALL_IMPORT_NOTES),
        *graded.continued(ALL_IMPORT_NOTES),
        *_interpretation_lines(graded),
    )
    content: dict[Path, pl.DataFrame | bytes] = {
        folder / "grades.csv": by_submission,
        folder / "graders.csv": by_grader,
        folder / "import.txt": visible("\n".join(import_lines) + "\n").encode(),
    }
    content[folder / SETTINGS_FILE] = settings_text(graded.settings).encode()
    marks = marks_table(graded)
    if marks is not None:
        content[folder / MARKS_FILE] = marks
    if (log := decisions_table(graded)) is not None:
        content[folder / DECISION_LOG_FILE] = log
    semester = graded.semester
    rows = semester_rows(semester) if has_semester(semester) else []
    if rows:
        content[folder / "semester.csv"] = semester_table(semester, rows)
    content |= _workbook(graded, semester, folder, (by_submission, by_grader), notes)
    content |= _pages(graded, rows, folder, texts, notes)
    if handouts:
        content |= _handouts(graded, folder, texts, notes)
    if to and (note := gradebook_note(graded)):
        notes.append(note)
    books = gradebook_files(graded, to, folder)
    tables = {"grades": by_submission, "graders": by_grader}
    data = with_record(audit(graded, files), folder, content, tables, books)
    refuse_shared({path.name: path for path in data}, files)
    check_grade_folder(folder, data, force=force, changed=changed)
    notes += _left_notes(folder, data)
    write_files(data, private=True)
    return WrittenFolder(tuple(data), books.written, tuple(notes))


def _left_notes(folder: Path, data: Collection[Path]) -> Iterator[str]:
    """Sentences on files of an earlier run, perhaps of another class, that this one does not write.

    They may have been sent to students or to a platform, so that they are not removed.
    """
    fixed = (folder / name for name in (MARKS_FILE, DECISION_LOG_FILE))
    left = {path for path in fixed if path not in data and path.exists()}
    left.update(left_files(data, folder / AUDIT_FILE, "grade"))
    pages = {path for path in left if path.parent.name == HANDOUTS_FOLDER}
    for path in sorted(left - pages):
        yield f"{path} is not of this run, which writes no such file; delete it."
    if pages:
        yield (
            f"{folder / HANDOUTS_FOLDER} has {counted(len(pages), 'page')} of an earlier run, "
            "which this one does not write; delete them."
        )


def check_grade_folder(
    folder: Path, targets: Iterable[Path], *, force: bool = False, changed: Sequence[Path] = ()
) -> None:
    """Raise an error if files would be replaced that no run wrote, or that were changed since."""
    kept = [path for path in targets if not any(same_file(path, one) for one in changed)]
    refuse_replacing(kept, folder / AUDIT_FILE, "grade", force=force)


def certain_files(folder: Path, to: Sequence[GradebookRequest] = ()) -> list[Path]:
    """Files that every run writes, and the gradebooks of this one."""
    names = [AUDIT_FILE, "grades.csv", "graders.csv", "import.txt", SETTINGS_FILE]
    return [folder / name for name in (*names, *map(gradebook_name, to))]


def check_gradebooks(
    opened: OpenedClass, to: Sequence[GradebookRequest], settings: Settings | None = None
) -> None:
    """Raise an error if a gradebook cannot be written, before anything is computed.

    At least half of the graders must be in a file that is to be filled in, and each gradebook is
    filled in once on trial, with the highest possible marks.
    """
    if not to:
        return
    known = {row["person"]: row for row in opened.people.to_dicts()}
    people = [
        {key: text for key, text in known.get(one.id, {}).items() if text} | {"person": one.id}
        for one in ClassNames(opened).graders
    ]
    for request in to:
        if request.into is not None:
            check_match(people, request.kind, request.into)
    filled_gradebooks(planned_marks(opened, settings or Settings()), to, Path("trial"))


def estimated_bytes(opened: OpenedClass, *, handouts: bool = False) -> int:
    """About how much the files of a class will need at most."""
    reviews, students = len(opened.reports), opened.reports.graders
    pages = BYTES_OF_HANDOUT * (students + opened.submissions["author"].n_unique())
    return MIN_FREE_BYTES + BYTES_OF_REVIEW * reviews + (pages if handouts else 0)


def _interpretation_lines(graded: GradedClass) -> Iterator[str]:
    """Decisions about the files with their evidence, and the answers to questions."""
    found, told = graded.opened.interpretation, set(graded.continued())
    for one in found.decisions:
        if one.text in told:
            continue
        yield f"decided: {one.text}" + (f" Evidence: {one.evidence}." if one.evidence else "")
    for key, answer in found.answers.items():
        yield f"answered: {key} = {answer}"
    for key, default in found.defaults.items():
        yield f"default used: {key} = {default}"


def _workbook(
    graded: GradedClass,
    semester: Semester,
    folder: Path,
    tables: tuple[pl.DataFrame, pl.DataFrame],
    notes: list[str],
) -> dict[Path, pl.DataFrame | bytes]:
    """The workbook, unless it is too large or a package is missing."""
    if max(table.height for table in tables) > MAX_SHEET_ROWS:
        notes.append(
            f"grades.xlsx is not written, because a sheet would have more than {MAX_SHEET_ROWS} "
            "rows."
        )
        return {}
    try:
        return {folder / "grades.xlsx": workbook(sheets_of(graded, semester, *tables))}
    except TableError as error:
        notes.append(f"grades.xlsx is not written: {error}")
        return {}


def sheets_of(
    graded: GradedClass, semester: Semester, grades: pl.DataFrame, graders: pl.DataFrame
) -> list[Sheet]:
    """The sheets of the workbook: grades, graders, explanations, all else, and notes on columns."""
    level = graded.settings.level
    sheets = [
        table_sheet("Grades", grades, grade_columns(level), 2),
        table_sheet("Graders", graders, grader_columns(level), 2),
    ]
    if has_semester(semester):
        sheets.append(table_sheet("Semester", semester_table(semester), {}, 2))
    if len(graded.reports) + graded.reports.submissions <= MAX_SHEET_ROWS:
        sheets += [why_grades_sheet(graded), why_points_sheet(graded)]
    sheets += further_sheets(graded)
    about = [
        f"Grades are on the scale {graded.reports.scale}.",
        f"Points: {graded.reason}",
        *rule_sentences(graded.settings.grades, graded.reports.scale),
    ]
    return [*sheets, notes_sheet(sheets, about)]


def _pages(
    graded: GradedClass,
    rows: Sequence[SemesterRow],
    folder: Path,
    texts: PageTexts,
    notes: list[str],
) -> dict[Path, pl.DataFrame | bytes]:
    """The report, and the page of the semester if it has *rows*."""
    missing: set[str] = set()
    with skipping(missing):
        from peergauge.pages.grading import page

        report = page(graded, texts, semester=bool(rows))
        content: dict[Path, pl.DataFrame | bytes] = {folder / "report.html": report.encode()}
        if rows:
            whole = semester_page(graded.semester, texts, rows)
            content[folder / "semester.html"] = whole.encode()
        return content
    notes.append(left_out("The pages", missing))
    return {}


def _handouts(
    graded: GradedClass,
    folder: Path,
    texts: PageTexts,
    notes: list[str],
) -> dict[Path, pl.DataFrame | bytes]:
    """The pages for students, and the list of them."""
    missing: set[str] = set()
    with skipping(missing):
        from peergauge.pages.students import pages, student_files

        made = pages(graded, texts)
        students = folder / HANDOUTS_FOLDER
        notes.append(
            f"Pages for {counted(len(made), 'student')} are in {students}; {HANDOUTS_FILE} lists "
            "them with names, e-mail addresses and results for a mail merge."
        )
        listed = handouts_csv(handout_table(graded, student_files(graded)))
        return {
            folder / HANDOUTS_FILE: listed,
            **{students / name: text.encode() for name, text in made.items()},
        }
    notes.append(left_out("The pages for students", missing))
    return {}
