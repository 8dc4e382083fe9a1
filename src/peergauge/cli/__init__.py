"""The command line: thin commands over the same calls that Python users make."""

from __future__ import annotations

import warnings
from typing import Annotated

import typer

from peergauge._version import __version__
from peergauge.cli import (
    auditing,
    bench,
    classes,
    datasets,
    exploit,
    grading,
    learn,
    paper,
    plugins,
    recommend,
    sweep,
)
from peergauge.cli._app import PANELS, app, fail, show_warning
from peergauge.cli._plugin_files import with_plugin_files
from peergauge.core.errors import PeergaugeError

__all__ = [
    "app",
    "auditing",
    "bench",
    "classes",
    "datasets",
    "exploit",
    "grading",
    "learn",
    "main",
    "paper",
    "plugins",
    "recommend",
    "sweep",
]

# Instructors first, whatever the files are called.
app.registered_commands.sort(key=lambda command: PANELS.index(str(command.rich_help_panel)))
for _command in app.registered_commands:
    if _command.callback is not None:
        _command.callback = with_plugin_files(_command.callback)


def main() -> None:
    """Run the command line; every refusal is one sentence and a non-zero exit."""
    warnings.showwarning = show_warning
    try:
        app()
    except PeergaugeError as error:
        fail(str(error), 1)
    except OSError as error:
        fail(f"{error.filename or 'A file'}: {error.strerror or error}.", 1)
    except KeyboardInterrupt:
        fail("Stopped; nothing was written.", 130)


@app.callback(invoke_without_command=True)
def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        typer.echo(f"peergauge {__version__}")
        raise typer.Exit
