"""Files to download: the folder of ``peergauge grade``, gradebooks, and the record of a week.

The record has everything that the equivalent command needs: the export, the column map, the
settings and the decisions. Its command gives the same numbers as the page.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from peergauge.classroom.grade.settings_file import SETTINGS_FILE, settings_text
from peergauge.classroom.gradebooks import Written
from peergauge.core.dated_archive import DatedArchive
from peergauge.core.errors import ParameterError
from peergauge.core.text import composed, folder_names
from peergauge.pages.grade_folder import GradebookRequest, check_gradebooks, write_graded
from peergauge.pages.gradebook_files import gradebook_files
from peergauge.pages.students import pages, student_files
from peergauge.pages.texts import PageTexts
from peergauge.web.context import Context
from peergauge.web.recording import DECISIONS_FILE, MAP_FILE, decisions_csv, map_text
from peergauge.web.rendering import command_line
from peergauge.web.state import IMPORT_FIELDS, WeekState
from peergauge.web.store.records import Week
from peergauge.web.views import View

COMMAND_FILE = "command.sh"
ASSIGNED_FOLDER = "assigned"
MAX_PREVIEW_LINES = 12


class GradebookPreview(View):
    """Who is matched in a gradebook, and what will be written."""

    name: str
    matched: list[str]
    unmatched_people: list[str]
    unmatched_rows: list[str]
    notes: list[str]
    lines: list[list[str]]
    """The first rows of the file; empty for a workbook."""


# ---------------------------------------------------------------------------------------- commands


def grade_command(context: Context, week: Week, *, to: str = "") -> str:
    """The command that grades a week as the page does, in a folder with its record."""
    state, folder = WeekState.from_json(week.state), _week_folder(context, week)
    words = ["peergauge", "grade", *(f"{folder}/{name}" for name in _export_names(context, state))]
    words += ["--out", f"{folder}/graded", *_how(week, folder)]
    words += ["--settings", f"{folder}/{SETTINGS_FILE}"]
    if state.decisions:
        words += ["--decisions", f"{folder}/{DECISIONS_FILE}"]
    if state.assigned:
        name = context.store.file(state.assigned).name
        words += ["--assigned", f"{folder}/{ASSIGNED_FOLDER}/{name}"]
    before = context.workbench.earlier_week(week)
    if before is not None:
        words += ["--after", f"{_week_folder(context, before)}/graded"]
    return command_line(*words, *(["--to", to] if to else []))


def grade_commands(context: Context, weeks: Sequence[Week]) -> str:
    """The commands that grade weeks one after another, in a folder with their record."""
    return "\n".join(grade_command(context, one) for one in weeks)


def check_command(context: Context, week: Week) -> str:
    """The command that shows how the files of a week are understood."""
    state, folder = WeekState.from_json(week.state), _week_folder(context, week)
    words = ["peergauge", "check", *(f"{folder}/{name}" for name in _export_names(context, state))]
    before = context.workbench.earlier_week(week)
    after = [] if before is None else ["--after", f"{_week_folder(context, before)}/graded"]
    return command_line(*words, *_how(week, folder), *after)


def _how(week: Week, folder: str) -> list[str]:
    """Options by which a week is read."""
    state = WeekState.from_json(week.state)
    words = []
    for name in IMPORT_FIELDS:
        if getattr(state, name):
            words += [f"--{name}", getattr(state, name)]
    if state.columns or state.answers:
        words += ["--map", f"{folder}/{MAP_FILE}"]
    return words


def _week_folder(context: Context, week: Week) -> str:
    """The name of the folder of a week, which no other week of the course has."""
    titles = [f"{one.position:02d} {one.title}" for one in context.store.weeks(week.course)]
    return folder_names(titles)[f"{week.position:02d} {week.title}"]


def _export_names(context: Context, state: WeekState) -> list[str]:
    """Paths of the export in the folder of a week; files of the same name are in folders."""
    names = [context.store.file(one).name for one in state.files]
    # Some systems take names for one that differ in capitals, composition, or dots at the end.
    alike = {composed(name).casefold().rstrip(". ") for name in names}
    repeated = len(alike) < len(names)
    return [f"export/{number}/{name}" if repeated else f"export/{name}"
            for number, name in enumerate(names, 1)]  # fmt: skip


# ------------------------------------------------------------------------------------------ files


def graded_zip(context: Context, week: Week, *, handouts: bool = False) -> bytes:
    """The folder that ``peergauge grade`` writes, as an archive."""
    graded = context.workbench.graded(week)
    with context.workbench.files(week) as paths, TemporaryDirectory(prefix="peergauge-") as folder:
        out = Path(folder) / "graded"
        with _requests(context, week, needed=False) as to:
            write_graded(graded, out, files=paths, to=to, handouts=handouts)
        return _zipped(out, "graded")


def single_file(context: Context, week: Week, name: str) -> bytes:
    """One file of the folder that ``peergauge grade`` writes."""
    graded = context.workbench.graded(week)
    with context.workbench.files(week) as paths, TemporaryDirectory(prefix="peergauge-") as folder:
        written = write_graded(graded, Path(folder) / "graded", files=paths)
        for path in written.files:
            if path.name == name:
                return path.read_bytes()
    raise ParameterError(f"There is no file '{name}' of this week.")


def handout(context: Context, week: Week, person: str) -> str:
    """The handout of a student, as a page."""
    graded = context.workbench.graded(week)
    name = student_files(graded).get(person)
    if name is None:
        raise ParameterError(f"There is no handout for '{person}' in this week.")
    return pages(graded, PageTexts.of(graded.settings))[name]


def gradebook(context: Context, week: Week) -> tuple[str, bytes, GradebookPreview]:
    """The chosen gradebook: its name, its content and a preview."""
    graded = context.workbench.graded(week)
    with _requests(context, week, needed=True) as to:
        check_gradebooks(graded.opened, to, graded.settings)
        books = gradebook_files(graded, to, Path())
    (written,) = books.written
    paths = [written.path, *written.more_paths]
    if len(paths) == 1:
        name, content = paths[0].name, books.content[paths[0]]
    else:
        name = f"{written.path.stem}.zip"
        content = _archive({path.name: books.content[path] for path in paths})
    return name, content, _preview(written, books.content[written.path])


def _preview(written: Written, content: bytes) -> GradebookPreview:
    lines: list[list[str]] = []
    if written.path.suffix == ".csv":
        text = content.decode("utf-8-sig", errors="replace")
        lines = [row for _, row in zip(range(MAX_PREVIEW_LINES), csv.reader(io.StringIO(text)),
                                       strict=False)]  # fmt: skip
    return GradebookPreview(
        name=written.path.name,
        matched=list(written.matched),
        unmatched_people=list(written.unmatched_people),
        unmatched_rows=list(written.unmatched_rows),
        notes=list(written.notes),
        lines=lines,
    )


@contextmanager
def _requests(context: Context, week: Week, *, needed: bool) -> Iterator[list[GradebookRequest]]:
    """The gradebook that was chosen, with the platform's file in a private folder."""
    chosen = WeekState.from_json(week.state).gradebook
    if chosen is None:
        if needed:
            raise ParameterError("No gradebook is chosen yet; choose the platform.")
        yield []
        return
    with context.workbench.stored(tuple(filter(None, [chosen.file]))) as paths:
        yield [GradebookRequest(chosen.kind, paths[0] if paths else None)]


