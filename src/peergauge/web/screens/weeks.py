"""The screens of a week, from the import to the gradebook."""

from __future__ import annotations

import math
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, File, Form, Query, Request, Response, UploadFile
from fastapi.responses import HTMLResponse, RedirectResponse

from peergauge.classroom.grade.decisions import Action, Decision, Outcome
from peergauge.classroom.grade.settings_file import settings_text
from peergauge.classroom.gradebooks import gradebooks
from peergauge.core.errors import ParameterError, PeergaugeError
from peergauge.exports.formats.columns import Part
from peergauge.exports.questions import OpenQuestionsError
from peergauge.exports.readers import readers
from peergauge.web import changes, downloads
from peergauge.web.api.courses import uploaded
from peergauge.web.api.weeks import ZIP_TYPE, attachment
from peergauge.web.context import Asked, Context, Right
from peergauge.web.drawing import on_page
from peergauge.web.rendering import fragment, page
from peergauge.web.settings_form import changed_settings, filled_fields
from peergauge.web.state import WeekState
from peergauge.web.store.records import Week
from peergauge.web.views.courses import history_view
from peergauge.web.views.graded import (
    grader_view,
    graders_view,
    grades_view,
    marks_view,
    second_look_view,
    submission_view,
    summary_view,
)
from peergauge.web.views.imported import import_view, staff_chart

router = APIRouter(prefix="/weeks/{week}", include_in_schema=False)

Uploads = Annotated[list[UploadFile] | None, File()]
Seen = Annotated[int, Form(ge=1, le=2**31 - 1)]
Text = Annotated[str, Form(max_length=5000)]
PageNumber = Annotated[int, Query(ge=1, le=10**6)]
PLAIN_GRADEBOOK = "csv"
FILTER_FIELDS = ("assignment", "section", "search")


async def form_fields(request: Request) -> dict[str, str]:
    """The texts of a form whose fields depend on the class; files in it are ignored."""
    async with request.form() as form:
        return {name: text for name, text in form.items() if isinstance(text, str)}


Fields = Annotated[dict[str, str], Depends(form_fields)]


def _week_page(
    request: Request, context: Context, week: Week, template: str, tab: str, **given: Any
) -> HTMLResponse:
    """A screen of a week, with what all of them show."""
    return page(
        request, template, week=week, tab=tab, course=context.store.course(week.course),
        can_edit=(context.right(week.course) or 0) >= Right.EDIT,
        can_manage=(context.right(week.course) or 0) >= Right.MANAGE,
        command_note="in a folder with the record of this week, which you can download", **given,
    )  # fmt: skip


def _to(week: str, screen: str = "", **query: str) -> Response:
    words = f"?{urlencode(query)}" if query else ""
    return RedirectResponse(f"/weeks/{week}{screen}{words}", 303)


@router.get("")
def show_import(request: Request, context: Asked, week: str) -> Response:
    """How the files were read, with all questions."""
    found = context.week(week)
    view = import_view(context, found)
    chart = staff_chart(view)
    return _week_page(
        request, context, found, "import.html", "import", view=view,
        chart=None if chart is None else on_page(chart),
        parts=list(Part), readers=_readers(), state=WeekState.from_json(found.state),
        command=downloads.check_command(context, found),
    )  # fmt: skip


@router.post("/answers")
def answer(context: Asked, week: str, fields: Fields) -> Response:
    """Answer questions about the files; a typed answer counts if none of the others is chosen."""
    chosen, typed = _named(fields, "answer:"), _named(fields, "free:")
    said = typed | {name: text for name, text in chosen.items() if text}
    changes.answer(context, week, _seen(fields), said)
    return _to(week)


@router.post("/columns")
def set_columns(context: Asked, week: str, fields: Fields) -> Response:
    """Say what columns hold."""
    changes.set_columns(context, week, _seen(fields), _named(fields, "column:"))
    return _to(week)


