"""The command line: thin commands over the same calls that Python users make."""

from __future__ import annotations

from peergauge.cli._loading import loading

with loading():
    import os
    import sys
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
        serving,
        sweep,
    )
    from peergauge.cli._app import (
        PANELS,
        answering_signals,
        app,
        fail,
        note,
        show_warning,
        terminable,
    )
    from peergauge.cli._plugin_files import name_who_ends_the_program, with_plugin_files
    from peergauge.core.activity import TIME_LIMIT_VARIABLE
    from peergauge.core.dated_archive import check_source_date
    from peergauge.core.errors import PeergaugeError, in_words
    from peergauge.core.memory import LOW_MEMORY_SENTENCE, lacks_memory
    from peergauge.core.terminal import PlainOutput

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
    "serving",
    "sweep",
]

PLUGIN_SECONDS = 3600
"""Seconds that a plug-in may take to pay one class, unless the environment says otherwise."""

# Instructors first, whatever the files are called.
app.registered_commands.sort(key=lambda command: PANELS.index(str(command.rich_help_panel)))
for _command in app.registered_commands:
    if _command.callback is not None:
        _command.callback = answering_signals(with_plugin_files(_command.callback))


def main() -> None:
    """Run the command line; every refusal is one sentence and a non-zero exit."""
    warnings.showwarning = show_warning
    # Workers, which other processes start, have the same limit.
    os.environ.setdefault(TIME_LIMIT_VARIABLE, str(PLUGIN_SECONDS))
    name_who_ends_the_program()
    plain = PlainOutput()
    plain.take(sys.stdout, sys.stderr)
    try:
        check_source_date()
        with terminable():
            app()
    except PeergaugeError as error:
        fail(str(error), 1)
    except OSError as error:
        fail(in_words(error), 1)
    except BaseException as error:
        if not lacks_memory(error):
            raise
        fail(LOW_MEMORY_SENTENCE, 1)
    finally:
        if plain.shown_codes:
            note(
                f"The output is in {sys.stdout.encoding}, which lacks some letters, so that they "
                "are shown by their codes; set PYTHONIOENCODING=utf-8, or write into a file."
            )


@app.callback(invoke_without_command=True)
def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    if version:
        typer.echo(f"peergauge {__version__}")
        raise typer.Exit
