"""The laboratory in the programming interface."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from shutil import rmtree
from typing import Any, Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from peergauge.core.errors import ParameterError
from peergauge.core.files import as_bytes
from peergauge.web.api import PROBLEMS
from peergauge.web.api.jobs import JobModel, JobState, job_model
from peergauge.web.api.weeks import attachment, file_answer
from peergauge.web.context import Asked, Context, Right
from peergauge.web.drawing import as_file
from peergauge.web.jobs import is_active, run_folder, submit
from peergauge.web.jobs.kinds.laboratory import (
    DEFAULT_MEASURES,
    MAX_ASSIGNMENTS,
    MAX_GRADERS,
    MAX_MEASURES,
    MAX_MECHANISMS,
    MAX_PARAMETERS,
    MAX_REPETITIONS,
    MAX_SEED,
    MAX_STRATEGIES,
    MAX_STUDENTS,
)
from peergauge.web.jobs.run_charts import specs_of
from peergauge.web.jobs.run_results import (
    ATTACK_KIND,
    COMPARISON_KIND,
    command_words,
    compared,
    is_paired,
    python_snippet,
    results_of,
    table_of,
    title_of,
)
from peergauge.web.rendering import command_line
from peergauge.web.store import MissingError
from peergauge.web.store.records import Job

router = APIRouter(prefix="/api/laboratory", tags=["laboratory"], responses=PROBLEMS)

DATA_TYPES = {"csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}
FIGURE_TYPES = {"svg": "image/svg+xml", "png": "image/png"}


class NewRun(BaseModel):
    """A comparison of mechanisms in simulated classes."""

    model_config = ConfigDict(extra="forbid")

    students: int = Field(50, ge=3, le=MAX_STUDENTS)
    assignments: int = Field(4, ge=1, le=MAX_ASSIGNMENTS)
    graders: int = Field(4, ge=2, le=MAX_GRADERS, description="Reviewers of each submission.")
    population: str = Field("paper", description="A setting of the suite, or a population.")
    mechanisms: list[str] = Field(min_length=1, max_length=MAX_MECHANISMS)
    measures: list[str] = Field(
        list(DEFAULT_MEASURES), min_length=1, max_length=MAX_MEASURES
    )  # fmt: skip
    over: list[str] = Field(
        [],
        max_length=MAX_PARAMETERS,
        description="Parameters of the classes or mechanisms with their values, such as "
        "bias.deviation=0,0.5,1 or graders=2..6; the values form a grid.",
    )
    strategies: list[str] | None = Field(
        None,
        max_length=MAX_STRATEGIES,
        description="What deviators do; hedge by default, if rank-gain is measured.",
    )
    others: list[int] = Field(
        [0], min_length=1, description="Others out of 100 who follow the same strategy."
    )
    repetitions: int = Field(20, ge=2, le=MAX_REPETITIONS)
    seed: int = Field(0, ge=0, le=MAX_SEED)


class NewAttack(BaseModel):
    """A search for the best attacks on one mechanism."""

    model_config = ConfigDict(extra="forbid")

    mechanism: str
    population: str = "paper"
    effort: Literal["quick", "full"] = "quick"
    others: list[int] = Field([0, 30, 60, 90], description="Others out of 100 who do the same.")
    kinds: list[str] | None = Field(None, description="Kinds of strategies; all by default.")
    seed: int = Field(0, ge=0, le=MAX_SEED)


class RunSummary(BaseModel):
    """A stored run in the list of runs."""

    id: str
    kind: Literal["laboratory", "attack"]
    title: str
    state: JobState
    who: str
    created: datetime


class MeasuredModel(BaseModel):
    """One mechanism on one measure, so far."""

    mechanism: str
    label: str
    metric: str
    measure: str
    point: dict[str, float | bool | str | None] = Field(
        description="The values of the parameters that have several values."
    )
    mean: float | None
    standard_error: float | None
    n: int


class TradeOffModel(BaseModel):
    """A mechanism by measurement integrity and by robustness, minus the mean rank gain."""

    mechanism: str
    label: str
    integrity: float
    integrity_error: float | None
    robustness: float
    robustness_error: float | None


class RunModel(BaseModel):
    """A run with its results so far, and how to get the same numbers elsewhere."""

    job: JobModel
    title: str
    rows: list[MeasuredModel]
    trade_off: list[TradeOffModel]
    attack: dict[str, Any] | None
    command: str
    python: str


class DifferenceModel(BaseModel):
    """The difference of two runs on one measure of one mechanism: right minus left."""

    mechanism: str
    label: str
    metric: str
    measure: str
    point: dict[str, float | bool | str | None] = Field(
        description="The values of the parameters that have several values in both runs."
    )
    difference: float | None
    standard_error: float | None


class ComparisonModel(BaseModel):
    """Two runs side by side."""

    left: RunSummary
    right: RunSummary
    paired: bool = Field(description="Whether the runs have the same random numbers.")
    differences: list[DifferenceModel]


def run_of(context: Context, job: str, kind: str | None = None) -> Job:
    """A run of the laboratory; jobs of courses are none."""
    found = context.job(job)
    wanted = (COMPARISON_KIND, ATTACK_KIND) if kind is None else (kind,)
    if found.kind not in wanted:
        raise MissingError("run of the laboratory", job)
    return found


def _summary(job: Job) -> RunSummary:
    return RunSummary.model_validate({**vars(job), "title": title_of(job)})


@router.get("/runs")
def list_runs(context: Asked) -> list[RunSummary]:
    """List all stored runs and searches for attacks, the newest first."""
    found = [
        job for kind in (COMPARISON_KIND, ATTACK_KIND) for job in context.store.jobs(kind=kind)
    ]
    found.sort(key=lambda one: one.created, reverse=True)
    return [_summary(one) for one in found if one.course is None]


@router.post("/runs", status_code=201)
def start_run(context: Asked, new: NewRun) -> JobModel:
    """Start a comparison of mechanisms."""
    given = new.model_dump(exclude_none=True)
    return job_model(submit(context.store, COMPARISON_KIND, given, context.person))


@router.post("/attacks", status_code=201)
def start_attack(context: Asked, new: NewAttack) -> JobModel:
    """Start a search for attacks."""
    given = new.model_dump(exclude_none=True)
    return job_model(submit(context.store, ATTACK_KIND, given, context.person))


@router.delete("/runs/{job}", status_code=204)
def delete_run(context: Asked, job: str) -> None:
    """Delete a run that has ended, with its files."""
    found = context.job(job, Right.EDIT)
    if found.kind not in (COMPARISON_KIND, ATTACK_KIND):
        raise MissingError("run of the laboratory", job)
    if is_active(found):
        raise ParameterError("This run has not ended; cancel it first.")
    context.store.delete_job(found.id)
    rmtree(run_folder(context.options, found.id), ignore_errors=True)


@router.get("/runs/{job}")
def read_run(context: Asked, job: str) -> RunModel:
    """Return a run with its results so far."""
    found = run_of(context, job)
    results = results_of(found, context.options)
    return RunModel(
        job=job_model(found),
        title=title_of(found),
        rows=[MeasuredModel(**row._asdict()) for row in results.rows],
        trade_off=[TradeOffModel(**one._asdict()) for one in results.trade_off],
        attack=found.result if found.kind == ATTACK_KIND else None,
        command=command_line(*command_words(found.kind, found.parameters)),
        python=python_snippet(found),
    )


def data_file(context: Context, job: str, suffix: str) -> Response:
    """The results of a run so far, as a file."""
    found = run_of(context, job)
    if suffix not in DATA_TYPES:
        raise MissingError("file", f"data.{suffix}")
    content = as_bytes(table_of(found, context.options), Path(f"data.{suffix}"))
    return attachment(f"{found.kind}-{found.id}.{suffix}", content, DATA_TYPES[suffix])


def figure_file(context: Context, job: str, name: str, suffix: str) -> Response:
    """A figure of a run so far, as a file."""
    specs = specs_of(results_of(run_of(context, job, COMPARISON_KIND), context.options))
    if suffix not in FIGURE_TYPES or name not in specs:
        raise MissingError("figure", f"{name}.{suffix}")
    content = as_file(specs[name][2], suffix)
    return attachment(f"{name}-{job}.{suffix}", content, FIGURE_TYPES[suffix])


@router.get(
    "/runs/{job}/data", response_class=Response, responses=file_answer(*DATA_TYPES.values())
)
def download_data(context: Asked, job: str, suffix: Literal["csv", "parquet"] = "csv") -> Response:
    """Download the results of a run so far."""
    return data_file(context, job, suffix)


@router.get(
    "/runs/{job}/figures/{name}",
    response_class=Response,
    responses=file_answer(*FIGURE_TYPES.values()),
)
def download_figure(
    context: Asked, job: str, name: str, suffix: Literal["svg", "png"] = "svg"
) -> Response:
    """Download a figure of a run so far: trade-off, or measure-1 and so on."""
    return figure_file(context, job, name, suffix)


@router.get("/compare")
def compare_runs(context: Asked, left: str, right: str) -> ComparisonModel:
    """Compare two runs on the mechanisms and measures that both have."""
    one, other = (run_of(context, name, COMPARISON_KIND) for name in (left, right))
    return ComparisonModel(
        left=_summary(one),
        right=_summary(other),
        paired=is_paired(one, other),
        differences=[
            DifferenceModel(
                mechanism=found.left.mechanism,
                label=found.label,
                metric=found.left.metric,
                measure=found.measure,
                point=found.left.point,
                difference=found.difference,
                standard_error=found.standard_error,
            )
            for found in compared(one, other, context.options)
        ],
    )