@router.post("/import")
def set_import(
    context: Asked,
    week: str,
    seen: Seen,
    scale: Text = "",
    criterion: Text = "",
    assignment: Text = "",
    using: Text = "",
) -> Response:
    """Set the scale, the criterion, the name of the assignment or the reader."""
    changes.set_import(
        context, week, seen, scale=scale, criterion=criterion, assignment=assignment, using=using
    )
    return _to(week)


@router.post("/files")
def set_files(
    context: Asked, week: str, seen: Seen, files: Uploads = None, add: bool = Form(False)
) -> Response:
    """Read the week from other files, or from more files."""
    changes.set_files(context, week, seen, uploaded(files or []), add=add)
    return _to(week)


@router.post("/assigned")
def set_assigned(context: Asked, week: str, seen: Seen, files: Uploads = None) -> Response:
    """Store a table of assigned reviews."""
    changes.set_assigned(context, week, seen, uploaded(files or []))
    return _to(week)


@router.get("/grade")
def show_grades(
    request: Request,
    context: Asked,
    week: str,
    page: PageNumber = 1,
    assignment: str = "",
    section: str = "",
    search: str = "",
) -> Response:
    """Grades and points, with the settings beside them."""
    found = context.week(week)
    try:
        view = summary_view(context, found)
    except OpenQuestionsError:
        return _to(week)
    state = WeekState.from_json(found.state)
    return _week_page(
        request, context, found, "grade.html", "grade", view=view, fields=filled_fields(state),
        grades=grades_view(
            context, found, page=page, assignment=assignment, section=section, search=search
        ),
        graders=graders_view(context, found), assignment=assignment, section=section,
        search=search, grader_search="", settings=settings_text(state.checked_settings()),
        marks=marks_view(context, found), command=downloads.grade_command(context, found),
    )  # fmt: skip


@router.post("/settings")
def set_settings(request: Request, context: Asked, week: str, fields: Fields) -> Response:
    """Change settings, and show the new distributions."""
    seen = _seen(fields)
    context.week(week, Right.EDIT)
    base = WeekState.from_json(context.store.revision(week, seen).state)
    values = changed_settings(base, fields)
    found = changes.set_settings(context, week, seen, values) if values else context.week(week)
    if not request.headers.get("hx-request"):
        return _to(week, "/grade")
    filters: dict[str, Any] = {
        name: fields.get(name, "") for name in ("assignment", "section", "search")
    }
    return HTMLResponse(
        fragment(
            request, "preview.html", view=summary_view(context, found), week=found,
            grades=grades_view(context, found, **filters), graders=graders_view(context, found),
            **filters, grader_search="", swapped=True,
            marks=marks_view(context, found), command=downloads.grade_command(context, found),
        )
    )  # fmt: skip


@router.post("/settings-file")
def set_settings_file(
    context: Asked, week: str, seen: Seen, text: Annotated[str, Form(max_length=2**20)] = ""
) -> Response:
    """Replace all settings by those of a settings file."""
    changes.set_settings_text(context, week, seen, text)
    return _to(week, "/grade")


@router.get("/grades")
def grades_part(
    request: Request,
    context: Asked,
    week: str,
    page: PageNumber = 1,
    assignment: str = "",
    section: str = "",
    search: str = "",
) -> Response:
    """A part of the table of grades."""
    found = context.week(week)
    if not request.headers.get("hx-request"):
        return show_grades(request, context, week, page, assignment, section, search)
    return HTMLResponse(
        fragment(
            request, "grades_table.html", week=found, assignment=assignment, section=section,
            search=search, swapped=False,
            grades=grades_view(
                context, found, page=page, assignment=assignment, section=section, search=search
            ),
        )
    )  # fmt: skip


@router.get("/graders")
def graders_part(
    request: Request, context: Asked, week: str, page: PageNumber = 1, search: str = ""
) -> Response:
    """A part of the table of graders."""
    found = context.week(week)
    return HTMLResponse(
        fragment(
            request, "graders_table.html", week=found, grader_search=search, swapped=False,
            graders=graders_view(context, found, page=page, search=search),
        )
    )  # fmt: skip


