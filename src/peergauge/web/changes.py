"""Changes of courses and weeks: each is checked, stored as a revision, and can be undone.

A change that would make a class unreadable or a grade impossible is refused with the sentence that
the command line would print, and nothing is stored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from peergauge.classroom.grade.decisions import Action, Decision, Outcome
from peergauge.classroom.grade.decisions_file import NEEDED_CELLS
from peergauge.classroom.grade.settings import checked_date
from peergauge.classroom.grade.settings_file import given_settings, parsed_settings
from peergauge.core.errors import ParameterError, PeergaugeError
from peergauge.core.text import composed, counted
from peergauge.exports.formats.columns import Part
from peergauge.exports.questions import OpenQuestionsError, Question
from peergauge.exports.readers import readers
from peergauge.web.combining import WantedChange, make_together, prepare_together
from peergauge.web.context import Context, Right
from peergauge.web.options import MAX_UPLOAD_FILES
from peergauge.web.recording import column_map_text
from peergauge.web.state import SETTINGS_SOURCE, GradebookChoice, WeekState
from peergauge.web.store import NewFile
from peergauge.web.store.records import Course, Job, StoredFile, Week
from peergauge.web.store.weeks import described_files
from peergauge.web.workbench import with_state

MAX_TITLE_LETTERS = 120
MAX_NAME_BYTES = 200

Edit = Callable[[WeekState], WeekState]


# ---------------------------------------------------------------------------------------- courses


def new_course(context: Context, title: str, files: Sequence[NewFile] = ()) -> tuple[Course, Week]:
    """Create a course with its first week, from the files of an export."""
    checked = checked_files(files)
    state, what = _first_revision(checked, WeekState())
    name = checked_title(title.strip() or checked[0].name[:MAX_TITLE_LETTERS])
    return context.store.start_course(
        name, context.person, "Week 1", state, what, checked,
        has_account=context.options.accounts,
    )  # fmt: skip


def new_week(context: Context, course_id: str, title: str, files: Sequence[NewFile]) -> Week:
    """Add a week to a course; it begins with the choices of the week before."""
    course = context.course(course_id, Right.EDIT)
    weeks = context.store.weeks(course.id)
    start = WeekState()
    if weeks:
        # A week continues graded ones; questions about these come first.
        context.workbench.graded(weeks[-1])
        before = WeekState.from_json(weeks[-1].state)
        start = WeekState(
            columns=before.columns, answers=before.answers, settings=before.settings,
            criterion=before.criterion, using=before.using,
        )  # fmt: skip
    name = checked_title(title.strip() or f"Week {len(weeks) + 1}")
    return _named(context, _add_week(context, course, name, checked_files(files), start))


def _named(context: Context, week: Week) -> Week:
    """A new week whose assignment has the title of the week, if it is readable only with a name.

    The files of a form name no assignment, and two weeks without a name cannot be told apart.
    """
    if context.workbench.earlier_week(week) is None:
        return week
    try:
        context.workbench.opened(week)
    except PeergaugeError:
        named = replace(WeekState.from_json(week.state), assignment=week.title)
        try:
            context.workbench.opened(with_state(week, named))
        except PeergaugeError:
            return week
        return context.store.add_revision(
            week.id, week.revision, named.as_json(), context.person,
            f"Named the assignment '{week.title}', because the files name none.",
        )  # fmt: skip
    return week


def _add_week(
    context: Context, course: Course, title: str, files: Sequence[NewFile], start: WeekState
) -> Week:
    state, what = _first_revision(files, start)
    return context.store.add_week(course.id, title, state, context.person, what, files)


def _first_revision(
    files: Sequence[NewFile], start: WeekState
) -> tuple[Callable[[list[StoredFile]], dict[str, Any]], str]:
    """The first state of a week as a function of its stored files, and what was done."""

    def state(stored: list[StoredFile]) -> dict[str, Any]:
        return replace(start, files=tuple(one.id for one in stored)).as_json()

    return state, f"Uploaded {_listed_files(files)}"


def _listed_files(files: Sequence[NewFile]) -> str:
    names = ", ".join(one.name for one in files[:5]) + (", …" if len(files) > 5 else "")
    return f"{counted(len(files), 'file')}: {names}."


def rename_course(context: Context, course_id: str, title: str) -> Course:
    """Give a course another title."""
    context.course(course_id, Right.MANAGE)
    context.store.rename_course(course_id, checked_title(title), context.person)
    return context.store.course(course_id)


def delete_course(context: Context, course_id: str) -> None:
    """Delete a course with all of its data, from the database and from memory."""
    context.course(course_id, Right.MANAGE)
    for job in context.store.jobs(course=course_id):
        context.store.cancel_job(job.id)
    context.store.delete_course(course_id)
    context.workbench.forget()


def delete_week(context: Context, week_id: str) -> str:
    """Delete the last week of a course; return the id of the course."""
    week = context.week(week_id, Right.MANAGE)
    context.store.delete_week(week.id, context.person)
    context.workbench.forget()
    return week.course


# ------------------------------------------------------------------------------------------ weeks


def change(
    context: Context,
    week_id: str,
    seen: int,
    edit: Edit,
    what: str,
    files: Sequence[NewFile] = (),
    stored: Sequence[StoredFile] = (),
) -> Week:
    """Change the state of a week.

    Parameters
    ----------
    seen
        Number of the revision that the person saw. What others changed since is kept, and a change
        of the same thing is refused.
    edit
        The change.
    what
        The change in one sentence, for the audit trail.
    files
        Files to store with the change, in the same revision.
    stored
        Records of these files, whose ids the new state has.
    """
    context.week(week_id, Right.EDIT)
    base = WeekState.from_json(context.store.revision(week_id, seen).state)
    wanted = WantedChange(base, edit(base), context.person, what, files, stored)
    with context.workbench.pending(stored, files):
        return context.queues.of(week_id).make(
            wanted,
            lambda together: make_together(context.workbench, week_id, together),
            lambda together: prepare_together(context.workbench, week_id, together),
        )


def answer(context: Context, week_id: str, seen: int, answers: Mapping[str, str]) -> Week:
    """Answer questions about the files of a week."""
    given = {key: value.strip() for key, value in answers.items() if value.strip()}
    week = context.week(week_id, Right.EDIT)
    asked = {one.key: one for one in _questions(context, week)}
    for key, value in given.items():
        if key not in asked:
            raise ParameterError(f"There is no question '{key}' about these files.")
        if asked[key].accepted(value) is None:
            choices = ", ".join(choice.value for choice in asked[key].choices)
            raise ParameterError(f"'{value}' is no answer to '{key}'; choose one of {choices}.")
    said = "; ".join(f"{key} = {value}" for key, value in given.items())
    return change(
        context, week_id, seen,
        lambda state: replace(state, answers={**state.answers, **given}), f"Answered: {said}.",
    )  # fmt: skip


def _questions(context: Context, week: Week) -> Sequence[Question]:
    """The questions about the files of a week, also if the files cannot be read yet."""
    try:
        return context.workbench.opened(week).opened.interpretation.questions
    except OpenQuestionsError as error:
        return error.questions


def set_import(
    context: Context,
    week_id: str,
    seen: int,
    *,
    scale: str | None = None,
    criterion: str | None = None,
    assignment: str | None = None,
    using: str | None = None,
) -> Week:
    """Set the scale, the criterion, the assignment's name or the reader; empty for the default."""
    # A spec of a reader may name a file of the server.
    if using and using not in readers:
        raise ParameterError(f"There is no reader '{using}'; choose one of {', '.join(readers)}.")
    given: dict[str, Any] = {
        name: " ".join(value.split())
        for name, value in (
            ("scale", scale), ("criterion", criterion), ("assignment", assignment),
            ("using", using),
        )
        if value is not None
    }  # fmt: skip
    said = ", ".join(f"{name} = {value or 'as found'}" for name, value in given.items())
    return change(context, week_id, seen, lambda state: replace(state, **given), f"Import: {said}.")


