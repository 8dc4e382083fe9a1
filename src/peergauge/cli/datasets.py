"""The command ``peergauge datasets``, which says what can be loaded and where the rest is."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from peergauge.cli._app import LISTS, AsJson, app

Named = Annotated[str | None, typer.Argument(help="Name of one dataset to show in full.")]


@app.command(rich_help_panel=LISTS)
def datasets(name: Named = None, as_json: AsJson = False) -> None:
    """List the datasets: what is included, what can be simulated, and where the others are."""
    from peergauge.datasets import about, names

    found = [about(one) for one in ([name] if name else names())]
    if as_json:
        import json

        typer.echo(json.dumps([asdict(one) for one in found], ensure_ascii=False))
    elif name:
        typer.echo(found[0])
    else:
        width = max(len(one.name) for one in found) + 2
        for one in found:
            typer.echo(f"{one.name:<{width}}{one.kind:<11}{one.title}")
