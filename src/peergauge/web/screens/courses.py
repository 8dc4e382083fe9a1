"""The list of courses, and one course with its weeks."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, File, Form, Request, Response, UploadFile
from fastapi.responses import RedirectResponse

from peergauge.web import changes, downloads
from peergauge.web.api import courses as api
from peergauge.web.context import Asked, Right
from peergauge.web.rendering import page
from peergauge.web.sample import SAMPLE_TITLE, sample_file
from peergauge.web.views.courses import course_heads, course_view, events_view, semester_view

router = APIRouter(include_in_schema=False)

Uploads = Annotated[list[UploadFile] | None, File()]
Title = Annotated[str, Form(max_length=500)]


@router.get("/")
def home(request: Request, context: Asked) -> Response:
    """The courses, and the place to drop files."""
    return page(
        request, "home.html", courses=course_heads(context),
        command="peergauge check EXPORT", command_note="for files in this folder",
    )  # fmt: skip


@router.post("/courses")
def create(context: Asked, files: Uploads = None, title: Title = "") -> Response:
    """Create a course from dropped files."""
    _, week = changes.new_course(context, title, api.uploaded(files or []))
    return RedirectResponse(f"/weeks/{week.id}", 303)


@router.post("/courses/sample")
def create_sample(context: Asked) -> Response:
    """Create a course with the sample class."""
    _, week = changes.new_course(context, SAMPLE_TITLE, [sample_file()])
    return RedirectResponse(f"/weeks/{week.id}", 303)


@router.get("/courses/{course}")
def show(request: Request, context: Asked, course: str) -> Response:
    """A course with its weeks, the semester, members and the audit trail."""
    found = context.course(course)
    weeks = context.store.weeks(course)
    return page(
        request, "course.html", course=course_view(context, found),
        semester=semester_view(context, found), events=events_view(context, found)[:100],
        can_edit=(context.right(course) or 0) >= Right.EDIT,
        can_manage=(context.right(course) or 0) >= Right.MANAGE,
        last=weeks[-1] if weeks else None, command=downloads.grade_commands(context, weeks),
    )  # fmt: skip


@router.post("/courses/{course}/weeks")
def add_week(context: Asked, course: str, files: Uploads = None, title: Title = "") -> Response:
    """Add the next week."""
    week = changes.new_week(context, course, title, api.uploaded(files or []))
    return RedirectResponse(f"/weeks/{week.id}", 303)


@router.post("/courses/{course}/rename")
def rename(context: Asked, course: str, title: Title = "") -> Response:
    """Rename a course."""
    changes.rename_course(context, course, title)
    return RedirectResponse(f"/courses/{course}", 303)


@router.post("/courses/{course}/delete")
def delete(context: Asked, course: str) -> Response:
    """Delete a course with all of its data."""
    changes.delete_course(context, course)
    return RedirectResponse("/", 303)


@router.post("/courses/{course}/members")
def set_member(
    context: Asked,
    course: str,
    account: Annotated[str, Form(max_length=200)],
    role: Annotated[str, Form(max_length=20)],
) -> Response:
    """Give somebody a role, or take it away."""
    if role == "none":
        api.remove_member(context, course, account)
    else:
        context.course(course, Right.MANAGE)
        context.store.set_role(course, account, role)
        context.store.add_event(course, context.person, f"Made {account} {role}.")
    return RedirectResponse(f"/courses/{course}", 303)