def set_files(
    context: Context, week_id: str, seen: int, files: Sequence[NewFile], *, add: bool = False
) -> Week:
    """Read a week from other files, or from more files; answers, settings and decisions stay.

    Files with which the class cannot be graded any more are refused.
    """
    checked = checked_files(files)
    stored = described_files(week_id, checked)
    new = tuple(one.id for one in stored)

    def edit(state: WeekState) -> WeekState:
        found = replace(state, files=(*state.files, *new) if add else new)
        if len(found.files) > MAX_UPLOAD_FILES:
            raise ParameterError(
                f"A week is read from at most {MAX_UPLOAD_FILES} files, and these would be "
                f"{len(found.files)}; replace the files instead."
            )
        return found

    what = f"{'Added' if add else 'Replaced all files by'} {_listed_files(checked)}"
    return change(context, week_id, seen, edit, what, checked, stored)


def set_columns(context: Context, week_id: str, seen: int, parts: Mapping[str, str]) -> Week:
    """Say what columns of the table hold, by their names."""
    from peergauge.web.views.imported import column_map_of

    week = context.week(week_id, Right.EDIT)
    found = column_map_of(context, week)
    if found is None:
        raise ParameterError(
            "The format of these files is known, so that no columns were guessed; there is "
            "nothing to correct."
        )
    known = {one.name: one for one in found.columns}
    for name, part in parts.items():
        if name not in known:
            raise ParameterError(f"The table has no column '{name}'.")
        if part not in list(Part):
            raise ParameterError(f"'{part}' is not something that a column can hold.")
    changed = [name for name, part in parts.items() if part != known[name].part]
    if not changed:
        return week
    columns = tuple(
        type(one)(one.name, Part(parts[one.name])) if one.name in changed else one
        for one in found.columns
    )
    text = column_map_text(replace(found, columns=columns, answers={}))
    said = ", ".join(f"'{name}' is {parts[name]}" for name in changed)
    return change(
        context, week_id, seen, lambda state: replace(state, columns=text), f"Columns: {said}."
    )


