"""What a process is doing, so that a mechanism that hangs or kills its worker can be named.

Code that runs plug-ins says so by :func:`doing`. Nothing else happens unless somebody watches: a
worker writes the words on a :class:`Board`, which the run can still read when the worker is dead,
and a time limit stops work that takes too long.
"""

from __future__ import annotations

import ctypes
import math
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import monotonic
from types import FrameType
from typing import Any, NamedTuple, NoReturn, TypeVar

from peergauge.core.errors import ParameterError, PluginError, TimeLimitError

Result = TypeVar("Result")

MAX_WORDS_BYTES = 512
"""Size of the words on a board, in bytes."""


class Activity(NamedTuple):
    """What a process is doing, and for how many seconds."""

    words: str
    seconds: float


class Board:
    """Memory that two processes share, in which one writes what it is doing.

    Parameters
    ----------
    context
        The context of multiprocessing that starts the other process.
    """

    def __init__(self, context: Any):
        self._words = context.RawArray("c", MAX_WORDS_BYTES)
        self._begin = context.RawValue("d", 0.0)

    def write(self, words: str) -> None:
        """Write what begins now; nothing is being done if the words are empty."""
        self._words.value = words.encode()[: MAX_WORDS_BYTES - 1]
        self._begin.value = monotonic()

    def read(self) -> Activity | None:
        """What the other process is doing, or was doing when it died; None if nothing."""
        words = self._words.value.decode(errors="ignore")
        return Activity(words, monotonic() - self._begin.value) if words else None


@dataclass(frozen=True, eq=False)
class Watch:
    """Who watches: a time limit in seconds, and a board to write on."""

    time_limit: float | None
    board: Board | None


_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def watching(time_limit: float | None = None, board: Board | None = None) -> Iterator[None]:
    """Stop whatever takes longer than *time_limit* seconds in this block, and write on *board*.

    >>> with watching(time_limit=60):
    ...     doing("counting to three", lambda: sum(range(3)))
    3
    """
    check_time_limit(time_limit)
    if time_limit is None and board is None:
        # Whoever watches already goes on.
        yield
        return
    token = _watch.set(Watch(time_limit, board))
    try:
        yield
    finally:
        _watch.reset(token)


def check_time_limit(seconds: float | None) -> None:
    """Raise an error unless a time limit is a positive number of seconds, or None for none."""
    if seconds is not None and not (
        isinstance(seconds, int | float) and math.isfinite(seconds) and seconds > 0
    ):
        raise ParameterError(f"A time limit is a positive number of seconds, not {seconds!r}.")


def doing(words: str, call: Callable[[], Result]) -> Result:
    """Return the result of *call*, which is described by *words*, a noun phrase.

    Work inside of other work counts as the outer one.
    """
    try:
        return _watched(words, call)
    except SystemExit as error:
        raise left_program(words, error) from error


def _watched(words: str, call: Callable[[], Result]) -> Result:
    watch = _watch.get()
    if watch is None:
        return call()
    token = _watch.set(None)
    if watch.board is not None:
        watch.board.write(words)
    try:
        if watch.time_limit is None:
            return call()
        return _limited(call, watch.time_limit, words)
    finally:
        if watch.board is not None:
            watch.board.write("")
        _watch.reset(token)


def left_program(words: str, error: SystemExit) -> PluginError:
    """The error about work that ended the program, as if everything was done."""
    return PluginError(
        words, f"calls sys.exit({error.code!r}), which would end the program; raise an error there"
    )


def too_slow(words: str, seconds: float) -> TimeLimitError:
    """The error about work that took longer than its limit."""
    return TimeLimitError(
        f"{words} took longer than the time limit of {seconds:g} seconds; make it faster, or allow "
        "it more time."
    )


def _limited(call: Callable[[], Result], seconds: float, words: str) -> Result:
    """The result of *call*, which is interrupted after some *seconds*.

    An interrupt reaches Python code only; a compiled function is interrupted when it returns.
    """
    if threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
        return _limited_by_signal(call, seconds, words)
    return _limited_by_thread(call, seconds, words)


def _limited_by_signal(call: Callable[[], Result], seconds: float, words: str) -> Result:
    def stop(_number: int, _frame: FrameType | None) -> NoReturn:
        raise _Interrupted

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        try:
            return call()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _Interrupted:
        raise too_slow(words, seconds) from None
    finally:
        signal.signal(signal.SIGALRM, before)


def _limited_by_thread(call: Callable[[], Result], seconds: float, words: str) -> Result:
    thread, over, lock = threading.get_ident(), threading.Event(), threading.Lock()
    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc

    def stop() -> None:
        with lock:
            if not over.is_set():
                raise_in(ctypes.c_ulong(thread), ctypes.py_object(_Interrupted))

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        try:
            return call()
        finally:
            timer.cancel()
            with lock:
                over.set()
                # An interrupt that came too late must not reach the code that comes next.
                raise_in(ctypes.c_ulong(thread), None)
    except _Interrupted:
        raise too_slow(words, seconds) from None


class _Interrupted(BaseException):
    """The time is over; no plug-in catches this by accident."""
