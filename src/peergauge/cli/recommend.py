"""The command ``peergauge recommend``: which mechanism to use, and what it leaves open."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from peergauge.cli._app import CLASS, AsJson, app
from peergauge.cli._door import AcceptDefaults, Answers, Door, MapFile
from peergauge.core.errors import ParameterError

if TYPE_CHECKING:
    from peergauge.advice import Advice

ExportFiles = Annotated[
    list[Path] | None,
    typer.Argument(help="A class: an export or a table. Without it, describe the class."),
]
Restriction = Annotated[
    str,
    typer.Option(help="Restriction: any, no-prior, no-semester (final pay each week) or neither."),
]


@app.command(rich_help_panel=CLASS)
def recommend(
    export: ExportFiles = None,
    students: Annotated[int | None, typer.Option(help="Students who review.")] = None,
    assignments: Annotated[int | None, typer.Option(help="Assignments of the semester.")] = None,
    reviews: Annotated[
        float | None, typer.Option(help="Reviews of each grader in each assignment.")
    ] = None,
    scale: Annotated[
        str | None, typer.Option(help="Scale, such as 0..10, 1..5 or 0..100:any.")
    ] = None,
    ceiling: Annotated[
        float | None, typer.Option(help="Share of grades at the top of the scale, such as 0.3.")
    ] = None,
    slope_sd: Annotated[
        float | None,
        typer.Option(help="Standard deviation of graders' slopes (response styles), if known."),
    ] = None,
    spot_checks: Annotated[
        float, typer.Option(help="Share of submissions that staff grade too, such as 0.1.")
    ] = 0.0,
    prior_known: Annotated[
        bool, typer.Option("--prior-known", help="Mean and variance of true scores are known.")
    ] = False,
    assigned_known: Annotated[
        bool, typer.Option("--assigned-known", help="It is known who was to review what.")
    ] = False,
    need: Restriction = "",
    column_map: MapFile = None,
    answer: Answers = None,
    accept_defaults: AcceptDefaults = False,
    as_json: AsJson = False,
) -> None:
    """Say which mechanism suits a class, from measured rows, and what it leaves open.

    Takes the export of a class, or numbers that describe it; numbers replace those of the export.
    Names the nearest setting that was measured, and says so if nothing measured is near.
    """
    from peergauge.advice import recommend as advise

    known: dict[str, Any] = {
        "students": students,
        "assignments": assignments,
        "reviews": reviews,
        "ceiling": ceiling,
        "slope_sd": slope_sd,
        "spot_checks": spot_checks or None,
        "prior_known": prior_known or None,
        "assigned_known": assigned_known or None,
    }
    fields = {name: value for name, value in known.items() if value is not None}
    reports = None
    if export:
        door = Door(column_map, tuple(answer or ()), accept_defaults)
        reports = door.open(export, scale=_scale(scale)).reports
    else:
        if column_map or answer or accept_defaults:
            raise ParameterError("--map, --answer and --accept-defaults need the files of a class.")
        if scale is not None:
            fields["levels"] = _levels(scale)
    _show(advise(reports, need=need or None, **fields), as_json)


def _scale(text: str | None) -> Any:
    """The scale, if one is given."""
    from peergauge.tables import Scale

    return None if text is None else Scale.parse(text)


def _levels(text: str) -> int | None:
    """Number of grades on a scale; None if it has no steps."""
    scale = _scale(text)
    return scale.levels if scale.finite else None


def _show(advice: Advice, as_json: bool) -> None:
    """Print the advice as paragraphs or as JSON."""
    if as_json:
        import json

        found = {
            "mechanism": advice.mechanism or None,
            "why": advice.why,
            "leaves_open": advice.leaves_open,
            "setting": advice.setting.name,
            "near": advice.near,
            "differences": [gap.in_words() for gap in advice.gaps],
            "source": advice.source,
        }
        typer.echo(json.dumps(found, ensure_ascii=False))
        return
    for sentence in advice.why:
        typer.echo(sentence)
    if advice.leaves_open:
        typer.echo("\nWhat it leaves open:")
        for sentence in advice.leaves_open:
            typer.echo(f"- {sentence}")
