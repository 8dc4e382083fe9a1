"""Shared parts of all commands: the program, common options, progress bars and notes."""

from __future__ import annotations

import functools
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from threading import Timer
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from peergauge.cli._loading import CONTINUE_AGAIN, SIGNAL_EXIT_CODE, START_AGAIN
from peergauge.core.claims import claimed
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


COMPILING_SENTENCE = (
    "Fast functions are compiled for this machine, which takes up to half a minute the first time."
)


class Terminated(KeyboardInterrupt):
    """SIGTERM, by which a system asks a command to end; Ctrl-C is any other interrupt."""


@contextmanager
def terminable() -> Iterator[None]:
    """Let SIGTERM interrupt a command as Ctrl-C does, so that nothing is left behind."""

    def end(_number: int, _frame: FrameType | None) -> NoReturn:
        raise Terminated

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    except SystemExit as ending:
        # Typer catches interrupts of its own work, and says nothing.
        cause = ending.__context__ and ending.__context__.__cause__
        if isinstance(cause, KeyboardInterrupt):
            raise SystemExit(stopped(cause, START_AGAIN).exit_code) from None
        raise
    finally:
        # An interrupt that comes now ends Python at once and without a word.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)


def stopped(interrupt: KeyboardInterrupt, sentence: str) -> typer.Exit:
    """Print why a command ends, and return its exit."""
    note(sentence)
    number = signal.SIGTERM if isinstance(interrupt, Terminated) else signal.SIGINT
    return typer.Exit(SIGNAL_EXIT_CODE + number)


@contextmanager
def stoppable(out: Path | None = None) -> Iterator[None]:
    """Keep other commands out of a folder, and print at Ctrl-C that finished work is kept.

    Python ignores exceptions that are raised in destructors, such as those of Dask's futures. An
    interrupt that is lost in this way is sent once more.

    Parameters
    ----------
    out
        The folder from which the command continues; None if it keeps nothing.
    """
    usual, again = sys.unraisablehook, Timer(0.05, os.kill, (os.getpid(), signal.SIGINT))

    def heard(what: sys.UnraisableHookArgs) -> None:
        if not issubclass(what.exc_type, KeyboardInterrupt):
            usual(what)
        elif again.ident is None:
            again.start()

    sys.unraisablehook = heard
    try:
        with nullcontext() if out is None else claimed(out, parents=True):
            yield
    except KeyboardInterrupt as interrupt:
        raise stopped(interrupt, START_AGAIN if out is None else CONTINUE_AGAIN) from None
    finally:
        again.cancel()
        sys.unraisablehook = usual


def answering_signals(command: Callable[..., Any]) -> Callable[..., Any]:
    """Let a command end with a sentence at Ctrl-C and SIGTERM."""

    @functools.wraps(command)
    def answering(*given: Any, **named: Any) -> Any:
        try:
            return command(*given, **named)
        except KeyboardInterrupt as interrupt:
            raise stopped(interrupt, START_AGAIN) from None

    return answering


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
        task, current = progress.add_task(what, total=steps), what

        def step(doing: str) -> None:
            nonlocal current
            current = f"{what}: {doing}"
            progress.update(task, advance=1, description=current)

        with _compilation_shown(progress, task, lambda: current):
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

        with _compilation_shown(progress, task, lambda: current):
            yield tell


@contextmanager
def _compilation_shown(progress: Any, task: Any, words: Callable[[], str]) -> Iterator[None]:
    """Show that functions are compiled: in the bar of a terminal, or in one line elsewhere."""
    from peergauge.core.acceleration import announcing_compilation

    announced = False

    def show(begins: bool) -> None:
        nonlocal announced
        if not progress.disable:
            progress.update(task, description=f"{words()} (compiling once)" if begins else words())
        elif begins and not announced:
            announced = True
            note(COMPILING_SENTENCE)

    with announcing_compilation(show):
        yield


def note(text: str) -> None:
    """Print a line for people on standard error, so that standard output stays machine-readable."""
    from peergauge.core.terminal import printable

    # Names from files may hold escape sequences.
    typer.echo("\n".join(map(printable, text.split("\n"))), err=True)


def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print a warning as one line."""
    note(f"Warning: {message}")


def stop(sentence: str, code: int) -> NoReturn:
    """Print an error sentence, and end the command."""
    note(f"Error: {sentence}")
    raise typer.Exit(code)


def fail(sentence: str, code: int) -> None:
    """Print an error sentence, and exit the program."""
    # Generators and files that were interrupted may fail once more when they are deleted.
    sys.unraisablehook = lambda _: None
    note(f"Error: {sentence}")
    sys.exit(code)