def record_zip(context: Context, week: Week) -> bytes:
    """The record of a week and of those before it: inputs, choices and the commands."""
    weeks = [one for one in context.store.weeks(week.course) if one.position <= week.position]
    content: dict[str, bytes] = {}
    for one in weeks:
        content |= _record(context, one)
    content[COMMAND_FILE] = f"{grade_commands(context, weeks)}\n".encode()
    return _archive(content)


def _record(context: Context, week: Week) -> dict[str, bytes]:
    state, folder = WeekState.from_json(week.state), _week_folder(context, week)
    names = _export_names(context, state)
    content = {
        f"{folder}/{name}": context.store.content(one)
        for name, one in zip(names, state.files, strict=True)
    }
    content[f"{folder}/{SETTINGS_FILE}"] = settings_text(state.checked_settings()).encode()
    if state.columns or state.answers:
        content[f"{folder}/{MAP_FILE}"] = map_text(state).encode()
    if state.decisions:
        content[f"{folder}/{DECISIONS_FILE}"] = decisions_csv(state.decisions).encode()
    if state.assigned:
        file = context.store.file(state.assigned)
        path = f"{folder}/{ASSIGNED_FOLDER}/{file.name}"
        content[path] = context.store.content(file.id)
    return content


def _zipped(folder: Path, name: str) -> bytes:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return _archive({f"{name}/{path.relative_to(folder)}": path.read_bytes() for path in files})


def _archive(content: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with DatedArchive(made) as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return made.getvalue()
