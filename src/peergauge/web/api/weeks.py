"""Weeks: how files were read, grades, decisions, gradebooks and history."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, File, Form, Query, Response, UploadFile
from fastapi.responses import HTMLResponse
from pydantic import BaseModel, Field

from peergauge.classroom.grade.decisions import Action, Decision
from peergauge.web import changes, downloads
from peergauge.web.api import PROBLEMS
from peergauge.web.api.courses import uploaded
from peergauge.web.context import Asked, Right
from peergauge.web.store.records import Week
from peergauge.web.views.courses import HistoryView, history_view
from peergauge.web.views.graded import (
    GradersView,
    GraderView,
    GradesView,
    SecondLookView,
    SubmissionView,
    SummaryView,
    grader_view,
    graders_view,
    grades_view,
    marks_view,
    second_look_view,
    submission_view,
    summary_view,
)
from peergauge.web.views.imported import ImportView, import_view

router = APIRouter(prefix="/api/weeks", tags=["weeks"], responses=PROBLEMS)

ZIP_TYPE = "application/zip"
PageNumber = Annotated[int, Query(ge=1, le=10**6)]
Seen = Annotated[int, Field(ge=1, le=2**31 - 1, description="The revision that was seen.")]
SeenForm = Annotated[int, Form(ge=1, le=2**31 - 1)]
FILE_TYPE, PAGE_TYPE = "application/octet-stream", "text/html"


def file_answer(*media_types: str) -> dict[int | str, dict[str, Any]]:
    """The documented answer of a route from which a file of one of some types is downloaded."""
    text = {"schema": {"type": "string", "format": "binary"}}
    return {200: {"content": dict.fromkeys(media_types, text), "description": "The file."}}


class WeekView(BaseModel):
    """A week with its state."""

    id: str
    course: str
    title: str
    revision: int
    state: dict[str, Any]
    command: str


class Answered(BaseModel):
    """Answers to questions."""

    seen: Seen
    answers: dict[str, str]


class ImportChoices(BaseModel):
    """How files are read; an empty text stands for the choice of the program."""

    seen: Seen
    scale: str | None = None
    criterion: str | None = None
    assignment: str | None = None
    using: str | None = None


class ColumnParts(BaseModel):
    """What columns hold, by their names."""

    seen: Seen
    columns: dict[str, str]


class SettingValues(BaseModel):
    """Settings by their paths, such as ``final.use``; null for the default."""

    seen: Seen
    values: dict[str, bool | int | float | str | None]


class SettingsFile(BaseModel):
    """A settings file."""

    seen: Seen
    text: str = Field(max_length=2**20)


class StaffDecision(BaseModel):
    """A decision of staff."""

    seen: Seen
    action: Literal["exclude review", "exclude grader", "staff grade", "appeal"]
    assignment: str = Field("", max_length=1000)
    submission: str = Field("", max_length=1000)
    grader: str = Field("", max_length=1000)
    grade: float | None = Field(None, allow_inf_nan=False)
    decision: str = Field("", max_length=100)
    reason: str = Field("", max_length=5000)
    date: str = Field("", max_length=30)
    asked: str = Field("", max_length=5000)

    def as_decision(self) -> Decision:
        """The decision as the grading takes it."""
        said = self.model_dump(exclude={"seen"})
        return Decision(**{**said, "action": Action(self.action)})


class SeenRevision(BaseModel):
    """The revision that was seen."""

    seen: Seen


class StartedJob(BaseModel):
    """A job that was started."""

    job: str


def week_view(context: Asked, week: Week) -> WeekView:
    """A week with its state."""
    return WeekView(
        id=week.id, course=week.course, title=week.title, revision=week.revision,
        state=week.state, command=downloads.grade_command(context, week),
    )  # fmt: skip


@router.get("/{week}")
def show_week(context: Asked, week: str) -> WeekView:
    """Show a week with its state."""
    return week_view(context, context.week(week))


@router.delete("/{week}", status_code=204)
def delete_week(context: Asked, week: str) -> None:
    """Delete the last week of a course."""
    changes.delete_week(context, week)


@router.get("/{week}/import")
def show_import(context: Asked, week: str) -> ImportView:
    """Show how the files were understood, with all questions."""
    return import_view(context, context.week(week))


@router.put("/{week}/answers")
def answer(context: Asked, week: str, body: Answered) -> WeekView:
    """Answer questions about the files."""
    return week_view(context, changes.answer(context, week, body.seen, body.answers))


@router.put("/{week}/import")
def set_import(context: Asked, week: str, body: ImportChoices) -> WeekView:
    """Set the scale, the criterion, the name of the assignment or the reader."""
    given = body.model_dump(exclude={"seen"})
    return week_view(context, changes.set_import(context, week, body.seen, **given))


@router.put("/{week}/columns")
def set_columns(context: Asked, week: str, body: ColumnParts) -> WeekView:
    """Say what columns hold."""
    return week_view(context, changes.set_columns(context, week, body.seen, body.columns))


@router.put("/{week}/files")
def set_files(
    context: Asked,
    week: str,
    seen: SeenForm,
    files: Annotated[list[UploadFile] | None, File()] = None,
    add: Annotated[bool, Form()] = False,
) -> WeekView:
    """Read the week from other files, or from more files; everything else stays."""
    made = changes.set_files(context, week, seen, uploaded(files or []), add=add)
    return week_view(context, made)


@router.put("/{week}/assigned")
def set_assigned(
    context: Asked,
    week: str,
    seen: SeenForm,
    files: Annotated[list[UploadFile] | None, File()] = None,
) -> WeekView:
    """Store a table of assigned reviews; without a file, remove it."""
    return week_view(context, changes.set_assigned(context, week, seen, uploaded(files or [])))


@router.put("/{week}/settings")
def set_settings(context: Asked, week: str, body: SettingValues) -> SummaryView:
    """Change settings, and show the new distributions."""
    return summary_view(context, changes.set_settings(context, week, body.seen, body.values))


@router.put("/{week}/settings-file")
def set_settings_file(context: Asked, week: str, body: SettingsFile) -> SummaryView:
    """Replace all settings by those of a settings file."""
    return summary_view(context, changes.set_settings_text(context, week, body.seen, body.text))


@router.get("/{week}/summary")
def show_summary(context: Asked, week: str) -> SummaryView:
    """Show the distributions of grades, points and marks."""
    return summary_view(context, context.week(week))


@router.get("/{week}/grades")
def list_grades(
    context: Asked,
    week: str,
    page: PageNumber = 1,
    assignment: str = "",
    section: str = "",
    search: str = "",
) -> GradesView:
    """List the grades of submissions, the highest first."""
    found = context.week(week)
    return grades_view(
        context, found, page=page, assignment=assignment, section=section, search=search
    )


@router.get("/{week}/graders")
def list_graders(context: Asked, week: str, page: PageNumber = 1, search: str = "") -> GradersView:
    """List the points of graders, the highest first."""
    return graders_view(context, context.week(week), page=page, search=search)


@router.get("/{week}/marks")
def list_marks(context: Asked, week: str) -> list[dict[str, str]]:
    """List the final marks; empty if none are computed."""
    return marks_view(context, context.week(week))


@router.get("/{week}/submission")
def show_submission(
    context: Asked, week: str, submission: str, assignment: str = ""
) -> SubmissionView:
    """Show a submission with its reviews, and explain its grade."""
    return submission_view(context, context.week(week), assignment, submission)


@router.get("/{week}/grader")
def show_grader(context: Asked, week: str, grader: str) -> GraderView:
    """Show a grader, and explain the points."""
    return grader_view(context, context.week(week), grader)


@router.get("/{week}/second-look")
def show_second_look(context: Asked, week: str) -> SecondLookView:
    """Show what staff should check."""
    return second_look_view(context, context.week(week))


@router.post("/{week}/decisions")
def decide(context: Asked, week: str, body: StaffDecision) -> WeekView:
    """Record a staff grade, an exclusion or an appeal."""
    return week_view(context, changes.decide(context, week, body.seen, body.as_decision()))


@router.post("/{week}/decisions/withdraw")
def withdraw(context: Asked, week: str, body: StaffDecision) -> WeekView:
    """Withdraw a decision."""
    return week_view(context, changes.withdraw(context, week, body.seen, body.as_decision()))


@router.get("/{week}/history")
def show_history(context: Asked, week: str) -> HistoryView:
    """List all changes of a week, the newest first."""
    return history_view(context, context.week(week))


@router.post("/{week}/undo")
def undo(context: Asked, week: str, body: SeenRevision) -> WeekView:
    """Take back the last change."""
    return week_view(context, changes.undo(context, week, body.seen))


@router.post("/{week}/gaming", status_code=202)
def start_gaming(context: Asked, week: str) -> StartedJob:
    """Test whether students could game the points of this week; a job."""
    return StartedJob(job=changes.start_gaming(context, week).id)


@router.put("/{week}/gradebook")
def set_gradebook(
    context: Asked,
    week: str,
    seen: SeenForm,
    kind: Annotated[str, Form(max_length=300)],
    files: Annotated[list[UploadFile] | None, File()] = None,
) -> downloads.GradebookPreview:
    """Choose a gradebook, and show who is matched and what will be written."""
    found = changes.set_gradebook(context, week, seen, kind, uploaded(files or []))
    return downloads.gradebook(context, found)[2]


@router.get("/{week}/gradebook", response_class=Response, responses=file_answer(FILE_TYPE))
def download_gradebook(context: Asked, week: str) -> Response:
    """Download the chosen gradebook."""
    name, content, _ = downloads.gradebook(context, context.week(week))
    return attachment(name, content, FILE_TYPE)


@router.get("/{week}/graded.zip", response_class=Response, responses=file_answer(ZIP_TYPE))
def download_graded(context: Asked, week: str, handouts: bool = False) -> Response:
    """Download the folder that ``peergauge grade`` writes."""
    found = context.week(week)
    return attachment(
        "graded.zip", downloads.graded_zip(context, found, handouts=handouts), ZIP_TYPE
    )


@router.get("/{week}/record.zip", response_class=Response, responses=file_answer(ZIP_TYPE))
def download_record(context: Asked, week: str) -> Response:
    """Download the inputs, the choices and the commands that give the same numbers."""
    found = context.week(week, Right.READ)
    return attachment("record.zip", downloads.record_zip(context, found), ZIP_TYPE)


@router.get("/{week}/report", response_class=Response, responses=file_answer(PAGE_TYPE))
def download_report(context: Asked, week: str) -> Response:
    """Download the report of ``peergauge grade``."""
    content = downloads.single_file(context, context.week(week), "report.html")
    return attachment("report.html", content, PAGE_TYPE)


@router.get("/{week}/handout", response_class=Response, responses=file_answer(PAGE_TYPE))
def show_handout(context: Asked, week: str, person: str) -> Response:
    """Show the handout of a student."""
    return HTMLResponse(downloads.handout(context, context.week(week), person))


def attachment(name: str, content: bytes, media_type: str) -> Response:
    """A file to download."""
    safe = "".join(
        one if one.isascii() and (one.isalnum() or one in ".-_") else "-" for one in name
    )
    return Response(
        content, media_type=media_type,
        headers={"Content-Disposition": f'attachment; filename="{safe}"'},
    )  # fmt: skip
