"""Courses: lists, uploads, members and the audit trail."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, File, Form, UploadFile
from pydantic import BaseModel, Field

from peergauge.web import changes
from peergauge.web.api import PROBLEMS
from peergauge.web.context import Asked, Context, Right
from peergauge.web.sample import SAMPLE_TITLE, sample_file
from peergauge.web.store import NewFile
from peergauge.web.views.courses import (
    CourseHead,
    CourseView,
    EventView,
    Member,
    SemesterView,
    WeekHead,
    course_heads,
    course_view,
    events_view,
    semester_view,
    week_head,
)

router = APIRouter(prefix="/api/courses", tags=["courses"], responses=PROBLEMS)

Uploads = Annotated[list[UploadFile], File(description="The files of the export.")]
Title = Annotated[str, Form(max_length=500)]


class Renamed(BaseModel):
    """A new title."""

    title: str = Field(max_length=500)


class Role(BaseModel):
    """The role of a member."""

    role: Literal["instructor", "assistant", "reader"]


def uploaded(files: list[UploadFile]) -> list[NewFile]:
    """The uploaded files; a form without a chosen file has one without a name."""
    return [NewFile(one.filename, one.file.read()) for one in files if one.filename]


@router.get("")
def list_courses(context: Asked) -> list[CourseHead]:
    """List the courses."""
    return course_heads(context)


@router.post("", status_code=201)
def create_course(context: Asked, files: Uploads, title: Title = "") -> CourseView:
    """Create a course from the files of its first week."""
    course, _ = changes.new_course(context, title, uploaded(files))
    return course_view(context, course)


@router.post("/sample", status_code=201)
def create_sample(context: Asked) -> CourseView:
    """Create a course with the sample class."""
    course, _ = changes.new_course(context, SAMPLE_TITLE, [sample_file()])
    return course_view(context, course)


@router.get("/{course}")
def show_course(context: Asked, course: str) -> CourseView:
    """Show a course with its weeks."""
    return course_view(context, context.course(course))


@router.patch("/{course}")
def rename_course(context: Asked, course: str, body: Renamed) -> CourseView:
    """Rename a course."""
    return course_view(context, changes.rename_course(context, course, body.title))


@router.delete("/{course}", status_code=204)
def delete_course(context: Asked, course: str) -> None:
    """Delete a course with all of its data."""
    changes.delete_course(context, course)


@router.post("/{course}/weeks", status_code=201)
def add_week(context: Asked, course: str, files: Uploads, title: Title = "") -> WeekHead:
    """Add the next week."""
    return week_head(context, changes.new_week(context, course, title, uploaded(files)))


@router.get("/{course}/semester")
def show_semester(context: Asked, course: str) -> SemesterView:
    """Show all students and all weeks in one table."""
    return semester_view(context, context.course(course))


@router.get("/{course}/events")
def list_events(context: Asked, course: str) -> list[EventView]:
    """Show the audit trail."""
    return events_view(context, context.course(course))


@router.put("/{course}/members/{account}")
def set_member(context: Asked, course: str, account: str, body: Role) -> list[Member]:
    """Give somebody a role in a course."""
    context.course(course, Right.MANAGE)
    context.store.set_role(course, account, body.role)
    context.store.add_event(course, context.person, f"Made {account} {body.role}.")
    return _members(context, course)


@router.delete("/{course}/members/{account}")
def remove_member(context: Asked, course: str, account: str) -> list[Member]:
    """Take the role of somebody in a course away."""
    context.course(course, Right.MANAGE)
    context.store.remove_member(course, account)
    context.store.add_event(course, context.person, f"Removed {account}.")
    return _members(context, course)


def _members(context: Context, course: str) -> list[Member]:
    members = context.store.members(course)
    return [Member(account=name, role=role) for name, role in members.items()]
