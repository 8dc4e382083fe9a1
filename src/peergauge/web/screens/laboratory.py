"""Screens of the laboratory: runs in simulated classes, comparisons of runs, and attacks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from peergauge.core.catalogue import meanings
from peergauge.core.errors import ParameterError, PeergaugeError
from peergauge.core.registry import summary_of, written
from peergauge.engine.environment import Environment
from peergauge.lab.bench.suite import SUITE, suite_setting
from peergauge.lab.exploit import ATTACK_KINDS, OTHERS_OUT_OF_100
from peergauge.lab.sweep.grid import typed_parameters
from peergauge.mechanisms import mechanisms
from peergauge.metrics import DeviationMetric, RewardMetric, metrics
from peergauge.simulate import Setting, strategies
from peergauge.simulate.populations import populations
from peergauge.simulate.strategies import tempting
from peergauge.web.api.laboratory import data_file, delete_run, figure_file, run_of
from peergauge.web.context import Asked, Context
from peergauge.web.jobs import submit
from peergauge.web.jobs.kinds import attack, laboratory
from peergauge.web.jobs.run_charts import charts_of
from peergauge.web.jobs.run_results import (
    ATTACK_KIND,
    COMPARISON_KIND,
    command_words,
    compared,
    is_paired,
    population_label,
    python_snippet,
    results_of,
    title_of,
)
from peergauge.web.rendering import command_line, page
from peergauge.web.screens.jobs import progress_of
from peergauge.web.store.records import Job

router = APIRouter(prefix="/laboratory", include_in_schema=False)

LISTS_OF_FORMS = ("mechanisms", "measures", "strategies", "others", "kinds")
"""Fields of forms that have several values."""


class Choice(NamedTuple):
    """Something to choose in a form."""

    value: str
    label: str
    words: str
    group: str = ""


class ParameterRow(NamedTuple):
    """A parameter of the classes, its value in a population, and what it is."""

    name: str
    value: str
    words: str


MARKUP_PATTERN = re.compile(r"\*{1,2}(\w[^*]*)\*{1,2}|``([^`]*)``|:\w+:`~?([^`]*)`")
"""Emphasis, code and references in a docstring."""


def plain_sentence(text: str) -> str:
    """A sentence of a docstring without its markup.

    >>> plain_sentence("Pays *high* reports by ``score``, 2 * 3.")
    'Pays high reports by score, 2 * 3.'
    """
    return MARKUP_PATTERN.sub(lambda found: found[1] or found[2] or found[3], text)


IN_PAPER, BEYOND_PAPER = "Mechanisms of the paper", "Other mechanisms"
STRATEGIES_OF_PAPER, OTHER_STRATEGIES = "Strategies of the paper", "Other strategies"


def choices() -> dict[str, list[Choice]]:
    """Populations, mechanisms, measures and strategies, with one sentence about each."""
    # The size of a class that has the shape of a real one cannot be chosen.
    named = [Choice(one.name, one.label, one.sentence) for one in SUITE if one.shape is None]
    own = [
        Choice(name, cls.facts.label, plain_sentence(cls.summary()))
        for name, cls in populations.classes().items()
    ]
    measured = [one for one in metrics.all() if isinstance(one, RewardMetric | DeviationMetric)]
    first = tempting()
    listed = [*first, *(name for name in strategies if name not in first and name != "truthful")]
    return {
        "populations": [*named, *own],
        "mechanisms": [
            Choice(
                one.spec,
                one.label,
                plain_sentence(one.summary()),
                IN_PAPER if one.facts.in_paper else BEYOND_PAPER,
            )
            for one in mechanisms.all()
        ],
        "measures": [
            Choice(one.spec, one.label, plain_sentence(one.summary())) for one in measured
        ],
        "strategies": [
            Choice(
                name,
                _label(name),
                plain_sentence(strategies.classes()[name].summary()),
                STRATEGIES_OF_PAPER if name in first else OTHER_STRATEGIES,
            )
            for name in listed
        ],
    }


def _label(name: str) -> str:
    """The label of a strategy; its name if it has parameters without defaults."""
    try:
        return strategies.make(name).label
    except (PeergaugeError, TypeError):
        return name


def parameter_rows(population: str) -> list[ParameterRow]:
    """The parameters of a population that can be changed; none if the population is unknown."""
    try:
        environment = suite_setting(population).environment
    except PeergaugeError:
        return []
    setting, of_classes = environment.source.setting, meanings(Setting)
    of_classes |= meanings(Environment)
    found = []
    for name, value in typed_parameters(environment).items():
        first, dot, _ = name.partition(".")
        words = summary_of(type(getattr(setting, first))) if dot else of_classes.get(name, "")
        if name not in laboratory.SIZES:
            found.append(ParameterRow(name, written(value), plain_sentence(words)))
    return found


async def form_of(request: Request) -> dict[str, Any]:
    """The fields of a form; files are refused, because code from the web is never run."""
    given: dict[str, Any] = {}
    async with request.form() as form:
        for name in form:
            values = form.getlist(name)
            if not all(isinstance(one, str) for one in values):
                raise ParameterError(
                    "The laboratory accepts no files; choose from what is installed."
                )
            given[name] = list(values) if name in LISTS_OF_FORMS else values[-1]
    return given


Form = Annotated[dict[str, Any], Depends(form_of)]


# ----------------------------------------------------------------------------------- forms, lists


@router.get("")
def overview(request: Request, context: Asked, like: str = "") -> HTMLResponse:
    """The form of a new run, filled in as another run if one is given, and all stored runs."""
    values = run_of(context, like, COMPARISON_KIND).parameters if like else {}
    return _overview(request, context, values)


def _overview(
    request: Request,
    context: Context,
    values: Mapping[str, Any],
    error: str = "",
) -> HTMLResponse:
    chosen = {**laboratory.DEFAULT_PARAMETERS, **values}
    return page(
        request,
        "lab_home.html",
        422 if error else 200,
        values=chosen,
        choices=choices(),
        parameters=parameter_rows(chosen["population"]),
        limits=laboratory,
        others=OTHERS_OUT_OF_100,
        runs=_listed(context),
        error=error,
        command="" if error else _command(COMPARISON_KIND, chosen),
        command_note="with these choices",
    )


def _command(kind: str, parameters: Mapping[str, Any]) -> str:
    """The command that gives the same numbers, as it is typed into a shell."""
    return command_line(*command_words(kind, parameters))


def _listed(context: Context) -> list[dict[str, Any]]:
    """All runs and searches, the newest first."""
    found = [
        job
        for kind in (COMPARISON_KIND, ATTACK_KIND)
        for job in context.store.jobs(kind=kind)
        if job.course is None
    ]
    found.sort(key=lambda one: one.created, reverse=True)
    return [
        {
            "job": job,
            "title": title_of(job),
            "population": population_label(job.parameters["population"]),
            "comparable": job.kind == COMPARISON_KIND,
        }
        for job in found
    ]


@router.get("/parameters")
def parameters(request: Request, population: str = "") -> HTMLResponse:
    """The parameters of a population, when another one is chosen in the form."""
    return page(request, "lab_parameters.html", parameters=parameter_rows(population))


@router.post("/runs")
def start(request: Request, context: Asked, form: Form) -> Response:
    """Start a run; a refused form is shown again with the reason."""
    # A form without any checked box has no field of that name.
    given = {"mechanisms": [], "measures": [], "strategies": [], "others": [], **form}
    try:
        job = submit(context.store, COMPARISON_KIND, given, context.person)
    except PeergaugeError as error:
        return _overview(request, context, given, str(error))
    return RedirectResponse(f"/laboratory/runs/{job.id}", 303)


@router.get("/attacks")
def attacks(request: Request, context: Asked, like: str = "") -> HTMLResponse:
    """The form of a search for attacks."""
    values = run_of(context, like, ATTACK_KIND).parameters if like else {}
    return _attacks(request, values)


def _attacks(request: Request, values: Mapping[str, Any], error: str = "") -> HTMLResponse:
    chosen = {**attack.DEFAULT_PARAMETERS, **values}
    return page(
        request,
        "lab_attack.html",
        422 if error else 200,
        values=chosen,
        command="" if error else _command(ATTACK_KIND, chosen),
        command_note="with these choices",
        choices=choices(),
        kinds=ATTACK_KINDS,
        others=OTHERS_OUT_OF_100,
        error=error,
    )


@router.post("/attacks")
def start_attack(request: Request, context: Asked, form: Form) -> Response:
    """Start a search for attacks; a refused form is shown again with the reason."""
    given = {"others": [], "kinds": [], **form}
    try:
        job = submit(context.store, ATTACK_KIND, given, context.person)
    except PeergaugeError as error:
        return _attacks(request, given, str(error))
    return RedirectResponse(f"/laboratory/runs/{job.id}", 303)


# ----------------------------------------------------------------------------------------- runs


def _shown(context: Context, job: Job) -> dict[str, Any]:
    """What the page of a run shows, so far."""
    found = results_of(job, context.options)
    return {
        **progress_of(context, job),
        "rows": found.rows,
        "points": found.trade_off,
        "charts": charts_of(found),
        "attack": job.result if job.kind == ATTACK_KIND else None,
    }


@router.get("/runs/{job}")
def run(request: Request, context: Asked, job: str) -> HTMLResponse:
    """One run: its results so far, and how to get the same numbers elsewhere."""
    found = run_of(context, job)
    return page(
        request,
        "lab_run.html",
        **_shown(context, found),
        title=title_of(found),
        population=population_label(found.parameters["population"]),
        parameters=found.parameters,
        snippet=python_snippet(found),
        command=_command(found.kind, found.parameters),
        others=[
            one
            for one in _listed(context)
            if one["comparable"] and found.kind == COMPARISON_KIND and one["job"].id != found.id
        ],
    )


@router.get("/runs/{job}/live")
def live(request: Request, context: Asked, job: str) -> HTMLResponse:
    """The results of a run so far, which ask for themselves again while the run goes on."""
    return page(request, "lab_live.html", **_shown(context, run_of(context, job)))


@router.get("/runs/{job}/data.{suffix}")
def data(context: Asked, job: str, suffix: str) -> Response:
    """The results of a run as a file."""
    return data_file(context, job, suffix)


@router.get("/runs/{job}/{name}.{suffix}")
def figure(context: Asked, job: str, name: str, suffix: str) -> Response:
    """A chart of a run as a file."""
    return figure_file(context, job, name, suffix)


@router.post("/runs/{job}/delete")
def delete(context: Asked, job: str) -> Response:
    """Delete a run that has ended, with its files."""
    delete_run(context, job)
    return RedirectResponse("/laboratory", 303)


@router.get("/compare")
def compare(request: Request, context: Asked, left: str, right: str) -> HTMLResponse:
    """Two runs side by side."""
    runs = [run_of(context, one, COMPARISON_KIND) for one in (left, right)]
    names = list(laboratory.DEFAULT_PARAMETERS)
    return page(
        request,
        "lab_compare.html",
        runs=[{"job": one, "title": title_of(one)} for one in runs],
        parameters=[(name, *(one.parameters[name] for one in runs)) for name in names],
        differences=compared(runs[0], runs[1], context.options),
        paired=is_paired(runs[0], runs[1]),
        command="\n".join(_command(one.kind, one.parameters) for one in runs),
        command_note="each run",
    )
