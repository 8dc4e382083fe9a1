"""Screens of jobs: progress, the way to cancel, and the reason of a failure."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from peergauge.web.context import Asked, Context, Right
from peergauge.web.jobs import is_active, seconds_left
from peergauge.web.rendering import page
from peergauge.web.store.records import Job

router = APIRouter(include_in_schema=False)


def progress_of(context: Context, job: Job) -> dict[str, Any]:
    """What ``job_progress.html`` shows of a job."""
    mine = job.course is not None or not context.options.accounts or job.who == context.person
    right = Right.MANAGE if job.course is None else context.right(job.course)
    return {
        "job": job,
        "active": is_active(job),
        "left": time_left(seconds_left(job)),
        "can_cancel": mine and right is not None and right >= Right.EDIT,
        "gaming": job.result if job.kind == "gaming" else None,
    }


def time_left(seconds: float | None) -> str:
    """The time that is left, in words; empty if it is unknown.

    >>> time_left(42.0), time_left(400.0), time_left(7500.0)
    ('about 50 seconds left', 'about 7 minutes left', 'about 2.1 hours left')
    """
    if seconds is None:
        return ""
    if seconds <= 10:
        return "a few seconds left"
    if seconds < 90:
        return f"about {-(-seconds // 10) * 10:.0f} seconds left"
    if seconds < 5400:
        return f"about {seconds / 60:.0f} minutes left"
    return f"about {seconds / 3600:.1f} hours left"


@router.get("/jobs/{job}")
def job(request: Request, context: Asked, job: str) -> HTMLResponse:
    """The progress of a job, as a part of a page for htmx and as a page for browsers."""
    found = context.job(job)
    shown = progress_of(context, found)
    if not request.headers.get("hx-request"):
        return page(request, "job_page.html", **shown)
    answer = page(request, "job_progress.html", **shown)
    if not shown["active"]:
        # The page that waits for the job shows its result when it is loaded again.
        answer.headers["HX-Refresh"] = "true"
    return answer


@router.post("/jobs/{job}/cancel")
def cancel(request: Request, context: Asked, job: str) -> Response:
    """Cancel a job."""
    found = context.store.cancel_job(context.job(job, Right.EDIT).id)
    if request.headers.get("hx-request"):
        answer = page(request, "job_progress.html", **progress_of(context, found))
        answer.headers["HX-Refresh"] = "true"
        return answer
    return RedirectResponse(_page_of(found), 303)


def _page_of(job: Job) -> str:
    """The page that shows the result of a job."""
    if job.week is not None and job.kind == "gaming":
        return f"/weeks/{job.week}/gaming"
    return f"/jobs/{job.id}" if job.course is not None else f"/laboratory/runs/{job.id}"
