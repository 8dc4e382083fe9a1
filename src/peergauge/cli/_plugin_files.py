"""The option ``--plugin``, which every command has."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

PluginFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--plugin",
        metavar="FILE",
        help="A Python file that registers plug-ins of your own; repeatable.",
    ),
]


def with_plugin_files(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the option ``--plugin``; the files are loaded before the command runs."""

    @functools.wraps(command)
    def loading(*given: Any, plugin_files: list[Path] | None = None, **named: Any) -> Any:
        if plugin_files:
            from peergauge.core.plugins import load_plugins

            load_plugins(*plugin_files)
        return command(*given, **named)

    # Resolved here, because Typer would look for the names in this module.
    signature = inspect.signature(command, eval_str=True)
    option = inspect.Parameter(
        "plugin_files", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=PluginFiles
    )
    parameters = [*signature.parameters.values(), option]
    loading.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    loading.__annotations__ = {one.name: one.annotation for one in parameters}
    return loading
