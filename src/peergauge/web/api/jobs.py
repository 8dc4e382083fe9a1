"""Jobs in the programming interface."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from fastapi import APIRouter
from pydantic import BaseModel

from peergauge.web.api import PROBLEMS
from peergauge.web.context import Asked, Right
from peergauge.web.jobs import seconds_left
from peergauge.web.store.records import Job

router = APIRouter(prefix="/api/jobs", tags=["jobs"], responses=PROBLEMS)

JobState = Literal["queued", "running", "finished", "failed", "cancelled"]


class JobModel(BaseModel):
    """A job: its parameters, its progress, and its result or the reason of its failure."""

    id: str
    kind: str
    parameters: dict[str, Any]
    state: JobState
    step: str
    done: int
    of: int
    seconds_left: float | None
    who: str
    course: str | None
    week: str | None
    created: datetime
    started: datetime | None
    finished: datetime | None
    result: dict[str, Any] | None
    error: str
    attempts: int


def job_model(job: Job) -> JobModel:
    """A job without the name of its process, which concerns nobody."""
    values = {name: value for name, value in vars(job).items() if name != "process"}
    return JobModel(**values, seconds_left=seconds_left(job))


@router.get("/{job}")
def read_job(context: Asked, job: str) -> JobModel:
    """Return a job with its progress."""
    return job_model(context.job(job))


@router.post("/{job}/cancel")
def cancel_job(context: Asked, job: str) -> JobModel:
    """Cancel a job that waits or runs; a job that has ended stays as it is."""
    return job_model(context.store.cancel_job(context.job(job, Right.EDIT).id))