@router.get("/submission")
def show_submission(
    request: Request, context: Asked, week: str, submission: str, assignment: str = ""
) -> Response:
    """A submission with its reviews, and what staff can decide."""
    found = context.week(week)
    return _week_page(
        request, context, found, "submission.html", "grade",
        view=submission_view(context, found, assignment, submission), outcomes=list(Outcome),
        command=downloads.grade_command(context, found),
    )  # fmt: skip


@router.get("/explain")
def explain(
    request: Request, context: Asked, week: str, submission: str, assignment: str = ""
) -> Response:
    """Explain a grade, to show a student on the screen: graders are not named."""
    found = context.week(week)
    return _week_page(
        request, context, found, "explain.html", "grade",
        view=submission_view(context, found, assignment, submission),
        command=downloads.grade_command(context, found),
    )  # fmt: skip


@router.get("/grader")
def show_grader(request: Request, context: Asked, week: str, grader: str) -> Response:
    """A grader, and the explanation of the points."""
    found = context.week(week)
    return _week_page(
        request, context, found, "grader.html", "grade",
        view=grader_view(context, found, grader),
        command=downloads.grade_command(context, found),
    )  # fmt: skip


@router.post("/decisions")
def decide(
    context: Asked,
    week: str,
    seen: Seen,
    action: Text,
    assignment: Text = "",
    submission: Text = "",
    grader: Text = "",
    grade: Text = "",
    decision: Text = "",
    reason: Text = "",
    date: Text = "",
    asked: Text = "",
    back: Text = "",
    withdraw: Text = "",
) -> Response:
    """Record or withdraw a decision of staff."""
    if action not in list(Action):
        raise ParameterError(f"There is no decision '{action}'.")
    said = Decision(
        Action(action), assignment, submission, grader, _grade(grade), decision, reason, date, asked
    )
    if withdraw:
        changes.withdraw(context, week, seen, said)
    else:
        changes.decide(context, week, seen, said)
    if back == "second-look":
        return _to(week, "/second-look")
    if grader and not submission:
        return _to(week, "/grader", grader=grader)
    return _to(week, "/submission", assignment=assignment, submission=submission)


@router.get("/second-look")
def second_look(request: Request, context: Asked, week: str) -> Response:
    """The queue of what staff should check."""
    found = context.week(week)
    try:
        view = second_look_view(context, found)
    except OpenQuestionsError:
        return _to(week)
    return _week_page(
        request, context, found, "second_look.html", "second-look", view=view,
        scale=context.workbench.graded(found).reports.scale,
        command=downloads.grade_command(context, found),
    )  # fmt: skip


@router.get("/gaming")
def gaming(request: Request, context: Asked, week: str) -> Response:
    """Can my students game this?"""
    found = context.week(week)
    try:
        context.workbench.graded(found)
    except OpenQuestionsError:
        return _to(week)
    jobs = context.store.jobs(week=week, kind="gaming")
    done = next((one for one in jobs if one.state == "finished"), None)
    active = next((one for one in jobs if one.state in ("queued", "running")), None)
    failed = jobs[0] if jobs and jobs[0].state in ("failed", "cancelled") else None
    return _week_page(
        request, context, found, "gaming.html", "gaming", job=active or failed, done=done,
        gaming=None if done is None else done.result,
        is_old=done is not None and done.parameters.get("revision") != found.revision,
        command=f"{downloads.grade_command(context, found)} --game",
    )  # fmt: skip


@router.post("/gaming")
def start_gaming(context: Asked, week: str) -> Response:
    """Start the gaming test."""
    changes.start_gaming(context, week)
    return _to(week, "/gaming")


@router.get("/gradebook")
def show_gradebook(request: Request, context: Asked, week: str) -> Response:
    """Back to the platform: who is matched, and what will be written."""
    found = context.week(week)
    preview, sentence = None, ""
    chosen = WeekState.from_json(found.state).gradebook
    try:
        context.workbench.graded(found)
        if chosen is not None:
            preview = downloads.gradebook(context, found)[2]
    except OpenQuestionsError:
        return _to(week)
    except PeergaugeError as error:
        sentence = str(error)
    to = ""
    if chosen is not None:
        into = f"={context.store.file(chosen.file).name}" if chosen.file else ""
        to = f"{chosen.kind}{into}"
    return _week_page(
        request, context, found, "gradebook.html", "gradebook", preview=preview, chosen=chosen,
        sentence=sentence, kinds=_kinds(),
        command=downloads.grade_command(context, found, to=to),
    )  # fmt: skip


