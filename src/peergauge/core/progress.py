"""Progress bars: on a terminal, in a notebook, and nowhere else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from html import escape
from time import monotonic
from typing import Any, TypeAlias

Tell: TypeAlias = Callable[[int, int], None]
"""Takes the number of finished pieces and of all pieces."""

MIN_SECONDS_BETWEEN_UPDATES = 0.2
"""Seconds between two updates of a bar in a notebook, which are messages to a browser."""


def counting(what: str) -> AbstractContextManager[Tell]:
    """Show how much is done and the remaining time, if a person is watching.

    The bar is drawn in the notebook, or on standard error if that is a terminal. It disappears at
    the end.
    """
    return _in_notebook(what) if in_notebook() else _on_terminal(what)


def in_notebook() -> bool:
    """Whether this code runs in a notebook."""
    from rich.console import Console

    return Console().is_jupyter


def terminal_bar() -> Any:
    """A bar of Rich on standard error, which stays hidden if that is no terminal."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


@contextmanager
def _on_terminal(what: str) -> Iterator[Tell]:
    with terminal_bar() as progress:
        task = progress.add_task(what)

        def tell(done: int, of: int) -> None:
            progress.update(task, completed=done, total=of)

        yield tell


@contextmanager
def _in_notebook(what: str) -> Iterator[Tell]:
    # Rich needs ipywidgets in notebooks; an element of HTML needs nothing.
    from IPython.display import HTML, display

    begin = last = monotonic()
    first: int | None = None
    handle = display(HTML(escape(what)), display_id=True)

    def tell(done: int, of: int) -> None:
        nonlocal last, first
        now = monotonic()
        # What an earlier run finished took no time in this one.
        first = done if first is None else first
        if done < of and now - last < MIN_SECONDS_BETWEEN_UPDATES and done > first:
            return
        last = now
        left = _remaining(done - first, of - done, now - begin)
        handle.update(HTML(bar_in_html(what, done, of, left)))

    try:
        yield tell
    finally:
        handle.update(HTML(""))


def bar_in_html(what: str, done: int, of: int, seconds_left: float | None) -> str:
    """The bar of a notebook.

    >>> bar_in_html("Sweep", 1, 4, 90.0)
    'Sweep <progress value="1" max="4"></progress> 1/4, 1:30 left'
    """
    left = ""
    if seconds_left is not None:
        minutes, seconds = divmod(round(seconds_left), 60)
        left = f", {minutes}:{seconds:02d} left"
    return f'{escape(what)} <progress value="{done}" max="{of}"></progress> {done}/{of}{left}'


def _remaining(done: int, left: int, seconds: float) -> float | None:
    """Seconds that remain if the rest takes as long as what is done; None if nothing is."""
    return seconds / done * left if done else None
