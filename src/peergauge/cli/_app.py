"""Shared parts of all commands: the program, common options, progress bars and notes."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from threading import Timer
from typing import TYPE_CHECKING, Annotated, Any

import typer

from peergauge.core.progress import terminal_bar

if TYPE_CHECKING:
    from concurrent.futures import Executor

app = typer.Typer(
    name="peergauge",
    help="Grade the graders: pay peer graders from their reports alone, and measure the pay.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

CLASS = "Your class"
PAPER = "The paper"
BEYOND = "Beyond the paper"
LISTS = "Lists of plug-ins"
PANELS = (CLASS, PAPER, BEYOND, LISTS)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same numbers.")]
Workers = Annotated[
    int | None, typer.Option(help="Number of local processes; as many as cores by default.")
]
TimeLimit = Annotated[
    float | None,
    typer.Option(help="Seconds that a mechanism may take to pay one class; no limit by default."),
]
Cluster = Annotated[
    str | None,
    typer.Option(help="Dask scheduler, tcp://HOST:PORT, or local to start one."),
]
Force = Annotated[
    bool,
    typer.Option(
        "--force", help="Replace files that this command did not write, or that were changed."
    ),
]
Folder = Annotated[Path, typer.Option("--out", "-o", help="Folder to write into.")]


@contextmanager
def stoppable() -> Iterator[None]:
    """Print at Ctrl-C that finished work is kept.

    Python ignores exceptions that are raised in destructors, such as those of Dask's futures. An
    interrupt that is lost in this way is sent once more.
    """
    usual, again = sys.unraisablehook, Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))

    def heard(what: sys.UnraisableHookArgs) -> None:
        if not issubclass(what.exc_type, KeyboardInterrupt):
            usual(what)
        elif again.ident is None:
            again.start()

    sys.unraisablehook = heard
    try:
        yield
    except KeyboardInterrupt:
        note("Stopped; run the same command again to continue.")
        raise typer.Exit(130) from None
    finally:
        again.cancel()
        sys.unraisablehook = usual


def executor_of(
    cluster: str | None, workers: int | None
) -> AbstractContextManager[Executor | None]:
    """Return the executor of a cluster, or None to use local processes."""
    if cluster is None:
        return nullcontext()
    from peergauge.engine.cluster import dask_executor

    return dask_executor(cluster, workers)


@contextmanager
def working(what: str, steps: int) -> Iterator[Any]:
    """Show the current step and the elapsed time, if standard error is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task(what, total=steps)

        def step(doing: str) -> None:
            progress.update(task, advance=1, description=f"{what}: {doing}")

        yield step


@contextmanager
def counting_steps(what: str = "") -> Iterator[Any]:
    """Show the current stage and how much of it is done, if standard error is a terminal.

    Parameters
    ----------
    what
        The first stage.
    """
    with terminal_bar() as progress:
        task, current = progress.add_task(what, total=None), what

        def tell(what: str, done: int, of: int) -> None:
            nonlocal current
            current = what
            progress.update(task, description=what, completed=done, total=of)

        def compiling(begins: bool) -> None:
            progress.update(task, description=f"{current} (compiling once)" if begins else current)

        from peergauge.core.acceleration import announcing_compilation

        with announcing_compilation(compiling):
            yield tell


def note(text: str) -> None:
    """Print a line for people on standard error, so that standard output stays machine-readable."""
    from peergauge.core.terminal import printable

    # Names from files may hold escape sequences.
    typer.echo("\n".join(map(printable, text.split("\n"))), err=True)


def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning as one line."""
    note(f"Warning: {message}")


def fail(sentence: str, code: int) -> None:
    """Print an error sentence and exit."""
    note(f"Error: {sentence}")
    sys.exit(code)
