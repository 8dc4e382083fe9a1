"""Commands that list plug-ins, one for each kind."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any

import typer

from peergauge.cli._app import LISTS, AsJson, app

if TYPE_CHECKING:
    from peergauge.core.registry import Registry

Named = Annotated[str | None, typer.Argument(help="Name of one plug-in to show in full.")]

KINDS = {
    "mechanisms": ("peergauge.mechanisms", "the mechanisms that pay graders"),
    "payments": ("peergauge.payments", "the payment rules that turn scores into money or points"),
    "strategies": ("peergauge.simulate.strategies", "the strategies that graders may follow"),
    "dynamics": ("peergauge.lab.learning.dynamics", "the dynamics by which classes learn"),
    "metrics": ("peergauge.metrics", "the measures of rewards"),
    "models": ("peergauge.models", "the statistical models of grading"),
    "experiments": ("peergauge.engine.experiment", "the experiments"),
    "readers": ("peergauge.exports.readers", "the readers of exports"),
    "gradebooks": ("peergauge.classroom.gradebooks", "the gradebooks that can be written"),
}
"""Module and description of each kind of plug-in, by the name of its command."""


def _lister(kind: str, module: str, what: str) -> Callable[..., None]:
    def command(name: Named = None, as_json: AsJson = False) -> None:
        _list(getattr(import_module(module), kind), name, as_json)

    command.__doc__ = f"List {what}, or show one in full."
    return command


for _kind, (_module, _what) in KINDS.items():
    app.command(_kind, rich_help_panel=LISTS)(_lister(_kind, _module, _what))


def _list(registry: Registry[Any], name: str | None, as_json: bool) -> None:
    from peergauge.core.catalogue import entries, markdown
    from peergauge.core.errors import UnknownNameError

    found = {entry.name: entry for entry in entries(registry)}
    if name is not None:
        plain = name.partition(":")[0].lower()
        if plain not in found:
            raise UnknownNameError(registry.kind, plain, found)
        found = {plain: found[plain]}
    if as_json:
        import json

        text = json.dumps([entry.as_json() for entry in found.values()], ensure_ascii=False)
        typer.echo(text)
        return
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False, markup=False)
    if name is None:
        table = Table(box=None, show_header=False, pad_edge=False)
        longest = max(len(entry.name) for entry in found.values())
        table.add_column(no_wrap=True, style="bold", min_width=longest)
        table.add_column()
        table.add_column()
        for entry in found.values():
            labels = "\n".join(label for _, label in entry.variants)
            table.add_row(entry.name, Text(labels), Text(entry.summary))
        console.print(table)
        return
    (entry,) = found.values()
    console.print(f"{entry.name}  {entry.label}", style="bold")
    console.print(Markdown(f"{entry.idea}\n\n{markdown(entry.text)}\n"))
    console.print()
    for fact, value in entry.facts.items():
        console.print(f"{fact}: {_shown(value)}")
    for parameter in entry.parameters:
        console.print(f"\n{parameter.name}={parameter.default}  ({parameter.values})", style="bold")
        console.print(Markdown(markdown(parameter.meaning)))


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value.value if isinstance(value, Enum) else value) or "not stated"