def set_settings(context: Context, week_id: str, seen: int, values: Mapping[str, Any]) -> Week:
    """Change settings by their paths, such as ``points`` or ``final.use``; None for the default."""

    def edit(state: WeekState) -> WeekState:
        for path, value in values.items():
            state = state.with_setting(path, value)
        given_settings(state.settings, SETTINGS_SOURCE)
        return state

    said = ", ".join(
        f"{path} = {'default' if value is None else value}" for path, value in values.items()
    )
    return change(context, week_id, seen, edit, f"Settings: {said}.")


def set_settings_text(context: Context, week_id: str, seen: int, text: str) -> Week:
    """Replace all settings by those of a settings file."""
    said = parsed_settings(text, SETTINGS_SOURCE)
    return change(
        context, week_id, seen, lambda state: replace(state, settings=said),
        "Settings: replaced by a file.",
    )  # fmt: skip


def decide(context: Context, week_id: str, seen: int, decision: Decision) -> Week:
    """Record a decision of staff: a staff grade, an exclusion or an appeal."""
    said = checked_decision(decision)
    about = " by ".join(filter(None, (said.submission, said.grader)))
    grade = "" if said.grade is None else f": {said.grade:g}"
    outcome = f" ({said.decision})" if said.decision else ""
    what = f"{str(said.action).capitalize()} of {about}{grade}{outcome}."
    if said.reason:
        what += f" Reason: {said.reason}"
    return change(context, week_id, seen, lambda state: state.with_decision(said), what)


def withdraw(context: Context, week_id: str, seen: int, decision: Decision) -> Week:
    """Withdraw a decision of staff."""
    about = " by ".join(filter(None, (decision.submission, decision.grader)))
    return change(
        context, week_id, seen, lambda state: state.without_decision(decision),
        f"Withdrew the decision '{decision.action}' about {about}.",
    )  # fmt: skip


def checked_decision(decision: Decision) -> Decision:
    """A decision with the cells that it needs, dated today unless it has a date."""
    day = checked_date(decision.date) if decision.date else datetime.now(UTC).date().isoformat()
    # Names of the class are composed, too.
    assignment, submission, grader, reason, asked = (
        composed(getattr(decision, name)).strip()
        for name in ("assignment", "submission", "grader", "reason", "asked")
    )
    said = decision._replace(
        date=day, assignment=assignment, submission=submission, grader=grader,
        reason=" ".join(reason.split()), asked=" ".join(asked.split()),
    )  # fmt: skip
    for cell in NEEDED_CELLS[said.action]:
        if getattr(said, cell) in ("", None):
            raise ParameterError(f"A decision '{said.action}' needs a {cell}; give one.")
    if said.action is Action.APPEAL:
        if said.decision not in list(Outcome):
            raise ParameterError(
                f"The outcome of an appeal is one of {', '.join(Outcome)}, not '{said.decision}'."
            )
        if not said.submission and not said.grader:
            raise ParameterError("An appeal is about a submission or about a grader; name one.")
    return said


def set_assigned(context: Context, week_id: str, seen: int, files: Sequence[NewFile]) -> Week:
    """Store a table of assigned reviews; without a file, the table is removed."""
    return _with_file(
        context, week_id, seen, files, lambda state, file: replace(state, assigned=file),
        "Table of assigned reviews",
    )  # fmt: skip


