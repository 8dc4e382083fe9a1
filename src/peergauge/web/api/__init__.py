"""The programming interface: everything that the pages do, in JSON."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel


class Problem(BaseModel):
    """Why a request was refused, in one sentence."""

    message: str


PROBLEMS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The request is refused, with the reason."},
    401: {"model": Problem, "description": "Nobody has signed in."},
    403: {"model": Problem, "description": "The role does not allow this."},
    404: {"model": Problem, "description": "There is no such thing."},
    409: {"model": Problem, "description": "Somebody else changed the same thing."},
    413: {"model": Problem, "description": "The upload is too large."},
    422: {"model": Problem, "description": "The request has another form than expected."},
}
"""Documented errors of every route."""


def routers() -> list[APIRouter]:
    """All routers of the programming interface."""
    from peergauge.web.api import courses, jobs, laboratory, weeks

    return [courses.router, weeks.router, jobs.router, laboratory.router]
