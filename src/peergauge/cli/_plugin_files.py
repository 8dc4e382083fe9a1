"""The option ``--plugin``, which every command has."""

from __future__ import annotations

import functools
import inspect
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from peergauge.cli._app import note
from peergauge.core.activity import left_program
from peergauge.core.errors import TableError

PluginFiles = Annotated[
    list[Path] | None,
    typer.Option(
        "--plugin",
        metavar="FILE",
        help="A Python file that registers plug-ins of your own; repeatable.",
    ),
]


def _place_of(error: SystemExit) -> str:
    """The file and line that ended the program, as the beginning of a sentence."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"A plug-in ({Path(last.filename).name}, line {last.lineno})"


def name_who_ends_the_program() -> None:
    """Let calls of ``os._exit`` and ``os.abort``, which nothing can catch, say where they are."""
    program = os.getpid()

    def ending(end: Callable[..., NoReturn]) -> Callable[..., NoReturn]:
        def said(*code: int) -> NoReturn:
            # Processes that a library has forked end in this way.
            if os.getpid() == program:
                frame = sys._getframe(1)
                place = f"{Path(frame.f_code.co_filename).name}, line {frame.f_lineno}"
                note(f"Error: A plug-in ({place}) ended the program; raise an error there.")
                sys.stdout.flush()
                code = tuple(one or 1 for one in code)
            end(*code)

        return said

    os._exit, os.abort = ending(os._exit), ending(os.abort)


def with_plugin_files(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the option ``--plugin``; the files are loaded before the command runs."""

    @functools.wraps(command)
    def loading(*given: Any, plugin_files: list[Path] | None = None, **named: Any) -> Any:
        if plugin_files:
            from peergauge.core.plugins import load_plugins

            load_plugins(*plugin_files)
        try:
            return command(*given, **named)
        except SystemExit as error:
            # The commands raise typer.Exit; only a plug-in ends the program by itself.
            raise left_program(_place_of(error), error) from error
        except EOFError as error:
            # Typer would only say that the program was aborted.
            raise TableError("A file ends too early; write it again, or restore a copy.") from error

    # Resolved here, because Typer would look for the names in this module.
    signature = inspect.signature(command, eval_str=True)
    option = inspect.Parameter(
        "plugin_files", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=PluginFiles
    )
    parameters = [*signature.parameters.values(), option]
    loading.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    loading.__annotations__ = {one.name: one.annotation for one in parameters}
    return loading