def _readers() -> list[tuple[str, str]]:
    """Readers of reviews with their labels; the reader of any table first."""
    able = [one for one in readers.all() if one.facts.holds == "reviews"]
    able.sort(key=lambda one: (one.facts.platform != "any", one.facts.label))
    return [(one.spec, one.facts.label) for one in able]


def _kinds() -> list[tuple[str, Any]]:
    """Kinds of gradebooks with their facts; the plain table first, because it fits every class."""
    names = sorted(gradebooks, key=lambda name: name != PLAIN_GRADEBOOK)
    return [(name, gradebooks.make(name).facts) for name in names]


@router.post("/gradebook")
def set_gradebook(
    context: Asked, week: str, seen: Seen, kind: Text, files: Uploads = None
) -> Response:
    """Choose a gradebook."""
    changes.set_gradebook(context, week, seen, kind, uploaded(files or []))
    return _to(week, "/gradebook")


@router.get("/gradebook/file")
def download_gradebook(context: Asked, week: str) -> Response:
    """Download the chosen gradebook."""
    name, content, _ = downloads.gradebook(context, context.week(week))
    return attachment(name, content, "application/octet-stream")


@router.get("/graded.zip")
def download_graded(context: Asked, week: str, handouts: bool = False) -> Response:
    """Download the folder that ``peergauge grade`` writes."""
    content = downloads.graded_zip(context, context.week(week), handouts=handouts)
    return attachment("graded.zip", content, ZIP_TYPE)


@router.get("/record.zip")
def download_record(context: Asked, week: str) -> Response:
    """Download the inputs, the choices and the commands."""
    return attachment("record.zip", downloads.record_zip(context, context.week(week)), ZIP_TYPE)


@router.get("/report.html")
def report(context: Asked, week: str) -> Response:
    """Download the report of ``peergauge grade``."""
    content = downloads.single_file(context, context.week(week), "report.html")
    return attachment("report.html", content, "text/html")


@router.get("/handout")
def handout(context: Asked, week: str, person: str) -> Response:
    """The handout of a student, as the student gets it."""
    return HTMLResponse(downloads.handout(context, context.week(week), person))


@router.get("/history")
def history(request: Request, context: Asked, week: str) -> Response:
    """All changes of a week, and undo."""
    found = context.week(week)
    return _week_page(
        request, context, found, "history.html", "history", view=history_view(context, found),
        command=downloads.grade_command(context, found),
    )  # fmt: skip


@router.post("/undo")
def undo(context: Asked, week: str, seen: Seen) -> Response:
    """Take back the last change."""
    changes.undo(context, week, seen)
    return _to(week, "/history")


@router.post("/delete")
def delete(context: Asked, week: str) -> Response:
    """Delete the last week of a course."""
    course = changes.delete_week(context, week)
    return RedirectResponse(f"/courses/{course}", 303)


def _named(fields: dict[str, str], prefix: str) -> dict[str, str]:
    """The fields whose names begin with a prefix, by the rest of their names."""
    return {
        name.removeprefix(prefix): text for name, text in fields.items() if name.startswith(prefix)
    }


def _seen(fields: dict[str, str]) -> int:
    """The revision that a form was made from."""
    text = fields.get("seen", "")
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and 1 <= int(text) < 2**31):
        raise ParameterError("The form does not say which revision was seen; load the page again.")
    return int(text)


def _grade(text: str) -> float | None:
    if not text.strip():
        return None
    try:
        grade = float(text.strip().replace(",", "."))
    except ValueError:
        grade = math.nan
    if not math.isfinite(grade):
        raise ParameterError(f"A grade is a number, not '{text}'.")
    return grade