def set_gradebook(
    context: Context, week_id: str, seen: int, kind: str, files: Sequence[NewFile]
) -> Week:
    """Choose the gradebook to write, and the platform's own export to fill in, if there is one."""
    from peergauge.classroom.gradebooks import gradebooks

    gradebooks.make(kind)
    return _with_file(
        context, week_id, seen, files,
        lambda state, file: replace(state, gradebook=GradebookChoice(kind, file)),
        f"Gradebook for {kind}",
    )  # fmt: skip


def _with_file(
    context: Context,
    week_id: str,
    seen: int,
    files: Sequence[NewFile],
    edit: Callable[[WeekState, str], WeekState],
    what: str,
) -> Week:
    """Change a week by a file, which is stored in the same revision."""
    if not files:
        return change(context, week_id, seen, lambda state: edit(state, ""), f"{what}: no file.")
    (file,) = checked_files(files[:1])
    stored = described_files(week_id, [file])
    return change(
        context, week_id, seen, lambda state: edit(state, stored[0].id), f"{what}: {file.name}.",
        [file], stored,
    )  # fmt: skip


def start_gaming(context: Context, week_id: str) -> Job:
    """Start the gaming test of a week, as it is now; a test that runs already is returned."""
    week = context.week(week_id, Right.EDIT)
    context.workbench.graded(week)
    for job in context.store.jobs(week=week.id, kind="gaming"):
        same = job.parameters.get("revision") == week.revision
        if same and job.state in ("queued", "running"):
            return job
    parameters = {"week": week.id, "revision": week.revision}
    job = context.store.add_job("gaming", parameters, context.person, week.course, week.id)
    context.store.add_event(week.course, context.person, "Started the gaming test.", week.id)
    return job


def undo(context: Context, week_id: str, seen: int) -> Week:
    """Take back the last change of a week that is not taken back yet."""
    week = context.week(week_id, Right.EDIT)
    if seen != week.revision:
        raise ParameterError("Somebody changed this week in the meantime; load the page again.")
    target = undo_target(context, week)
    if target is None:
        raise ParameterError("There is nothing to undo.")
    taken_back, back_to = target
    state = context.store.revision(week_id, back_to).state
    what = f"Undid change {taken_back}, back to change {back_to}."
    return context.store.add_revision(week_id, week.revision, state, context.person, what)


UNDO_PATTERN = re.compile(r"^Undid change (\d+), back to change (\d+)\.$")


def undo_target(context: Context, week: Week) -> tuple[int, int] | None:
    """The change that an undo takes back, and the revision that it goes back to."""
    heads = {one.number: one for one in context.store.revisions(week.id)}
    number = week.revision
    while (said := UNDO_PATTERN.match(heads[number].what)) is not None:
        number = int(said[2])
    return (number, number - 1) if number > 1 else None


# ------------------------------------------------------------------------------------------ checks


def checked_title(text: str) -> str:
    """A title in one line; empty and long ones are refused."""
    title = " ".join(text.split())
    if not title or not title.isprintable() or len(title) > MAX_TITLE_LETTERS:
        raise ParameterError(
            f"A title is a short text of at most {MAX_TITLE_LETTERS} letters, such as "
            "'Statistics, autumn'."
        )
    return title


def checked_files(files: Sequence[NewFile]) -> list[NewFile]:
    """Uploaded files under safe names; none, too many and empty ones are refused."""
    if not files:
        raise ParameterError("No file was uploaded; choose the export of your peer review.")
    if len(files) > MAX_UPLOAD_FILES:
        raise ParameterError(
            f"{len(files)} files were uploaded at once; upload at most {MAX_UPLOAD_FILES}."
        )
    found = [NewFile(safe_name(one.name), one.content) for one in files]
    for one in found:
        if not one.content:
            raise ParameterError(f"The file {one.name} is empty; export it again.")
    return found


def safe_name(name: str) -> str:
    r"""The name of an uploaded file without folders, and without characters that could mislead.

    >>> safe_name("../../etc/passwd"), safe_name("C:\\exports\\week 1.csv")
    ('passwd', 'week 1.csv')
    """
    last = re.split(r"[/\\]", name.strip())[-1]
    kept = "".join(one for one in last if one.isprintable()).strip().lstrip(".")
    if not kept:
        raise ParameterError("An uploaded file has no name; rename it, such as export.csv.")
    if len(kept.encode()) > MAX_NAME_BYTES:
        stem, dot, suffix = kept.rpartition(".")
        short = (stem if dot else kept).encode()[: MAX_NAME_BYTES - 20].decode(errors="ignore")
        kept = f"{short}{dot}{suffix[:10]}" if dot else short
    return kept
